/** The slabs of a place as tiles, in list order, head first. */
import { NO_EXTENT, type Place } from "../engine/types.ts";
import { namesSlab } from "./about.ts";
import type { Draft } from "./draft.ts";
import { extentAt } from "./geometry.ts";
import { PLACE } from "./kinds.ts";
import type { Extents, Rect, SlabBox } from "./scene.ts";
import { capacityFor, cellGrid, fitTiles, type TileGrid, tileAt } from "./tiles.ts";

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
	for (let i = 0; i < place.nrSlabs; i++) {
		const box = tileAt(area, grid, skip + i);
		const strip = stripOf(place, grid.size);
		draft.slabs.push(slabBox(draft, place.firstSlab + i, box, strip, home));
	}
}

function slabBox(
	draft: Draft,
	row: number,
	box: Rect,
	strip: number,
	home: (node: number) => Rect | undefined,
): SlabBox {
	const { frame, step } = draft.source;
	const { slabs } = frame;
	const serial = slabs.serial[row] ?? 0;
	const cache = slabs.cache[row] ?? 0;
	const objects = slabs.objects[row] ?? 0;
	const first = slabs.firstCell[row] ?? 0;
	const total = draft.source.pageBytes * 2 ** (slabs.order[row] ?? 0);
	const extents = extentsOf(draft, row, total);
	const used = objects * (draft.source.cache?.size ?? 0);
	const before = extents ? 0 : Math.min(0.5, (slabs.start[row] ?? 0) / total);
	const start = box.h >= strip + 8 ? before : 0;
	const tail = extents || used === 0 ? 0 : Math.min(0.9, Math.max(0, 1 - start - used / total));
	const height = box.h - strip;
	const cells = extents
		? { columns: 1, rows: linesOfBytes(height) }
		: cellGrid(objects, box.w, height * (1 - start - tail));
	const lit = namesSlab(step, cache, serial);
	const slab = {
		...box,
		key: `slab:${cache}/${serial}`,
		row,
		serial,
		cache,
		cells: frame.cells.subarray(first, first + objects),
		extents,
		inuse: slabs.inuse[row] ?? 0,
		columns: cells.columns,
		rows: cells.rows,
		strip,
		start,
		tail,
		home: home(slabs.node[row] ?? 0) ?? box,
		lit,
		touched: -1,
		alpha: 1,
	};
	return { ...slab, touched: lit ? touchedCell(slab, step?.args ?? {}) : -1 };
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
