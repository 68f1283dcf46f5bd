/**
 * Finds things in a scene: a slab by its serial number, whose box a crowd makes on request; objects that are large
 * enough on screen to show their bytes; and whether a window shows anything but background.
 */
import type { ObjectId } from "../engine/types.ts";
import { type SlabRun, tilesIn } from "./crowd.ts";
import { cellRects, entryRect, isFolded, visibleBox } from "./geometry.ts";
import { showsCells } from "./glyph.ts";
import { type ArrayBox, type Label, meet, type Rect, type Scene, type SlabBox } from "./scene.ts";
import { highOf, tileAt } from "./tiles.ts";

/** Searches every cache if none is given. */
export function slabBySerial(scene: Scene, serial: number, cache?: number): SlabBox | undefined {
	if (scene.crowd) return scene.crowd.find(serial, cache);
	return scene.slabs.find((s) => s.serial === serial && (cache === undefined || s.cache === cache));
}

/** Returns the cells of these objects if they are large enough to show; in a crowd, none. */
export function cellsOf(scene: Scene, objects: readonly ObjectId[], k: number): Rect[] {
	if (scene.crowd) return [];
	return objects.flatMap(({ cache, serial, index }) => {
		const slab = slabBySerial(scene, serial, cache);
		if (!slab || index >= slab.cells.length || isFolded(slab, k)) return [];
		return showsCells(slab, k) ? cellRects(slab, index) : [];
	});
}

export function slabByKey(scene: Scene, key: string): SlabBox | undefined {
	const [, cache, serial] = /^slab:(\d+)\/(\d+)$/.exec(key) ?? [];
	return serial === undefined ? undefined : slabBySerial(scene, Number(serial), Number(cache));
}

/** Finds an object's cell, or the bar that counts its slab at zoom k, and its place in an array if it is in one. */
export function whereIs(scene: Scene, object: ObjectId, k = Number.POSITIVE_INFINITY): Rect[] {
	const slab = slabBySerial(scene, object.serial, object.cache);
	const cell = slab ? cellOrBar(scene, slab, object.index, k) : [];
	for (const array of scene.arrays) {
		for (let i = 0; i < array.count; i++)
			if (isAt(array, i, object)) return [...cell, entryRect(array, i)];
	}
	return cell;
}

function cellOrBar(scene: Scene, slab: SlabBox, index: number, k: number): Rect[] {
	return isFolded(slab, k) ? [visibleBox(scene, slab, k)] : cellRects(slab, index).slice(0, 1);
}

function isAt(array: ArrayBox, position: number, object: ObjectId): boolean {
	return (
		array.serials[position] === object.serial &&
		array.indices[position] === object.index &&
		array.caches[position] === object.cache
	);
}

const OBJECTS_MOST = 12;

/** Finds the objects in a window of the scene that are at least this large, in the scene's units. */
export function nearObjects(scene: Scene, window: Rect, w: number, h: number): ObjectId[] {
	const near: ObjectId[] = [];
	for (const slab of slabsIn(scene, window, w)) {
		if (slab.w < w || slab.h < h / slab.rows || !meet(slab, window)) continue;
		for (let index = 0; index < slab.cells.length; index++) {
			const [cell] = cellRects(slab, index);
			if (!cell || cell.w < w || cell.h < h || !meet(cell, window)) continue;
			near.push({ cache: slab.cache, serial: slab.serial, index });
			if (near.length === OBJECTS_MOST) return near;
		}
	}
	return near;
}

/** In a crowd, only slabs that may be large enough. */
function* slabsIn(scene: Scene, window: Rect, w: number): Generator<SlabBox> {
	const { crowd } = scene;
	if (!crowd) return yield* scene.slabs;
	for (const run of crowd.runs) {
		if (run.grid.size < w) continue;
		for (const i of tilesIn(run, window)) yield crowd.box(run, i);
	}
}

/** Pixels. */
const LETTERS_MOST = 20;
/** Width of a letter, as a share of its height. */
const LETTER_SHARE = 0.5;

export function hasAnything(scene: Scene, window: Rect): boolean {
	const { labels, arrays, slabs, panels, crowd } = scene;
	const k = scene.width / window.w;
	if (labels.some((l) => meet(boxOf(l, k), window))) return true;
	if (arrays.some((a) => meet(a, window))) return true;
	if (panels.some((panel) => panel.kind === "zone" && hasEdgeIn(panel, window))) return true;
	if (!crowd) return slabs.some((s) => meet(s, window));
	return crowd.runs.some((run) => tilesIn(run, window).length > 0);
}

/** A window inside a zone shows nothing but one colour. */
function hasEdgeIn(r: Rect, { x, y, w, h }: Rect): boolean {
	const isAround = r.x <= x && r.y <= y && r.x + r.w >= x + w && r.y + r.h >= y + h;
	return meet(r, { x, y, w, h }) && !isAround;
}

/**
 * Finds the box of a slab, an array or a zone nearest to the middle of a window. Names keep their size on screen, so they
 * do not count in a close view.
 */
export function nearestThing({ arrays, slabs, panels, crowd }: Scene, window: Rect) {
	const x = window.x + window.w / 2;
	const y = window.y + window.h / 2;
	let best: Rect | undefined;
	let least = Number.POSITIVE_INFINITY;
	const offer = (r: Rect) => {
		const away = Math.hypot(x - within(x, r.x, r.w), y - within(y, r.y, r.h));
		if (away >= least) return;
		best = r;
		least = away;
	};
	for (const array of arrays) offer(array);
	for (const panel of panels) if (panel.kind === "zone") offer(panel);
	if (crowd) for (const run of crowd.runs) offer(nearestTile(run, x, y));
	else for (const slab of slabs) offer(slab);
	return best;
}

function nearestTile({ area, grid, skip, count }: SlabRun, x: number, y: number): Rect {
	const pitch = grid.size + grid.gap;
	const column = within(Math.floor((x - area.x) / pitch), 0, grid.columns - 1);
	const rows = Math.ceil((skip + count) / grid.columns);
	const row = within(Math.floor((y - area.y) / (highOf(grid) + grid.gap)), 0, rows - 1);
	return tileAt(area, grid, within(row * grid.columns + column, skip, count - 1));
}

/** Returns the number nearest to `at` from `from` to `from + size`. */
function within(at: number, from: number, size: number): number {
	return Math.min(from + Math.max(0, size), Math.max(from, at));
}

/**
 * Returns the box of a label's text, which may leave most of its room empty, because letters do not grow beyond a
 * certain size.
 */
function boxOf({ x, y, w, size, text }: Label, k: number): Rect {
	const high = Math.min(size, LETTERS_MOST / k);
	return { x, y: y - high, w: Math.min(w, text.length * high * LETTER_SHARE), h: high };
}
