/** Where slabs and objects were before they moved, and the objects that CPUs take next. */
import type { Rect } from "../../scene/scene.ts";
import type { Palette } from "./colours.ts";
import { project, type View } from "./viewport.ts";

const LEFT_ALPHA = 0.6;

/** Where slabs and objects were before they moved. */
export function drawLeft(
	ctx: CanvasRenderingContext2D,
	left: readonly Rect[],
	view: View,
	{ touched }: Palette,
): void {
	ctx.strokeStyle = touched;
	ctx.lineWidth = 1;
	ctx.globalAlpha = LEFT_ALPHA;
	ctx.setLineDash([3, 2]);
	for (const rect of left) {
		const r = project(rect, view);
		ctx.strokeRect(r.x + 0.5, r.y + 0.5, Math.max(2, r.w - 1), Math.max(2, r.h - 1));
	}
	ctx.setLineDash([]);
	ctx.globalAlpha = 1;
}

/** Outlines of the objects that CPUs take next, as of the next object in an array. */
export function drawNext(
	ctx: CanvasRenderingContext2D,
	next: readonly Rect[],
	view: View,
	palette: Palette,
): void {
	ctx.strokeStyle = palette.ink;
	ctx.lineWidth = 1.5;
	for (const rect of next) {
		const r = project(rect, view);
		ctx.strokeRect(r.x + 0.75, r.y + 0.75, Math.max(1, r.w - 2.5), Math.max(1, r.h - 2.5));
	}
}
