/**
 * What is where at one moment. A frame crosses from the worker as one buffer, in which each column of numbers and the rows of
 * the places have a part: both sides lay the same views over it, so thousands of slabs are neither copied nor made objects.
 */
import { PLACE_SIZE, readPlace } from "#abi";

/** No CPU, no node, no cache. */
export const NONE = 0xffff;
export const NO_EXTENT = 0xffffffff;

/** Places and slabs of one cache or of all, column by column; slabs of a place lie together, head first. */
export interface Frame {
	readonly places: readonly Place[];
	readonly slabs: SlabColumns;
	/** One byte per object, enum kmem_cell. */
	readonly cells: Uint8Array;
	/** Objects that are in arrays and queues one by one; those of a place lie together, oldest first. */
	readonly entries: EntryColumns;
	/** Where cells of their own size are. */
	readonly extents: ExtentColumns;
}

export interface Place {
	readonly kind: number;
	readonly cache: number;
	readonly cpu: number;
	readonly node: number;
	readonly nrSlabs: number;
	readonly firstSlab: number;
	readonly limit: number;
	readonly freeObjects: number;
	readonly nrEntries: number;
	readonly firstEntry: number;
	/** Of a list by size: the largest request that it serves. */
	readonly bytes: number;
	/** The node whose objects, or the group of CPUs, that an array is for; NONE elsewhere. */
	readonly target: number;
	readonly touched: number;
}

const SLABS = {
	address: Float64Array,
	/** As usageOf. */
	usage: Float64Array,
	serial: Uint32Array,
	/** Index of its place. */
	place: Uint32Array,
	firstCell: Uint32Array,
	/** Bytes before the first object. */
	start: Uint32Array,
	/** Index of the first cell's extent, NO_EXTENT where all cells are alike. */
	firstExtent: Uint32Array,
	cache: Uint16Array,
	node: Uint16Array,
	objects: Uint16Array,
	inuse: Uint16Array,
	freeOnSlab: Uint16Array,
	freeOnCpu: Uint16Array,
	ownerCpu: Uint16Array,
	order: Uint8Array,
	frozen: Uint8Array,
} as const;

const ENTRIES = { slab: Uint32Array, index: Uint16Array, cache: Uint16Array } as const;
const EXTENTS = { offset: Uint32Array, bytes: Uint32Array } as const;

type Column =
	| Float64ArrayConstructor
	| Uint32ArrayConstructor
	| Uint16ArrayConstructor
	| Uint8ArrayConstructor;
type Spec = Readonly<Record<string, Column>>;
type Columns<S extends Spec> = { readonly [Name in keyof S]: InstanceType<S[Name]> };

export type SlabColumns = Columns<typeof SLABS> & {
	readonly count: number;
	/** All have as many objects, from the same byte on, in as many pages. */
	readonly areAlike: boolean;
};
export type EntryColumns = Columns<typeof ENTRIES>;
export type ExtentColumns = Columns<typeof EXTENTS>;

/** How many rows there are of each. */
export interface Counts {
	readonly places: number;
	readonly slabs: number;
	readonly cells: number;
	readonly entries: number;
	readonly extents: number;
}

/** A frame as it crosses; the buffer is handed over. */
export interface PackedFrame {
	readonly counts: Counts;
	/** As of the columns of slabs. */
	readonly areAlike: boolean;
	readonly bytes: ArrayBuffer;
}

/** The parts of a packed frame, to be written or read. */
export interface Parts {
	readonly slabs: Columns<typeof SLABS>;
	readonly entries: EntryColumns;
	readonly extents: ExtentColumns;
	/** Rows of the core's. */
	readonly places: Uint8Array;
	readonly cells: Uint8Array;
}

/** Columns begin at multiples of this. */
const ALIGN = 8;

const aligned = (lenBytes: number) => Math.ceil(lenBytes / ALIGN) * ALIGN;

function bytesOf(spec: Spec, rows: number): number {
	const columns = Object.values(spec);
	return columns.reduce((sum, column) => sum + aligned(column.BYTES_PER_ELEMENT * rows), 0);
}

/** A buffer with room for a frame. */
export function roomFor({ slabs, entries, extents, places, cells }: Counts): ArrayBuffer {
	const columns = bytesOf(SLABS, slabs) + bytesOf(ENTRIES, entries) + bytesOf(EXTENTS, extents);
	return new ArrayBuffer(columns + aligned(places * PLACE_SIZE) + cells);
}

export function partsOf({ bytes, counts }: Pick<PackedFrame, "bytes" | "counts">): Parts {
	let at = 0;
	const next = <C extends Column>(kind: C, rows: number) => {
		const view = new kind(bytes, at, rows);
		at += aligned(view.byteLength);
		return view as InstanceType<C>;
	};
	const columns = <S extends Spec>(spec: S, rows: number) => {
		const views: Partial<Record<string, InstanceType<Column>>> = {};
		for (const name in spec) views[name] = next(spec[name] as Column, rows);
		return views as Columns<S>;
	};
	return {
		slabs: columns(SLABS, counts.slabs),
		entries: columns(ENTRIES, counts.entries),
		extents: columns(EXTENTS, counts.extents),
		places: next(Uint8Array, counts.places * PLACE_SIZE),
		cells: next(Uint8Array, counts.cells),
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
