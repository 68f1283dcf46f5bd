/**
 * The boxes of a scene on the screen, in whole device pixels. Gaps between small tiles are always one pixel: tiles
 * never share a pixel, so a redrawn tile looks the same.
 */
import { type SlabRun, tileBox } from "../../scene/crowd.ts";
import type { Rect } from "../../scene/scene.ts";
import { gapOf, highOf, type TileGrid } from "../../scene/tiles.ts";
import type { Bounds } from "./pixels.ts";
import type { View } from "./viewport.ts";

/** Tiles so small in pixels have gaps of one pixel between them, or none. */
const SMALL = 16;

/** Where the columns and rows of a grid of tiles begin and end. */
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
	/** The bounds of the last requested tile: thousands are computed at every frame, and none is kept. */
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

	/** The bounds of tile i of a run, valid until the next call. */
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

	/** The bounds of a box along one axis; `shift` is the view's. */
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
