/** Finds the objects that are large enough on screen to show their bytes. */
import type { ObjectId } from "../engine/types.ts";
import { tilesIn } from "./crowd.ts";
import { cellRects } from "./geometry.ts";
import { meet, type Rect, type Scene, type SlabBox } from "./scene.ts";

const OBJECTS_MOST = 12;

/** The objects in a window of the scene that are at least so large, in the scene's units. */
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
