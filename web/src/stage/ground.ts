/**
 * What slabs stand on: cards, shelves, zones, thresholds, and names. It is drawn on a canvas of its own, which is never
 * shown but read: what differs goes under the slabs. It stays as it is while slabs come and go, so it has nothing of what
 * does not: numbers behind names, and the frame of what is at work, are drawn over all.
 */
import type { Panel, Rect, Scene } from "../scene/scene.ts";
import { grown, markGround, markWords } from "./changes.ts";
import { Damage } from "./damage.ts";
import { drawWord, type Word } from "./labels.ts";
import type { Palette } from "./palette.ts";
import { inView, project, sameView, type View } from "./view.ts";

/** Dashes in smaller boxes cannot be told from lines. */
const DASHES_FROM = 14;
/** Frames reach so far over their boxes. */
const AROUND = 4;

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

	/** Draws what differs from what is there; returns the rectangles in which something may do, in device pixels. */
	paint(now: Painted, ratio: number): Rect[] {
		const { scene, view, names } = now;
		const ctx = this.#ctx;
		const { width, height } = this.#canvas;
		if (!ctx || width * height === 0) return [];
		const damage = new Damage(width, height, ratio);
		const before = this.#painted;
		if (before && sameView(before.view, view)) {
			markGround(before.scene, scene, view, damage);
			markWords(before.names, names, damage);
		} else damage.markAll();
		this.#painted = now;
		if (damage.isEmpty) return [];
		const pieces = damage.pieces();
		ctx.save();
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.beginPath();
		for (const { x, y, w, h } of pieces) ctx.rect(x, y, w, h);
		ctx.clip();
		ctx.fillStyle = this.#palette.ground;
		ctx.fillRect(0, 0, width, height);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.#all(now, damage, { x: 0, y: 0, w: width / ratio, h: height / ratio });
		ctx.restore();
		return pieces;
	}

	/** Its pixels in a rectangle. */
	read({ x, y, w, h }: Rect): ImageData | undefined {
		return this.#ctx?.getImageData(x, y, w, h);
	}

	#all({ scene, view, names }: Painted, damage: Damage, screen: Rect): void {
		const isSeen = (r: Rect) => inView(r, screen) && damage.touches(r);
		for (const panel of scene.panels) {
			const r = project(panel, view);
			if (isSeen(grown(r, AROUND))) this.#panel(panel, r);
		}
		for (const mark of scene.marks) {
			const r = project(mark, view);
			if (isSeen(grown(r, AROUND))) this.#mark(r);
		}
		for (const name of names) {
			if (this.#ctx && isSeen(name.bounds)) drawWord(this.#ctx, name, this.#palette);
		}
	}

	#panel(panel: Panel, r: Rect): void {
		const ctx = this.#ctx;
		if (!ctx) return;
		const p = this.#palette;
		const isSlot = panel.kind === "slot";
		const isZone = panel.kind === "zone";
		const hasDashes = isSlot && r.w >= DASHES_FROM;
		ctx.fillStyle = isZone ? p.free : p.paper;
		outline(ctx, panel, r);
		if (!isSlot) ctx.fill();
		if (panel.fill > 0) {
			ctx.fillStyle = p.allocated;
			outline(ctx, panel, { ...r, w: Math.max(3, r.w * panel.fill) });
			ctx.fill();
			outline(ctx, panel, r);
		}
		if (hasDashes) ctx.setLineDash([3, 3]);
		ctx.strokeStyle = isZone || hasDashes ? p.freeEdge : p.line;
		ctx.lineWidth = 1;
		ctx.stroke();
		ctx.setLineDash([]);
	}

	#mark(r: Rect): void {
		const ctx = this.#ctx;
		if (!ctx) return;
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

/** The frame of a panel that is at work, over its own. */
export function frameLit(
	ctx: CanvasRenderingContext2D,
	panel: Panel,
	view: View,
	palette: Palette,
): void {
	outline(ctx, panel, project(panel, view));
	ctx.strokeStyle = palette.accent;
	ctx.lineWidth = 2;
	ctx.stroke();
}

function outline(ctx: CanvasRenderingContext2D, { kind }: Panel, r: Rect): void {
	const most = { cpu: 8, list: 8, slot: 3, zone: 3 }[kind];
	rounded(ctx, r, kind === "zone" ? most : Math.min(most, r.w / 8, r.h / 8));
}

export function rounded(ctx: CanvasRenderingContext2D, r: Rect, radius: number): void {
	ctx.beginPath();
	ctx.roundRect(r.x, r.y, Math.max(0, r.w), Math.max(0, r.h), Math.max(0, radius));
}
