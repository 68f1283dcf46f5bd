/**
 * The places, slabs and objects at one position. A frame crosses from the worker as one buffer, which holds every
 * column of numbers and the rows of the places. Both sides lay the same views over it, so thousands of slabs are
 * neither copied nor turned into objects.
 */
import { PLACE_SIZE, type Place, readPlace } from "#abi";

export type { Place };

/** Stands for no CPU, no node or no cache. */
export const NONE = 0xffff;
export const NO_EXTENT = 0xffffffff;
export const NO_SLAB = 0xffffffff;
/** Stands for the page allocator, instead of a kind of place. */
export const PAGES = 0xffff;

const SLAB = {
	address: Float64Array,
	/** The value that usageOf returns. */
	usage: Float64Array,
	serial: Uint32Array,
	/** Index of its place. */
	place: Uint32Array,
	firstCell: Uint32Array,
	/** Bytes before the first object. */
	start: Uint32Array,
	/** Index of the first cell's extent, NO_EXTENT if all cells have one size. */
	firstExtent: Uint32Array,
	cache: Uint16Array,
	node: Uint16Array,
	objects: Uint16Array,
	inuse: Uint16Array,
	freeOnCpu: Uint16Array,
	ownerCpu: Uint16Array,
	order: Uint8Array,
};
const ENTRY = { slab: Uint32Array, index: Uint16Array, cache: Uint16Array, sheaf: Uint16Array };
const EXTENT = { offset: Uint32Array, bytes: Uint32Array };

type Kinds = Readonly<
	Record<string, typeof Float64Array | typeof Uint32Array | typeof Uint16Array | typeof Uint8Array>
>;
type Columns<K extends Kinds> = { readonly [Name in keyof K]: InstanceType<K[Name]> };

/** The places and slabs of one cache or of all, column by column; the slabs of a place are together, head first. */
export interface Frame {
	readonly places: readonly Place[];
	readonly slabs: Parts["slabs"] & {
		readonly count: number;
		/** Every slab has the same number of objects, starting at the same byte, in the same number of pages. */
		readonly areAlike: boolean;
	};
	/** One byte per object, enum kmem_cell. */
	readonly cells: Uint8Array;
	/** Objects in arrays and queues, one by one; those of a place are together, oldest first. */
	readonly entries: Parts["entries"];
	/** The extents of cells that have their own sizes. */
	readonly extents: Parts["extents"];
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
	/** Has the same meaning as in the columns of slabs. */
	readonly areAlike: boolean;
	readonly bytes: ArrayBuffer;
}

/** The parts of a packed frame, for writing or reading. */
export interface Parts {
	readonly slabs: Columns<typeof SLAB>;
	readonly entries: Columns<typeof ENTRY>;
	readonly extents: Columns<typeof EXTENT>;
	/** Rows in the core's form. */
	readonly places: Uint8Array;
	readonly cells: Uint8Array;
}

/** Columns start at multiples of this. */
const ALIGN = 8;

/** Lays columns over a buffer one after another; without a buffer, only measures them. */
class Cursor {
	readonly #bytes: ArrayBuffer | undefined;
	at = 0;

	constructor(bytes?: ArrayBuffer) {
		this.#bytes = bytes;
	}

	columns<K extends Kinds>(kinds: K, rows: number): Columns<K> {
		const made = Object.entries(kinds).map(([name, Kind]) => {
			const at = this.at;
			this.at = Math.ceil((at + rows * Kind.BYTES_PER_ELEMENT) / ALIGN) * ALIGN;
			return [name, this.#bytes && new Kind(this.#bytes, at, rows)];
		});
		return Object.fromEntries(made) as Columns<K>;
	}
}

function partsFrom(cursor: Cursor, counts: Counts): Parts {
	return {
		slabs: cursor.columns(SLAB, counts.slabs),
		entries: cursor.columns(ENTRY, counts.entries),
		extents: cursor.columns(EXTENT, counts.extents),
		...cursor.columns({ places: Uint8Array }, counts.places * PLACE_SIZE),
		...cursor.columns({ cells: Uint8Array }, counts.cells),
	};
}

/** Makes a buffer with room for a frame. */
export function roomFor(counts: Counts): ArrayBuffer {
	const cursor = new Cursor();
	partsFrom(cursor, counts);
	return new ArrayBuffer(cursor.at);
}

export function partsOf({ bytes, counts }: Pick<PackedFrame, "bytes" | "counts">): Parts {
	return partsFrom(new Cursor(bytes), counts);
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
