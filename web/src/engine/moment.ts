/**
 * A position's data as it crosses from the worker to the page, sixty times per second: its tables as bytes, without
 * an object for each row.
 */
import { CACHE_ROW_SIZE, readCacheRow } from "#abi";
import type { NamedRows } from "#wasm";
import { frameOf, type PackedFrame } from "./frame.ts";
import type { CacheRow, Moment } from "./types.ts";

export interface PackedMoment extends Omit<Moment, "frame" | "caches"> {
	readonly frame: PackedFrame;
	readonly caches: NamedRows;
}

/** Returns the buffers that are transferred to the page instead of copied. */
export function buffersOf({ frame, caches }: PackedMoment): ArrayBuffer[] {
	return [frame.bytes, caches.rows];
}

export function momentOf({ frame, caches, ...rest }: PackedMoment): Moment {
	return { ...rest, frame: frameOf(frame), caches: cacheRowsOf(caches) };
}

const WORDS = CACHE_ROW_SIZE / Uint32Array.BYTES_PER_ELEMENT;

/** The caches that were read last: few change between positions, and the others stay the same objects. */
let last = { words: new Uint32Array(0), rows: [] as readonly CacheRow[] };

function cacheRowsOf({ rows: bytes, names }: NamedRows): readonly CacheRow[] {
	const view = new DataView(bytes);
	const words = new Uint32Array(bytes);
	const before = last;
	const rows = names.map((name, i) => {
		const known = before.rows[i];
		if (known?.name === name && areAlike(words, before.words, i * WORDS)) return known;
		return { ...readCacheRow(view, i * CACHE_ROW_SIZE), name };
	});
	last = { words, rows };
	return rows;
}

function areAlike(a: Uint32Array, b: Uint32Array, from: number): boolean {
	for (let i = from; i < from + WORDS; i++) if (a[i] !== b[i]) return false;
	return true;
}
