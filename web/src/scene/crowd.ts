/**
 * Very many slabs at once: ten thousand boxes a frame would take longer to make than to draw. So a crowd keeps what is
 * needed to make any of its boxes - which rows of the frame stand on which grid of tiles - and makes those that somebody
 * asks for: what is under the pointer, what is held on to, what is near enough to be read.
 */
import type { Frame } from "../engine/types.ts";
import type { Source } from "./draft.ts";
import type { Rect, SlabBox } from "./scene.ts";
import { type CellShape, cellShape, slabBox } from "./slab_box.ts";
import { type TileGrid, tileAt } from "./tiles.ts";

/** So many slabs are a crowd. */
export const CROWD_FROM = 1500;

/** Slabs of one place, in list order on a grid of tiles. */
export interface SlabRun {
	/** The same in every scene of a plan. */
	readonly key: string;
	readonly area: Rect;
	readonly grid: TileGrid;
	/** Tiles of the area before the first. */
	readonly skip: number;
	readonly strip: number;
	/** Rows of the frame. */
	readonly first: number;
	readonly count: number;
}

export class Crowd {
	readonly frame: Frame;
	readonly runs: readonly SlabRun[];
	readonly #source: Source;
	readonly #home: (node: number) => Rect | undefined;
	/** How cells lie, by what it depends on: few slabs differ in it. */
	readonly #shapes = new Map<number, CellShape>();
	#lastKey = -1;
	#lastShape: CellShape = { columns: 1, rows: 1, start: 0, tail: 0 };

	constructor(source: Source, runs: readonly SlabRun[], home: (node: number) => Rect | undefined) {
		this.frame = source.frame;
		this.runs = runs;
		this.#source = source;
		this.#home = home;
	}

	/** What tile i of a run shows. */
	box(run: SlabRun, i: number): SlabBox {
		const rect = tileBox(run, i);
		const shape = this.shape(run, run.first + i);
		return slabBox(this.#source, run.first + i, {
			box: rect,
			strip: run.strip,
			home: this.#home,
			shape,
		});
	}

	all(): SlabBox[] {
		return this.runs.flatMap((run) =>
			Array.from({ length: run.count }, (_, i) => this.box(run, i)),
		);
	}

	/** How the cells of a row lie in a tile of the run. */
	shape({ grid, strip }: SlabRun, row: number): CellShape {
		const { slabs } = this.frame;
		const bytes = (slabs.start[row] ?? 0) * 16 + (slabs.order[row] ?? 0);
		const key = (bytes * 65536 + (slabs.objects[row] ?? 0)) * 256 + Math.round(grid.size * 2);
		if (key === this.#lastKey) return this.#lastShape;
		let shape = this.#shapes.get(key);
		if (!shape) {
			shape = cellShape(this.#source, row, grid.size, grid.size, strip);
			this.#shapes.set(key, shape);
		}
		this.#lastKey = key;
		this.#lastShape = shape;
		return shape;
	}

	/** A slab by its serial number, of any cache where none is named. */
	find(serial: number, cache?: number): SlabBox | undefined {
		const { serial: serials, cache: caches } = this.frame.slabs;
		for (let row = serials.indexOf(serial); row >= 0; row = serials.indexOf(serial, row + 1)) {
			if (cache !== undefined && caches[row] !== cache) continue;
			const run = this.runs.find((r) => row >= r.first && row < r.first + r.count);
			return run && this.box(run, row - run.first);
		}
		return undefined;
	}

	/** The slab that the step is about. */
	lit(): SlabBox | undefined {
		const { step } = this.#source;
		return step?.args.slab === undefined ? undefined : this.find(step.args.slab, step.cache);
	}

	at(x: number, y: number): SlabBox | undefined {
		for (const run of this.runs) {
			for (const i of tilesIn(run, { x, y, w: 0, h: 0 })) return this.box(run, i);
		}
		return undefined;
	}

	/** Whether a row looks as one of another crowd does; where names can be read, whether it is the same slab. */
	looksAs({ frame }: Crowd, row: number, other: number, byName: boolean): boolean {
		const { slabs, cells } = this.frame;
		const { slabs: were, cells: before } = frame;
		const n = slabs.objects[row] ?? 0;
		if (were.objects[other] !== n || were.inuse[other] !== slabs.inuse[row]) return false;
		if (were.start[other] !== slabs.start[row] || were.order[other] !== slabs.order[row])
			return false;
		if (byName && were.serial[other] !== slabs.serial[row]) return false;
		let i = were.firstCell[other] ?? 0;
		let k = slabs.firstCell[row] ?? 0;
		for (const end = k + n; k < end; i++, k++) if (before[i] !== cells[k]) return false;
		return true;
	}

	/** Whether as many objects of a row are in each state as in another crowd: all that is seen of it from afar. */
	isUsedAs({ frame }: Crowd, row: number, other: number): boolean {
		const { slabs, cells } = this.frame;
		const { slabs: were, cells: before } = frame;
		const n = slabs.objects[row] ?? 0;
		if (were.objects[other] !== n || were.start[other] !== slabs.start[row]) return false;
		if (were.order[other] !== slabs.order[row]) return false;
		return sameCounts(before, were.firstCell[other] ?? 0, cells, slabs.firstCell[row] ?? 0, n);
	}

	/** Side of the smallest cell. */
	finest(): number {
		let finest = Number.POSITIVE_INFINITY;
		for (const run of this.runs) {
			const { size } = run.grid;
			const { columns, rows } = this.shape(run, run.first);
			finest = Math.min(finest, size / columns, size / rows);
		}
		return finest;
	}
}

/** By state; all zero between two uses. */
const differences = new Int32Array(16);

function sameCounts(a: Uint8Array, from: number, b: Uint8Array, to: number, n: number): boolean {
	for (let i = 0; i < n; i++) {
		const [was, is] = [a[from + i] ?? 0, b[to + i] ?? 0];
		differences[was] = (differences[was] ?? 0) - 1;
		differences[is] = (differences[is] ?? 0) + 1;
	}
	let isSame = true;
	for (let state = 0; state < differences.length; state++) {
		isSame &&= differences[state] === 0;
		differences[state] = 0;
	}
	return isSame;
}

/** The tiles of a run that reach into a window of the scene, by number. */
export function* tilesIn(run: SlabRun, window: Rect): Generator<number> {
	const { area, grid, skip, count } = run;
	const pitch = grid.size + grid.gap;
	const last = skip + count - 1;
	const left = Math.max(0, Math.floor((window.x - area.x + grid.gap) / pitch));
	const right = Math.min(grid.columns - 1, Math.floor((window.x + window.w - area.x) / pitch));
	const top = Math.max(
		Math.floor(skip / grid.columns),
		Math.floor((window.y - area.y + grid.gap) / pitch),
	);
	const bottom = Math.min(
		Math.floor(last / grid.columns),
		Math.floor((window.y + window.h - area.y) / pitch),
	);
	for (let row = top; row <= bottom; row++) {
		for (let column = left; column <= right; column++) {
			const i = row * grid.columns + column - skip;
			if (i >= 0 && i < count) yield i;
		}
	}
}

export function tileBox({ area, grid, skip }: SlabRun, i: number): Rect {
	return tileAt(area, grid, skip + i);
}

/** A place's slabs in two crowds. */
export interface RunPair {
	readonly was: SlabRun | undefined;
	readonly run: SlabRun | undefined;
	/** Tiles with the same number are at the same place and as large. */
	readonly isAlike: boolean;
}

export function runPairs(before: Crowd, now: Crowd): RunPair[] {
	const were = new Map(before.runs.map((run) => [run.key, run]));
	const pairs: RunPair[] = now.runs.map((run) => {
		const was = were.get(run.key);
		were.delete(run.key);
		return { was, run, isAlike: was !== undefined && sameTiles(was, run) };
	});
	return [...pairs, ...[...were.values()].map((was) => ({ was, run: undefined, isAlike: false }))];
}

function sameTiles(a: SlabRun, b: SlabRun): boolean {
	if (a.skip !== b.skip || a.strip !== b.strip || a.grid.columns !== b.grid.columns) return false;
	if (a.area.x !== b.area.x || a.area.y !== b.area.y) return false;
	return a.grid.size === b.grid.size && a.grid.gap === b.grid.gap;
}
