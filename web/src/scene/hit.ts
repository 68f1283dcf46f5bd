/** What is under a point of the scene. */
import type { Scene, SlabBox } from "./scene.ts";

export interface Hit {
	readonly slab: SlabBox;
	/** Object under the point, -1 when between objects. */
	readonly index: number;
}

export function hitTest(scene: Scene, x: number, y: number): Hit | undefined {
	for (let i = scene.slabs.length - 1; i >= 0; i--) {
		const slab = scene.slabs[i];
		if (!slab || x < slab.x || y < slab.y || x >= slab.x + slab.w || y >= slab.y + slab.h) continue;
		const top = slab.y + slab.strip;
		const h = (slab.h - slab.strip) * (1 - slab.tail);
		if (y < top || y >= top + h) return { slab, index: -1 };
		const column = Math.floor(((x - slab.x) / slab.w) * slab.columns);
		const row = Math.floor(((y - top) / h) * slab.rows);
		const index = row * slab.columns + column;
		return { slab, index: index < slab.cells.length ? index : -1 };
	}
	return undefined;
}
