/**
 * Slabs and arrays as pixels. Detail grows with the room: first a glyph (scene/glyph.ts), then a texel per object,
 * then edges and patterns.
 */

import { CELL, isInUse } from "../../engine/place_kinds.ts";
import { usageOf } from "../../engine/usage.ts";
import { type Crowd, type SlabRun, tileBox } from "../../scene/crowd.ts";
import { entrySize, stackRect } from "../../scene/geometry.ts";
import {
	CELLS_FROM,
	type Glyph,
	type GlyphPart,
	glyphOf,
	glyphParts,
	showsCells,
} from "../../scene/glyph.ts";
import type { ArrayBox, Histogram, Panel, Rect, SlabBox } from "../../scene/scene.ts";
import type { CellShape } from "../../scene/slab_box.ts";
import { gapOf, highOf, type TileGrid } from "../../scene/tiles.ts";
import { mixWords } from "./colours.ts";
import { LETTER_FROM } from "./ink.ts";
import { type Bounds, detailAt, type Pixels, type Texel, type Texels } from "./pixels.ts";
import { sameView, type View } from "./viewport.ts";

const OUTLINE_FROM = 9;
const GAP_FROM = 4;
/** The least width of a free block, in pixels of the page. */
const FREE_LEAST = 3;
const SLOTS_FROM = 6;

/** The smallest fill of a zone in use that can still be seen. */
const USED_LEAST = 4;
/** In smaller arrays, objects are shown as a level. */
const ENTRIES_FROM = 1.3;

/** More pixels than any tile has. */
const HIGH = 65_536;

/** The cells of a slab among others. */
interface Span {
	cells: Uint8Array;
	first: number;
	count: number;
	/** The value that usageOf returns. */
	usage: number;
}

function place(
	bounds: { -readonly [End in keyof Bounds]: number },
	x0: number,
	y0: number,
	x1: number,
	y1: number,
): void {
	bounds.x0 = x0;
	bounds.y0 = y0;
	bounds.x1 = x1;
	bounds.y1 = y1;
}

interface Cells {
	readonly columns: number;
	readonly rows: number;
	readonly count: number;
	/** Whether rows go from the bottom up. */
	readonly rising: boolean;
	readonly state: (i: number) => number;
}

/** Whether an object of a slab is too small for a letter. */
export function isFar(slab: SlabBox, k: number): boolean {
	const h = (slab.h - slab.strip) * (1 - slab.start - slab.tail);
	return Math.min(slab.w / slab.columns, h / slab.rows) * k < LETTER_FROM;
}

export function isFarArray(array: ArrayBox, k: number): boolean {
	const { w, h } = entrySize(array);
	return Math.min(w, h) * k < LETTER_FROM;
}

/** Says the same for a slab of a crowd. */
export function isFarTile({ grid, strip }: SlabRun, shape: CellShape, k: number): boolean {
	const h = (highOf(grid) - strip) * (1 - shape.start - shape.tail);
	return Math.min(grid.size / shape.columns, h / shape.rows) * k < LETTER_FROM;
}

export class TilePixels {
	readonly #px: Pixels;
	readonly #texels: Texels;
	#view: View = { k: 1, x: 0, y: 0 };
	#ratio = 1;
	#bounds = new BoundsOn(this.#view, this.#ratio);
	/** Parts of the current tile, reused: thousands per frame must not become garbage. */
	readonly #all = { x0: 0, y0: 0, x1: 0, y1: 0 };
	readonly #area = { x0: 0, y0: 0, x1: 0, y1: 0 };
	/** Whose tile was drawn last. */
	#run: SlabRun | undefined;
	#shape: CellShape | undefined;
	#isNear = false;
	/** Whether its slab's objects are too small to show. */
	#isGlyph = false;
	readonly #span: Span = { cells: new Uint8Array(0), first: 0, count: 0, usage: Number.NaN };
	/** Objects of a slab by state. */
	readonly #counts = new Uint32Array(16);
	/** Glyphs by usage, as in #stampsOf. */
	readonly #stamps = new Map<number, Map<number, Uint32Array>>();
	/** The parts of bars, by glyph and size. */
	readonly #parts = new WeakMap<Glyph, Map<number, readonly GlyphPart[]>>();
	#lastKey = -1;
	#last = new Map<number, Uint32Array>();

	constructor(px: Pixels, texels: Texels) {
		this.#px = px;
		this.#texels = texels;
	}

	look(view: View, ratio: number): void {
		if (sameView(view, this.#view) && ratio === this.#ratio) return;
		if (view.k !== this.#view.k || ratio !== this.#ratio) {
			this.#stamps.clear();
			this.#lastKey = -1;
		}
		this.#view = view;
		this.#ratio = ratio;
		this.#bounds = new BoundsOn(view, ratio);
		this.#run = undefined;
	}

	slab(slab: SlabBox): void {
		const box = this.#bounds.slab(slab);
		const before = slab.alpha < 1 ? this.#px.copy(box) : undefined;
		const { cells, extents } = slab;
		const span = { cells, first: 0, count: cells.length, usage: usageOf(cells, 0, cells.length) };
		if (!showsCells(slab, this.#view.k)) this.#glyph(span, this.#below(box, slab.strip));
		else if (extents) {
			this.#divide(box, slab.strip, slab);
			this.#blocks(slab, this.#area);
			this.#edge();
		} else {
			this.#divide(box, slab.strip, slab);
			this.#fill(slab, span);
		}
		if (before) this.#px.blend(box, before, slab.alpha);
	}

	/** Draws a slab of a crowd; nothing if its objects have room for letters, because they are then drawn one by one. */
	tileOf(crowd: Crowd, run: SlabRun, i: number): void {
		const { frame } = crowd;
		const row = run.first + i;
		const box = this.#bounds.tile(run, i);
		if (this.#isOut(box)) return;
		const shape = crowd.shape(run, row);
		if (run !== this.#run || shape !== this.#shape) this.#turnTo(run, shape);
		if (this.#isNear) {
			this.#px.clear(box);
			return;
		}
		const span = this.#span;
		span.cells = frame.cells;
		span.first = frame.slabs.firstCell[row] ?? 0;
		span.count = frame.slabs.objects[row] ?? 0;
		span.usage = frame.slabs.usage[row] ?? Number.NaN;
		// With one unit for each allocated object, and more for others.
		if (this.#isGlyph) {
			this.#glyph(span, this.#below(box, run.strip));
			return;
		}
		this.#divide(box, run.strip, shape);
		this.#fill(shape, span);
	}

	/** The common part of all tiles of a run whose slabs have one shape. */
	#turnTo(run: SlabRun, shape: CellShape): void {
		this.#run = run;
		this.#shape = shape;
		this.#isNear = !isFarTile(run, shape, this.#view.k);
		const box = { ...shape, w: run.grid.size, h: highOf(run.grid), strip: run.strip };
		this.#isGlyph = !showsCells(box, this.#view.k);
	}

	/**
	 * Slabs with fewer columns and rows of objects than this show them one by one; others show only how many are in
	 * each state.
	 */
	showsCellsBelow({ grid }: SlabRun): number {
		return (grid.size * this.#view.k) / CELLS_FROM + 1;
	}

	clear(run: SlabRun, i: number): void {
		this.#px.clear(this.#bounds.tile(run, i));
	}

	clearBox(box: Rect): void {
		this.#px.clear(this.#bounds.array(box));
	}

	#isOut({ x0, y0, x1, y1 }: Bounds): boolean {
		return x1 < 0 || y1 < 0 || x0 > this.#px.width || y0 > this.#px.height;
	}

	/** Draws the cells of the current tile. */
	#fill(shape: CellShape, span: Span): void {
		const pitch = this.#pitchOf(this.#area, shape);
		const { cells, first, count } = span;
		const state = (i: number) => cells[first + i] ?? CELL.FREE;
		const { columns, rows } = shape;
		this.#grid({ columns, rows, count, rising: false, state }, this.#area);
		if (detailAt(pitch / this.#ratio) === 0) this.#edge();
	}

	#edge(): void {
		const { x0, y0, x1, y1 } = this.#area;
		const small = Math.min(x1 - x0, y1 - y0);
		if (small >= OUTLINE_FROM * this.#ratio) this.#px.outline(this.#all, this.#texels.edge);
	}

	/** Draws a tile without its strip. */
	#below(box: Bounds, strip: number): Bounds {
		if (strip === 0) return box;
		return { ...box, y0: this.#topOf(box, strip) };
	}

	#topOf({ y0, y1 }: Bounds, strip: number): number {
		return Math.min(y0 + Math.round(strip * this.#view.k * this.#ratio), y1 - 1);
	}

	/** Below its strip, a tile has an area for the objects; the rest is hatched. */
	#divide(box: Bounds, strip: number, { start, tail }: CellShape): void {
		const { x0, x1, y1 } = box;
		const top = this.#topOf(box, strip);
		const h = y1 - top;
		const from = top + Math.round(h * start);
		const to = Math.max(from + 1, y1 - Math.round(h * tail));
		place(this.#all, x0, top, x1, y1);
		place(this.#area, x0, from, x1, to);
		if (from > top) this.#unused(x0, top, x1, from);
		if (to < y1) this.#unused(x0, to, x1, y1);
	}

	#unused(x0: number, y0: number, x1: number, y1: number): void {
		this.#px.hatch({ x0, y0, x1, y1 }, this.#texels.tail, this.#texels.tailGround);
	}

	#pitchOf(area: Bounds, { columns, rows }: { columns: number; rows: number }): number {
		return Math.min((area.x1 - area.x0) / columns, (area.y1 - area.y0) / rows);
	}

	/** Draws the glyph of a slab. */
	#glyph(span: Span, b: Bounds): void {
		const kept = this.#stampsOf(b.x1 - b.x0, b.y1 - b.y0, span.count);
		// Most are small integers, which can be looked up without allocating a number.
		const small = span.usage | 0;
		let stamp = small === span.usage ? kept.get(small) : kept.get(span.usage);
		if (!stamp) {
			stamp = this.#stamp(span, b.x1 - b.x0, b.y1 - b.y0);
			if (span.usage >= 0) kept.set(span.usage, stamp);
		}
		this.#px.stamp(b, stamp);
	}

	/** Returns the glyphs for slabs with this many objects in this many pixels, by usage. */
	#stampsOf(w: number, h: number, count: number): Map<number, Uint32Array> {
		const key = (count * HIGH + h) * HIGH + w;
		if (key === this.#lastKey) return this.#last;
		this.#lastKey = key;
		this.#last = this.#stamps.get(key) ?? new Map<number, Uint32Array>();
		this.#stamps.set(key, this.#last);
		return this.#last;
	}

	/** A word for each pixel, 0 for those of the ground. */
	#stamp({ cells, first, count }: Span, w: number, h: number): Uint32Array {
		const counts = this.#counts.fill(0);
		for (let i = first; i < first + count; i++) {
			const state = cells[i] ?? 0;
			counts[state] = (counts[state] ?? 0) + 1;
		}
		const glyph = glyphOf(counts, count);
		const words = this.#texels.glyph(glyph.state);
		const stamp = new Uint32Array(w * h);
		const unit = Math.max(1, Math.round(this.#ratio));
		for (const { role, x0, y0, x1, y1 } of glyphParts(glyph, w, h, unit)) {
			for (let y = y0; y < y1; y++) stamp.fill(words[role], y * w + x0, y * w + x1);
		}
		return stamp;
	}

	/** Draws each cell on its own. */
	#grid(cells: Cells, area: Bounds): void {
		const w = (area.x1 - area.x0) / cells.columns;
		const h = (area.y1 - area.y0) / cells.rows;
		const detail = detailAt(Math.min(w, h) / this.#ratio);
		const gap = Math.min(w, h) >= GAP_FROM * this.#ratio ? 1 : 0;
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
			if (detail === 0) this.#px.fill({ x0, y0, x1, y1 }, this.#farOf(state));
			else this.#detailed({ x0, y0, x1, y1 }, texel, detail);
		}
	}

	#farOf(state: number): number {
		return state === CELL.FREE ? this.#texels.freeFar : this.#texels.at(state).far;
	}

	#detailed(b: Bounds, texel: Texel, detail: number): void {
		const from = texel.pattern === "" && texel.hasEdge ? this.#texels.freeFar : texel.far;
		const ground = mixWords(from, texel.ground, detail);
		this.#px.fill(b, ground);
		if (texel.pattern !== "") this.#px.patterned(b, texel);
		if (texel.hasEdge) this.#px.outline(b, mixWords(ground, texel.edge, detail));
	}

	/** Draws blocks in address order, in lines of equally many bytes; bytes outside any block are overhead. */
	#blocks(slab: SlabBox, area: Bounds): void {
		const { extents, cells, rows } = slab;
		if (!extents) return;
		const w = area.x1 - area.x0;
		const h = (area.y1 - area.y0) / rows;
		const line = extents.total / rows;
		this.#px.fill(area, this.#texels.tail);
		const least = Math.round(FREE_LEAST * this.#ratio);
		for (let i = 0; i < cells.length; i++) {
			const state = cells[i] ?? CELL.FREE;
			const word = this.#farOf(state);
			const from = extents.offset[i] ?? 0;
			const to = from + (extents.bytes[i] ?? 0);
			for (let row = Math.floor(from / line); row < rows && row * line < to; row++) {
				const y0 = area.y0 + Math.round(row * h);
				const y1 = area.y0 + Math.round((row + 1) * h);
				let x0 = area.x0 + Math.round(((Math.max(from, row * line) - row * line) / line) * w);
				const end = Math.round(((Math.min(to, (row + 1) * line) - row * line) / line) * w);
				const x1 = area.x0 + end - (end - (x0 - area.x0) >= GAP_FROM ? 1 : 0);
				// The next block starts after it, so it is widened towards the previous one.
				if (!isInUse(state)) x0 = Math.max(area.x0, Math.min(x0, x1 - least));
				this.#px.fill({ x0, y0, x1, y1: h >= GAP_FROM ? y1 - 1 : y1 }, word);
			}
		}
	}

	/** Draws bars on a line; each looks like the slabs that it counts. */
	histogram(histogram: Histogram): void {
		const area = this.#bounds.array(histogram);
		const unit = Math.max(1, Math.round(this.#ratio));
		this.#px.fill({ ...area, y0: area.y1 - unit }, this.#texels.line);
		for (const bar of histogram.bars) {
			if (bar.nrSlabs === 0) continue;
			const { x0, x1, y0 } = this.#bounds.array(bar);
			const [w, h] = [x1 - x0, Math.max(1, area.y1 - y0)];
			const words = this.#texels.glyph(bar.glyph.state);
			for (const part of this.#partsOf(bar.glyph, w, h, unit))
				this.#px.box(x0 + part.x0, y0 + part.y0, x0 + part.x1, y0 + part.y1, words[part.role]);
		}
	}

	/** A list's bars have the same glyphs in every frame, and only a few heights. */
	#partsOf(glyph: Glyph, w: number, h: number, unit: number): readonly GlyphPart[] {
		const kept = this.#parts.get(glyph) ?? new Map<number, readonly GlyphPart[]>();
		if (kept.size === 0) this.#parts.set(glyph, kept);
		const key = (unit * HIGH + h) * HIGH + w;
		const parts = kept.get(key) ?? glyphParts(glyph, w, h, unit);
		kept.set(key, parts);
		return parts;
	}

	/** Draws the fill of a zone, inside its frame. */
	zone(zone: Panel): void {
		if (zone.fill <= 0) return;
		const { x0, x1, y0, y1 } = this.#bounds.array(zone);
		const edge = Math.round(this.#ratio);
		const used = Math.max(USED_LEAST * edge, Math.round((x1 - x0) * zone.fill));
		const inside = {
			x0: x0 + edge,
			y0: y0 + edge,
			x1: Math.min(x1 - edge, x0 + used),
			y1: y1 - edge,
		};
		this.#px.fill(inside, this.#texels.at(CELL.ALLOCATED).far);
	}

	array(array: ArrayBox): void {
		const { stacks, count } = array;
		if (!stacks) {
			this.#entries(array, array, 0, count);
			return;
		}
		for (let i = 0; i < Math.min(stacks.present, stacks.room); i++) {
			const from = i * stacks.capacity;
			const own = Math.min(stacks.capacity, count - from);
			this.#entries(array, stackRect(array, i), from, Math.max(0, own));
		}
	}

	/** Draws the objects of one sheaf, or of an array, from number `from` on. */
	#entries(array: ArrayBox, rect: Rect, from: number, count: number): void {
		const area = this.#bounds.array(rect);
		const { columns, rows, awaited, state } = array;
		this.#px.fill(area, this.#texels.tailGround);
		if (this.#pitchOf(area, array) < ENTRIES_FROM) {
			const h = Math.round(((area.y1 - area.y0) * count) / (columns * rows));
			this.#px.fill({ ...area, y0: area.y1 - h }, this.#farOf(state));
			return;
		}
		const stateAt = (i: number) => (awaited.has(from + i) ? -1 : state);
		this.#grid({ columns, rows, count, rising: true, state: stateAt }, area);
		const isWide = this.#pitchOf(area, array) >= SLOTS_FROM * this.#ratio;
		if (isWide) this.#slots(array, area, count, array.stacks?.capacity ?? array.limit);
	}

	/** Draws the remaining room. */
	#slots({ columns, rows }: ArrayBox, area: Bounds, count: number, limit: number): void {
		const w = (area.x1 - area.x0) / columns;
		const h = (area.y1 - area.y0) / rows;
		for (let i = count; i < limit; i++) {
			const column = i % columns;
			const row = rows - 1 - (i - column) / columns;
			const x0 = area.x0 + Math.round(column * w);
			const y0 = area.y0 + Math.round(row * h);
			const x1 = area.x0 + Math.round((column + 1) * w) - 1;
			const y1 = area.y0 + Math.round((row + 1) * h) - 1;
			this.#px.outline({ x0, y0, x1, y1 }, this.#texels.line);
		}
	}
}

/** Tiles of this few pixels have gaps of one pixel between them, or none. */
const SMALL = 16;

/** Where the columns and rows of a grid of tiles start and end. */
interface Edges {
	readonly area: Rect;
	readonly x0: Int32Array;
	readonly x1: Int32Array;
	readonly y0: Int32Array;
	readonly y1: Int32Array;
}

export class BoundsOn {
	readonly #view: View;
	readonly #ratio: number;
	/** Grids stay while the position changes. */
	readonly #edges = new WeakMap<TileGrid, Edges>();
	/** The bounds of the last requested tile: thousands are computed in every frame, and none are kept. */
	readonly #tile = { x0: 0, y0: 0, x1: 0, y1: 0 };
	#run: SlabRun | undefined;
	#runEdges: Edges | undefined;

	constructor(view: View, ratio: number) {
		this.#view = view;
		this.#ratio = ratio;
	}

	slab(r: Rect): Bounds {
		const { x, y } = this.#view;
		const [x0, x1] = this.#ends(r.x, x, r.w);
		const [y0, y1] = this.#ends(r.y, y, r.h);
		return { x0, y0, x1, y1 };
	}

	array(r: Rect): Bounds {
		const { k, x, y } = this.#view;
		const scale = k * this.#ratio;
		const x0 = Math.round((r.x * k + x) * this.#ratio);
		const y0 = Math.round((r.y * k + y) * this.#ratio);
		const x1 = x0 + Math.max(1, Math.round(r.w * scale));
		return { x0, y0, x1, y1: y0 + Math.max(1, Math.round(r.h * scale)) };
	}

	/** Returns the bounds of tile i of a run, valid until the next call. */
	tile(run: SlabRun, i: number): Bounds {
		if (run !== this.#run || !this.#runEdges) this.#runEdges = this.#edgesOf(run);
		this.#run = run;
		const { x0, x1, y0, y1 } = this.#runEdges;
		const at = run.skip + i;
		const column = at % x0.length;
		const row = (at - column) / x0.length;
		if (row >= y0.length) return this.slab(tileBox(run, i));
		const tile = this.#tile;
		tile.x0 = x0[column] ?? 0;
		tile.x1 = x1[column] ?? 0;
		tile.y0 = y0[row] ?? 0;
		tile.y1 = y1[row] ?? 0;
		return tile;
	}

	#edgesOf({ grid, area }: SlabRun): Edges {
		const known = this.#edges.get(grid);
		if (known?.area === area) return known;
		const rows = Math.ceil(grid.room / grid.columns);
		const pitch = grid.size + grid.gap;
		const { x, y } = this.#view;
		const across = (i: number) => this.#ends(area.x + i * pitch, x, grid.size);
		const high = highOf(grid);
		const down = (i: number) => this.#ends(area.y + i * (high + grid.gap), y, high);
		const all = (n: number, of: (i: number) => readonly [number, number], end: 0 | 1) =>
			Int32Array.from({ length: n }, (_, i) => of(i)[end]);
		const edges = {
			area,
			x0: all(grid.columns, across, 0),
			x1: all(grid.columns, across, 1),
			y0: all(rows, down, 0),
			y1: all(rows, down, 1),
		};
		this.#edges.set(grid, edges);
		return edges;
	}

	/** Returns the bounds of a box along one axis; `shift` is the view's. */
	#ends(from: number, shift: number, length: number): readonly [number, number] {
		const { k } = this.#view;
		const scale = k * this.#ratio;
		const at = (from * k + shift) * this.#ratio;
		const side = length * scale;
		const start = Math.round(at);
		const gap = side < SMALL ? gapOf(length) * scale : 0;
		if (gap === 0) return [start, Math.max(start + 1, Math.round(at + side))];
		const between = gap < 0.5 ? 0 : Math.max(1, Math.round(gap));
		return [start, Math.max(start + 1, Math.round(at + side + gap) - between)];
	}
}
