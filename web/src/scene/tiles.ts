/**
 * Tiles in a rectangle: how large may n tiles be, and where does tile i go? Sizes come from a ladder of whole pixels,
 * so that all tiles on a stage look alike.
 */
import type { Rect } from "./scene.ts";

/** A list with more slabs than this is a histogram by free objects (scene/histogram). */
export const TILES_MOST = 300;
/** With more CPUs than this, they are squares. */
export const CARDS_MOST = 16;
const LARGEST = 320;
const LEAST = 0.5;
const LADDER = ladder();
/** How much an empty place in a grid weighs against cells that are not square. */
const EMPTY_COST = 6;

export interface TileGrid {
	/** Width of a tile, and also its height if it has no other. */
	readonly size: number;
	readonly high?: number;
	readonly gap: number;
	readonly columns: number;
	/** The number of tiles that fit. */
	readonly room: number;
}

function ladder(): number[] {
	const sizes: number[] = [];
	for (let size = LARGEST; size >= 3; size = Math.min(size - 1, Math.floor(size * 0.96)))
		sizes.push(size);
	return [...sizes, 2.4, 1.6, 1, 0.7, LEAST];
}

/** From the largest down. */
export function tileSizes(): readonly number[] {
	return LADDER;
}

export function gapOf(size: number): number {
	if (size >= 14) return Math.min(8, Math.max(2, Math.round(size * 0.085)));
	return size >= 3 ? 1 : size * 0.25;
}

export function gridOf(area: Pick<Rect, "w" | "h">, size: number): TileGrid {
	const gap = gapOf(size);
	const columns = Math.max(0, Math.floor((area.w + gap) / (size + gap)));
	const rows = Math.max(0, Math.floor((area.h + gap) / (size + gap)));
	return { size, gap, columns, room: columns * rows };
}

export function highOf({ size, high = size }: TileGrid): number {
	return high;
}

/** Returns the capacity that n tiles are laid out for. */
export function capacityFor(n: number, least: number): number {
	let capacity = Math.max(1, least);
	while (capacity < n) capacity *= 2;
	return capacity;
}

/** Returns the largest tiles, at most `limit`, such that `capacity` of them fit into the area. */
export function fitTiles(area: Rect, capacity: number, limit: number): TileGrid {
	for (const size of LADDER) {
		if (size > limit) continue;
		const grid = gridOf(area, size);
		if (grid.room >= capacity) return grid;
	}
	const side = Math.sqrt((Math.max(1, area.w) * Math.max(1, area.h)) / (capacity * 1.6));
	let size = Math.min(limit, side);
	while (size > LEAST && gridOf(area, size).room < capacity) size *= 0.9;
	const grid = gridOf(area, Math.max(size, 0.01));
	if (grid.room >= capacity) return grid;
	return squeezed(area, capacity);
}

/** For areas too small for visible tiles: fits everything in, however small that makes it. */
function squeezed(area: Rect, capacity: number): TileGrid {
	const columns = Math.max(1, Math.ceil(Math.sqrt((capacity * area.w) / Math.max(area.h, 0.01))));
	const rows = Math.ceil(capacity / columns);
	const size = Math.min(area.w / columns, area.h / rows);
	return { size, gap: 0, columns, room: columns * rows };
}

export function tileAt(area: Rect, grid: TileGrid, i: number): Rect {
	const column = i % grid.columns;
	const row = Math.floor(i / grid.columns);
	const h = highOf(grid);
	return {
		x: area.x + column * (grid.size + grid.gap),
		y: area.y + row * (h + grid.gap),
		w: grid.size,
		h,
	};
}

/** The least height of an object in a stack that has it to itself. */
const STACK_ROW = 5;

/**
 * Returns the columns and rows of a stack of n cells: one column if its cells are high enough, otherwise cells as nearly square
 * as possible.
 */
export function stackGrid(n: number, w: number, h: number): CellGrid {
	const cells = Math.max(1, n);
	const columns = Math.ceil(cells / Math.max(1, Math.floor(h / STACK_ROW)));
	const rows = Math.ceil(cells / columns);
	const isFlat = columns === 1 || w / columns >= h / rows;
	return isFlat ? { columns, rows } : cellGrid(cells, w, h);
}

export interface CellGrid {
	readonly columns: number;
	readonly rows: number;
}

/** Returns the columns and rows for n cells in a box: cells nearly square, and few places left empty. */
export function cellGrid(n: number, w: number, h: number): CellGrid {
	const cells = Math.max(1, n);
	const ideal = Math.sqrt((cells * w) / Math.max(h, 0.01));
	let best = { cost: Number.POSITIVE_INFINITY, columns: 1, rows: cells };
	const most = Math.min(cells, Math.ceil(ideal * 1.6));
	for (let columns = Math.max(1, Math.floor(ideal * 0.6)); columns <= most; columns++) {
		const rows = Math.ceil(cells / columns);
		const stretch = Math.abs(Math.log((w * rows) / (Math.max(h, 0.01) * columns)));
		const cost = stretch + ((columns * rows - cells) / cells) * EMPTY_COST;
		if (cost < best.cost) best = { cost, columns, rows };
	}
	return { columns: best.columns, rows: best.rows };
}
