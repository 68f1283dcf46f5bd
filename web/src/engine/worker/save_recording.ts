/**
 * Keeps an opened trace for next time, in the background: the file itself, or its canonical form. Writing can be
 * stopped at any slice; if the browser refuses storage, one sentence says so, and nothing else breaks.
 */
import type { KmemSession } from "#wasm";
import { hold } from "../../base/hold.ts";
import { bytesInWords } from "../../base/words.ts";
import type { Kept } from "../import/loader.ts";
import { packingOf } from "../input.ts";
import type { Card, RecentStore } from "../recent/recent_store.ts";
import type { Report } from "../types.ts";

const SLICE_BYTES = 4 << 20;
/**
 * About how many bytes an event takes in packed canonical text, and how much smaller packing makes other text, at
 * least.
 */
const PACKED_OP_BYTES = 12;
const TEXT_SHRINKS = 4;

interface Keeping extends Pick<Card, "key" | "name" | "sizeBytes" | "note"> {
	readonly report: Report;
	readonly session: KmemSession;
	/**
	 * The file, if its pointers reveal the start: the canonical form has no pointers. Undefined if the canonical form
	 * will do.
	 */
	readonly original: Blob | undefined;
	readonly kept: Kept;
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
	if (what.kept === "damaged" || !card) return keepAll(store, what, pause);
	// Its own notes may have been damaged.
	const { name, sizeBytes, report } = what;
	return touch(store, { ...card, name, sizeBytes, report, events: report.events });
}

async function keepAll(store: RecentStore, what: Keeping, pause: Pause): Promise<string> {
	const { key, name, sizeBytes, report, note } = what;
	try {
		const { about, pieces } = await contentOf(what, pause);
		await store.makeRoom(about, key);
		await store.remove(key);
		const { bytes: textBytes, sum: textSum } = await store.write(key, pieces);
		await store.writeCard({
			...{ version: 2, key, name, sizeBytes, events: report.events, openedMs: Date.now() },
			...{ textBytes, textSum, report, note },
		});
		return "";
	} catch (error) {
		await store.remove(key);
		return error instanceof Stopped ? "" : refusal(name, error);
	}
}

/** Records that it was opened again. Returns "", because full storage changes nothing about what is kept. */
async function touch(store: RecentStore, card: Card): Promise<string> {
	await store.writeCard({ ...card, openedMs: Date.now() }).catch(() => {});
	return "";
}

async function refusal(name: string, error: unknown): Promise<string> {
	const { quota = 0 } = await navigator.storage.estimate();
	const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
	const why = isFull
		? `the browser gives this page no more than ${bytesInWords(quota)} of storage`
		: error instanceof Error
			? error.message
			: String(error);
	return `${name} is not kept under Recent: ${why}. The trace is open, but you will have to open the file again next time.`;
}

async function* slicesOf(file: Blob, pause: Pause): AsyncGenerator<Uint8Array<ArrayBuffer>> {
	for (let at = 0; at < file.size; at += SLICE_BYTES) {
		if (!(await pause())) throw new Stopped();
		yield new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer());
	}
}

interface Content {
	/** About how many bytes it takes. */
	readonly about: number;
	readonly pieces: AsyncIterable<Uint8Array>;
}

/** Returns the file, packed if it is text, or the trace as packed text. */
async function contentOf({ session, original, report }: Keeping, pause: Pause): Promise<Content> {
	if (!original)
		return {
			about: report.ops * PACKED_OP_BYTES + SLICE_BYTES,
			pieces: packed(session.export("slabtrace"), pause),
		};
	const head = new Uint8Array(await original.slice(0, SLICE_BYTES).arrayBuffer());
	const slices = slicesOf(original, pause);
	return report.lines > 0 && packingOf(head) === ""
		? { about: original.size / TEXT_SHRINKS, pieces: packed(slices, pause) }
		: { about: original.size, pieces: slices };
}

/** Yields pieces of text, which the browser packs on another thread. */
async function* packed(
	pieces: Iterable<Uint8Array<ArrayBuffer>> | AsyncIterable<Uint8Array<ArrayBuffer>>,
	pause: Pause,
): AsyncGenerator<Uint8Array, void, void> {
	const gzip = new CompressionStream("gzip");
	const writer = gzip.writable.getWriter();
	const feed = async () => {
		for await (const piece of pieces) {
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
