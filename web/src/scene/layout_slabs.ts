/** The slabs of a place as tiles, in list order, head first. */
import { NO_EXTENT, type Place } from "../engine/types.ts";
import { namesSlab } from "./about.ts";
import type { Draft } from "./draft.ts";
import { extentAt } from "./geometry.ts";
import { CELL, PLACE } from "./kinds.ts";
import type { Extents, Rect, SlabBox } from "./scene.ts";
import { type CellGrid, capacityFor, cellGrid, fitTiles, type TileGrid, tileAt } from "./tiles.ts";

const STRIP = 15;
const STRIP_FROM = 44;
const LIST_TILE_MAX = 68;
const FULL_TILE_MAX = 50;
const CHAIN_TILE_MAX = 58;
export const TRANSIT_TILE_MAX = 25;
/** Blocks of their own size lie in lines about this high. */
const LINE_OF_BYTES = 7;

export function gridFor(place: Place, area: Rect): TileGrid {
	const n = place.nrSlabs;
	switch (place.kind) {
		case PLACE.CPU_SLAB:
			return { size: Math.min(area.w, area.h), gap: 0, columns: 1, room: 1 };
		case PLACE.CPU_PARTIAL:
			return balanced(area, capacityFor(n, Math.max(2, place.limit)));
		case PLACE.NODE_FULL:
			return fitTiles(area, capacityFor(n, 12), FULL_TILE_MAX);
		case PLACE.TRANSIT:
			return fitTiles(area, capacityFor(n, 2), TRANSIT_TILE_MAX);
		default:
			return fitTiles(area, capacityFor(n, 12), LIST_TILE_MAX);
	}
}

/** A chain's tiles in rows of nearly equal length. */
function balanced(area: Rect, capacity: number): TileGrid {
	const grid = fitTiles(area, capacity, CHAIN_TILE_MAX);
	const rows = Math.ceil(capacity / Math.max(1, grid.columns));
	return { ...grid, columns: Math.max(1, Math.ceil(capacity / rows)) };
}

/** Draws the place's slabs from tile number `skip` of the area on. */
export function drawSlabs(
	draft: Draft,
	place: Place,
	area: Rect,
	skip: number,
	home: (node: number) => Rect | undefined,
): void {
	const grid = gridFor(place, area);
	const strip = stripOf(place, grid.size);
	const { slabs } = draft.source.frame;
	for (let i = 0; i < place.nrSlabs; i++) {
		const row = place.firstSlab + i;
		const old = draft.before.find(slabs.serial[row] ?? 0, slabs.cache[row] ?? 0);
		const box = tileAt(area, grid, skip + i);
		draft.slabs.push(
			takenOver(draft, row, old, box, strip) ?? slabBox(draft, row, { box, strip, home, old }),
		);
	}
}

/** The slab's box of the scene before, where it looks the same; where it only moved, at its new place. */
function takenOver(
	{ source, before }: Draft,
	row: number,
	old: number,
	box: Rect,
	strip: number,
): SlabBox | undefined {
	const slab = before.slabs[old];
	if (!slab || !before.isAlike(old, source.frame, row)) return undefined;
	if (slab.lit || slab.w !== box.w || slab.h !== box.h || slab.strip !== strip) return undefined;
	if (namesSlab(source.step, slab.cache, slab.serial)) return undefined;
	return slab.x === box.x && slab.y === box.y ? slab : { ...slab, x: box.x, y: box.y };
}

interface Spot {
	readonly box: Rect;
	readonly strip: number;
	readonly home: (node: number) => Rect | undefined;
	/** Its row in the scene before, -1 for none. */
	readonly old: number;
}

function slabBox(draft: Draft, row: number, { box, strip, home, old }: Spot): SlabBox {
	const { frame, step } = draft.source;
	const { slabs } = frame;
	const serial = slabs.serial[row] ?? 0;
	const cache = slabs.cache[row] ?? 0;
	const lit = namesSlab(step, cache, serial);
	const objects = slabs.objects[row] ?? 0;
	const first = slabs.firstCell[row] ?? 0;
	const total = draft.source.pageBytes * 2 ** (slabs.order[row] ?? 0);
	const extents = extentsOf(draft, row, total);
	const used = objects * (draft.source.cache?.size ?? 0);
	const before = extents ? 0 : Math.min(0.5, (slabs.start[row] ?? 0) / total);
	const start = box.h >= strip + 8 ? before : 0;
	const tail = extents || used === 0 ? 0 : Math.min(0.9, Math.max(0, 1 - start - used / total));
	const height = box.h - strip;
	const was = draft.before.slabs[old];
	const grid = extents
		? { columns: 1, rows: linesOfBytes(height) }
		: gridOf(was, objects, box.w, height * (1 - start - tail));
	const cells = frame.cells.slice(first, first + objects);
	const slab = {
		x: box.x,
		y: box.y,
		w: box.w,
		h: box.h,
		key: was?.key ?? `slab:${cache}/${serial}`,
		serial,
		cache,
		cells,
		extents,
		inuse: slabs.inuse[row] ?? 0,
		full: cells.every((state) => state === CELL.ALLOCATED),
		columns: grid.columns,
		rows: grid.rows,
		strip,
		start,
		tail,
		home: home(slabs.node[row] ?? 0) ?? box,
		lit,
		touched: -1,
		alpha: 1,
	};
	return lit ? { ...slab, touched: touchedCell(slab, step?.args ?? {}) } : slab;
}

/** As it was, where as many objects have as much room. */
function gridOf(old: SlabBox | undefined, objects: number, w: number, h: number): CellGrid {
	const same = old && old.cells.length === objects && old.w === w;
	if (same && (old.h - old.strip) * (1 - old.start - old.tail) === h) return old;
	return cellGrid(objects, w, h);
}

function touchedCell(slab: SlabBox, args: Readonly<Record<string, number>>): number {
	if (args.offset !== undefined && slab.extents) return extentAt(slab, args.offset);
	return args.index ?? -1;
}

function extentsOf(draft: Draft, row: number, total: number): Extents | undefined {
	const { slabs, extents } = draft.source.frame;
	const first = slabs.firstExtent[row] ?? NO_EXTENT;
	if (first === NO_EXTENT) return undefined;
	const end = first + (slabs.objects[row] ?? 0);
	return {
		offset: extents.offset.subarray(first, end),
		bytes: extents.bytes.subarray(first, end),
		total,
	};
}

/** A power of two, so that lines begin at round offsets. */
function linesOfBytes(height: number): number {
	let lines = 1;
	while (lines < 16 && height / (lines * 2) >= LINE_OF_BYTES) lines *= 2;
	return lines;
}

/** Lists of small tiles have no strips; their numbers appear between the tiles when one looks closely. */
function stripOf(place: Place, size: number): number {
	if (place.kind === PLACE.CPU_SLAB) return Math.min(STRIP, size * 0.25);
	return size >= STRIP_FROM ? STRIP : 0;
}
