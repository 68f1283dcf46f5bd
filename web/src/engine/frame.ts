/**
 * The places, slabs and objects at one position. A frame crosses from the worker as one buffer, which holds each
 * column of numbers and the rows of the places: both sides lay the same views over it, so thousands of slabs are
 * neither copied nor turned into objects.
 */
import { PLACE_SIZE, type Place, readPlace } from "#abi";

export type { Place };

/** No CPU, no node, no cache. */
export const NONE = 0xffff;
export const NO_EXTENT = 0xffffffff;

/** Places and slabs of one cache or of all, column by column; slabs of a place lie together, head first. */
export interface Frame {
	readonly places: readonly Place[];
	readonly slabs: SlabColumns;
	/** One byte per object, enum kmem_cell. */
	readonly cells: Uint8Array;
	/** Objects in arrays and queues, one by one; those of a place lie together, oldest first. */
	readonly entries: EntryColumns;
	/** The extents of cells that have sizes of their own. */
	readonly extents: ExtentColumns;
}

export interface SlabColumns {
	readonly count: number;
	/** Every slab has the same number of objects, from the same byte, in the same number of pages. */
	readonly areAlike: boolean;
	readonly address: Float64Array;
	/** As usageOf. */
	readonly usage: Float64Array;
	readonly serial: Uint32Array;
	/** Index of its place. */
	readonly place: Uint32Array;
	readonly firstCell: Uint32Array;
	/** Bytes before the first object. */
	readonly start: Uint32Array;
	/** Index of the first cell's extent, NO_EXTENT if all cells have one size. */
	readonly firstExtent: Uint32Array;
	readonly cache: Uint16Array;
	readonly node: Uint16Array;
	readonly objects: Uint16Array;
	readonly inuse: Uint16Array;
	readonly freeOnSlab: Uint16Array;
	readonly freeOnCpu: Uint16Array;
	readonly ownerCpu: Uint16Array;
	readonly order: Uint8Array;
	readonly frozen: Uint8Array;
}

export interface EntryColumns {
	readonly slab: Uint32Array;
	readonly index: Uint16Array;
	readonly cache: Uint16Array;
}

export interface ExtentColumns {
	readonly offset: Uint32Array;
	readonly bytes: Uint32Array;
}

/** How many rows there are of each. */
export interface Counts {
	readonly places: number;
	readonly slabs: number;
	readonly cells: number;
	readonly entries: number;
	readonly extents: number;
}

/** A frame as it crosses threads; the buffer is transferred. */
export interface PackedFrame {
	readonly counts: Counts;
	/** As for the columns of slabs. */
	readonly areAlike: boolean;
	readonly bytes: ArrayBuffer;
}

/** The parts of a packed frame, for writing or reading. */
export interface Parts {
	readonly slabs: Omit<SlabColumns, "count" | "areAlike">;
	readonly entries: EntryColumns;
	readonly extents: ExtentColumns;
	/** Rows of the core's. */
	readonly places: Uint8Array;
	readonly cells: Uint8Array;
}

/** Columns begin at multiples of this. */
const ALIGN = 8;

/** The offset behind a column of so many rows. */
class Cursor {
	readonly #bytes: ArrayBuffer;
	#at = 0;

	constructor(bytes: ArrayBuffer) {
		this.#bytes = bytes;
	}

	doubles(rows: number): Float64Array {
		return new Float64Array(this.#bytes, this.#past(rows * 8), rows);
	}

	words(rows: number): Uint32Array {
		return new Uint32Array(this.#bytes, this.#past(rows * 4), rows);
	}

	halves(rows: number): Uint16Array {
		return new Uint16Array(this.#bytes, this.#past(rows * 2), rows);
	}

	octets(rows: number): Uint8Array {
		return new Uint8Array(this.#bytes, this.#past(rows), rows);
	}

	#past(lenBytes: number): number {
		const at = this.#at;
		this.#at = Math.ceil((at + lenBytes) / ALIGN) * ALIGN;
		return at;
	}
}

/** Bytes of a row in all columns, and how many columns there are. */
const SLAB = { bytes: 52, columns: 16 };
const ENTRY = { bytes: 8, columns: 3 };
const EXTENT = { bytes: 8, columns: 2 };

/** A buffer with room for a frame. */
export function roomFor({ slabs, entries, extents, places, cells }: Counts): ArrayBuffer {
	const rows = slabs * SLAB.bytes + entries * ENTRY.bytes + extents * EXTENT.bytes;
	const gaps = ALIGN * (SLAB.columns + ENTRY.columns + EXTENT.columns + 1);
	return new ArrayBuffer(rows + gaps + places * PLACE_SIZE + cells);
}

export function partsOf({ bytes, counts }: Pick<PackedFrame, "bytes" | "counts">): Parts {
	const next = new Cursor(bytes);
	const { slabs, entries, extents } = counts;
	return {
		slabs: {
			address: next.doubles(slabs),
			usage: next.doubles(slabs),
			serial: next.words(slabs),
			place: next.words(slabs),
			firstCell: next.words(slabs),
			start: next.words(slabs),
			firstExtent: next.words(slabs),
			cache: next.halves(slabs),
			node: next.halves(slabs),
			objects: next.halves(slabs),
			inuse: next.halves(slabs),
			freeOnSlab: next.halves(slabs),
			freeOnCpu: next.halves(slabs),
			ownerCpu: next.halves(slabs),
			order: next.octets(slabs),
			frozen: next.octets(slabs),
		},
		entries: {
			slab: next.words(entries),
			index: next.halves(entries),
			cache: next.halves(entries),
		},
		extents: { offset: next.words(extents), bytes: next.words(extents) },
		places: next.octets(counts.places * PLACE_SIZE),
		cells: next.octets(counts.cells),
	};
}

export function frameOf(packed: PackedFrame): Frame {
	const { slabs, entries, extents, places, cells } = partsOf(packed);
	const view = new DataView(places.buffer, places.byteOffset, places.byteLength);
	const rows: Place[] = [];
	for (let at = 0; at < places.byteLength; at += PLACE_SIZE) rows.push(readPlace(view, at));
	return {
		places: rows,
		slabs: { ...slabs, count: packed.counts.slabs, areAlike: packed.areAlike },
		cells,
		entries,
		extents,
	};
}
