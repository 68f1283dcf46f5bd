/** Turns one slab of a frame into a box: its cells, their layout, and the tail waste. */
import { NO_EXTENT } from "../engine/frame.ts";
import { allocatedIn } from "../engine/place_kinds.ts";
import { namesSlab } from "./about.ts";
import type { Source } from "./draft.ts";
import { extentAt } from "./geometry.ts";
import type { Extents, Fold, Rect, SlabBox } from "./scene.ts";
import { type CellGrid, cellGrid } from "./tiles.ts";

/** The approximate height of the lines for blocks of different sizes. */
const LINE_OF_BYTES = 7;

/** How a slab's cells are laid out in its box. */
export interface CellShape extends CellGrid {
	/** Shares of the slab's bytes before its first object and after its last. */
	readonly start: number;
	readonly tail: number;
}

interface Spot {
	readonly box: Rect;
	readonly strip: number;
	readonly home: (node: number) => Rect | undefined;
	/** The box that it had before, if any. */
	readonly was?: SlabBox | undefined;
	readonly shape?: CellShape;
	readonly fold: Fold | undefined;
}

export function slabBox(
	source: Source,
	row: number,
	{ box, strip, home, was, shape, fold }: Spot,
): SlabBox {
	const { frame, step } = source;
	const { slabs } = frame;
	const serial = slabs.serial[row] ?? 0;
	const cache = slabs.cache[row] ?? 0;
	const lit = namesSlab(step, cache, serial);
	const objects = slabs.objects[row] ?? 0;
	const first = slabs.firstCell[row] ?? 0;
	const cells = frame.cells.slice(first, first + objects);
	const allocated = allocatedIn(frame, row);
	const { columns, rows, start, tail } = shape ?? cellShape(source, row, box.w, box.h, strip, was);
	const slab = {
		x: box.x,
		y: box.y,
		w: box.w,
		h: box.h,
		key: was?.key ?? `slab:${cache}/${serial}`,
		serial,
		cache,
		cells,
		extents: extentsOf(source, row),
		allocated,
		full: allocated === objects,
		columns,
		rows,
		strip,
		start,
		tail,
		home: home(slabs.node[row] ?? 0) ?? box,
		lit,
		touched: -1,
		alpha: 1,
		fold,
	};
	return lit ? { ...slab, touched: touchedCell(slab, step?.args ?? {}) } : slab;
}

/** Lays out a box of that size; returns the same object as before for the same number of objects in the same room. */
export function cellShape(
	source: Source,
	row: number,
	w: number,
	h: number,
	strip: number,
	was?: SlabBox,
): CellShape {
	const { slabs } = source.frame;
	const objects = slabs.objects[row] ?? 0;
	const height = h - strip;
	if ((slabs.firstExtent[row] ?? NO_EXTENT) !== NO_EXTENT)
		return { columns: 1, rows: linesOfBytes(height), start: 0, tail: 0 };
	const total = bytesOf(source, row);
	const used = objects * (source.cache?.size ?? 0);
	const before = Math.min(0.5, (slabs.start[row] ?? 0) / total);
	const start = h >= strip + 8 ? before : 0;
	const tail = used === 0 ? 0 : Math.min(0.9, Math.max(0, 1 - start - used / total));
	return { ...gridOf(was, objects, w, height * (1 - start - tail)), start, tail };
}

function gridOf(old: SlabBox | undefined, objects: number, w: number, h: number): CellGrid {
	const same = old && old.cells.length === objects && old.w === w;
	if (same && (old.h - old.strip) * (1 - old.start - old.tail) === h)
		return { columns: old.columns, rows: old.rows };
	return cellGrid(objects, w, h);
}

function touchedCell(slab: SlabBox, args: Readonly<Record<string, number>>): number {
	if (args.offset !== undefined && slab.extents) return extentAt(slab, args.offset);
	return args.index ?? -1;
}

function bytesOf({ frame, pageBytes }: Source, row: number): number {
	return pageBytes * 2 ** (frame.slabs.order[row] ?? 0);
}

function extentsOf(source: Source, row: number): Extents | undefined {
	const { slabs, extents } = source.frame;
	const first = slabs.firstExtent[row] ?? NO_EXTENT;
	if (first === NO_EXTENT) return undefined;
	const end = first + (slabs.objects[row] ?? 0);
	return {
		offset: extents.offset.subarray(first, end),
		bytes: extents.bytes.subarray(first, end),
		total: bytesOf(source, row),
	};
}

/** A power of two, so that lines start at round offsets. */
function linesOfBytes(height: number): number {
	let lines = 1;
	while (lines < 16 && height / (lines * 2) >= LINE_OF_BYTES) lines *= 2;
	return lines;
}
