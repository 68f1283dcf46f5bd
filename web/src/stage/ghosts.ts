/**
 * Another machine over the stage: dashed frames where it has slabs that are not here, one stroke through slabs that it
 * has elsewhere, two through those that it does not have, a ring in objects that are in use on one of the two only.
 */
import type { Ghost } from "../scene/ghosts.ts";
import type { Rect } from "../scene/scene.ts";
import type { Palette } from "./palette.ts";
import { inView, project, type View } from "./view.ts";

/** Smaller boxes have no room for strokes beside their own lines. */
const DASHES_FROM = 7;
/** Cells so large have dots of their own; of smaller ones the slab has one. */
const DOTS_FROM = 6;

export function drawGhosts(
	ctx: CanvasRenderingContext2D,
	ghosts: readonly Ghost[],
	{ view, screen }: { readonly view: View; readonly screen: Rect },
	{ ink, paper }: Palette,
): void {
	const seen = ghosts
		.map((ghost) => ({ kind: kindAt(ghost, view.k), r: project(ghost, view) }))
		.filter(({ r }) => inView(r, screen));
	const path = new Path2D();
	const dashed = new Path2D();
	for (const { kind, r } of seen) {
		if (kind === "none") continue;
		if (kind === "object") dot(path, r);
		else if (kind === "there") dashed.rect(r.x - 1, r.y - 1, r.w + 2, r.h + 2);
		else strike(path, r, kind === "missing");
	}
	// A light line under the dark one: it is seen over full cells and over free ones.
	for (const [colour, width] of [
		[paper, 3.5],
		[ink, 1.3],
	] as const) {
		ctx.strokeStyle = colour;
		ctx.lineWidth = width;
		ctx.stroke(path);
		if (seen.some(({ kind, r }) => kind === "there" && r.w >= DASHES_FROM)) ctx.setLineDash([4, 3]);
		ctx.stroke(dashed);
		ctx.setLineDash([]);
	}
}

/** Dots are in objects or, where these are too small, in their slab. */
function kindAt(
	{ kind, w, h, cell }: Ghost,
	k: number,
): Exclude<Ghost["kind"], "objects"> | "none" {
	if (kind === "object") return Math.min(w, h) * k < DOTS_FROM ? "none" : kind;
	if (kind === "objects") return (cell ?? 0) * k < DOTS_FROM ? "object" : "none";
	return kind;
}

function strike(path: Path2D, r: Rect, twice: boolean): void {
	path.moveTo(r.x, r.y);
	path.lineTo(r.x + r.w, r.y + r.h);
	if (!twice) return;
	path.moveTo(r.x + r.w, r.y);
	path.lineTo(r.x, r.y + r.h);
}

function dot(path: Path2D, r: Rect): void {
	const radius = Math.min(6, Math.max(1.6, Math.min(r.w, r.h) * 0.22));
	path.moveTo(r.x + r.w / 2 + radius, r.y + r.h / 2);
	path.arc(r.x + r.w / 2, r.y + r.h / 2, radius, 0, 2 * Math.PI);
}
