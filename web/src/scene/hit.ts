/** What is under a point of the scene. */
import { cellAt, entryAt, objectArea } from "./geometry.ts";
import type { ArrayBox, ObjectRef, Rect, Scene, SlabBox } from "./scene.ts";

export interface Hit {
	readonly slab: SlabBox | undefined;
	readonly array: ArrayBox | undefined;
	/** The object under the point, if there is one. */
	readonly object: ObjectRef | undefined;
}

/** Pixels that an object's cell needs to be told from its neighbours. */
const TOLD_APART = 4;

/** `k`: how near the scene is seen. Where objects are too small to be told from each other the slab alone is hit. */
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

/** Blocks that differ in size are as high as their line; the line tells whether there is anything to point at. */
function isApart(slab: SlabBox, least: number): boolean {
	const { w, h } = objectArea(slab);
	const across = slab.extents ? w : w / slab.columns;
	return across >= least && h / slab.rows >= least;
}

export function objectIn(array: ArrayBox, position: number): ObjectRef {
	return {
		cache: array.caches[position] ?? 0,
		serial: array.serials[position] ?? 0,
		index: array.indices[position] ?? 0,
	};
}

/** The same for as long as the same thing is under the point. */
export function hitKey(hit: Hit | undefined): string {
	const { serial, index } = hit?.object ?? { serial: -1, index: -1 };
	return hit ? `${hit.slab?.key} ${hit.array?.key} ${serial}.${index}` : "";
}

export function isIn(r: Rect, x: number, y: number): boolean {
	return x >= r.x && y >= r.y && x < r.x + r.w && y < r.y + r.h;
}
