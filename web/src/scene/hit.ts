/** What is under a point of the scene. */
import { cellAt, entryAt } from "./geometry.ts";
import type { ArrayBox, ObjectRef, Rect, Scene, SlabBox } from "./scene.ts";

export interface Hit {
	readonly slab: SlabBox | undefined;
	readonly array: ArrayBox | undefined;
	/** The object under the point, if there is one. */
	readonly object: ObjectRef | undefined;
}

export function hitTest(scene: Scene, x: number, y: number): Hit | undefined {
	const slab = scene.crowd ? scene.crowd.at(x, y) : scene.slabs.findLast((s) => isIn(s, x, y));
	if (slab) {
		const index = cellAt(slab, x, y);
		const object = index < 0 ? undefined : { cache: slab.cache, serial: slab.serial, index };
		return { slab, array: undefined, object };
	}
	const array = scene.arrays.find((a) => isIn(a, x, y));
	if (!array) return undefined;
	const position = entryAt(array, x, y);
	return { slab: undefined, array, object: position < 0 ? undefined : objectIn(array, position) };
}

export function objectIn(array: ArrayBox, position: number): ObjectRef {
	return {
		cache: array.caches[position] ?? 0,
		serial: array.serials[position] ?? 0,
		index: array.indices[position] ?? 0,
	};
}

export function isIn(r: Rect, x: number, y: number): boolean {
	return x >= r.x && y >= r.y && x < r.x + r.w && y < r.y + r.h;
}
