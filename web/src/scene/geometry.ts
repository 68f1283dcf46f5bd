/** Converts between objects and places inside boxes, both ways: number to rectangle, point to number. */
import type { ArrayBox, Bar, Fold, Histogram, Rect, Scene, SlabBox } from "./scene.ts";

/** Returns the part of a slab's box for its objects: below the strip and the colour offset, above the tail. */
export function objectArea(slab: SlabBox): Rect {
	const h = slab.h - slab.strip;
	const y = slab.y + slab.strip + h * slab.start;
	return { x: slab.x, y, w: slab.w, h: h * Math.max(0, 1 - slab.start - slab.tail) };
}

/** Returns one rectangle, or several if a block with its own size wraps over lines. */
export function cellRects(slab: SlabBox, index: number): Rect[] {
	const area = objectArea(slab);
	const { extents } = slab;
	if (extents) {
		const from = extents.offset[index] ?? 0;
		return spans(area, slab.rows, extents.total, from, from + (extents.bytes[index] ?? 0));
	}
	const w = area.w / slab.columns;
	const h = area.h / slab.rows;
	const row = Math.floor(index / slab.columns);
	return [{ x: area.x + (index % slab.columns) * w, y: area.y + row * h, w, h }];
}

/** Places bytes [from, to) in an area whose lines all have the same number of bytes. */
function spans(area: Rect, rows: number, total: number, from: number, to: number): Rect[] {
	const line = total / rows;
	const h = area.h / rows;
	const rects: Rect[] = [];
	for (let row = Math.floor(from / line); row < rows && row * line < to; row++) {
		const a = Math.max(from, row * line) - row * line;
		const b = Math.min(to, (row + 1) * line) - row * line;
		rects.push({
			x: area.x + (a / line) * area.w,
			y: area.y + row * h,
			w: ((b - a) / line) * area.w,
			h,
		});
	}
	return rects;
}

/** Finds the object of a slab at a point of the scene, -1 between objects. */
export function cellAt(slab: SlabBox, x: number, y: number): number {
	const area = objectArea(slab);
	if (y < area.y || y >= area.y + area.h) return -1;
	const across = (x - area.x) / area.w;
	const row = Math.floor(((y - area.y) / area.h) * slab.rows);
	const { extents } = slab;
	if (extents) {
		const at = ((row + across) * extents.total) / slab.rows;
		return extentAt(slab, at);
	}
	const index = row * slab.columns + Math.floor(across * slab.columns);
	return index < slab.cells.length ? index : -1;
}

/** Finds the cell that contains a byte of the slab, -1 for none. */
export function extentAt({ cells, extents }: SlabBox, at: number): number {
	if (!extents) return -1;
	for (let i = 0; i < cells.length; i++) {
		const from = extents.offset[i] ?? 0;
		if (at >= from && at < from + (extents.bytes[i] ?? 0)) return i;
	}
	return -1;
}

/** The gap between two sheaves, as a share of the width. */
const STACK_GAP = 0.2;

/** Returns the box of the sheaf with this number, out of as many as fit; for an array, the whole box. */
export function stackRect({ x, y, w, h, stacks }: ArrayBox, number: number): Rect {
	const room = stacks?.room ?? 1;
	const each = w / (room + (room - 1) * STACK_GAP);
	return { x: x + number * each * (1 + STACK_GAP), y, w: each, h };
}

/** Returns the width and height of an object in an array. */
export function entrySize(array: ArrayBox): Pick<Rect, "w" | "h"> {
	return { w: stackRect(array, 0).w / array.columns, h: array.h / array.rows };
}

/** Returns the rectangle of the object at an index of an array, 0 = oldest, from the bottom up. */
export function entryRect(array: ArrayBox, position: number): Rect {
	const { stacks, columns, rows } = array;
	const number = stacks ? Math.floor(position / stacks.capacity) : 0;
	const at = stacks ? position % stacks.capacity : position;
	const of = stackRect(array, number);
	const [w, h] = [of.w / columns, of.h / rows];
	const row = rows - 1 - Math.floor(at / columns);
	return { x: of.x + (at % columns) * w, y: of.y + row * h, w, h };
}

/** Finds the index in an array of the object at a point of the scene, -1 for none. */
export function entryAt(array: ArrayBox, x: number, y: number): number {
	const { stacks, columns, rows, count } = array;
	const first = stackRect(array, 0);
	const number = stacks ? Math.floor((x - array.x) / (first.w * (1 + STACK_GAP))) : 0;
	const of = number === 0 ? first : stackRect(array, number);
	const column = Math.floor(((x - of.x) / of.w) * columns);
	const row = rows - 1 - Math.floor(((y - of.y) / of.h) * rows);
	if (column < 0 || column >= columns) return -1;
	const at = row * columns + column;
	if (stacks && at >= stacks.capacity) return -1;
	const position = number * (stacks?.capacity ?? 0) + at;
	return position < count ? position : -1;
}

/** Whether a histogram represents a list's slabs at zoom k. */
export function isFolded(of: { readonly fold: Fold | undefined }, k: number): boolean {
	return of.fold !== undefined && k < of.fold.unfoldsAt;
}

/** Returns the histograms that show at zoom k. */
export function histogramsAt({ histograms }: Scene, k: number): readonly Histogram[] {
	return histograms.filter((h) => k < h.unfoldsAt);
}

/** The whole height above and below a low bar belongs to it, so that a pointer can hit it. */
export function barAt({ x, y, w, h, bars }: Histogram, px: number, py: number): Bar | undefined {
	if (px < x || py < y || px >= x + w || py >= y + h) return undefined;
	const bar = bars[Math.floor(((px - x) / w) * bars.length)];
	return bar && bar.nrSlabs > 0 ? bar : undefined;
}

/** Returns the visible box of a slab: from afar, the bar that counts it. */
export function visibleBox({ histograms }: Scene, slab: SlabBox, k: number): Rect {
	if (!isFolded(slab, k)) return slab;
	const of = histograms.find((h) => h.key === slab.fold?.key);
	const free = slab.cells.length - slab.allocated;
	const isCounted = (bar: Bar) => bar.nrSlabs > 0 && free >= bar.from && free <= bar.to;
	return (of?.unit === "objects" ? of.bars.find(isCounted) : of) ?? slab;
}
