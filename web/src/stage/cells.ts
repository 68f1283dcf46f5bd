/**
 * The objects of slabs, at four distances. From afar all objects of a frame are texels of one image, written
 * once per frame and scaled without smoothing, so a hundred thousand of them cost little; near, each is drawn
 * with its pattern and letter. Blocks of their own size lie in lines of bytes.
 */
import { cellRects, objectArea } from "../scene/geometry.ts";
import { CELL } from "../scene/kinds.ts";
import type { Rect, SlabBox } from "../scene/scene.ts";
import { Atlas } from "./atlas.ts";
import type { CellInk } from "./ink.ts";
import { hatch, type Palette } from "./palette.ts";
import { inView, project, type View } from "./view.ts";

const TEXEL_BELOW = 5;
const BLOCKS_FROM = 12;

export class CellPainter {
	readonly #ctx: CanvasRenderingContext2D;
	readonly #palette: Palette;
	readonly #ink: CellInk;
	readonly #unused: CanvasPattern | string;
	readonly #words: Uint32Array;
	readonly #atlas = new Atlas();

	constructor(ctx: CanvasRenderingContext2D, palette: Palette, ink: CellInk) {
		this.#ctx = ctx;
		this.#palette = palette;
		this.#ink = ink;
		this.#unused = hatch(palette.tail, palette.ground, 6);
		this.#words = ink.words();
	}

	/** Before the slabs of a scene are drawn. */
	begin(slabs: readonly SlabBox[]): void {
		this.#atlas.begin(slabs, this.#words);
	}

	draw(slab: SlabBox, box: Rect, view: View, screen: Rect): void {
		const strip = slab.strip * view.k;
		const all = { x: box.x, y: box.y + strip, w: box.w, h: box.h - strip };
		const area = project(objectArea(slab), view);
		const pitch = Math.min(area.w / slab.columns, area.h / slab.rows);
		if (slab.extents) {
			if (all.w < BLOCKS_FROM) this.#used(slab, all);
			else this.#blocks(slab, all, view, screen);
		} else if (pitch < TEXEL_BELOW) {
			const ctx = this.#ctx;
			ctx.fillStyle = this.#palette.free;
			ctx.fillRect(all.x, all.y, all.w, all.h);
			this.#atlas.draw(ctx, slab, area);
			this.#outline(all, box.w);
		} else {
			this.#near(slab, view, screen, pitch);
		}
		this.#overhead(all.x, all.y, all.w, area.y - all.y);
		this.#overhead(all.x, area.y + area.h, all.w, all.y + all.h - area.y - area.h);
		if (slab.touched >= 0)
			for (const r of cellRects(slab, slab.touched))
				this.ring(project(r, view), pitch >= 10 ? 2.5 : 2, this.#palette.touched);
	}

	/** Bytes that no object uses. */
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

	#near(slab: SlabBox, view: View, screen: Rect, pitch: number): void {
		const gap = pitch >= 10 ? 1 : 0.5;
		for (let i = 0; i < slab.cells.length; i++) {
			const [cell] = cellRects(slab, i);
			if (!cell) continue;
			const c = project(cell, view);
			if (!inView(c, screen)) continue;
			const r = { x: c.x + gap, y: c.y + gap, w: c.w - 2 * gap, h: c.h - 2 * gap };
			const state = slab.cells[i] ?? CELL.FREE;
			this.#ink.cell(r, state);
			this.#ink.letter(r, state, String(i));
		}
	}

	/** So small that only the share of its bytes in use can be seen. */
	#used({ extents, cells }: SlabBox, all: Rect): void {
		const ctx = this.#ctx;
		let used = 0;
		for (const [i, state] of cells.entries())
			if (state === CELL.ALLOCATED) used += extents?.bytes[i] ?? 0;
		const h = (all.h * used) / (extents?.total ?? 1);
		ctx.fillStyle = this.#palette.free;
		ctx.fillRect(all.x, all.y, all.w, all.h);
		ctx.fillStyle = this.#palette.allocated;
		ctx.fillRect(all.x, all.y + all.h - h, all.w, h);
		this.#outline(all, all.w);
	}

	/** In address order, widths in proportion; what belongs to no block is overhead. */
	#blocks(slab: SlabBox, all: Rect, view: View, screen: Rect): void {
		const ctx = this.#ctx;
		ctx.fillStyle = this.#unused;
		ctx.fillRect(all.x, all.y, all.w, all.h);
		for (let i = 0; i < slab.cells.length; i++) {
			const state = slab.cells[i] ?? CELL.FREE;
			const rects = cellRects(slab, i).map((r) => project(r, view));
			const widest = rects.reduce((a, b) => (b.w > a.w ? b : a), { x: 0, y: 0, w: 0, h: 0 });
			for (const c of rects) {
				if (!inView(c, screen)) continue;
				const gap = c.w >= 4 && c.h >= 6 ? 0.5 : 0;
				const r = { x: c.x + gap, y: c.y + gap, w: c.w - 2 * gap, h: c.h - 2 * gap };
				this.#ink.cell(r, state);
			}
			if (inView(widest, screen)) this.#ink.letter(widest, state, this.#size(slab, i));
		}
		this.#outline(all, all.w);
	}

	#size({ extents }: SlabBox, i: number): string {
		return `${extents?.bytes[i] ?? 0}`;
	}

	ring(r: Rect, width: number, colour: string): void {
		const ctx = this.#ctx;
		ctx.strokeStyle = colour;
		ctx.lineWidth = width;
		ctx.strokeRect(r.x - 0.5, r.y - 0.5, r.w + 1, r.h + 1);
	}
}
