/** A scene in progress, and its inputs. */
import { type Frame, NO_EXTENT } from "../engine/frame.ts";
import type { CacheRow, Step, ZoneRow } from "../engine/types.ts";
import type {
	ArrayBox,
	Histogram,
	Label,
	Mark,
	Origin,
	Panel,
	PanelKind,
	Rect,
	Scene,
	SlabBox,
} from "./scene.ts";

/** What allocations that end in a row cost. */
export interface RowCost {
	/** The row (layout/rows.ts). */
	readonly rank: number;
	/** Whether they end on a node other than their CPU's. */
	readonly isFar: boolean;
	/** Cycles on average. */
	readonly cycles: number;
	/** Their share of all allocations, in ten-thousandths. */
	readonly share: number;
}

/** The inputs of a scene, besides the plan. */
export interface Source {
	readonly cache: Pick<CacheRow, "size" | "minPartial"> | undefined;
	readonly frame: Frame;
	readonly zones: readonly ZoneRow[];
	/** The current step. */
	readonly step: Step | undefined;
	readonly pageBytes: number;
	/** The costs of events by the row that they end in, once the trace has an index. */
	readonly costs?: readonly RowCost[] | undefined;
}

export interface Draft {
	readonly source: Source;
	/** The slabs of the previous scene: boxes of slabs that look the same are reused. */
	readonly before: Before;
	readonly slabs: SlabBox[];
	readonly arrays: ArrayBox[];
	readonly histograms: Histogram[];
	readonly panels: Panel[];
	readonly marks: Mark[];
}

/** The text of a scene in progress, made only when somebody reads it, because text stands still during fast play. */
export interface Naming {
	readonly source: Source;
	readonly labels: Label[];
}

/**
 * The slabs of the previous scene, by serial number: maps a slab to its row in that scene's frame. If several slabs
 * share a slot, the last one is found; a slab that is not found is made again, which is slower but looks the same.
 * The data to compare is in the columns of the two frames.
 */
export class Before {
	readonly #slots: Uint32Array;
	readonly slabs: readonly SlabBox[];
	readonly frame: Frame | undefined;

	constructor({ slabs, origin }: Scene, now: Origin) {
		const alike =
			origin !== undefined &&
			origin.plan === now.plan &&
			origin.pageBytes === now.pageBytes &&
			origin.slabBytes === now.slabBytes &&
			slabs.length === origin.frame.slabs.count;
		this.frame = alike ? origin.frame : undefined;
		this.slabs = alike ? slabs : [];
		const serials = this.frame?.slabs.serial ?? new Uint32Array(0);
		let size = 16;
		while (size < serials.length * 4) size *= 2;
		this.#slots = new Uint32Array(size);
		for (let row = 0; row < serials.length; row++)
			this.#slots[(serials[row] ?? 0) & (size - 1)] = row;
	}

	/** Returns its row, or -1 if it is unknown. */
	find(serial: number, cache: number): number {
		const row = this.#slots[serial & (this.#slots.length - 1)] ?? 0;
		const slabs = this.frame?.slabs;
		return slabs && slabs.serial[row] === serial && slabs.cache[row] === cache ? row : -1;
	}

	/** Whether a slab has the same objects as before, each in the same state. */
	isAlike(old: number, { slabs, cells }: Frame, row: number): boolean {
		const was = this.frame;
		if (!was || slabs.firstExtent[row] !== NO_EXTENT) return false;
		const n = slabs.objects[row] ?? 0;
		if (was.slabs.objects[old] !== n || was.slabs.inuse[old] !== slabs.inuse[row]) return false;
		const before = was.cells;
		let i = was.slabs.firstCell[old] ?? 0;
		let k = slabs.firstCell[row] ?? 0;
		for (const end = k + n; k < end; i++, k++) if (before[i] !== cells[k]) return false;
		return true;
	}
}

/** Cached per area of a plan, because that stays the same while the position changes. */
const PANELS = new WeakMap<Rect, Panel>();

/** Returns a panel on an area: the same object as before as long as it looks the same. */
export function panelOn(
	area: Rect,
	kind: PanelKind,
	key: string,
	lit = false,
	fill = 0,
	isIdle?: boolean,
): Panel {
	const known = PANELS.get(area);
	if (known?.key === key && known.lit === lit && known.fill === fill && known.isIdle === isIdle)
		return known;
	const { x, y, w, h } = area;
	const panel = { x, y, w, h, key, kind, lit, fill, isIdle };
	PANELS.set(area, panel);
	return panel;
}

export function emptyDraft(source: Source, before: Before): Draft {
	return {
		source,
		before,
		slabs: [],
		arrays: [],
		histograms: [],
		panels: [],
		marks: [],
	};
}
