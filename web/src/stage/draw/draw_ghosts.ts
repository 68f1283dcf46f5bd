/**
 * Draws another machine over the stage. A dashed frame is a slab that only it has, one stroke a slab that it has
 * elsewhere, two strokes a slab that it does not have. A ring is an object that is allocated on one of the two only.
 */
import { isFolded } from "../../scene/geometry.ts";
import type { Ghost } from "../../scene/layout/ghosts.ts";
import { meet, type Rect } from "../../scene/scene.ts";
import type { Palette } from "./colours.ts";
import { project, type View } from "./viewport.ts";

/** Smaller boxes have no room for dashes. */
const DASHES_FROM = 7;
/** Smaller slabs are marked in a corner, by finer lines: their content must stay visible. */
const WHOLE_FROM = 28;
const CORNER_LEAST = 3;
const LEFT_ALPHA = 0.6;
/** From this size on, each cell has its own dot; otherwise the slab has one. */
const DOTS_FROM = 6;

export function drawGhosts(
	ctx: CanvasRenderingContext2D,
	ghosts: readonly Ghost[],
	{ view, screen }: { readonly view: View; readonly screen: Rect },
	{ ink, paper }: Palette,
): void {
	const seen = ghosts
		.filter((ghost) => !isFolded(ghost, view.k))
		.map((ghost) => ({ kind: kindAt(ghost, view.k), r: project(ghost, view) }))
		.filter(({ r }) => meet(r, screen));
	const large = { solid: new Path2D(), dashed: new Path2D(), paper: 3.5, ink: 1.3 };
	const small = { solid: new Path2D(), dashed: new Path2D(), paper: 1.8, ink: 0.9 };
	let dashes = false;
	for (const { kind, r } of seen) {
		if (kind === "none") continue;
		const isSmall = Math.min(r.w, r.h) < WHOLE_FROM;
		const on = kind !== "object" && isSmall ? small : large;
		const by = isSmall ? 0.5 : 1;
		if (kind === "object") dot(on.solid, r);
		else if (kind === "there") on.dashed.rect(r.x - by, r.y - by, r.w + 2 * by, r.h + 2 * by);
		else strike(on.solid, isSmall ? corner(r) : r, kind === "missing");
		dashes ||= kind === "there" && r.w >= DASHES_FROM;
	}
	// A light line under the dark one: it is seen over full cells and over free ones.
	for (const colour of [paper, ink]) {
		ctx.strokeStyle = colour;
		for (const on of [large, small]) {
			ctx.lineWidth = colour === paper ? on.paper : on.ink;
			ctx.stroke(on.solid);
			if (dashes) ctx.setLineDash(on === large ? [4, 3] : [3, 2]);
			ctx.stroke(on.dashed);
			ctx.setLineDash([]);
		}
	}
}

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

/** The corner of a small slab that has the mark: the right one at the top, where cells are read last. */
function corner({ x, y, w, h }: Rect): Rect {
	const side = Math.max(CORNER_LEAST, Math.min(w, h) * 0.35);
	return { x: x + w - side, y, w: side, h: side };
}

/** Dots are in objects or, if these are too small, in their slab. */
function kindAt(
	{ kind, w, h, cell }: Ghost,
	k: number,
): Exclude<Ghost["kind"], "objects"> | "none" {
	if (kind === "object") return Math.min(w, h) * k < DOTS_FROM ? "none" : kind;
	if (kind === "objects") return (cell ?? 0) * k < DOTS_FROM ? "object" : "none";
	return kind;
}

function strike(path: Path2D, r: Rect, twice: boolean): void {
	// The slab's number is at the left, above.
	path.moveTo(r.x, r.y + r.h);
	path.lineTo(r.x + r.w, r.y);
	if (!twice) return;
	path.moveTo(r.x, r.y);
	path.lineTo(r.x + r.w, r.y + r.h);
}

function dot(path: Path2D, r: Rect): void {
	const radius = Math.min(6, Math.max(1.6, Math.min(r.w, r.h) * 0.22));
	path.moveTo(r.x + r.w / 2 + radius, r.y + r.h / 2);
	path.arc(r.x + r.w / 2, r.y + r.h / 2, radius, 0, 2 * Math.PI);
}
