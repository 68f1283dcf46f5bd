/** A scene while it is made, and what it is made from. */
import type { CacheRow, Frame, Step, ZoneRow } from "../engine/types.ts";
import type { ArrayBox, Label, Mark, Panel, SlabBox } from "./scene.ts";

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
	readonly slabs: SlabBox[];
	readonly arrays: ArrayBox[];
	readonly panels: Panel[];
	readonly labels: Label[];
	readonly marks: Mark[];
}

export function emptyDraft(source: Source): Draft {
	return { source, slabs: [], arrays: [], panels: [], labels: [], marks: [] };
}
