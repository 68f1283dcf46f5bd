/** The path of an event: lines in gutters and corridor, stops with their numbers, and the request beside its node. */
import type { PathLine, PathStop, Point, ScenePath } from "../../scene/layout/path.ts";
import type { Bands } from "../../scene/layout/traffic.ts";
import { grown, type Rect } from "../../scene/scene.ts";
import type { Palette } from "./colours.ts";
import { rounded } from "./ground.ts";
import { project, type View } from "./viewport.ts";

const LINE = 2.5;
const AHEAD = 0.4;
const ARROW = 7;
/** The size of the letters in a stop of a given height. */
const LETTERS = 11;
const HIGH = 18;
/** The ring of the stop of the step on screen. */
const RING = 4;

/** The part of a canvas that draws a path; export/svg_pen.ts is another implementation. */
export type PathPen = Pick<
	CanvasRenderingContext2D,
	| "fillStyle"
	| "strokeStyle"
	| "lineWidth"
	| "lineJoin"
	| "globalAlpha"
	| "font"
	| "textAlign"
	| "textBaseline"
	| "setLineDash"
	| "beginPath"
	| "moveTo"
	| "lineTo"
	| "roundRect"
	| "stroke"
	| "fillText"
> & { fill(): void };

export function drawPath(
	{ lines, stops, notes, request }: ScenePath,
	ctx: PathPen,
	view: View,
	palette: Palette,
): void {
	// What is still to come is drawn below what is done.
	for (const line of lines) if (line.when === "ahead") drawLine(ctx, line, view, palette);
	for (const line of lines) if (line.when === "done") drawLine(ctx, line, view, palette);
	ctx.globalAlpha = 1;
	const r = project(request, view);
	ctx.fillStyle = palette.ink;
	rounded(ctx, { x: r.x, y: r.y, w: request.w, h: request.h }, request.h / 2);
	ctx.fill();
	ctx.fillStyle = palette.paper;
	words(ctx, request.words, r.x + request.w / 2, r.y + request.h / 2, palette, request.h);
	ctx.fillStyle = palette.path;
	ctx.textBaseline = "alphabetic";
	for (const note of notes) {
		ctx.font = `600 ${note.size * view.k}px ${palette.sans}`;
		ctx.fillText(note.words, note.x * view.k + view.x, note.y * view.k + view.y);
	}
	for (const stop of stops) drawStop(ctx, stop, view, palette);
}

/** Returns the boxes that a path covers, in CSS pixels: its lines bend at right angles, so their boxes are narrow. */
export function boxesOfPath({ lines, stops, notes, request }: ScenePath, view: View): Rect[] {
	const r = project(request, view);
	const [right, below] = [request.w - r.w, request.h - r.h];
	return [
		{ ...r, w: r.w + right, h: r.h + below },
		...lines.flatMap(({ points }) => boxesOfLine(points, ARROW + LETTERS, view)),
		...stops.map(({ x, y, w, h }) => around(x, y, w / 2 + RING, h / 2 + RING, view)),
		...notes.map(({ x, y, words, size }) => {
			const high = size * view.k;
			return { ...pointOn(x, y - size, view), w: words.length * high, h: high * 1.4 };
		}),
	];
}

/** Returns the same for traffic. */
export function boxesOfTraffic({ bands, rows }: Bands, view: View): Rect[] {
	const wide = (count: number) => TAG.around + TAG.letter * (String(count).length + 2);
	return [
		...bands.flatMap(({ points, w }) => boxesOfLine(points, w, view)),
		...bands.flatMap(({ points, count }) =>
			[points[0], points.at(-1)].flatMap((at) =>
				at ? [around(...at, wide(count) / 2, TAG.h, view)] : [],
			),
		),
		...rows.map(({ x, y, count }) => around(x, y, wide(count) + TAG.h, TAG.h, view)),
	];
}

function pointOn(x: number, y: number, view: View): { x: number; y: number } {
	return { x: x * view.k + view.x, y: y * view.k + view.y };
}

/** Returns a box around a point, this far to each side. */
function around(px: number, py: number, w: number, h: number, view: View): Rect {
	const { x, y } = pointOn(px, py, view);
	return { x: x - w, y: y - h, w: 2 * w, h: 2 * h };
}

function boxesOfLine(points: readonly Point[], by: number, view: View): Rect[] {
	return points.slice(1).map(([px, py], i) => {
		const a = points[i] ?? [px, py];
		const from = pointOn(Math.min(px, a[0]), Math.min(py, a[1]), view);
		const to = pointOn(Math.max(px, a[0]), Math.max(py, a[1]), view);
		return grown({ ...from, w: to.x - from.x, h: to.y - from.y }, by);
	});
}

const BAND = { alloc: "allocated", free: "path", slab: "pip" } as const;
const TAG = { h: 16, letter: 6.6, around: 10 };

/** Draws bands as wide as their traffic, with the numbers at their ends. */
export function drawTraffic(
	{ bands, rows }: Bands,
	ctx: CanvasRenderingContext2D,
	{ k, x, y }: View,
	palette: Palette,
): void {
	ctx.lineJoin = "round";
	for (const { what, points, w } of bands) {
		ctx.globalAlpha = what === "free" ? 0.4 : 0.6;
		ctx.strokeStyle = palette[BAND[what]];
		ctx.lineWidth = w;
		ctx.beginPath();
		points.forEach(([px, py], i) => {
			if (i === 0) ctx.moveTo(px * k + x, py * k + y);
			else ctx.lineTo(px * k + x, py * k + y);
		});
		ctx.stroke();
	}
	ctx.globalAlpha = 1;
	for (const { what, points, count } of bands) {
		// At the place, not at the caller.
		const [px, py] = (what === "alloc" ? points[0] : points.at(-1)) ?? [0, 0];
		tag(ctx, String(count), px * k + x, py * k + y, palette[BAND[what]], palette);
	}
	for (const row of rows)
		tag(ctx, `${row.count} ×`, row.x * k + x - 16, row.y * k + y, palette.ink, palette);
}

function tag(
	ctx: CanvasRenderingContext2D,
	text: string,
	x: number,
	y: number,
	colour: string,
	palette: Palette,
): void {
	const w = TAG.around + TAG.letter * text.length;
	ctx.fillStyle = palette.paper;
	ctx.strokeStyle = colour;
	ctx.lineWidth = 1.5;
	rounded(ctx, { x: x - w / 2, y: y - TAG.h / 2, w, h: TAG.h }, 4);
	ctx.fill();
	ctx.stroke();
	ctx.fillStyle = palette.ink;
	words(ctx, text, x, y, palette);
}

function drawLine(
	ctx: PathPen,
	{ points, isObject, hasArrow, when }: PathLine,
	{ k, x, y }: View,
	palette: Palette,
): void {
	const at = points.map(([px, py]) => [px * k + x, py * k + y] as const);
	for (const [colour, width] of [
		[palette.paper, LINE + 2],
		[palette.path, LINE],
	] as const) {
		ctx.globalAlpha = when === "ahead" ? AHEAD : 1;
		ctx.strokeStyle = colour;
		ctx.lineWidth = width;
		ctx.lineJoin = "round";
		ctx.setLineDash(isObject && colour === palette.path ? [3, 3] : []);
		ctx.beginPath();
		at.forEach(([px, py], i) => {
			if (i === 0) ctx.moveTo(px, py);
			else ctx.lineTo(px, py);
		});
		ctx.stroke();
	}
	ctx.setLineDash([]);
	if (hasArrow) arrow(ctx, at, palette);
}

/** Draws the arrow's tip in the direction of the last line, as far before its end as a stop is wide. */
function arrow(ctx: PathPen, at: readonly (readonly [number, number])[], { path }: Palette): void {
	const [a, b] = [at.at(-2), at.at(-1)];
	if (!a || !b) return;
	const [dx, dy] = [Math.sign(b[0] - a[0]), Math.sign(b[1] - a[1])];
	const [x, y] = [b[0] - dx * (LETTERS - 1), b[1] - dy * (LETTERS - 1)];
	ctx.fillStyle = path;
	ctx.beginPath();
	ctx.moveTo(x, y);
	ctx.lineTo(x - dx * ARROW - dy * 4, y - dy * ARROW - dx * 4);
	ctx.lineTo(x - dx * ARROW + dy * 4, y - dy * ARROW + dx * 4);
	ctx.fill();
}

/** A search that got nothing is hollow; the step on screen has a ring; a step still to come is pale. */
function drawStop(
	ctx: PathPen,
	{ x, y, w, h, words: text, isVain, when }: PathStop,
	view: View,
	palette: Palette,
): void {
	const [cx, cy] = [x * view.k + view.x, y * view.k + view.y];
	const box = { x: cx - w / 2, y: cy - h / 2, w, h };
	if (when === "now") {
		ctx.fillStyle = palette.path;
		rounded(ctx, { x: box.x - 3.5, y: box.y - 3.5, w: w + 7, h: h + 7 }, h / 2 + 3.5);
		ctx.fill();
	}
	const isHollow = isVain || when === "ahead";
	ctx.fillStyle = isHollow ? palette.paper : palette.path;
	ctx.strokeStyle = isHollow ? palette.path : palette.paper;
	ctx.lineWidth = 1.5;
	rounded(ctx, box, h / 2);
	ctx.fill();
	ctx.stroke();
	ctx.fillStyle = isHollow ? palette.path : palette.paper;
	words(ctx, text, cx, cy, palette, h);
}

function words(
	ctx: PathPen,
	text: string,
	x: number,
	y: number,
	{ sans }: Palette,
	h = HIGH,
): void {
	ctx.font = `600 ${(LETTERS * h) / HIGH}px ${sans}`;
	ctx.textAlign = "center";
	ctx.textBaseline = "middle";
	ctx.fillText(text, x, y + 0.5);
	ctx.textAlign = "left";
	ctx.textBaseline = "alphabetic";
}
