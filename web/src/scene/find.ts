/** Finds a slab of a scene by its serial number; a crowd makes its box on request. */
import type { ObjectId } from "../engine/types.ts";
import { cellRects, entryRect, isFolded, visibleBox } from "./geometry.ts";
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
		if (!slab || index >= slab.cells.length || isFolded(slab, k)) return [];
		return showsCells(slab, k) ? cellRects(slab, index) : [];
	});
}

export function slabByKey(scene: Scene, key: string): SlabBox | undefined {
	const [, cache, serial] = /^slab:(\d+)\/(\d+)$/.exec(key) ?? [];
	return serial === undefined ? undefined : slabBySerial(scene, Number(serial), Number(cache));
}

/** An object's cell, or the bar that counts its slab at zoom k, and its place in an array if it is in one. */
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
