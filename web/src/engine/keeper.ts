/**
 * Keeps an opened recording for the next time, in the background: its image and its canonical form. What is
 * written can be stopped at any slice; a browser that refuses room says so in one sentence, and nothing else breaks.
 */
import type { KmemSession } from "#wasm";
import { hold } from "./held.ts";
import type { Card, Shelf } from "./shelf.ts";
import type { Report } from "./types.ts";
import { bytesInWords } from "./words.ts";

/** A larger image is not copied: the canonical form alone is kept then. */
const IMAGE_MOST_BYTES = 768 << 20;
/** Fewer operations are read from text at once, and an image is some megabytes even of nothing. */
const IMAGE_LEAST_OPS = 20_000;
const SLICE_BYTES = 4 << 20;
/** Canonical text, packed: what one operation takes is about that much. */
const PACKED_OP_BYTES = 12;

export interface Keeping {
	readonly key: string;
	readonly name: string;
	readonly sizeBytes: number;
	readonly report: Report;
	readonly note: string;
	readonly session: KmemSession;
	/** Undefined where none is kept. */
	readonly image: Uint8Array<ArrayBuffer> | undefined;
	readonly module: string;
}

export function deservesImage(ops: number, memoryBytes: number): boolean {
	return ops >= IMAGE_LEAST_OPS && memoryBytes <= IMAGE_MOST_BYTES;
}

/** Lets other work come in; false: nobody wants it kept any more. */
type Pause = () => Promise<boolean>;

class Stopped extends Error {}

/** Returns "", or the sentence on why it is not kept. `pause` comes before every slice and may say that it is enough. */
export async function keep(shelf: Shelf, what: Keeping, pause: Pause): Promise<string> {
	if (what.key === "" || !(await shelf.has())) return "";
	// Another tab may have kept the same file while this one waited for its turn.
	const there = (await shelf.cards()).find((card) => card.key === what.key);
	if (there?.module === what.module && (there.imageBytes > 0 || !what.image))
		return touch(shelf, what.key);
	const textGuess = what.report.ops * PACKED_OP_BYTES + SLICE_BYTES;
	const imageBytes = what.image?.length ?? 0;
	try {
		const room = await shelf.makeRoom(textGuess + imageBytes, what.key);
		const withImage = room >= textGuess + imageBytes;
		await shelf.remove(what.key);
		const image = withImage && what.image ? slices(what.image, pause) : nothing();
		const written = { image: await shelf.write(what.key, "image", image), text: 0 };
		written.text = await shelf.write(what.key, "gz", packed(what.session, pause));
		await shelf.writeCard(cardOf(what, written.text, written.image));
		return "";
	} catch (error) {
		await shelf.remove(what.key);
		return error instanceof Stopped ? "" : refusal(what.name, error);
	}
}

/** It was opened again. Returns "", as there is nothing to say. */
export async function touch(shelf: Shelf, key: string): Promise<string> {
	const card = (await shelf.cards()).find((c) => c.key === key);
	if (card) await shelf.writeCard({ ...card, openedMs: Date.now() });
	return "";
}

function cardOf(what: Keeping, textBytes: number, imageBytes: number): Card {
	const { key, name, sizeBytes, report, note, module } = what;
	const openedMs = Date.now();
	const events = report.events;
	return {
		version: 1,
		key,
		name,
		sizeBytes,
		events,
		openedMs,
		textBytes,
		imageBytes,
		module,
		report,
		note,
	};
}

async function refusal(name: string, error: unknown): Promise<string> {
	const { quota = 0 } = await navigator.storage.estimate();
	const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
	const why = isFull
		? `the browser gives this page ${bytesInWords(quota)} of storage in all`
		: error instanceof Error
			? error.message
			: String(error);
	return `${name} is not kept under Recent: ${why}. It is open as it should be; open the file again next time.`;
}

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {}

async function* slices(
	bytes: Uint8Array<ArrayBuffer>,
	pause: Pause,
): AsyncGenerator<Uint8Array, void, void> {
	for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
		if (!(await pause())) throw new Stopped();
		yield bytes.subarray(at, at + SLICE_BYTES);
	}
}

/** The trace as slabtrace text, packed by the browser beside this thread. */
async function* packed(session: KmemSession, pause: Pause): AsyncGenerator<Uint8Array, void, void> {
	const gzip = new CompressionStream("gzip");
	const writer = gzip.writable.getWriter();
	const feed = async () => {
		for (const piece of session.export("slabtrace")) {
			if (!(await pause())) throw new Stopped();
			await writer.write(piece);
		}
		await writer.close();
	};
	const fed = feed().catch(async (error) => {
		await writer.abort(error).catch(() => {});
	});
	const reader = gzip.readable.getReader();
	const release = hold({ gzip, writer, reader });
	try {
		for (;;) {
			const { value, done } = await reader.read();
			if (done) break;
			yield value;
		}
		await fed;
	} finally {
		release();
	}
}
