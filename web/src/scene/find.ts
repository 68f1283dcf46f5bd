/** Finds a slab of a scene by its serial number; a crowd makes its box on request. */
import type { ObjectId } from "../engine/types.ts";
import { cellRects, entryRect } from "./geometry.ts";
import { showsCells } from "./glyph.ts";
import type { ArrayBox, Rect, Scene, SlabBox } from "./scene.ts";

/** In any cache if none is given. */
export function slabBySerial(scene: Scene, serial: number, cache?: number): SlabBox | undefined {
	if (scene.crowd) return scene.crowd.find(serial, cache);
	return scene.slabs.find((s) => s.serial === serial && (cache === undefined || s.cache === cache));
}

/** The cells of these objects, where they are large enough to show; in a crowd none. */
export function cellsOf(scene: Scene, objects: readonly ObjectId[], k: number): Rect[] {
	if (scene.crowd) return [];
	return objects.flatMap(({ cache, serial, index }) => {
		const slab = slabBySerial(scene, serial, cache);
		return slab && index < slab.cells.length && showsCells(slab, k) ? cellRects(slab, index) : [];
	});
}

export function slabByKey(scene: Scene, key: string): SlabBox | undefined {
	const [, cache, serial] = /^slab:(\d+)\/(\d+)$/.exec(key) ?? [];
	return serial === undefined ? undefined : slabBySerial(scene, Number(serial), Number(cache));
}

/** An object's cell, and its place in an array if it is in one. */
export function whereIs(scene: Scene, object: ObjectId): Rect[] {
	const slab = slabBySerial(scene, object.serial, object.cache);
	const cell = slab ? cellRects(slab, object.index).slice(0, 1) : [];
	for (const array of scene.arrays) {
		for (let i = 0; i < array.count; i++)
			if (isAt(array, i, object)) return [...cell, entryRect(array, i)];
	}
	return cell;
}

function isAt(array: ArrayBox, position: number, object: ObjectId): boolean {
	return (
		array.serials[position] === object.serial &&
		array.indices[position] === object.index &&
		array.caches[position] === object.cache
	);
}
