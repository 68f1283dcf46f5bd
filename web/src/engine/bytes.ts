/**
 * A file as a stream of plain bytes: gzip and zstd are told by their first bytes, not by their names.
 * Compressed data that is damaged or cut off ends the stream early with a sentence; what came before is kept.
 */
import { holding } from "./held.ts";
import { type Packing, packingOf } from "./input.ts";
import { type Pull, sourceOf } from "./pull.ts";

export class CutOff extends Error {
	override readonly name = "CutOff";
}

/** Calls `take` with every piece of text and `onRead` with the bytes of the file read so far. */
export async function readBytes(
	file: Blob,
	take: (bytes: Uint8Array) => Promise<void>,
	onRead: (done: number) => void,
): Promise<void> {
	const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
	const packing = packingOf(head);
	const source = sourceOf(file);
	let done = 0;
	const plain = async () => {
		const bytes = await source.pull();
		done += bytes?.length ?? 0;
		if (bytes) onRead(done);
		return bytes;
	};
	try {
		if (packing === "") await drain(plain, take, "");
		else if (packing === "zstd") await drain(await zstd(plain), take, packing);
		else await gunzip(plain, take);
	} finally {
		source.close();
	}
}

async function gunzip(plain: Pull, take: (bytes: Uint8Array) => Promise<void>): Promise<void> {
	const consumer = { waiting: false };
	const reader = streamOf(plain, consumer).pipeThrough(new DecompressionStream("gzip")).getReader();
	await holding(reader, () => drain(pullFrom(reader, consumer), take, "gzip"));
}

/** The bytes of a file for a decompressor, which takes them over. */
function streamOf(pull: Pull, consumer: Consumer): ReadableStream<Uint8Array<ArrayBuffer>> {
	return new ReadableStream({
		async pull(controller) {
			const bytes = await pull();
			if (bytes) return controller.enqueue(bytes.slice());
			await untilRead(consumer);
			controller.close();
		},
	});
}

interface Consumer {
	/** It has taken all that there is and asks for more. */
	waiting: boolean;
}

function pullFrom(reader: ReadableStreamDefaultReader<Uint8Array>, consumer: Consumer): Pull {
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
	packing: Packing,
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
