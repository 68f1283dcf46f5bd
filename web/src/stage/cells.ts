/**
 * The objects of slabs, at four distances. From afar all objects of a frame are texels of one image, written
 * once per frame and scaled without smoothing, so a hundred thousand of them cost little; near, each is drawn
 * with its pattern and letter.
 */
import { CELL } from "../scene/kinds.ts";
import type { Rect, SlabBox } from "../scene/scene.ts";
import { hatch, type Palette, rgbaWord } from "./palette.ts";

const TEXEL_BELOW = 5;
const LETTER_FROM = 13;
const NUMBER_FROM = 30;
const LETTERS = ["f", "A", "c"] as const;
const ATLAS_WIDTH = 2048;

export class CellPainter {
	readonly #ctx: CanvasRenderingContext2D;
	readonly #palette: Palette;
	readonly #cpuHatch: CanvasPattern | string;
	readonly #tailHatch: CanvasPattern | string;
	readonly #words: Uint32Array;
	readonly #atlas = new Atlas();

	constructor(ctx: CanvasRenderingContext2D, palette: Palette) {
		this.#ctx = ctx;
		this.#palette = palette;
		this.#cpuHatch = hatch(palette.cpuFreeEdge, palette.cpuFree, 5);
		this.#tailHatch = hatch(palette.tail, palette.ground, 6);
		this.#words = Uint32Array.of(
			rgbaWord(palette.free),
			rgbaWord(palette.allocated),
			rgbaWord(palette.cpuFreeEdge),
		);
	}

	/** Before the slabs of a scene are drawn. */
	begin(slabs: readonly SlabBox[]): void {
		this.#atlas.begin(slabs, this.#words);
	}

	draw(slab: SlabBox, box: Rect, i: number, k: number): void {
		const strip = slab.strip * k;
		const all = { x: box.x, y: box.y + strip, w: box.w, h: box.h - strip };
		const area = { ...all, h: all.h * (1 - slab.tail) };
		const pitch = Math.min(area.w / slab.columns, area.h / slab.rows);
		const ctx = this.#ctx;
		if (pitch < TEXEL_BELOW) {
			ctx.fillStyle = this.#palette.free;
			ctx.fillRect(all.x, all.y, all.w, all.h);
			this.#atlas.draw(ctx, i, area);
			if (slab.touched >= 0) this.#ring(this.#cell(slab, area, slab.touched), 3);
			ctx.strokeStyle = this.#palette.freeEdge;
			ctx.lineWidth = box.w > 8 ? 1 : 0.5;
			if (box.w > 3) ctx.strokeRect(all.x, all.y, all.w, all.h);
		} else {
			this.#near(slab, area, pitch);
		}
		if (slab.tail > 0 && all.h - area.h >= 1) {
			ctx.fillStyle = this.#tailHatch;
			ctx.fillRect(all.x, area.y + area.h, all.w, all.h - area.h);
		}
	}

	#cell(slab: SlabBox, area: Rect, index: number): Rect {
		const w = area.w / slab.columns;
		const h = area.h / slab.rows;
		const column = index % slab.columns;
		const row = Math.floor(index / slab.columns);
		return { x: area.x + column * w, y: area.y + row * h, w, h };
	}

	#near(slab: SlabBox, area: Rect, pitch: number): void {
		const gap = pitch >= 10 ? 1 : 0.5;
		for (let i = 0; i < slab.cells.length; i++) {
			const c = this.#cell(slab, area, i);
			const r = { x: c.x + gap, y: c.y + gap, w: c.w - 2 * gap, h: c.h - 2 * gap };
			const state = slab.cells[i] ?? CELL.FREE;
			this.#one(r, state);
			if (pitch >= LETTER_FROM) this.#letter(r, state, i, pitch);
		}
		if (slab.touched >= 0) this.#ring(this.#cell(slab, area, slab.touched), pitch >= 10 ? 2.5 : 2);
	}

	#one(r: Rect, state: number): void {
		const ctx = this.#ctx;
		const p = this.#palette;
		if (state === CELL.ALLOCATED) {
			ctx.fillStyle = p.allocated;
			ctx.fillRect(r.x, r.y, r.w, r.h);
			return;
		}
		ctx.fillStyle = state === CELL.FREE_CPU ? this.#cpuHatch : p.free;
		ctx.fillRect(r.x, r.y, r.w, r.h);
		ctx.strokeStyle = state === CELL.FREE_CPU ? p.cpuFreeEdge : p.freeEdge;
		ctx.lineWidth = 1;
		ctx.strokeRect(r.x + 0.5, r.y + 0.5, r.w - 1, r.h - 1);
	}

	#letter(r: Rect, state: number, index: number, pitch: number): void {
		const ctx = this.#ctx;
		const p = this.#palette;
		const size = Math.min(15, pitch * 0.58);
		const text = pitch >= NUMBER_FROM ? `${LETTERS[state] ?? ""} ${index}` : (LETTERS[state] ?? "");
		ctx.font = `600 ${size}px ${p.sans}`;
		const x = r.x + r.w / 2;
		const y = r.y + r.h / 2 + size * 0.05;
		ctx.textAlign = "center";
		ctx.textBaseline = "middle";
		if (state === CELL.FREE_CPU) {
			const half = ctx.measureText(text).width / 2 + 2;
			ctx.fillStyle = p.cpuFree;
			ctx.fillRect(x - half, y - size * 0.6, 2 * half, size * 1.15);
		}
		ctx.fillStyle = state === CELL.ALLOCATED ? p.allocatedInk : p.ink;
		ctx.fillText(text, x, y);
		ctx.textAlign = "left";
	}

	#ring(r: Rect, width: number): void {
		const ctx = this.#ctx;
		ctx.strokeStyle = this.#palette.touched;
		ctx.lineWidth = width;
		ctx.strokeRect(r.x - 0.5, r.y - 0.5, r.w + 1, r.h + 1);
	}
}

/** All objects of a scene as one image, a rectangle of texels per slab. */
class Atlas {
	readonly #canvas = document.createElement("canvas");
	readonly #at: { x: number; y: number; w: number; h: number }[] = [];
	#first: Uint8Array | undefined;
	#count = -1;

	begin(slabs: readonly SlabBox[], words: Uint32Array): void {
		const first = slabs[slabs.length - 1]?.cells;
		if (first === this.#first && slabs.length === this.#count) return;
		this.#first = first;
		this.#count = slabs.length;
		this.#pack(slabs);
		const ctx = this.#canvas.getContext("2d");
		if (!ctx || slabs.length === 0) return;
		const { width, height } = this.#canvas;
		const image = ctx.createImageData(width, height);
		const texels = new Uint32Array(image.data.buffer);
		slabs.forEach((slab, i) => {
			const at = this.#at[i];
			if (!at) return;
			for (let c = 0; c < slab.cells.length; c++) {
				const x = at.x + (c % at.w);
				const y = at.y + Math.floor(c / at.w);
				texels[y * width + x] = words[slab.cells[c] ?? 0] ?? 0;
			}
		});
		ctx.putImageData(image, 0, 0);
	}

	/** Shelves: slabs side by side, rows as high as their highest. */
	#pack(slabs: readonly SlabBox[]): void {
		let x = 0;
		let y = 0;
		let high = 0;
		this.#at.length = 0;
		for (const { columns, rows } of slabs) {
			if (x + columns > ATLAS_WIDTH) {
				x = 0;
				y += high;
				high = 0;
			}
			this.#at.push({ x, y, w: columns, h: rows });
			x += columns;
			high = Math.max(high, rows);
		}
		this.#canvas.width = ATLAS_WIDTH;
		this.#canvas.height = Math.max(1, y + high);
	}

	draw(ctx: CanvasRenderingContext2D, i: number, to: Rect): void {
		const at = this.#at[i];
		if (!at) return;
		ctx.imageSmoothingEnabled = false;
		ctx.drawImage(this.#canvas, at.x, at.y, at.w, at.h, to.x, to.y, to.w, to.h);
	}
}
