/**
 * The objects of slabs close up: each is drawn with its pattern and its letter. Blocks of different sizes are laid
 * out in lines of bytes. The raster draws slabs that are further away.
 */

import { CELL } from "../../engine/place_kinds.ts";
import type { CloseUp } from "../../engine/query/close_up.ts";
import { cellRects, objectArea } from "../../scene/geometry.ts";
import { meet, objectKey, type Rect, type SlabBox } from "../../scene/scene.ts";
import { CLOSE_HEIGHT, CLOSE_WIDTH, CloseUpPainter } from "./close_up.ts";
import { hatch, type Palette } from "./colours.ts";
import type { CellInk } from "./ink.ts";
import { project, type View } from "./viewport.ts";

/** How fast an object appears in its cell as it comes nearer. */
const FADE = 4;

export class CellPainter {
	readonly #ctx: CanvasRenderingContext2D;
	readonly #palette: Palette;
	readonly #ink: CellInk;
	readonly #unused: CanvasPattern | string;
	readonly #closeUp: CloseUpPainter;
	#closeUps: readonly CloseUp[] = [];
	#byKey: ReadonlyMap<string, CloseUp> = new Map();

	constructor(ctx: CanvasRenderingContext2D, palette: Palette, ink: CellInk) {
		this.#ctx = ctx;
		this.#palette = palette;
		this.#ink = ink;
		this.#closeUp = new CloseUpPainter(ctx, palette, ink);
		this.#unused = hatch(palette.tail, palette.ground, 6);
	}

	/** Draws the bytes of objects in close-up, if there is room. */
	known(closeUps: readonly CloseUp[]): void {
		if (closeUps !== this.#closeUps) this.#byKey = new Map(closeUps.map((o) => [objectKey(o), o]));
		this.#closeUps = closeUps;
	}

	draw(slab: SlabBox, box: Rect, view: View, screen: Rect): void {
		const strip = slab.strip * view.k;
		const all = { x: box.x, y: box.y + strip, w: box.w, h: box.h - strip };
		const area = project(objectArea(slab), view);
		if (slab.extents) this.#blocks(slab, all, view, screen);
		else this.#near(slab, view, screen);
		this.#overhead(all.x, all.y, all.w, area.y - all.y);
		this.#overhead(all.x, area.y + area.h, all.w, all.y + all.h - area.y - area.h);
	}

	/** Marks the object just touched, however small. */
	touch(slab: SlabBox, view: View): void {
		if (slab.touched < 0) return;
		for (const cell of cellRects(slab, slab.touched)) {
			const r = project(cell, view);
			this.ring(r, Math.min(r.w, r.h) >= 10 ? 2.5 : 2, this.#palette.touched);
		}
	}

	/** Hatches the bytes that no object uses. */
	#overhead(x: number, y: number, w: number, h: number): void {
		if (h < 1) return;
		this.#ctx.fillStyle = this.#unused;
		this.#ctx.fillRect(x, y, w, h);
	}

	#outline(r: Rect, size: number): void {
		const ctx = this.#ctx;
		ctx.strokeStyle = this.#palette.freeEdge;
		ctx.lineWidth = size > 8 ? 1 : 0.5;
		if (size > 3) ctx.strokeRect(r.x, r.y, r.w, r.h);
	}

	#near(slab: SlabBox, view: View, screen: Rect): void {
		const gap = 1;
		for (let i = 0; i < slab.cells.length; i++) {
			const [cell] = cellRects(slab, i);
			if (!cell) continue;
			const c = project(cell, view);
			if (!meet(c, screen)) continue;
			const r = { x: c.x + gap, y: c.y + gap, w: c.w - 2 * gap, h: c.h - 2 * gap };
			const state = slab.cells[i] ?? CELL.FREE;
			this.#ink.cell(r, state);
			this.#ink.letter(r, state, String(i));
			this.#closely(slab, i, r, screen);
		}
	}

	/** Draws the object's close-up in its cell; the closer it is, the more opaque. */
	#closely(slab: SlabBox, index: number, r: Rect, screen: Rect): void {
		const share = Math.min(r.w / CLOSE_WIDTH, r.h / CLOSE_HEIGHT);
		if (share < 1) return;
		const o = this.#byKey.get(objectKey({ cache: slab.cache, serial: slab.serial, index }));
		if (!o) return;
		const ctx = this.#ctx;
		ctx.globalAlpha = slab.alpha * Math.min(1, (share - 1) * FADE);
		this.#closeUp.draw(r, slab.cells[index] ?? CELL.FREE, o, screen);
		ctx.globalAlpha = slab.alpha;
	}

	/** Draws blocks in address order, with widths in proportion to sizes; bytes outside any block are overhead. */
	#blocks(slab: SlabBox, all: Rect, view: View, screen: Rect): void {
		const ctx = this.#ctx;
		ctx.fillStyle = this.#unused;
		ctx.fillRect(all.x, all.y, all.w, all.h);
		for (let i = 0; i < slab.cells.length; i++) {
			const state = slab.cells[i] ?? CELL.FREE;
			const rects = cellRects(slab, i).map((r) => project(r, view));
			const widest = rects.reduce((a, b) => (b.w > a.w ? b : a), { x: 0, y: 0, w: 0, h: 0 });
			for (const c of rects) {
				if (!meet(c, screen)) continue;
				const gap = c.w >= 4 && c.h >= 6 ? 0.5 : 0;
				const r = { x: c.x + gap, y: c.y + gap, w: c.w - 2 * gap, h: c.h - 2 * gap };
				this.#ink.cell(r, state);
			}
			if (!meet(widest, screen)) continue;
			this.#ink.letter(widest, state, String(slab.extents?.bytes[i] ?? 0));
			this.#closely(slab, i, widest, screen);
		}
		this.#outline(all, all.w);
	}

	ring(r: Rect, width: number, colour: string): void {
		const ctx = this.#ctx;
		ctx.strokeStyle = colour;
		ctx.lineWidth = width;
		ctx.strokeRect(r.x - 0.5, r.y - 0.5, r.w + 1, r.h + 1);
	}
}
