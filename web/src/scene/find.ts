/** A slab of a scene by its serial number; a crowd makes its box for who asks. */
import type { Scene, SlabBox } from "./scene.ts";

/** Of any cache where none is named. */
export function slabBySerial(scene: Scene, serial: number, cache?: number): SlabBox | undefined {
	if (scene.crowd) return scene.crowd.find(serial, cache);
	return scene.slabs.find((s) => s.serial === serial && (cache === undefined || s.cache === cache));
}

export function slabByKey(scene: Scene, key: string): SlabBox | undefined {
	const [, cache, serial] = /^slab:(\d+)\/(\d+)$/.exec(key) ?? [];
	return serial === undefined ? undefined : slabBySerial(scene, Number(serial), Number(cache));
}
