/**
 * Reads perf.data and trace.dat: the core asks for each part of the file as it needs it. So it keeps only a little of
 * the file; from a stream, it would have to keep all of it.
 */
import type { KmemSession } from "#wasm";
import type { Reader } from "./unpack.ts";

const MAGICS = ["PERFILE2", "\x17\x08\x44tracing"];

/** Bytes given to the core per call. */
const MOST_BYTES = 256 << 10;
/** Bytes read at a time if ranges follow each other. */
const AHEAD_BYTES = 4 << 20;

export async function isReadByRange(file: Blob): Promise<boolean> {
	const head = new Uint8Array(await file.slice(0, 16).arrayBuffer());
	const text = String.fromCharCode(...head);
	return MAGICS.some((magic) => text.startsWith(magic));
}

/** Reads every range that the core requests, and passes it to `take`, after importBegin. */
export async function readRanges(
	file: Blob,
	session: KmemSession,
	{ take, onRead }: Reader,
): Promise<void> {
	let held = { at: 0, bytes: new Uint8Array(0) };
	let end = 0;
	let done = 0;
	session.importByRange(file.size);
	for (;;) {
		const { at, lenBytes } = session.importRange();
		if (lenBytes === 0) return;
		const most = Math.min(lenBytes, MOST_BYTES);
		if (at < held.at || at + most > held.at + held.bytes.length) {
			const slice = file.slice(at, at + (at === end ? AHEAD_BYTES : most));
			held = { at, bytes: new Uint8Array(await slice.arrayBuffer()) };
		}
		const bytes = held.bytes.subarray(at - held.at, at - held.at + most);
		if (bytes.length === 0) throw new Error("The file got shorter while it was being read.");
		end = at + bytes.length;
		done = Math.min(done + bytes.length, file.size);
		await onRead(done);
		await take(bytes);
	}
}
