/**
 * What slabs stand on: cards, shelves, zones, thresholds and words. It has a canvas of its own, because most of it
 * stays as it is while slabs come and go.
 */
import type { Label, Panel, Rect, Scene } from "../scene/scene.ts";
import { grown, labelBounds, markGround } from "./changes.ts";
import { Damage } from "./damage.ts";
import type { Palette } from "./palette.ts";
import { TextWidths } from "./text_widths.ts";
import { inView, project, type View } from "./view.ts";

const LABEL_LEAST = 9;
const LABEL_MOST = 20;
/** A letter is not narrower. */
const LEAST_DETAIL = 4;
/** Dashes in smaller boxes cannot be told from lines. */
const DASHES_FROM = 14;
/** Frames reach so far over their boxes. */
const AROUND = 4;

export class Ground {
	readonly #canvas = document.createElement("canvas");
	readonly #ctx = this.#canvas.getContext("2d", { alpha: false });
	readonly #texts = new TextWidths();
	readonly #palette: Palette;
	/** What has room of labels. */
	readonly #fitted = new WeakMap<Label, Fitted>();
	#painted: { readonly scene: Scene; readonly view: View } | undefined;

	constructor(palette: Palette) {
		this.#palette = palette;
	}

	resize(width: number, height: number): void {
		if (this.#canvas.width === width && this.#canvas.height === height) return;
		this.#canvas.width = width;
		this.#canvas.height = height;
		this.#painted = undefined;
	}

	/** Draws what differs from what is there, and marks it as damage of the stage. */
	paint(scene: Scene, view: View, ratio: number, stage: Damage): void {
		const ctx = this.#ctx;
		if (!ctx) return;
		const { width, height } = this.#canvas;
		const damage = new Damage(width, height, ratio);
		const before = this.#painted;
		const { k, x, y } = before?.view ?? { k: 0, x: 0, y: 0 };
		if (before && k === view.k && x === view.x && y === view.y)
			markGround(before.scene, scene, view, damage, (a, b) => this.#sameWords(a, b, view));
		else damage.markAll();
		this.#painted = { scene, view };
		if (damage.isEmpty) return;
		const pieces = damage.pieces();
		for (const r of pieces) stage.markPiece(r);
		ctx.save();
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.beginPath();
		for (const { x, y, w, h } of pieces) ctx.rect(x, y, w, h);
		ctx.clip();
		ctx.fillStyle = this.#palette.ground;
		ctx.fillRect(0, 0, width, height);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.#all(scene, view, damage, { x: 0, y: 0, w: width / ratio, h: height / ratio });
		ctx.restore();
	}

	/** Onto a canvas in device pixels. */
	draw(ctx: CanvasRenderingContext2D): void {
		ctx.drawImage(this.#canvas, 0, 0);
	}

	#all(scene: Scene, view: View, damage: Damage, screen: Rect): void {
		const isSeen = (r: Rect) => inView(r, screen) && damage.touches(r);
		for (const panel of scene.panels) {
			const r = project(panel, view);
			if (isSeen(grown(r, AROUND))) this.#panel(panel, r);
		}
		for (const mark of scene.marks) {
			const r = project(mark, view);
			if (isSeen(grown(r, AROUND))) this.#mark(r);
		}
		for (const label of scene.labels) {
			if (isSeen(labelBounds(label, view))) this.#label(label, view);
		}
	}

	#panel(panel: Panel, r: Rect): void {
		const ctx = this.#ctx;
		if (!ctx) return;
		const p = this.#palette;
		const radius = Math.min(8, r.w / 8, r.h / 8);
		if (panel.kind === "zone") {
			this.#zone(panel, r);
		} else if (panel.kind !== "slot") {
			ctx.fillStyle = p.paper;
			rounded(ctx, r, radius);
			ctx.fill();
			ctx.strokeStyle = panel.lit ? p.accent : p.line;
			ctx.lineWidth = panel.lit ? 2 : 1;
			ctx.stroke();
		} else {
			if (r.w >= DASHES_FROM) ctx.setLineDash([3, 3]);
			ctx.strokeStyle = r.w >= DASHES_FROM ? p.freeEdge : p.line;
			ctx.lineWidth = 1;
			rounded(ctx, r, Math.min(3, radius));
			ctx.stroke();
			ctx.setLineDash([]);
		}
	}

	#zone(panel: Panel, r: Rect): void {
		const ctx = this.#ctx;
		if (!ctx) return;
		const p = this.#palette;
		ctx.fillStyle = p.free;
		rounded(ctx, r, 3);
		ctx.fill();
		if (panel.fill > 0) {
			ctx.fillStyle = p.allocated;
			rounded(ctx, { ...r, w: Math.max(3, r.w * panel.fill) }, 3);
			ctx.fill();
		}
		ctx.strokeStyle = panel.lit ? p.accent : p.freeEdge;
		ctx.lineWidth = panel.lit ? 2 : 1;
		rounded(ctx, r, 3);
		ctx.stroke();
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

	/** Most labels differ in numbers that have no room. */
	#sameWords(a: Label, b: Label, view: View): boolean {
		if (a.text === b.text && a.short === b.short && a.details.length === b.details.length)
			if (a.details.every((words, i) => words === b.details[i])) return true;
		const [before, now] = [this.#words(a, view), this.#words(b, view)];
		return before?.text === now?.text && before?.detail === now?.detail;
	}

	/** Worked out once for a label and a view: it is asked for to compare, then to draw, then to compare with. */
	#words(label: Label, view: View): LabelWords | undefined {
		const known = this.#fitted.get(label);
		if (known?.view === view) return known.words;
		const ctx = this.#ctx;
		if (!ctx) return undefined;
		const words = wordsOf(label, view, (text, weight, size) =>
			this.#texts.width(ctx, text, weight, this.#palette.sans, size),
		);
		this.#fitted.set(label, { view, words });
		return words;
	}

	#label(label: Label, view: View): void {
		const ctx = this.#ctx;
		const words = this.#words(label, view);
		if (!ctx || !words) return;
		const p = this.#palette;
		const { x, y, size, weight, text, detail, detailX } = words;
		ctx.textBaseline = "alphabetic";
		ctx.font = `${weight} ${size}px ${p.sans}`;
		ctx.fillStyle = label.lit ? p.accent : p.ink;
		ctx.fillText(text, x, y);
		if (detail === "") return;
		ctx.font = `${size}px ${p.sans}`;
		ctx.fillStyle = p.soft;
		ctx.fillText(detail, detailX, y);
	}
}

/** Of a label what is drawn of it, and where. */
export interface LabelWords {
	readonly x: number;
	readonly y: number;
	readonly size: number;
	readonly weight: number;
	readonly text: string;
	readonly detail: string;
	readonly detailX: number;
}

/** Undefined where nothing of it can be read. */
export function wordsOf(
	label: Label,
	view: View,
	measure: (text: string, weight: number, size: number) => number,
): LabelWords | undefined {
	const size = Math.min(LABEL_MOST, label.size * view.k);
	if (size < LABEL_LEAST) return undefined;
	const x = label.x * view.k + view.x;
	const y = label.y * view.k + view.y;
	const weight = label.strong ? 600 : 500;
	const gap = size * 0.45;
	const best = fitting(label, label.w * view.k, gap, (text, isDetail) =>
		measure(text, isDetail ? 400 : weight, size),
	);
	return best && { x, y, size, weight, ...best, detailX: x + best.width + gap };
}

interface Fitted {
	readonly view: View;
	readonly words: LabelWords | undefined;
}

interface Words {
	readonly text: string;
	readonly detail: string;
	/** Of the text. */
	readonly width: number;
}

/** As much as there is room for: rather a short name with a number than a long one without. */
function fitting(
	label: Label,
	room: number,
	gap: number,
	measure: (text: string, isDetail: boolean) => number,
): Words | undefined {
	const texts = [label.text, label.short ?? ""]
		.filter((text) => text !== "")
		.map((text) => ({ text, width: measure(text, false) }))
		.filter(({ width }) => width <= room);
	for (const { text, width } of texts) {
		if (label.shortAlone && text === label.short) continue;
		// Not even a letter has room: no need to measure.
		if (width + gap + LEAST_DETAIL > room) continue;
		const detail = label.details.find((d) => width + gap + measure(d, true) <= room);
		if (detail !== undefined) return { text, detail, width };
	}
	const [bare] = texts;
	return bare && { ...bare, detail: "" };
}

export function rounded(ctx: CanvasRenderingContext2D, r: Rect, radius: number): void {
	ctx.beginPath();
	ctx.roundRect(r.x, r.y, Math.max(0, r.w), Math.max(0, r.h), Math.max(0, radius));
}
