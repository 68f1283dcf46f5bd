/**
 * A picture in memory, with a word of RGBA per pixel: a ground, and fills over it. Bounds may reach outside the
 * picture.
 */

import { CELL } from "../../engine/place_kinds.ts";
import type { GlyphRole } from "../../scene/glyph.ts";
import type { Rect } from "../../scene/scene.ts";
import { mixWords, type Palette, type Pattern, rgbaWord } from "./colours.ts";
import type { CellStyle } from "./ink.ts";

/** Bounds in device pixels: from, to. */
export interface Bounds {
	readonly x0: number;
	readonly y0: number;
	readonly x1: number;
	readonly y1: number;
}

/** Runs of more pixels than this are filled by the engine's own loop. */
const LONG = 24;

export class Pixels {
	readonly width: number;
	readonly height: number;
	readonly #image: ImageData;
	/**
	 * The picture, followed by the ground: because both are in one array, copying rows between them leaves no garbage.
	 */
	readonly #both: Uint32Array;
	readonly #words: Uint32Array;
	readonly #ground: Uint32Array;

	constructor(width: number, height: number) {
		const size = width * height;
		this.width = width;
		this.height = height;
		this.#both = new Uint32Array(2 * size);
		this.#words = this.#both.subarray(0, size);
		this.#ground = this.#both.subarray(size);
		const bytes = new Uint8ClampedArray(this.#both.buffer as ArrayBuffer, 0, 4 * size);
		this.#image = new ImageData(bytes, width, height);
	}

	/** Replaces the ground there and removes the fills. */
	lay({ data, width, height }: ImageData, left: number, top: number): void {
		const words = new Uint32Array(data.buffer);
		for (let y = 0; y < height; y++) {
			const row = words.subarray(y * width, (y + 1) * width);
			const at = (top + y) * this.width + left;
			this.#ground.set(row, at);
			this.#words.set(row, at);
		}
	}

	/** The ground is on another canvas: pixels without a fill are transparent. */
	bare(): void {
		this.#ground.fill(0);
	}

	/** Removes the fills there. */
	clear(b: Bounds): void {
		const x0 = Math.max(0, b.x0);
		const x1 = Math.min(this.width, b.x1);
		if (x1 <= x0) return;
		const [both, ground] = [this.#both, this.#words.length];
		for (let y = Math.max(0, b.y0); y < Math.min(this.height, b.y1); y++) {
			const at = y * this.width;
			if (x1 - x0 > LONG) both.copyWithin(at + x0, ground + at + x0, ground + at + x1);
			else for (let i = at + x0; i < at + x1; i++) both[i] = both[ground + i] ?? 0;
		}
	}

	/** Copies a rectangle of it onto a canvas. */
	put(ctx: CanvasRenderingContext2D, { x, y, w, h }: Rect): void {
		ctx.putImageData(this.#image, 0, 0, x, y, w, h);
	}

	fill(b: Bounds, word: number): void {
		this.box(b.x0, b.y0, b.x1, b.y1, word);
	}

	/** Like fill, but without an object for the bounds. */
	box(left: number, top: number, right: number, end: number, word: number): void {
		const x0 = Math.max(0, left);
		const x1 = Math.min(this.width, right);
		if (x1 <= x0) return;
		const bottom = Math.min(this.height, end);
		const words = this.#words;
		for (let y = Math.max(0, top); y < bottom; y++) {
			const at = y * this.width;
			if (x1 - x0 > LONG) words.fill(word, at + x0, at + x1);
			else for (let i = at + x0; i < at + x1; i++) words[i] = word;
		}
	}

	/** A word for each pixel of the bounds, row by row; 0 leaves the ground. */
	stamp(b: Bounds, stamp: Uint32Array): void {
		const w = b.x1 - b.x0;
		const x0 = Math.max(0, b.x0);
		const x1 = Math.min(this.width, b.x1);
		const bottom = Math.min(this.height, b.y1);
		const words = this.#words;
		const ground = this.#ground;
		for (let y = Math.max(0, b.y0); y < bottom; y++) {
			let at = y * this.width + x0;
			let from = (y - b.y0) * w + x0 - b.x0;
			for (const end = y * this.width + x1; at < end; at++, from++)
				words[at] = stamp[from] || (ground[at] ?? 0);
		}
	}

	patterned(b: Bounds, { pattern, pitch, edge }: Texel): void {
		const right = Math.min(this.width, b.x1);
		const bottom = Math.min(this.height, b.y1);
		for (let y = Math.max(0, b.y0); y < bottom; y++) {
			for (let x = Math.max(0, b.x0); x < right; x++)
				if (isInked(pattern, pitch, x - b.x0, y - b.y0)) this.#words[y * this.width + x] = edge;
		}
	}

	outline({ x0, y0, x1, y1 }: Bounds, word: number): void {
		this.box(x0, y0, x1, y0 + 1, word);
		this.box(x0, y1 - 1, x1, y1, word);
		this.box(x0, y0, x0 + 1, y1, word);
		this.box(x1 - 1, y0, x1, y1, word);
	}

	hatch(b: Bounds, line: number, ground: number): void {
		this.fill(b, ground);
		const right = Math.min(this.width, b.x1);
		const bottom = Math.min(this.height, b.y1);
		for (let y = Math.max(0, b.y0); y < bottom; y++) {
			for (let x = Math.max(0, b.x0); x < right; x++)
				if ((x - b.x0 + y - b.y0) % 6 < 2) this.#words[y * this.width + x] = line;
		}
	}

	copy(b: Bounds): Uint32Array {
		const w = b.x1 - b.x0;
		const copy = new Uint32Array(w * (b.y1 - b.y0));
		this.#each(b, (at, to) => {
			copy[to] = this.#words[at] ?? 0;
		});
		return copy;
	}

	/** Lets the pixels below show through. */
	blend(b: Bounds, before: Uint32Array, alpha: number): void {
		this.#each(b, (at, from) => {
			const now = this.#words[at] ?? 0;
			const old = before[from] ?? 0;
			const clear = (now & 0xffffff) >>> 0;
			this.#words[at] = mixWords(old === 0 ? clear : old, now, alpha);
		});
	}

	#each(b: Bounds, run: (at: number, index: number) => void): void {
		const w = b.x1 - b.x0;
		for (let y = Math.max(0, b.y0); y < Math.min(this.height, b.y1); y++) {
			for (let x = Math.max(0, b.x0); x < Math.min(this.width, b.x1); x++)
				run(y * this.width + x, (y - b.y0) * w + (x - b.x0));
		}
	}
}

/** Cells of up to this many pixels have one colour; from twice that size up, they have a pattern and an edge. */
const PATTERN_FROM = 4.5;
/** How far the colour of free objects moves towards their edge's colour if an edge does not fit. */
const FREE_FAR = 0.4;

export interface Texel {
	/** The look of cells in one colour. */
	readonly far: number;
	readonly ground: number;
	readonly edge: number;
	readonly hasEdge: boolean;
	readonly pattern: Pattern | "";
	readonly pitch: number;
}

export class Texels {
	/** Looks by state. */
	readonly of: readonly Texel[];
	readonly freeFar: number;
	readonly edge: number;
	readonly line: number;
	readonly tail: number;
	readonly tailGround: number;
	/** Glyphs by the state of their free objects. */
	readonly #glyphs: readonly Readonly<Record<GlyphRole, number>>[];

	constructor(palette: Palette, looks: readonly CellStyle[]) {
		this.of = looks.map((l) => ({
			far: rgbaWord(l.far),
			ground: rgbaWord(l.ground),
			edge: rgbaWord(l.edge === "" ? l.far : l.edge),
			hasEdge: l.edge !== "",
			pattern: l.pattern,
			pitch: l.pitch,
		}));
		this.edge = rgbaWord(palette.freeEdge);
		this.line = rgbaWord(palette.line);
		this.tail = rgbaWord(palette.tail);
		this.tailGround = rgbaWord(palette.ground);
		const paper = rgbaWord(palette.paper);
		this.#glyphs = looks.map((look, state) => {
			const isFree = state === CELL.FREE;
			return {
				full: rgbaWord(palette.full),
				body: rgbaWord(palette.allocated),
				gap: paper,
				notch: paper,
				foot: isFree ? paper : rgbaWord(look.ground),
				edge: this.edge,
				pip: rgbaWord(isFree ? palette.pip : look.edge),
				dash: this.edge,
			};
		});
		this.freeFar = mixWords(rgbaWord(palette.free), this.edge, FREE_FAR);
	}

	at(state: number): Texel {
		const texel = this.of[state] ?? this.of[CELL.FREE];
		if (!texel) throw new Error(`no look for state ${state}`);
		return texel;
	}

	/** Returns the colours of a slab's glyph whose free objects have this state. */
	glyph(state: number): Readonly<Record<GlyphRole, number>> {
		const words = this.#glyphs[state] ?? this.#glyphs[CELL.FREE];
		if (!words) throw new Error(`no look for state ${state}`);
		return words;
	}
}

/** Returns how opaque pattern and edge are in cells of this many CSS pixels, 0 to 1. */
export function detailAt(pitch: number): number {
	return Math.min(1, Math.max(0, (pitch - PATTERN_FROM) / PATTERN_FROM));
}

/** Whether a pixel belongs to the pattern's lines. */
export function isInked(pattern: Pattern | "", pitch: number, x: number, y: number): boolean {
	switch (pattern) {
		case "rising":
			return (x + y) % pitch < 1.5;
		case "falling":
			return (x - y + (y + 1) * pitch) % pitch < 1.5;
		case "level":
			return y % pitch === Math.floor(pitch / 2);
		case "dots":
			return x % pitch >= 2 && x % pitch < 4 && y % pitch >= 2 && y % pitch < 4;
		default:
			return false;
	}
}
