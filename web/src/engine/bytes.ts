/**
 * A file as a stream of plain text bytes: gzip and zstd are told by their first bytes, not by their names.
 * Compressed data that is damaged or cut off ends the stream early with a sentence; what came before is kept.
 */
export class CutOff extends Error {
	override readonly name = "CutOff";
}

type Pull = () => Promise<Uint8Array | undefined>;

/** Calls `take` with every piece of text and `onRead` with the bytes of the file read so far. */
export async function readBytes(
	file: Blob,
	take: (bytes: Uint8Array) => Promise<void>,
	onRead: (done: number) => void,
): Promise<void> {
	const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
	let done = 0;
	const consumer = { waiting: false };
	const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
		transform(chunk, controller) {
			done += chunk.length;
			onRead(done);
			controller.enqueue(chunk);
		},
		flush: () => untilRead(consumer),
	});
	const raw = file.stream().pipeThrough(counting);
	if (head[0] === 0x1f && head[1] === 0x8b) {
		await drain(pullFrom(raw.pipeThrough(new DecompressionStream("gzip")), consumer), take, "gzip");
	} else if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) {
		await drain(await zstd(pullFrom(raw, consumer)), take, "zstd");
	} else {
		await drain(pullFrom(raw, consumer), take, "");
	}
}

interface Consumer {
	/** It has taken all that there is and asks for more. */
	waiting: boolean;
}

function pullFrom(stream: ReadableStream<Uint8Array>, consumer: Consumer): Pull {
	const reader = stream.getReader();
	return async () => {
		consumer.waiting = true;
		const { value } = await reader.read();
		consumer.waiting = false;
		return value;
	};
}

const QUIET_TURNS = 3;

/**
 * A decompressor that finds its input cut off throws away what nobody has read yet. So the end of the input is
 * told only when everything before it has been read: when the consumer waits for several turns of the event loop.
 */
async function untilRead(consumer: Consumer): Promise<void> {
	for (let quiet = 0; quiet < QUIET_TURNS; ) {
		await new Promise((resolve) => setTimeout(resolve, 0));
		quiet = consumer.waiting ? quiet + 1 : 0;
	}
}

/** Loaded when the first zstd file comes. */
async function zstd(pull: Pull): Promise<Pull> {
	const { Decompress } = await import("fzstd");
	const out: Uint8Array[] = [];
	const decompress = new Decompress((chunk) => out.push(chunk));
	let ended = false;
	return async () => {
		while (out.length === 0 && !ended) {
			const chunk = await pull();
			ended = chunk === undefined;
			decompress.push(chunk ?? new Uint8Array(0), ended);
		}
		return out.shift();
	};
}

async function drain(
	pull: Pull,
	take: (bytes: Uint8Array) => Promise<void>,
	packing: string,
): Promise<void> {
	let total = 0;
	for (;;) {
		let bytes: Uint8Array | undefined;
		try {
			bytes = await pull();
		} catch (error) {
			if (packing === "") throw error;
			throw new CutOff(
				`The ${packing} data is damaged or cut off after ${total.toLocaleString("en-US")} bytes of text` +
					(total > 0
						? "; what came before is shown. Copy the file again to see all of it."
						: ". Copy the file again."),
			);
		}
		if (!bytes) return;
		total += bytes.length;
		if (bytes.length > 0) await take(bytes);
	}
}
