/**
 * Everything below the slabs: cards, list areas, zones, thresholds, and names. It is drawn on its own canvas, which
 * is never shown, only copied: differences go under the slabs. It stays the same while slabs come and go, so it
 * leaves out whatever does not: the raster draws the fill of zones, and numbers after names and the frames of panels
 * that the step uses are drawn on top.
 */
import { grown, meet, type Panel, type Rect, type Scene } from "../../scene/scene.ts";
import { differingGround, differingWords } from "./changes.ts";
import type { Palette } from "./colours.ts";
import { drawWords, type Word } from "./labels.ts";
import { project, sameView, type View } from "./viewport.ts";

/** Dashes in smaller boxes would look like lines. */
const DASHES_FROM = 14;
/** How strong the nearest row's ground is, as a share of the deepest row's. */
const ROW_LEAST = 0.1;
/** How far lines reach beyond their boxes. */
const AROUND = 2;
/** More pieces than this cost more than they save. */
const PIECES_MOST = 60;

interface Painted {
	readonly scene: Scene;
	readonly view: View;
	readonly names: readonly Word[];
}

export class Ground {
	readonly #canvas = document.createElement("canvas");
	readonly #ctx = this.#canvas.getContext("2d", { alpha: false, willReadFrequently: true });
	readonly #palette: Palette;
	#painted: Painted | undefined;

	constructor(palette: Palette) {
		this.#palette = palette;
	}

	resize(width: number, height: number): void {
		if (this.#canvas.width === width && this.#canvas.height === height) return;
		this.#canvas.width = width;
		this.#canvas.height = height;
		this.#painted = undefined;
	}

	/** Draws the differences; returns the rectangles that may have changed, in device pixels. */
	paint(now: Painted, ratio: number): Rect[] {
		const ctx = this.#ctx;
		const { width, height } = this.#canvas;
		if (!ctx || width * height === 0) return [];
		const before = this.#painted;
		this.#painted = now;
		const whole = { x: 0, y: 0, w: width, h: height };
		// Another plan may cut curves at other places.
		const isPlanned = before?.scene.origin?.plan === now.scene.origin?.plan;
		const stays = before !== undefined && isPlanned && sameView(before.view, now.view);
		const pieces = stays ? differences(before, now, ratio, whole) : [whole];
		for (const piece of pieces) this.draw(ctx, now, ratio, piece);
		return pieces;
	}

	/** Returns its pixels in a rectangle. */
	read({ x, y, w, h }: Rect): ImageData | undefined {
		return this.#ctx?.getImageData(x, y, w, h);
	}

	/** Forgets everything drawn before. */
	forget(): void {
		this.#painted = undefined;
	}

	/** Copies a rectangle of device pixels onto a canvas. */
	draw(
		ctx: CanvasRenderingContext2D,
		{ scene, view, names }: Painted,
		ratio: number,
		{ x, y, w, h }: Rect,
	): void {
		ctx.save();
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.beginPath();
		ctx.rect(x, y, w, h);
		ctx.clip();
		ctx.fillStyle = this.#palette.ground;
		ctx.fillRect(x, y, w, h);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		const shown = { x: x / ratio, y: y / ratio, w: w / ratio, h: h / ratio };
		const { k, x: left, y: top } = view;
		// There are many and few are visible, so the others do not cost a rectangle.
		const isNear = (r: Rect) =>
			r.x * k + left < shown.x + shown.w + AROUND &&
			r.y * k + top < shown.y + shown.h + AROUND &&
			(r.x + r.w) * k + left > shown.x - AROUND &&
			(r.y + r.h) * k + top > shown.y - AROUND;
		for (const panel of scene.panels)
			if (isNear(panel)) this.#panel(ctx, panel, project(panel, view));
		for (const mark of scene.marks) if (isNear(mark)) this.#mark(ctx, project(mark, view));
		drawWords(ctx, names, this.#palette, (r) => meet(r, shown));
		ctx.restore();
	}

	#panel(ctx: CanvasRenderingContext2D, panel: Panel, r: Rect): void {
		const p = this.#palette;
		const isSlot = panel.kind === "slot";
		if (panel.kind === "list") return;
		if (panel.kind === "row") {
			this.#row(ctx, panel, r);
			return;
		}
		if (panel.kind === "share") {
			this.#share(ctx, panel, r);
			return;
		}
		// A bar without a frame, which would look like something that can be full.
		if (panel.kind === "zone") {
			ctx.fillStyle = p.freeEdge;
			ctx.fillRect(r.x, r.y, 1, r.h);
			return;
		}
		const hasDashes = isSlot && r.w >= DASHES_FROM;
		ctx.fillStyle = isSlot ? p.free : p.paper;
		outline(ctx, panel, r);
		// Rows form the ground of a column.
		if (panel.kind !== "node") ctx.fill();
		if (hasDashes) ctx.setLineDash([3, 3]);
		const isEdge = hasDashes || panel.isIdle !== undefined;
		ctx.strokeStyle = isEdge ? p.freeEdge : p.line;
		ctx.lineWidth = 1;
		ctx.stroke();
		ctx.setLineDash([]);
	}

	/** Draws rows darker the deeper they are. */
	#row(ctx: CanvasRenderingContext2D, panel: Panel, { x, y, w, h }: Rect): void {
		const { paper, deep } = this.#palette;
		ctx.fillStyle = paper;
		ctx.fillRect(x, y, w, h);
		ctx.globalAlpha = depthOf(panel);
		ctx.fillStyle = deep;
		ctx.fillRect(x, y, w, h);
		ctx.globalAlpha = 1;
	}

	#share(ctx: CanvasRenderingContext2D, { fill }: Panel, { x, y, w, h }: Rect): void {
		const { line, allocated } = this.#palette;
		ctx.fillStyle = line;
		ctx.fillRect(x, y, w, h);
		ctx.fillStyle = allocated;
		ctx.fillRect(x, y, Math.max(1, w * fill), h);
	}

	#mark(ctx: CanvasRenderingContext2D, r: Rect): void {
		ctx.strokeStyle = this.#palette.soft;
		ctx.lineWidth = 1;
		ctx.beginPath();
		ctx.moveTo(r.x + 0.5, r.y + r.h);
		ctx.lineTo(r.x + 0.5, r.y + 0.5);
		ctx.lineTo(r.x + r.w - 0.5, r.y + 0.5);
		ctx.lineTo(r.x + r.w - 0.5, r.y + r.h);
		ctx.stroke();
	}
}

/** Rectangles of device pixels, as small as possible, because a curve that is clipped looks slightly different. */
function differences(before: Painted, now: Painted, ratio: number, whole: Rect): Rect[] {
	const pieces: Rect[] = [];
	const tell = (r: Rect) => {
		const x = Math.max(0, Math.floor(r.x * ratio));
		const y = Math.max(0, Math.floor(r.y * ratio));
		const w = Math.min(whole.w, Math.ceil((r.x + r.w) * ratio)) - x;
		const h = Math.min(whole.h, Math.ceil((r.y + r.h) * ratio)) - y;
		if (w > 0 && h > 0) pieces.push({ x, y, w, h });
	};
	differingGround(before.scene, now.scene, (r) => tell(grown(project(r, now.view), AROUND)));
	// A piece that cuts a card's curve would look different there, so it includes the whole card.
	differingWords(before.names, now.names, (word) => {
		const cards = now.scene.panels.filter(({ kind }) => kind === "cpu");
		const on = cards.map((card) => project(card, now.view)).filter((card) => meet(card, word));
		for (const r of [word, ...on]) tell(grown(r, AROUND));
	});
	return pieces.length > PIECES_MOST ? [whole] : pieces;
}

/** Draws the frame of a panel that the step uses, over its own. */
export function frameLit(
	ctx: CanvasRenderingContext2D,
	panel: Panel,
	view: View,
	palette: Palette,
): void {
	outline(ctx, panel, project(panel, view));
	ctx.strokeStyle = panel.kind === "cpu" ? palette.touched : palette.accent;
	ctx.lineWidth = 2;
	ctx.stroke();
}

/** Returns how strong a row's ground is, as a share of the deepest row's. */
export function depthOf({ fill }: Panel): number {
	return ROW_LEAST + (1 - ROW_LEAST) * fill;
}

const RADIUS = { row: 0, share: 0, node: 8, cpu: 6, list: 6, slot: 3, zone: 3 } as const;

function outline(ctx: CanvasRenderingContext2D, { kind }: Panel, r: Rect): void {
	const most = RADIUS[kind];
	rounded(ctx, r, kind === "zone" ? most : Math.min(most, r.w / 8, r.h / 8));
}

export function rounded(
	ctx: Pick<CanvasRenderingContext2D, "beginPath" | "roundRect">,
	r: Rect,
	radius: number,
): void {
	ctx.beginPath();
	ctx.roundRect(r.x, r.y, Math.max(0, r.w), Math.max(0, r.h), Math.max(0, radius));
}

const LEFT_ALPHA = 0.6;

/** Draws where slabs and objects were before they moved. */
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

/** Outlines the objects that CPUs take next, like the next object in an array. */
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
