/**
 * Very many slabs at once: ten thousand boxes per frame would take longer to make than to draw. So a crowd keeps the
 * data to make any box (which rows of the frame are on which grid of tiles) and makes only the boxes that are needed:
 * those under the pointer, selected, or near enough to read.
 */
import type { Frame, Place } from "../engine/frame.ts";
import type { Source } from "./draft.ts";
import type { Fold, Rect, SlabBox } from "./scene.ts";
import { type CellShape, cellShape, slabBox } from "./slab_box.ts";
import { highOf, type TileGrid, tileAt } from "./tiles.ts";

/** A scene with at least this many slabs uses a crowd. */
export const CROWD_FROM = 1500;

/** Slabs of one place, in list order on a grid of tiles. */
export interface SlabRun {
	readonly place: Place;
	readonly area: Rect;
	readonly grid: TileGrid;
	/** How many tiles of the area come before the first. */
	readonly skip: number;
	readonly strip: number;
	/** Rows of the frame. */
	readonly first: number;
	readonly count: number;
	readonly fold: Fold | undefined;
}

/** Everything visible about slabs apart from how full they are: their caches, and their objects one by one. */
export interface Seen {
	readonly names: boolean;
	/** The limit: slabs with fewer columns and rows of cells than this. */
	readonly cellsBelow: number;
}

export class Crowd {
	readonly frame: Frame;
	readonly runs: readonly SlabRun[];
	readonly #source: Source;
	readonly #home: (node: number) => Rect | undefined;
	#lit: SlabBox | undefined;
	/** Layouts of cells, by their inputs, in which few slabs differ. */
	readonly #shapes = new Map<number, CellShape>();
	#lastRun: SlabRun | undefined;
	#lastKey = -1;
	#lastShape: CellShape = { columns: 1, rows: 1, start: 0, tail: 0 };

	constructor(source: Source, runs: readonly SlabRun[], home: (node: number) => Rect | undefined) {
		this.frame = source.frame;
		this.runs = runs;
		this.#source = source;
		this.#home = home;
	}

	/** Returns the content of tile i of a run. */
	box(run: SlabRun, i: number): SlabBox {
		const rect = tileBox(run, i);
		const shape = this.shape(run, run.first + i);
		return slabBox(this.#source, run.first + i, {
			box: rect,
			strip: run.strip,
			home: this.#home,
			shape,
			fold: run.fold,
		});
	}

	all(): SlabBox[] {
		return this.runs.flatMap((run) =>
			Array.from({ length: run.count }, (_, i) => this.box(run, i)),
		);
	}

	/** Returns the layout of a row's cells in a tile of the run. */
	shape(run: SlabRun, row: number): CellShape {
		const { slabs } = this.frame;
		if (slabs.areAlike && run === this.#lastRun) return this.#lastShape;
		const { grid, strip } = run;
		const bytes = (slabs.start[row] ?? 0) * 16 + (slabs.order[row] ?? 0);
		const key = (bytes * 65536 + (slabs.objects[row] ?? 0)) * 256 + Math.round(highOf(grid) * 2);
		let shape = key === this.#lastKey ? this.#lastShape : this.#shapes.get(key);
		if (!shape) {
			shape = cellShape(this.#source, row, grid.size, highOf(grid), strip);
			this.#shapes.set(key, shape);
		}
		this.#lastRun = run;
		this.#lastKey = key;
		this.#lastShape = shape;
		return shape;
	}

	/** Finds a slab by its serial number, in any cache if none is given. */
	find(serial: number, cache?: number): SlabBox | undefined {
		const { serial: serials, cache: caches } = this.frame.slabs;
		for (let row = serials.indexOf(serial); row >= 0; row = serials.indexOf(serial, row + 1)) {
			if (cache !== undefined && caches[row] !== cache) continue;
			const run = this.runs.find((r) => row >= r.first && row < r.first + r.count);
			return run && this.box(run, row - run.first);
		}
		return undefined;
	}

	/** Finds the slab that the step concerns. */
	lit(): SlabBox | undefined {
		const { step } = this.#source;
		const serial = step?.args.slab;
		if (serial !== undefined) this.#lit ??= this.find(serial, step?.cache);
		return this.#lit;
	}

	at(x: number, y: number): SlabBox | undefined {
		for (const run of this.runs) {
			for (const i of tilesIn(run, { x, y, w: 0, h: 0 })) return this.box(run, i);
		}
		return undefined;
	}

	/**
	 * Calls back for each of the first n tiles of a run whose slab looks different from the row of another crowd
	 * `offset` further on. It runs for every slab in every frame.
	 */
	unlike(
		run: SlabRun,
		n: number,
		before: Crowd,
		offset: number,
		seen: Seen,
		tell: (run: SlabRun, tile: number) => void,
	): void {
		const { serial, usage } = this.frame.slabs;
		const { serial: serialBefore, usage: usageBefore } = before.frame.slabs;
		const { names } = seen;
		const haveOneShape = this.#haveOneShape(before);
		let single = haveOneShape && this.#showsCells(run, run.first, seen);
		for (let i = 0; i < n; i++) {
			const row = run.first + i;
			const old = row + offset;
			if (!haveOneShape) single = this.#showsCells(run, row, seen);
			const isSame =
				usage[row] === usageBefore[old] &&
				(haveOneShape || this.#hasShapeOf(before, row, old)) &&
				(!names || serial[row] === serialBefore[old]) &&
				(!single || this.#hasCellsOf(before, row, old));
			if (!isSame) tell(run, i);
		}
	}

	#showsCells(run: SlabRun, row: number, { cellsBelow }: Seen): boolean {
		const { columns, rows } = this.shape(run, row);
		return Math.max(columns, rows) < cellsBelow;
	}

	/** Whether all slabs of both are equal: then there is no need to compare them one by one. */
	#haveOneShape(before: Crowd): boolean {
		const areAlike = this.frame.slabs.areAlike && before.frame.slabs.areAlike;
		return areAlike && this.#hasShapeOf(before, 0, 0);
	}

	#hasShapeOf({ frame }: Crowd, row: number, old: number): boolean {
		const { slabs } = this.frame;
		const { slabs: were } = frame;
		if (slabs.objects[row] !== were.objects[old] || slabs.order[row] !== were.order[old])
			return false;
		return slabs.start[row] === were.start[old];
	}

	#hasCellsOf({ frame }: Crowd, row: number, old: number): boolean {
		const { slabs, cells } = this.frame;
		const before = frame.cells;
		let was = frame.slabs.firstCell[old] ?? 0;
		let k = slabs.firstCell[row] ?? 0;
		const end = k + (slabs.objects[row] ?? 0);
		while (k < end && cells[k] === before[was]) {
			k++;
			was++;
		}
		return k === end;
	}

	/** Returns the side of the smallest cell. */
	finest(): number {
		let finest = Number.POSITIVE_INFINITY;
		for (const run of this.runs) {
			const { columns, rows } = this.shape(run, run.first);
			finest = Math.min(finest, run.grid.size / columns, highOf(run.grid) / rows);
		}
		return finest;
	}
}

/** Finds the tiles of a run that overlap a window of the scene, by number. */
export function tilesIn(run: SlabRun, window: Rect): number[] {
	const found: number[] = [];
	const { area, grid, skip, count } = run;
	const pitch = grid.size + grid.gap;
	const down = highOf(grid) + grid.gap;
	const last = skip + count - 1;
	const left = Math.max(0, Math.floor((window.x - area.x + grid.gap) / pitch));
	const right = Math.min(grid.columns - 1, Math.floor((window.x + window.w - area.x) / pitch));
	const top = Math.max(
		Math.floor(skip / grid.columns),
		Math.floor((window.y - area.y + grid.gap) / down),
	);
	const bottom = Math.min(
		Math.floor(last / grid.columns),
		Math.floor((window.y + window.h - area.y) / down),
	);
	for (let row = top; row <= bottom; row++) {
		for (let column = left; column <= right; column++) {
			const i = row * grid.columns + column - skip;
			if (i >= 0 && i < count) found.push(i);
		}
	}
	return found;
}

export function tileBox({ area, grid, skip }: SlabRun, i: number): Rect {
	return tileAt(area, grid, skip + i);
}

/** A place's slabs in two crowds. */
export interface RunPair {
	readonly was: SlabRun | undefined;
	readonly run: SlabRun | undefined;
	/** Tiles with the same number have the same place and size. */
	readonly isAlike: boolean;
}

/** Apart from empty ones, places come in the same order in every frame, so the two lists can be walked in parallel. */
export function runPairs({ runs: before }: Crowd, { runs: now }: Crowd): RunPair[] {
	const pairs: RunPair[] = [];
	const goes = (was: SlabRun) => pairs.push({ was, run: undefined, isAlike: false });
	let done = 0;
	for (const run of now) {
		let at = done;
		for (; at < before.length; at++) if (isSamePlace(before[at]?.place, run.place)) break;
		const was = before[at];
		pairs.push({ was, run, isAlike: was !== undefined && sameTiles(was, run) });
		if (!was) continue;
		for (; done < at; done++) goes(before[done] as SlabRun);
		done = at + 1;
	}
	before.slice(done).forEach(goes);
	return pairs;
}

function isSamePlace(a: Place | undefined, b: Place): boolean {
	if (a?.kind !== b.kind || a.cpu !== b.cpu || a.node !== b.node) return false;
	return a.bytes === b.bytes && a.target === b.target;
}

function sameTiles(a: SlabRun, b: SlabRun): boolean {
	if (a.skip !== b.skip || a.strip !== b.strip || a.grid.columns !== b.grid.columns) return false;
	if (a.area.x !== b.area.x || a.area.y !== b.area.y) return false;
	return (
		a.grid.size === b.grid.size && a.grid.gap === b.grid.gap && highOf(a.grid) === highOf(b.grid)
	);
}
