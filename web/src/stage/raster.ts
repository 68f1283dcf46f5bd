/**
 * Slabs and arrays whose objects are small, as pixels: ten thousand slabs cost what their pixels cost and no call
 * each. Detail grows with the room there is and nothing ever jumps: a tile filled by use; then a texel an object;
 * then edges and patterns. The pixels stay, so that only damaged squares are made anew.
 *
 * Bounds are rounded to pixels, gaps between small tiles are always one pixel: tiles never share a pixel, and what
 * is drawn again is drawn alike.
 */
import { CELL } from "../scene/kinds.ts";
import type { ArrayBox, Rect, Scene, SlabBox } from "../scene/scene.ts";
import { gapOf } from "../scene/tiles.ts";
import type { Damage } from "./damage.ts";
import { LETTER_FROM } from "./ink.ts";
import { mixWords } from "./palette.ts";
import { detailAt, isInked, type Texel, type Texels } from "./texels.ts";
import type { View } from "./view.ts";

/** Pixels a cell from which on cells can be seen one by one, and at which they alone are seen. */
const CELLS_FROM = 1.3;
const CELLS_ONLY = 2.6;
/** Tiles so small in pixels have gaps of one pixel between them, or none. */
const SMALL = 16;
const OUTLINE_FROM = 9;
const GAP_FROM = 3;
const SLOTS_FROM = 6;
/** Runs of more pixels than this are filled by the engine's own loop. */
const LONG = 24;

/** Of device pixels: from, to. */
interface Bounds {
	readonly x0: number;
	readonly y0: number;
	readonly x1: number;
	readonly y1: number;
}

interface Cells {
	readonly columns: number;
	readonly rows: number;
	readonly count: number;
	/** Rows from the bottom up. */
	readonly rising: boolean;
	readonly state: (i: number) => number;
}

/** Whether an object of a slab has too little room for a letter. */
export function isFar(slab: SlabBox, k: number): boolean {
	const h = (slab.h - slab.strip) * (1 - slab.start - slab.tail);
	return Math.min(slab.w / slab.columns, h / slab.rows) * k < LETTER_FROM;
}

export function isFarArray(array: ArrayBox, k: number): boolean {
	return Math.min(array.w / array.columns, array.h / array.rows) * k < LETTER_FROM;
}

export class TileRaster {
	readonly #canvas = document.createElement("canvas");
	readonly #ctx = this.#canvas.getContext("2d");
	readonly #texels: Texels;
	#image: ImageData | undefined;
	#pixels = new Uint32Array(0);
	#width = 0;
	#height = 0;
	#view: View = { k: 1, x: 0, y: 0 };
	#ratio = 1;
	/** Objects of a slab by state. */
	readonly #counts = new Uint32Array(16);

	constructor(texels: Texels) {
		this.#texels = texels;
	}

	/** Makes anew what is damaged; `pieces` are the damaged rectangles. */
	paint(scene: Scene, view: View, ratio: number, damage: Damage, pieces: readonly Rect[]): void {
		this.#view = view;
		this.#ratio = ratio;
		for (const piece of pieces) this.#clear(piece);
		for (const array of scene.arrays) {
			if (isFarArray(array, view.k) && this.#isWanted(array, damage)) this.#array(array);
		}
		for (const slab of scene.slabs) {
			if (isFar(slab, view.k) && this.#isWanted(slab, damage)) this.#slab(slab);
		}
		const image = this.#image;
		if (!image) return;
		for (const { x, y, w, h } of pieces) this.#ctx?.putImageData(image, 0, 0, x, y, w, h);
	}

	resize(width: number, height: number): void {
		if (width === this.#width && height === this.#height) return;
		this.#width = width;
		this.#height = height;
		this.#canvas.width = width;
		this.#canvas.height = height;
		this.#image = this.#ctx?.createImageData(width, height);
		if (this.#image) this.#pixels = new Uint32Array(this.#image.data.buffer);
	}

	/** Onto a canvas in device pixels. */
	draw(ctx: CanvasRenderingContext2D): void {
		ctx.drawImage(this.#canvas, 0, 0);
	}

	#isWanted(r: Rect, damage: Damage): boolean {
		const { k, x, y } = this.#view;
		const [left, top] = [r.x * k + x, r.y * k + y];
		const [w, h] = [r.w * k, r.h * k];
		if (left + w < 0 || top + h < 0) return false;
		if (left * this.#ratio > this.#width || top * this.#ratio > this.#height) return false;
		return damage.touches({ x: left - 1, y: top - 1, w: w + 2, h: h + 2 });
	}

	#clear({ x, y, w, h }: Rect): void {
		const right = Math.min(this.#width, x + w);
		const bottom = Math.min(this.#height, y + h);
		for (let row = y; row < bottom; row++) {
			const at = row * this.#width;
			this.#pixels.fill(0, at + x, at + right);
		}
	}

	#boundsOf(r: Rect): Bounds {
		const scale = this.#view.k * this.#ratio;
		const x = (r.x * this.#view.k + this.#view.x) * this.#ratio;
		const y = (r.y * this.#view.k + this.#view.y) * this.#ratio;
		const x0 = Math.round(x);
		const y0 = Math.round(y);
		const side = r.w * scale;
		const gap = side < SMALL ? gapOf(r.w) * scale : 0;
		if (gap === 0) {
			const x1 = Math.max(x0 + 1, Math.round(x + side));
			return { x0, y0, x1, y1: Math.max(y0 + 1, Math.round(y + r.h * scale)) };
		}
		const between = gap < 0.5 ? 0 : Math.max(1, Math.round(gap));
		return {
			x0,
			y0,
			x1: Math.max(x0 + 1, Math.round(x + side + gap) - between),
			y1: Math.max(y0 + 1, Math.round(y + r.h * scale + gap) - between),
		};
	}

	#fill(b: Bounds, word: number): void {
		const x0 = Math.max(0, b.x0);
		const x1 = Math.min(this.#width, b.x1);
		if (x1 <= x0) return;
		const bottom = Math.min(this.#height, b.y1);
		const pixels = this.#pixels;
		for (let y = Math.max(0, b.y0); y < bottom; y++) {
			const at = y * this.#width;
			if (x1 - x0 > LONG) pixels.fill(word, at + x0, at + x1);
			else for (let i = at + x0; i < at + x1; i++) pixels[i] = word;
		}
	}

	#slab(slab: SlabBox): void {
		const box = this.#boundsOf(slab);
		const before = slab.alpha < 1 ? this.#copy(box) : undefined;
		const top = box.y0 + Math.round(slab.strip * this.#view.k * this.#ratio);
		const all = { ...box, y0: Math.min(top, box.y1 - 1) };
		const h = all.y1 - all.y0;
		const y0 = all.y0 + Math.round(h * slab.start);
		const area = { ...all, y0, y1: Math.max(y0 + 1, all.y1 - Math.round(h * slab.tail)) };
		if (area.y0 > all.y0) this.#hatch({ ...all, y1: area.y0 });
		if (area.y1 < all.y1) this.#hatch({ ...all, y0: area.y1 });
		if (slab.extents) this.#blocks(slab, area);
		else this.#cells(slab, area);
		const small = Math.min(area.x1 - area.x0, area.y1 - area.y0);
		const pitch = this.#pitchOf(area, slab) / this.#ratio;
		if (small >= OUTLINE_FROM * this.#ratio && (slab.extents || detailAt(pitch) === 0))
			this.#outline(all, this.#texels.edge);
		if (before) this.#blend(box, before, slab.alpha);
	}

	#cells(slab: SlabBox, area: Bounds): void {
		const { columns, rows, cells } = slab;
		const pitch = this.#pitchOf(area, slab);
		const alone = (pitch - CELLS_FROM) / (CELLS_ONLY - CELLS_FROM);
		if (alone <= 0 && slab.full) {
			this.#fill(area, this.#texels.at(CELL.ALLOCATED).far);
			return;
		}
		if (alone < 1) this.#level(cells, area);
		if (alone <= 0) return;
		const of = { columns, rows, count: cells.length, rising: false };
		this.#grid({ ...of, state: (i) => cells[i] ?? CELL.FREE }, area, Math.min(1, alone));
	}

	#pitchOf(area: Bounds, { columns, rows }: { columns: number; rows: number }): number {
		return Math.min((area.x1 - area.x0) / columns, (area.y1 - area.y0) / rows);
	}

	/** Filled by use from the bottom up: what is allocated, then what is free for others, then what is free. */
	#level(cells: Uint8Array, area: Bounds): void {
		const counts = this.#counts.fill(0);
		for (const state of cells) counts[state] = (counts[state] ?? 0) + 1;
		const n = Math.max(1, cells.length);
		const h = area.y1 - area.y0;
		this.#fill(area, this.#texels.freeFar);
		let from = 0;
		for (let state = 1; state < counts.length; state++) {
			const count = counts[state] ?? 0;
			if (count === 0) continue;
			const to = from + (h * count) / n;
			this.#layer(area, from, to, this.#texels.at(state).far);
			from = to;
		}
	}

	/** Between two heights over the bottom; a row that is covered in part is mixed with what is there. */
	#layer(area: Bounds, from: number, to: number, word: number): void {
		for (let row = Math.floor(from); row < Math.ceil(to); row++) {
			const share = Math.min(row + 1, to) - Math.max(row, from);
			const y = area.y1 - 1 - row;
			const at = y * this.#width + Math.max(0, area.x0);
			const there = this.#pixels[at] ?? 0;
			this.#fill({ ...area, y0: y, y1: y + 1 }, mixWords(there, word, share));
		}
	}

	/** Each cell for itself; `alone` less than 1: still mixed with what is there. */
	#grid(cells: Cells, area: Bounds, alone: number): void {
		const w = (area.x1 - area.x0) / cells.columns;
		const h = (area.y1 - area.y0) / cells.rows;
		const detail = detailAt(Math.min(w, h) / this.#ratio);
		const gap = Math.min(w, h) >= GAP_FROM && detail > 0 ? 1 : 0;
		for (let i = 0; i < cells.count; i++) {
			const column = i % cells.columns;
			const line = (i - column) / cells.columns;
			const row = cells.rising ? cells.rows - 1 - line : line;
			const x0 = area.x0 + Math.round(column * w);
			const y0 = area.y0 + Math.round(row * h);
			const x1 = Math.max(x0 + 1, area.x0 + Math.round((column + 1) * w) - gap);
			const y1 = Math.max(y0 + 1, area.y0 + Math.round((row + 1) * h) - gap);
			const state = cells.state(i);
			if (state < 0) continue;
			const texel = this.#texels.at(state);
			if (alone < 1) this.#mix({ x0, y0, x1, y1 }, this.#farOf(state), alone);
			else if (detail === 0) this.#fill({ x0, y0, x1, y1 }, this.#farOf(state));
			else this.#detailed({ x0, y0, x1, y1 }, texel, detail);
		}
	}

	#farOf(state: number): number {
		return state === CELL.FREE ? this.#texels.freeFar : this.#texels.at(state).far;
	}

	#detailed(b: Bounds, texel: Texel, detail: number): void {
		const from = texel.pattern === "" && texel.hasEdge ? this.#texels.freeFar : texel.far;
		const ground = mixWords(from, texel.ground, detail);
		this.#fill(b, ground);
		if (texel.pattern !== "") this.#patterned(b, texel);
		if (texel.hasEdge) this.#outline(b, mixWords(ground, texel.edge, detail));
	}

	#patterned(b: Bounds, { pattern, pitch, edge }: Texel): void {
		const right = Math.min(this.#width, b.x1);
		const bottom = Math.min(this.#height, b.y1);
		for (let y = Math.max(0, b.y0); y < bottom; y++) {
			for (let x = Math.max(0, b.x0); x < right; x++)
				if (isInked(pattern, pitch, x - b.x0, y - b.y0)) this.#pixels[y * this.#width + x] = edge;
		}
	}

	#mix(b: Bounds, word: number, t: number): void {
		const right = Math.min(this.#width, b.x1);
		const bottom = Math.min(this.#height, b.y1);
		for (let y = Math.max(0, b.y0); y < bottom; y++) {
			for (let at = y * this.#width + Math.max(0, b.x0); at < y * this.#width + right; at++) {
				const there = this.#pixels[at] ?? 0;
				if (there !== word) this.#pixels[at] = mixWords(there, word, t);
			}
		}
	}

	#outline(b: Bounds, word: number): void {
		this.#fill({ ...b, y1: b.y0 + 1 }, word);
		this.#fill({ ...b, y0: b.y1 - 1 }, word);
		this.#fill({ ...b, x1: b.x0 + 1 }, word);
		this.#fill({ ...b, x0: b.x1 - 1 }, word);
	}

	/** Bytes that no object uses. */
	#hatch(b: Bounds): void {
		const { tail, tailGround } = this.#texels;
		this.#fill(b, tailGround);
		const right = Math.min(this.#width, b.x1);
		const bottom = Math.min(this.#height, b.y1);
		for (let y = Math.max(0, b.y0); y < bottom; y++) {
			for (let x = Math.max(0, b.x0); x < right; x++)
				if ((x - b.x0 + y - b.y0) % 6 < 2) this.#pixels[y * this.#width + x] = tail;
		}
	}

	/** In address order, lines of equally many bytes; what belongs to no block is overhead. */
	#blocks(slab: SlabBox, area: Bounds): void {
		const { extents, cells, rows } = slab;
		if (!extents) return;
		const w = area.x1 - area.x0;
		const h = (area.y1 - area.y0) / rows;
		const line = extents.total / rows;
		this.#fill(area, this.#texels.tail);
		for (let i = 0; i < cells.length; i++) {
			const word = this.#farOf(cells[i] ?? CELL.FREE);
			const from = extents.offset[i] ?? 0;
			const to = from + (extents.bytes[i] ?? 0);
			for (let row = Math.floor(from / line); row < rows && row * line < to; row++) {
				const y0 = area.y0 + Math.round(row * h);
				const y1 = area.y0 + Math.round((row + 1) * h);
				const x0 = area.x0 + Math.round(((Math.max(from, row * line) - row * line) / line) * w);
				const end = Math.round(((Math.min(to, (row + 1) * line) - row * line) / line) * w);
				const x1 = area.x0 + end - (end - (x0 - area.x0) >= GAP_FROM ? 1 : 0);
				this.#fill({ x0, y0, x1, y1: h >= GAP_FROM ? y1 - 1 : y1 }, word);
			}
		}
	}

	#array(array: ArrayBox): void {
		const scale = this.#view.k * this.#ratio;
		const x0 = Math.round((array.x * this.#view.k + this.#view.x) * this.#ratio);
		const y0 = Math.round((array.y * this.#view.k + this.#view.y) * this.#ratio);
		const area = {
			x0,
			y0,
			x1: x0 + Math.max(1, Math.round(array.w * scale)),
			y1: y0 + Math.max(1, Math.round(array.h * scale)),
		};
		const { columns, rows, count, awaited, state } = array;
		this.#fill(area, this.#texels.tailGround);
		if (this.#pitchOf(area, array) < CELLS_FROM) {
			const h = Math.round(((area.y1 - area.y0) * count) / (columns * rows));
			this.#fill({ ...area, y0: area.y1 - h }, this.#farOf(state));
			return;
		}
		const of = { columns, rows, rising: true };
		const stateAt = (i: number) => (awaited.has(i) ? -1 : state);
		this.#grid({ ...of, count, state: stateAt }, area, 1);
		if (this.#pitchOf(area, array) >= SLOTS_FROM * this.#ratio) this.#slots(array, area);
	}

	/** Room that is left. */
	#slots({ columns, rows, count, limit }: ArrayBox, area: Bounds): void {
		const w = (area.x1 - area.x0) / columns;
		const h = (area.y1 - area.y0) / rows;
		for (let i = count; i < limit; i++) {
			const column = i % columns;
			const row = rows - 1 - (i - column) / columns;
			const x0 = area.x0 + Math.round(column * w);
			const y0 = area.y0 + Math.round(row * h);
			const x1 = area.x0 + Math.round((column + 1) * w) - 1;
			const y1 = area.y0 + Math.round((row + 1) * h) - 1;
			this.#outline({ x0, y0, x1, y1 }, this.#texels.line);
		}
	}

	#copy(b: Bounds): Uint32Array {
		const w = b.x1 - b.x0;
		const copy = new Uint32Array(w * (b.y1 - b.y0));
		this.#each(b, (at, to) => {
			copy[to] = this.#pixels[at] ?? 0;
		});
		return copy;
	}

	/** What was there shows through. */
	#blend(b: Bounds, before: Uint32Array, alpha: number): void {
		this.#each(b, (at, from) => {
			const now = this.#pixels[at] ?? 0;
			const old = before[from] ?? 0;
			const clear = (now & 0xffffff) >>> 0;
			this.#pixels[at] = mixWords(old === 0 ? clear : old, now, alpha);
		});
	}

	#each(b: Bounds, run: (at: number, index: number) => void): void {
		const w = b.x1 - b.x0;
		for (let y = Math.max(0, b.y0); y < Math.min(this.#height, b.y1); y++) {
			for (let x = Math.max(0, b.x0); x < Math.min(this.#width, b.x1); x++)
				run(y * this.#width + x, (y - b.y0) * w + (x - b.x0));
		}
	}
}
