/**
 * Slabs and arrays whose objects are small, on a canvas of their own: ten thousand slabs cost what their pixels cost and
 * no call each. The pixels stay: of a few slabs the damaged squares are made anew, of a crowd the tiles that differ.
 */
import { type RunPair, runPairs, type SlabRun, tileBox, tilesIn } from "../scene/crowd.ts";
import type { ArrayBox, Rect, Scene } from "../scene/scene.ts";
import { sameArray } from "./changes.ts";
import type { Damage } from "./damage.ts";
import { Pixels } from "./pixels.ts";
import type { Texels } from "./texels.ts";
import { isFar, isFarArray, TilePixels } from "./tile_pixels.ts";
import { project, type View } from "./view.ts";

/** Tiles of so many pixels may have names. */
export const NAMES_FROM = 24;

type Tell = (box: Rect) => void;

export class TileRaster {
	readonly #canvas = document.createElement("canvas");
	readonly #ctx = this.#canvas.getContext("2d");
	readonly #texels: Texels;
	#pixels: Pixels | undefined;
	#tiles: TilePixels | undefined;

	constructor(texels: Texels) {
		this.#texels = texels;
	}

	resize(width: number, height: number): void {
		const { width: before = 0, height: beforeHigh = 0 } = this.#pixels ?? {};
		if ((before === width && beforeHigh === height) || width * height === 0) return;
		this.#canvas.width = width;
		this.#canvas.height = height;
		const image = this.#ctx?.createImageData(width, height);
		this.#pixels = image && new Pixels(image);
		this.#tiles = this.#pixels && new TilePixels(this.#pixels, this.#texels);
	}

	/** Makes anew what is damaged; `pieces` are the damaged rectangles. */
	paint(scene: Scene, view: View, ratio: number, damage: Damage, pieces: readonly Rect[]): void {
		const [px, tiles] = [this.#pixels, this.#tiles];
		if (!px || !tiles) return;
		tiles.look(view, ratio);
		for (const piece of pieces) px.clear(piece);
		const isWanted = (r: Rect) => this.#isWanted(project(r, view), ratio, damage);
		for (const array of scene.arrays) {
			if (isFarArray(array, view.k) && isWanted(array)) tiles.array(array);
		}
		if (scene.crowd) this.#crowd(scene, view, ratio);
		else
			for (const slab of scene.slabs) {
				if (isFar(slab, view.k) && isWanted(slab)) tiles.slab(slab);
			}
	}

	/** All of a crowd that can be seen. */
	#crowd({ crowd }: Scene, { k, x, y }: View, ratio: number): void {
		const { width, height } = this.#canvas;
		const window = { x: -x / k, y: -y / k, w: width / ratio / k, h: height / ratio / k };
		for (const run of crowd?.runs ?? []) {
			for (const i of tilesIn(run, window)) if (crowd) this.#tiles?.tileOf(crowd, run, i);
		}
	}

	/** Makes anew what differs between two crowds; `tell` hears of the boxes of the scene in which something does. */
	update(before: Scene, now: Scene, view: View, ratio: number, tell: Tell): void {
		const tiles = this.#tiles;
		if (!tiles || !before.crowd || !now.crowd) return;
		tiles.look(view, ratio);
		const arrays = arrayPairs(before.arrays, now.arrays);
		const pairs = runPairs(before.crowd, now.crowd);
		// What goes is cleared before anything comes: it may come to the same pixels.
		for (const { was } of arrays) {
			if (was) tiles.clearArray(was);
			if (was) tell(was);
		}
		for (const pair of pairs) clearGone(tiles, pair, tell);
		for (const { now: array } of arrays) {
			if (array && isFarArray(array, view.k)) tiles.array(array);
			if (array) tell(array);
		}
		for (const { was, run, isAlike } of pairs) {
			if (!run) continue;
			const known = isAlike && was ? Math.min(was.count, run.count) : 0;
			const offset = (was?.first ?? 0) - run.first;
			const byName = run.grid.size * view.k >= NAMES_FROM;
			const rows = new TileRows(run, tell);
			for (let i = 0; i < run.count; i++) {
				const row = run.first + i;
				if (i < known && now.crowd.looksAs(before.crowd, row, row + offset, byName)) continue;
				tiles.tileOf(now.crowd, run, i);
				rows.add(i);
			}
			rows.end();
		}
	}

	/** The damaged rectangles, onto the canvas. */
	put(pieces: readonly Rect[]): void {
		const image = this.#pixels?.image;
		if (!image) return;
		for (const { x, y, w, h } of pieces) this.#ctx?.putImageData(image, 0, 0, x, y, w, h);
	}

	/** Onto a canvas in device pixels. */
	draw(ctx: CanvasRenderingContext2D): void {
		ctx.drawImage(this.#canvas, 0, 0);
	}

	#isWanted({ x, y, w, h }: Rect, ratio: number, damage: Damage): boolean {
		const { width, height } = this.#canvas;
		if (x + w < 0 || y + h < 0 || x * ratio > width || y * ratio > height) return false;
		return damage.touches({ x: x - 1, y: y - 1, w: w + 2, h: h + 2 });
	}
}

function clearGone(tiles: TilePixels, { was, run, isAlike }: RunPair, tell: Tell): void {
	if (!was) return;
	const rows = new TileRows(was, tell);
	for (let i = isAlike ? (run?.count ?? 0) : 0; i < was.count; i++) {
		tiles.clear(was, i);
		rows.add(i);
	}
	rows.end();
}

/** Tiles of a run that differ, told of row by row. */
class TileRows {
	readonly #run: SlabRun;
	readonly #tell: Tell;
	#row = -1;
	#from = 0;
	#to = 0;

	constructor(run: SlabRun, tell: Tell) {
		this.#run = run;
		this.#tell = tell;
	}

	/** From the first to the last. */
	add(i: number): void {
		const { skip, grid } = this.#run;
		const row = Math.floor((skip + i) / grid.columns);
		if (row !== this.#row) {
			this.end();
			this.#row = row;
			this.#from = i;
		}
		this.#to = i;
	}

	end(): void {
		if (this.#row < 0) return;
		const first = tileBox(this.#run, this.#from);
		const last = tileBox(this.#run, this.#to);
		this.#tell({ ...first, w: last.x + last.w - first.x });
	}
}

interface ArrayPair {
	readonly was: ArrayBox | undefined;
	readonly now: ArrayBox | undefined;
}

/** Those that differ. Two scenes of one plan have the same arrays in the same order. */
function arrayPairs(before: readonly ArrayBox[], now: readonly ArrayBox[]): ArrayPair[] {
	const pairs: ArrayPair[] = [];
	for (let i = 0; i < Math.max(before.length, now.length); i++) {
		const [a, b] = [before[i], now[i]];
		if (!a || !b || !sameArray(a, b)) pairs.push({ was: a, now: b });
	}
	return pairs;
}
