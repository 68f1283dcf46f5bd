/**
 * Keeps an opened trace for the next time, in the background: its image and its canonical form. Writing can be
 * stopped at any slice; if the browser refuses storage, one sentence reports it, and nothing else breaks.
 */
import type { KmemSession } from "#wasm";
import { hold } from "../../base/hold.ts";
import { bytesInWords } from "../../base/words.ts";
import type { Kept } from "../import/loader.ts";
import { packingOf } from "../input.ts";
import type { Card, RecentStore, Written } from "../recent/recent_store.ts";
import type { Report } from "../types.ts";

/** A larger image is not copied: only the canonical form is kept then. */
const IMAGE_MOST_BYTES = 768 << 20;
/** Fewer events are read from text at once, while an image takes some megabytes even without events. */
const IMAGE_LEAST_OPS = 20_000;
const SLICE_BYTES = 4 << 20;
/** Bytes that an event takes in packed canonical text, about. */
const PACKED_OP_BYTES = 12;

interface Keeping extends Pick<Card, "key" | "name" | "sizeBytes" | "note" | "module"> {
	readonly report: Report;
	readonly session: KmemSession;
	/** Undefined if none is kept. */
	readonly image: Uint8Array<ArrayBuffer> | undefined;
	/** The file, if its pointers show the start: the canonical form has no pointers. Undefined: that form will do. */
	readonly original: Blob | undefined;
	/** The parts that are kept already and intact. */
	readonly kept: Kept;
}

export function deservesImage(ops: number, memoryBytes: number): boolean {
	return ops >= IMAGE_LEAST_OPS && memoryBytes <= IMAGE_MOST_BYTES;
}

/** Lets other work run; false: stop writing. */
type Pause = () => Promise<boolean>;

class Stopped extends Error {}

/**
 * Returns "", or a sentence that says why it is not kept. `pause` comes before every slice and may stop the write.
 */
export async function keep(store: RecentStore, what: Keeping, pause: Pause): Promise<string> {
	if (what.key === "" || !(await store.has())) return "";
	// Another tab may have kept the same file while this one waited for its turn.
	const card = (await store.cards()).find(({ key }) => key === what.key);
	const isComplete = card?.module === what.module && (card.imageBytes > 0 || !what.image);
	const { kept, image, name, sizeBytes, report } = what;
	// Its own notes may have been damaged.
	const there = card && { ...card, name, sizeBytes, report, events: report.events };
	if (kept === "all" || (kept === "nothing" && isComplete)) return touch(store, there);
	if (kept === "original" && there)
		return image ? keepImage(store, there, { ...what, image }, pause) : touch(store, there);
	return keepAll(store, what, pause);
}

async function keepAll(store: RecentStore, what: Keeping, pause: Pause): Promise<string> {
	const textGuess = what.original?.size ?? what.report.ops * PACKED_OP_BYTES + SLICE_BYTES;
	const imageBytes = what.image?.length ?? 0;
	try {
		const room = await store.makeRoom(textGuess + imageBytes, what.key);
		const withImage = room >= textGuess + imageBytes;
		if (!withImage && imageBytes > 0) await store.makeRoom(textGuess, what.key);
		await store.remove(what.key);
		const image = withImage && what.image ? slices(what.image, pause) : nothing();
		const imageWritten = await store.write(what.key, "image", image);
		const textWritten = await store.write(what.key, "gz", await textOf(what, pause));
		await store.writeCard(cardOf(what, textWritten, imageWritten));
		return "";
	} catch (error) {
		await store.remove(what.key);
		return error instanceof Stopped ? "" : refusal(what.name, error);
	}
}

/**
 * Writes the image beside an intact packed original. While it is being written, the card names no image, so an
 * interruption loses nothing.
 */
async function keepImage(
	store: RecentStore,
	card: Card,
	{ image, module }: Keeping & { readonly image: Uint8Array<ArrayBuffer> },
	pause: Pause,
): Promise<string> {
	const without = { ...card, openedMs: Date.now(), imageBytes: 0, imageSum: "" };
	try {
		await store.writeCard(without);
		await store.removePart(card.key, "image");
		if ((await store.makeRoom(image.length, card.key)) < image.length) return "";
		const { bytes, sum } = await store.write(card.key, "image", slices(image, pause));
		await store.writeCard({ ...without, module, imageBytes: bytes, imageSum: sum });
	} catch {
		// It opens from the packed original the next time.
		await store.removePart(card.key, "image");
	}
	return "";
}

/** Records that it was opened again. Returns "": a storage that is full changes nothing about what is kept. */
async function touch(store: RecentStore, card: Card | undefined): Promise<string> {
	if (card) await store.writeCard({ ...card, openedMs: Date.now() }).catch(() => {});
	return "";
}

function cardOf(what: Keeping, text: Written, image: Written): Card {
	const { key, name, sizeBytes, report, note, module } = what;
	return {
		version: 2,
		key,
		name,
		sizeBytes,
		events: report.events,
		openedMs: Date.now(),
		textBytes: text.bytes,
		textSum: text.sum,
		imageBytes: image.bytes,
		imageSum: image.sum,
		module,
		report,
		note,
	};
}

async function refusal(name: string, error: unknown): Promise<string> {
	const { quota = 0 } = await navigator.storage.estimate();
	const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
	const why = isFull
		? `the browser gives this page no more than ${bytesInWords(quota)} of storage`
		: error instanceof Error
			? error.message
			: String(error);
	return `${name} is not kept under Recent: ${why}. The trace is open, but next time you must open the file again.`;
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

/** The file, packed if it is text, or the trace as packed text. */
async function textOf(
	{ session, original, report }: Keeping,
	pause: Pause,
): Promise<AsyncGenerator<Uint8Array, void, void>> {
	if (!original) return packed(session.export("slabtrace"), pause);
	const bytes = new Uint8Array(await original.arrayBuffer());
	const isText = report.lines > 0 && packingOf(bytes) === "";
	return isText ? packed([bytes], pause) : slices(bytes, pause);
}

/** Pieces of text, which the browser packs on another thread. */
async function* packed(
	pieces: Iterable<Uint8Array<ArrayBuffer>>,
	pause: Pause,
): AsyncGenerator<Uint8Array, void, void> {
	const gzip = new CompressionStream("gzip");
	const writer = gzip.writable.getWriter();
	const feed = async () => {
		for (const piece of pieces) {
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
