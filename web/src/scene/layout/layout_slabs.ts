/** The slabs of a place as tiles, in list order, head first. */
import type { Place } from "../../engine/frame.ts";
import { PLACE } from "../../engine/place_kinds.ts";
import { namesSlab } from "../about.ts";
import type { SlabRun } from "../crowd.ts";
import type { Draft } from "../draft.ts";
import { foldOf } from "../histogram/bars.ts";
import type { Fold, Rect, SlabBox } from "../scene.ts";
import { slabBox } from "../slab_box.ts";
import { capacityFor, fitTiles, gridOf, highOf, type TileGrid, tileAt } from "../tiles.ts";
import type { Spot } from "./seats.ts";

const STRIP = 15;
const STRIP_FROM = 44;
/** A cpu slab's number is beside the name of its CPU. */
const CPU_STRIP_FROM = 120;
export const TRANSIT_TILE_MAX = 25;

/** Cached by area of a plan, kind of place and capacity, because plans stay while the position changes. */
const GRIDS = new WeakMap<Rect, Map<number, TileGrid>>();
const KINDS_MOST = 64;

/** `tile`: the side of its tiles on the plan. */
export function gridFor(place: Place, area: Rect, tile: number): TileGrid {
	const known = GRIDS.get(area) ?? new Map<number, TileGrid>();
	if (known.size === 0) GRIDS.set(area, known);
	const { kind, nrSlabs } = place;
	const grid = known.get(kind) ?? makeGrid(kind, capacityOf(place), area, tile);
	if (nrSlabs <= grid.room) {
		known.set(kind, grid);
		return grid;
	}
	const capacity = capacityOf(place);
	const key = capacity * KINDS_MOST + kind;
	const smaller = known.get(key) ?? fitTiles(area, capacity, tile);
	known.set(key, smaller);
	return smaller;
}

/** Does the same, without a look-up as long as the slabs fit. */
function tilesAt(place: Place, spot: Spot): TileGrid {
	if (spot.grid && place.nrSlabs <= spot.grid.room) return spot.grid;
	const grid = gridFor(place, spot.area, spot.tile);
	if (GRIDS.get(spot.area)?.get(place.kind) === grid) spot.grid = grid;
	return grid;
}

/** Lists have room for more slabs than they have; longer ones get smaller tiles. */
function capacityOf({ kind, nrSlabs, limit }: Place): number {
	if (kind === PLACE.CPU_SLAB) return 1;
	if (kind === PLACE.CPU_PARTIAL) return capacityFor(nrSlabs, Math.max(2, limit));
	return capacityFor(nrSlabs, kind === PLACE.TRANSIT ? 4 : 1);
}

function makeGrid(kind: number, capacity: number, area: Rect, tile: number): TileGrid {
	if (kind === PLACE.CPU_SLAB) return { size: area.w, high: area.h, gap: 0, columns: 1, room: 1 };
	if (kind === PLACE.CPU_PARTIAL) return balanced(area, capacity, tile);
	if (kind === PLACE.TRANSIT) return fitTiles(area, capacity, Math.min(tile, TRANSIT_TILE_MAX));
	return gridOf(area, tile);
}

/** With tiles of at least this side, a per-CPU partial list is one line of tiles. */
const LINE_FROM = 9;

/** The tiles of a per-CPU partial list: one line if they are large enough, else rows of nearly equal length. */
function balanced(area: Rect, capacity: number, tile: number): TileGrid {
	for (let size = Math.min(tile, Math.floor(area.h)); size >= LINE_FROM; size--) {
		const line = gridOf({ w: area.w, h: size }, size);
		if (line.columns >= capacity) return { ...line, columns: capacity, room: capacity };
	}
	const grid = fitTiles(area, capacity, tile);
	const rows = Math.ceil(capacity / Math.max(1, grid.columns));
	const columns = Math.max(1, Math.ceil(capacity / rows));
	return { ...grid, columns, room: columns * rows };
}

/** Lays out the place's slabs, starting at tile number `skip` of the area. */
export function runOf(place: Place, spot: Spot, skip: number): SlabRun {
	const { firstSlab, nrSlabs } = place;
	const { area } = spot;
	const grid = tilesAt(place, spot);
	return {
		place,
		area,
		grid,
		skip,
		strip: stripOf(place, highOf(grid)),
		first: firstSlab,
		count: nrSlabs,
		fold: spot.foldKey === "" ? undefined : foldAt(spot, grid.size),
	};
}

/** Splits a list that is a histogram into its first slabs, in one line of tiles, and the others. */
export function headAndRest(run: SlabRun, head: Rect, spot: Spot): SlabRun[] {
	spot.headGrid ??= gridOf(head, spot.tile);
	const grid = spot.headGrid;
	const count = Math.min(run.count, grid.columns);
	const first = { ...run, area: head, grid, count, fold: undefined };
	const rest = { ...run, first: run.first + count, count: run.count - count };
	return rest.count > 0 ? [first, rest] : [first];
}

function foldAt(spot: Spot, tile: number): Fold {
	const fold = foldOf(spot.foldKey, tile, spot.isFlat);
	if (spot.fold?.unfoldsAt !== fold.unfoldsAt) spot.fold = fold;
	return spot.fold;
}

export function drawSlabs(
	draft: Draft,
	{ area, grid, skip, strip, first, count, fold }: SlabRun,
	home: (node: number) => Rect | undefined,
): void {
	const { slabs } = draft.source.frame;
	for (let i = 0; i < count; i++) {
		const row = first + i;
		const old = draft.before.find(slabs.serial[row] ?? 0, slabs.cache[row] ?? 0);
		const box = tileAt(area, grid, skip + i);
		draft.slabs.push(
			takenOver(draft, row, old, box, { strip, fold }) ??
				slabBox(draft.source, row, { box, strip, home, was: draft.before.slabs[old], fold }),
		);
	}
}

/** Returns the slab's box from the previous scene if it looks the same; if it has only moved, the same box at its new place. */
function takenOver(
	{ source, before }: Draft,
	row: number,
	old: number,
	box: Rect,
	{ strip, fold }: Pick<SlabRun, "strip" | "fold">,
): SlabBox | undefined {
	const slab = before.slabs[old];
	if (!slab || !before.isAlike(old, source.frame, row)) return undefined;
	if (slab.lit || slab.w !== box.w || slab.h !== box.h || slab.strip !== strip) return undefined;
	if (slab.fold?.key !== fold?.key || slab.fold?.unfoldsAt !== fold?.unfoldsAt) return undefined;
	if (namesSlab(source.step, slab.cache, slab.serial)) return undefined;
	return slab.x === box.x && slab.y === box.y ? slab : { ...slab, x: box.x, y: box.y };
}

/** Lists of small tiles have no strips; their numbers appear between the tiles at a higher zoom. */
function stripOf(place: Place, size: number): number {
	return size < (place.kind === PLACE.CPU_SLAB ? CPU_STRIP_FROM : STRIP_FROM) ? 0 : STRIP;
}
