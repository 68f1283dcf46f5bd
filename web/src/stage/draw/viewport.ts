/** From scene to screen. */
import type { Rect } from "../../scene/scene.ts";

/** Zoom: screen = scene × k + (x, y). */
export interface View {
	readonly k: number;
	readonly x: number;
	readonly y: number;
}

export function project(r: Rect, view: View): Rect {
	return { x: r.x * view.k + view.x, y: r.y * view.k + view.y, w: r.w * view.k, h: r.h * view.k };
}

export function sameView(a: View, b: View): boolean {
	return a.k === b.k && a.x === b.x && a.y === b.y;
}
