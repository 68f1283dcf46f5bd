/**
 * Draws a scene. Detail follows the size on screen, so zooming reveals rather than enlarges: a tile filled by
 * use, then a texel per object, then cells with patterns, then letters and numbers.
 */
import { cellRects, entryRect } from "../scene/geometry.ts";
import type { ArrayBox, Label, ObjectRef, Panel, Rect, Scene, SlabBox } from "../scene/scene.ts";
import { gapOf } from "../scene/tiles.ts";
import { ArrayPainter } from "./arrays.ts";
import { CellPainter } from "./cells.ts";
import { CellInk } from "./ink.ts";
import type { Palette } from "./palette.ts";
import { inView, project, type View } from "./view.ts";

const LABEL_LEAST = 9;
const LABEL_MOST = 20;

/** What the visitor has chosen or points at. */
export interface Held {
	/** Key of the slab held on to, "" for none. */
	readonly slab: string;
	/** Objects that are shown wherever they are. */
	readonly objects: readonly ObjectRef[];
}

export class StagePainter {
	readonly #ctx: CanvasRenderingContext2D;
	#palette: Palette;
	#cells: CellPainter;
	#arrays: ArrayPainter;

	constructor(ctx: CanvasRenderingContext2D, palette: Palette) {
		this.#ctx = ctx;
		this.#palette = palette;
		const ink = new CellInk(ctx, palette);
		this.#cells = new CellPainter(ctx, palette, ink);
		this.#arrays = new ArrayPainter(ctx, palette, ink);
	}

	recolour(palette: Palette): void {
		this.#palette = palette;
		const ink = new CellInk(this.#ctx, palette);
		this.#cells = new CellPainter(this.#ctx, palette, ink);
		this.#arrays = new ArrayPainter(this.#ctx, palette, ink);
	}

	paint(scene: Scene, view: View, ratio: number, held: Held): void {
		const ctx = this.#ctx;
		const { width, height } = ctx.canvas;
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.fillStyle = this.#palette.ground;
		ctx.fillRect(0, 0, width, height);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		const screen = { x: 0, y: 0, w: width / ratio, h: height / ratio };
		for (const panel of scene.panels) this.#panel(panel, project(panel, view));
		for (const mark of scene.marks) this.#mark(project(mark, view));
		for (const array of scene.arrays) this.#arrays.draw(array, view, screen);
		for (const label of scene.labels) this.#label(label, view);
		this.#cells.begin(scene.slabs);
		for (const slab of scene.slabs) {
			const box = project(slab, view);
			if (inView(box, screen)) this.#slab(slab, box, view, screen, slab.key === held.slab);
		}
		for (const flying of scene.flying) this.#arrays.fly(flying, view);
		for (const object of held.objects) this.#link(scene, object, view);
	}

	/** An object's cell, its place in an array, and a line between the two. */
	#link(scene: Scene, object: ObjectRef, view: View): void {
		const rects = whereIs(scene, object).map((r) => project(r, view));
		const { paper, accent } = this.#palette;
		const strokes = [
			{ colour: paper, width: 5 },
			{ colour: accent, width: 2.5 },
		];
		for (const { colour, width } of strokes) {
			for (const r of rects) this.#cells.ring(r, width, colour);
			this.#line(rects, width * 0.6, colour);
		}
	}

	#line([a, b]: readonly Rect[], width: number, colour: string): void {
		if (!a || !b) return;
		const ctx = this.#ctx;
		ctx.strokeStyle = colour;
		ctx.lineWidth = width;
		ctx.beginPath();
		ctx.moveTo(a.x + a.w / 2, a.y + a.h / 2);
		ctx.lineTo(b.x + b.w / 2, b.y + b.h / 2);
		ctx.stroke();
	}

	#panel(panel: Panel, r: Rect): void {
		const ctx = this.#ctx;
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
			ctx.setLineDash([3, 3]);
			ctx.strokeStyle = p.freeEdge;
			ctx.lineWidth = 1;
			rounded(ctx, r, Math.min(3, radius));
			ctx.stroke();
			ctx.setLineDash([]);
		}
	}

	#zone(panel: Panel, r: Rect): void {
		const ctx = this.#ctx;
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
		ctx.strokeStyle = this.#palette.soft;
		ctx.lineWidth = 1;
		ctx.beginPath();
		ctx.moveTo(r.x + 0.5, r.y + r.h);
		ctx.lineTo(r.x + 0.5, r.y + 0.5);
		ctx.lineTo(r.x + r.w - 0.5, r.y + 0.5);
		ctx.lineTo(r.x + r.w - 0.5, r.y + r.h);
		ctx.stroke();
	}

	#slab(slab: SlabBox, box: Rect, view: View, screen: Rect, selected: boolean): void {
		const ctx = this.#ctx;
		const p = this.#palette;
		ctx.globalAlpha = slab.alpha;
		const { k } = view;
		this.#cells.draw(slab, box, view, screen);
		if (slab.strip * k >= 11) this.#strip(slab, box, slab.strip * k);
		else if (slab.strip === 0) this.#name(slab, box, gapOf(slab.w) * k);
		if (selected || slab.lit) {
			const by = box.w > 20 ? 2.5 : 1.5;
			ctx.strokeStyle = slab.lit ? p.touched : p.accent;
			ctx.lineWidth = box.w > 20 ? 2 : 1.5;
			rounded(ctx, { x: box.x - by, y: box.y - by, w: box.w + 2 * by, h: box.h + 2 * by }, 4);
			ctx.stroke();
		}
		ctx.globalAlpha = 1;
	}

	/** Tiles without a strip get their number in the gap above them, once zooming has made it wide enough. */
	#name(slab: SlabBox, box: Rect, gap: number): void {
		if (gap < 10 || box.w < 40) return;
		const ctx = this.#ctx;
		ctx.textBaseline = "alphabetic";
		ctx.font = `600 ${Math.min(12, gap * 0.9)}px ${this.#palette.sans}`;
		ctx.fillStyle = this.#palette.ink;
		ctx.fillText(`#${slab.serial}`, box.x, box.y - gap * 0.2);
	}

	#strip(slab: SlabBox, box: Rect, height: number): void {
		const ctx = this.#ctx;
		const size = Math.min(14, height * 0.72);
		ctx.textBaseline = "middle";
		ctx.font = `600 ${size}px ${this.#palette.sans}`;
		ctx.fillStyle = this.#palette.ink;
		const name = `#${slab.serial}`;
		ctx.fillText(name, box.x + 1, box.y + height / 2);
		const used = slab.extents ? "" : `${slab.inuse}/${slab.cells.length}`;
		ctx.font = `${size}px ${this.#palette.sans}`;
		ctx.fillStyle = this.#palette.soft;
		const room = box.w - size * 0.62 * (name.length + used.length + 1);
		if (room > 0) {
			ctx.textAlign = "right";
			ctx.fillText(used, box.x + box.w, box.y + height / 2);
			ctx.textAlign = "left";
		}
	}

	#label(label: Label, view: View): void {
		const ctx = this.#ctx;
		const p = this.#palette;
		const size = Math.min(LABEL_MOST, label.size * view.k);
		if (size < LABEL_LEAST) return;
		const x = label.x * view.k + view.x;
		const y = label.y * view.k + view.y;
		const room = label.w * view.k;
		ctx.textBaseline = "alphabetic";
		ctx.font = `${label.strong ? 600 : 500} ${size}px ${p.sans}`;
		ctx.fillStyle = label.lit ? p.accent : p.ink;
		const strong = ctx.font;
		const soft = `${size}px ${p.sans}`;
		const gap = size * 0.6;
		const best = fitting(label, room, gap, (text, isDetail) => {
			ctx.font = isDetail ? soft : strong;
			return ctx.measureText(text).width;
		});
		if (!best) return;
		ctx.font = strong;
		ctx.fillText(best.text, x, y);
		ctx.font = soft;
		ctx.fillStyle = p.soft;
		ctx.fillText(best.detail, x + best.width + gap, y);
	}
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
		const detail = label.details.find((d) => width + gap + measure(d, true) <= room);
		if (detail !== undefined) return { text, detail, width };
	}
	const [bare] = texts;
	return bare && { ...bare, detail: "" };
}

function whereIs(scene: Scene, object: ObjectRef): Rect[] {
	const slab = scene.slabs.find((s) => s.cache === object.cache && s.serial === object.serial);
	const cell = slab ? cellRects(slab, object.index).slice(0, 1) : [];
	for (const array of scene.arrays) {
		for (let i = 0; i < array.count; i++)
			if (isAt(array, i, object)) return [...cell, entryRect(array, i)];
	}
	return cell;
}

function isAt(array: ArrayBox, position: number, object: ObjectRef): boolean {
	return (
		array.serials[position] === object.serial &&
		array.indices[position] === object.index &&
		array.caches[position] === object.cache
	);
}

function rounded(ctx: CanvasRenderingContext2D, r: Rect, radius: number): void {
	ctx.beginPath();
	ctx.roundRect(r.x, r.y, Math.max(0, r.w), Math.max(0, r.h), Math.max(0, radius));
}
