/** A scene while it is made, and what it is made from. */
import { type Frame, NO_EXTENT } from "../engine/frame.ts";
import type { CacheRow, Step, ZoneRow } from "../engine/types.ts";
import type {
	ArrayBox,
	Label,
	Mark,
	Origin,
	Panel,
	PanelKind,
	Rect,
	Scene,
	SlabBox,
} from "./scene.ts";

/** What a scene is made from, besides the plan. */
export interface Source {
	readonly cache: CacheRow | undefined;
	readonly frame: Frame;
	readonly zones: readonly ZoneRow[];
	/** The step that has just been taken. */
	readonly step: Step | undefined;
	readonly pageBytes: number;
}

export interface Draft {
	readonly source: Source;
	/** Slabs of the scene before this one: of those that look alike the boxes are taken over. */
	readonly before: Before;
	readonly slabs: SlabBox[];
	readonly arrays: ArrayBox[];
	readonly panels: Panel[];
	readonly labels: Label[];
	readonly marks: Mark[];
}

/**
 * The slabs of the scene before, by serial number: a slab's row in the frame that it was made from. Of several
 * that fall on one slot the last is found; a slab that is not found is made anew, which is slower and looks the
 * same. What is compared lies in the columns of the two frames, side by side.
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

	/** Its row, -1 if it is not known. */
	find(serial: number, cache: number): number {
		const row = this.#slots[serial & (this.#slots.length - 1)] ?? 0;
		const slabs = this.frame?.slabs;
		return slabs && slabs.serial[row] === serial && slabs.cache[row] === cache ? row : -1;
	}

	/** Whether a slab of a frame has the objects that it had, each in the state that it was in. */
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

/** Of the areas of a plan, which stay while moments come and go. */
const PANELS = new WeakMap<Rect, Panel>();

/** A panel on an area: the same value as before while it looks the same. */
export function panelOn(area: Rect, kind: PanelKind, key: string, lit = false, fill = 0): Panel {
	const known = PANELS.get(area);
	if (known?.key === key && known.lit === lit && known.fill === fill) return known;
	const { x, y, w, h } = area;
	const panel = { x, y, w, h, key, kind, lit, fill };
	PANELS.set(area, panel);
	return panel;
}

export function emptyDraft(source: Source, before: Before): Draft {
	return { source, before, slabs: [], arrays: [], panels: [], labels: [], marks: [] };
}
