/**
 * Draws slabs and arrays whose objects are small, as pixels in memory over those of the ground: ten thousand slabs
 * cost their pixels, not a call each. The pixels are kept: for a few slabs, the damaged squares are redrawn; for a
 * crowd, the tiles that differ.
 */
import { type Crowd, type RunPair, runPairs, type SlabRun, tilesIn } from "../../scene/crowd.ts";
import { histogramsAt, isFolded } from "../../scene/geometry.ts";
import { type ArrayBox, grown, type Rect, type Scene } from "../../scene/scene.ts";
import {
	AROUND,
	differingHistograms,
	differingZones,
	NUMBERS,
	sameArray,
	zonesOf,
} from "./changes.ts";
import type { Damage } from "./damage.ts";
import { Pixels, type Texels } from "./pixels.ts";
import { isFar, isFarArray, TilePixels } from "./tile_pixels.ts";
import { project, type View } from "./viewport.ts";

/** Tiles with at least this many pixels may have names. */
const NAMES_FROM = 24;

export class TileRaster {
	readonly #canvas = document.createElement("canvas");
	readonly #texels: Texels;
	#pixels: Pixels | undefined;
	#tiles: TilePixels | undefined;

	constructor(texels: Texels) {
		this.#texels = texels;
	}

	resize(width: number, height: number): void {
		const { width: before = 0, height: beforeHigh = 0 } = this.#pixels ?? {};
		if ((before === width && beforeHigh === height) || width * height === 0) return;
		this.#pixels = new Pixels(width, height);
		this.#tiles = new TilePixels(this.#pixels, this.#texels);
	}

	/** Replaces the ground there and removes the slabs. */
	lay(ground: ImageData, x: number, y: number): void {
		this.#pixels?.lay(ground, x, y);
	}

	/** Does without a ground: everything is redrawn over the canvas. */
	bare(): void {
		this.#pixels?.bare();
	}

	/** Draws over the contents of a canvas. */
	over(ctx: CanvasRenderingContext2D): void {
		const px = this.#pixels;
		if (!px) return;
		const { width, height } = px;
		if (this.#canvas.width !== width || this.#canvas.height !== height) {
			this.#canvas.width = width;
			this.#canvas.height = height;
		}
		const own = this.#canvas.getContext("2d");
		if (own) px.put(own, { x: 0, y: 0, w: width, h: height });
		ctx.save();
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.drawImage(this.#canvas, 0, 0);
		ctx.restore();
	}

	/** Draws the damaged parts again; `pieces` are their rectangles. */
	paint(scene: Scene, view: View, ratio: number, damage: Damage, pieces: readonly Rect[]): void {
		const [px, tiles] = [this.#pixels, this.#tiles];
		if (!px || !tiles) return;
		tiles.look(view, ratio);
		for (const { x, y, w, h } of pieces) px.clear({ x0: x, y0: y, x1: x + w, y1: y + h });
		const isWanted = (r: Rect) => this.#isWanted(project(r, view), ratio, damage);
		for (const zone of zonesOf(scene)) if (isWanted(zone)) tiles.zone(zone);
		for (const array of scene.arrays) {
			if (isFarArray(array, view.k) && isWanted(array)) tiles.array(array);
		}
		for (const histogram of histogramsAt(scene, view.k))
			if (isWanted(histogram)) tiles.histogram(histogram);
		if (scene.crowd) for (const piece of pieces) crowdIn(tiles, scene.crowd, view, ratio, piece);
		else
			for (const slab of scene.slabs) {
				if (isFar(slab, view.k) && !isFolded(slab, view.k) && isWanted(slab)) tiles.slab(slab);
			}
	}

	/** Draws the differences between two crowds, and marks them. */
	update(before: Scene, now: Scene, view: View, ratio: number, damage: Damage): void {
		const tiles = this.#tiles;
		const { crowd } = now;
		const { crowd: crowdBefore } = before;
		if (!tiles || !crowdBefore || !crowd) return;
		tiles.look(view, ratio);
		const changed = new Changed(view, damage);
		for (const zone of differingZones(before, now)) {
			tiles.clearBox(zone);
			tiles.zone(zone);
			changed.mark(zone);
		}
		const arrays = arrayPairs(before.arrays, now.arrays);
		const pairs = unfolded(runPairs(crowdBefore, crowd), view.k);
		const histograms = differingHistograms(before, now, view.k);
		// Old tiles are cleared before new ones are drawn: they may share pixels.
		for (const { was } of arrays) {
			if (was) tiles.clearBox(was);
			if (was) changed.mark(was);
		}
		for (const box of histograms) tiles.clearBox(box);
		for (const pair of pairs) clearGone(tiles, pair, changed);
		for (const box of histograms) changed.mark(box);
		for (const histogram of histogramsAt(now, view.k))
			if (histograms.includes(histogram)) tiles.histogram(histogram);
		for (const { now: array } of arrays) {
			if (array && isFarArray(array, view.k)) tiles.array(array);
			if (array) changed.mark(array);
		}
		updateRuns(tiles, crowdBefore, crowd, pairs, view, changed);
	}

	/** Copies rectangles of device pixels onto a canvas. */
	put(ctx: CanvasRenderingContext2D, pieces: readonly Rect[]): void {
		for (const piece of pieces) this.#pixels?.put(ctx, piece);
	}

	#isWanted({ x, y, w, h }: Rect, ratio: number, damage: Damage): boolean {
		const { width = 0, height = 0 } = this.#pixels ?? {};
		if (x + w < 0 || y + h < 0 || x * ratio > width || y * ratio > height) return false;
		return damage.touches({ x: x - 1, y: y - 1, w: w + 2, h: h + 2 });
	}
}

/** Returns the runs whose slabs show one by one at zoom k. */
function unfolded(pairs: readonly RunPair[], k: number): RunPair[] {
	const shown = (run: SlabRun | undefined) => (run && isFolded(run, k) ? undefined : run);
	const found: RunPair[] = [];
	for (const pair of pairs) {
		const was = shown(pair.was);
		const run = shown(pair.run);
		if (was === pair.was && run === pair.run) found.push(pair);
		else if (was || run) found.push({ was, run, isAlike: false });
	}
	return found;
}

/** One pixel around each piece, because the bounds of tiles are rounded. */
const ROUNDED = 1;

/** Finds the tiles of a crowd that overlap a rectangle of device pixels. */
function crowdIn(tiles: TilePixels, crowd: Crowd, view: View, ratio: number, piece: Rect): void {
	const { x, y, w, h } = grown(piece, ROUNDED);
	const scale = 1 / ratio / view.k;
	const left = x * scale - view.x / view.k;
	const top = y * scale - view.y / view.k;
	const window = { x: left, y: top, w: w * scale, h: h * scale };
	for (const run of crowd.runs) {
		if (isFolded(run, view.k)) continue;
		for (const i of tilesIn(run, window)) tiles.tileOf(crowd, run, i);
	}
}

function updateRuns(
	tiles: TilePixels,
	before: Crowd,
	crowd: Crowd,
	pairs: readonly RunPair[],
	view: View,
	changed: Changed,
): void {
	const seen = { names: false, cellsBelow: 0 };
	// One function for all runs, because one for each would be garbage in every frame.
	const draw = (run: SlabRun, i: number) => {
		tiles.tileOf(crowd, run, i);
		changed.add(i);
	};
	for (const { was, run, isAlike } of pairs) {
		if (!run) continue;
		const known = isAlike && was ? Math.min(was.count, run.count) : 0;
		seen.names = run.grid.size * view.k >= NAMES_FROM;
		seen.cellsBelow = tiles.showsCellsBelow(run);
		if (was) crowd.unlike(run, known, before, was.first - run.first, seen, draw);
		for (let i = known; i < run.count; i++) draw(run, i);
		changed.markTiles(run);
	}
}

function clearGone(tiles: TilePixels, { was, run, isAlike }: RunPair, changed: Changed): void {
	if (!was) return;
	for (let i = isAlike ? (run?.count ?? 0) : 0; i < was.count; i++) {
		tiles.clear(was, i);
		changed.add(i);
	}
	changed.markTiles(was);
}

/** Collects the tiles of a run that differ, from the first to the last in order, and marks them. */
class Changed {
	readonly #view: View;
	readonly #damage: Damage;
	#from = -1;
	#to = -1;

	constructor(view: View, damage: Damage) {
		this.#view = view;
		this.#damage = damage;
	}

	add(i: number): void {
		if (this.#from < 0) this.#from = i;
		this.#to = i;
	}

	/**
	 * Returns the box around those added since the last call. It runs for all places in every frame, so it does not make a
	 * rectangle.
	 */
	markTiles({ skip, grid, area }: SlabRun): void {
		if (this.#from < 0) return;
		const from = skip + this.#from;
		const to = skip + this.#to;
		this.#from = -1;
		const { columns, size } = grid;
		const pitch = size + grid.gap;
		const top = Math.floor(from / columns);
		const bottom = Math.floor(to / columns);
		const left = top === bottom ? from % columns : 0;
		const right = top === bottom ? to % columns : columns - 1;
		const w = (right - left) * pitch + size;
		const h = (bottom - top) * pitch + size;
		this.#mark(area.x + left * pitch, area.y + top * pitch, w, h);
	}

	mark({ x, y, w, h }: Rect): void {
		this.#mark(x, y, w, h);
	}

	#mark(x: number, y: number, w: number, h: number): void {
		if (this.#damage.isAll) return;
		const { k, x: left, y: top } = this.#view;
		const around = h * k >= NAMES_FROM ? NUMBERS : AROUND;
		const far = 2 * around;
		this.#damage.markBox(x * k + left - around, y * k + top - around, w * k + far, h * k + far);
	}
}

interface ArrayPair {
	readonly was: ArrayBox | undefined;
	readonly now: ArrayBox | undefined;
}

/** Marks the arrays that differ. Two scenes of one plan have the same arrays in the same order. */
function arrayPairs(before: readonly ArrayBox[], now: readonly ArrayBox[]): ArrayPair[] {
	const pairs: ArrayPair[] = [];
	for (let i = 0; i < Math.max(before.length, now.length); i++) {
		const a = before[i];
		const b = now[i];
		if (!a || !b || !sameArray(a, b)) pairs.push({ was: a, now: b });
	}
	return pairs;
}
