/**
 * The bytes of a file, piece by piece, read ahead: the next ones come in while one is being parsed, so that reading
 * and parsing overlap.
 *
 * Who owns a buffer? A source has a few and reuses them. It lends a piece to its caller until the next pull: then the
 * buffer is filled with other bytes, or transferred to the reading thread, which empties every view on it. A caller
 * that needs bytes for longer copies them first, and never transfers a piece.
 */

import { hold } from "../../base/hold.ts";
import { ownWorker } from "../../base/load_code.ts";
import type { Answer } from "./reader_worker.ts";
import readerUrl from "./reader_worker.ts?worker&url";
import { PIECE_BYTES, Reading } from "./reading.ts";

/** Lends the next piece; the previous one must no longer be read. Undefined: there are no more. */
export type Pull = () => Promise<Uint8Array | undefined>;

export interface Source {
	readonly pull: Pull;
	/** Stops reading. */
	close(): void;
}

/** A smaller file is read completely before another thread starts. */
const OTHER_THREAD_FROM_BYTES = 16 << 20;
/** Number of buffers: one for each piece that has been read but not parsed yet, and one more on its way back. */
const BUFFERS = 4;

export function sourceOf(file: Blob): Source {
	if (file.size < OTHER_THREAD_FROM_BYTES || typeof Worker === "undefined") return here(file);
	try {
		return elsewhere(file);
	} catch {
		return here(file);
	}
}

/** Reads on this thread, through two buffers. */
function here(file: Blob): Source {
	const reading = new Reading(file);
	const read = (buffer: ArrayBuffer) => {
		const piece = reading.next(buffer);
		// The next pull reports a failure; until then it must not count as an unhandled rejection.
		piece.catch(() => {});
		return piece;
	};
	let next = read(new ArrayBuffer(PIECE_BYTES));
	let spare = new ArrayBuffer(PIECE_BYTES);
	const pull = async () => {
		const piece = await next;
		if (!piece) return undefined;
		next = read(spare);
		spare = piece.buffer;
		return piece;
	};
	return { pull, close() {} };
}

/** Reads on its own thread, or on this one if the browser does not let a worker start workers. */
function elsewhere(file: Blob): Source {
	const worker = ownWorker(new URL(readerUrl, import.meta.url).href);
	const release = hold(worker);
	const answers: Answer[] = [];
	let wake = () => {};
	let instead: Source | undefined;
	let used: ArrayBuffer | undefined;
	let begun = false;
	worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
		begun = true;
		answers.push(data);
		wake();
	});
	worker.addEventListener("error", () => {
		if (begun) answers.push("The file could not be read to the end.");
		else instead ??= here(file);
		wake();
	});
	const ask = (buffer: ArrayBuffer) => worker.postMessage(buffer, [buffer]);
	worker.postMessage(file);
	for (let i = 0; i < BUFFERS; i++) ask(new ArrayBuffer(PIECE_BYTES));
	const pull = async () => {
		if (used) ask(used);
		used = undefined;
		while (answers.length === 0 && !instead) {
			await new Promise<void>((resolve) => {
				wake = resolve;
			});
		}
		if (instead) return instead.pull();
		const answer = answers.shift();
		if (typeof answer === "string") throw new Error(answer);
		used = answer?.buffer;
		return answer ?? undefined;
	};
	const close = () => {
		worker.terminate();
		release();
	};
	return { pull, close };
}
