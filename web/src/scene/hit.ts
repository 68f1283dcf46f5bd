/** Finds the thing under a point of the scene. */
import type { ObjectId } from "../engine/types.ts";
import { cellAt, entryAt, objectArea } from "./geometry.ts";
import type { ArrayBox, Rect, Scene, SlabBox } from "./scene.ts";

export interface Hit {
	readonly slab: SlabBox | undefined;
	readonly array: ArrayBox | undefined;
	/** The object under the point, if there is one. */
	readonly object: ObjectId | undefined;
}

/** Pixels that a cell needs to be distinguished from its neighbours. */
const TOLD_APART = 4;

/** `k`: the zoom. If objects are too small to distinguish, only the slab is hit. */
export function hitTest(
	scene: Scene,
	x: number,
	y: number,
	k = Number.POSITIVE_INFINITY,
): Hit | undefined {
	const slab = scene.crowd ? scene.crowd.at(x, y) : scene.slabs.findLast((s) => isIn(s, x, y));
	if (slab) {
		const index = isApart(slab, TOLD_APART / k) ? cellAt(slab, x, y) : -1;
		const object = index < 0 ? undefined : { cache: slab.cache, serial: slab.serial, index };
		return { slab, array: undefined, object };
	}
	const array = scene.arrays.find((a) => isIn(a, x, y));
	if (!array) return undefined;
	const position = entryAt(array, x, y);
	return { slab: undefined, array, object: position < 0 ? undefined : objectIn(array, position) };
}

/** Blocks of different sizes are as high as their line, so the line's height decides whether one can be hit. */
function isApart(slab: SlabBox, least: number): boolean {
	const { w, h } = objectArea(slab);
	const across = slab.extents ? w : w / slab.columns;
	return across >= least && h / slab.rows >= least;
}

export function objectIn(array: ArrayBox, position: number): ObjectId {
	return {
		cache: array.caches[position] ?? 0,
		serial: array.serials[position] ?? 0,
		index: array.indices[position] ?? 0,
	};
}

/** Returns the same object while the pointer is over the same thing. */
export function hitKey(hit: Hit | undefined): string {
	const { serial, index } = hit?.object ?? { serial: -1, index: -1 };
	return hit ? `${hit.slab?.key} ${hit.array?.key} ${serial}.${index}` : "";
}

export function isIn(r: Rect, x: number, y: number): boolean {
	return x >= r.x && y >= r.y && x < r.x + r.w && y < r.y + r.h;
}
