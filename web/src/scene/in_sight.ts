/** Whether a window of the scene has anything to look at, or only the paper between things. */
import { tilesIn } from "./crowd.ts";
import type { Rect, Scene } from "./scene.ts";

export function hasAnything({ labels, arrays, slabs, crowd }: Scene, window: Rect): boolean {
	if (labels.some((l) => meet({ x: l.x, y: l.y - l.size, w: l.w, h: l.size }, window))) return true;
	if (arrays.some((a) => meet(a, window))) return true;
	if (!crowd) return slabs.some((s) => meet(s, window));
	return crowd.runs.some((run) => tilesIn(run, window).next().done !== true);
}

function meet(a: Rect, b: Rect): boolean {
	return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
