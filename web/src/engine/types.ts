/**
 * Everything that the page gets from the engine: plain records and typed arrays, copied out of the core, ready to be
 * transferred between threads. The page computes none of it; field names match core/tables/abi/abi.def.
 */
import type * as abi from "#abi";
import type * as wasm from "#wasm";
import type { Frame } from "./frame.ts";
import type { builtOf } from "./rows.ts";

/** Stands for every cache, as an argument. */
export const ALL_CACHES = 0xffff;

/** A position: right after step `step` (from 0) of event `op` (from 0). */
export interface Position {
	readonly op: number;
	readonly step: number;
}

/** One step, with its sentence. */
export interface Step {
	readonly kind: string;
	/** The step's kernel function, "" if several functions take it. */
	readonly fn: string;
	readonly sentence: string;
	readonly cpu: number;
	readonly node: number;
	readonly cache: number;
	/** Arguments by the names of steps.def. */
	readonly args: Readonly<Record<string, number>>;
}

export type CacheRow = wasm.Named<abi.CacheRow>;

export type ZoneRow = Pick<abi.ZoneRow, "node" | "kind" | "pages" | "used">;

/** The path of an event over the levels of its cache, and its cost in model cycles. */
export interface EventPath {
	readonly op: number;
	/** The cache whose levels these are, ALL_CACHES if the event has none. */
	readonly cache: number;
	readonly cycles: number;
	/** The same request on the fast path; 0 if the allocator has none. */
	readonly fastCycles: number;
	/** The cycles of each step; they add up to those of the event. */
	readonly cyclesOf: Uint32Array;
	/** The level of each step, counted from the first. */
	readonly levels: Uint8Array;
	/** 1 for each step that asked and got nothing. */
	readonly vain: Uint8Array;
	/** The event as a title, and what it cost or why, "" if there is nothing worth saying. */
	readonly caption: string;
	readonly consequence: string;
	/** Where each step happens, what it does there and which slab it moves. */
	readonly steps: readonly abi.PathStep[];
	/** The level at which the event ended. */
	readonly end: number;
}

/** A level of a cache's levels; its allocations are 0 until the trace has an index. */
export type LevelRow = Omit<abi.LevelRow, "places"> & {
	/** The kinds of places that it covers, enum kmem_place_kind; none: the page allocator. */
	readonly kinds: readonly number[];
};

/** The slab and object that the next allocation on a CPU gets. */
export interface NextObject {
	readonly cpu: number;
	/** Serial number, -1 if the allocation fails. */
	readonly slab: number;
	readonly index: number;
	readonly cycles: number;
	/** enum kmem_level. */
	readonly level: number;
	/** The same level, counted on the cache's levels from 0. */
	readonly end: number;
	/** Whether it is the trace's next event. */
	readonly isEvent: boolean;
}

/** All the data for drawing one position. */
export interface Moment {
	readonly position: Position;
	readonly op: wasm.Operation;
	/** Steps of the event. If there are very many, only those around the position, from firstStep on. */
	readonly steps: readonly Step[];
	readonly firstStep: number;
	readonly nrSteps: number;
	/** The cache that the frame shows. */
	readonly cache: number;
	readonly frame: Frame;
	readonly caches: readonly CacheRow[];
	readonly zones: readonly ZoneRow[];
	/** A move found nothing further in its direction. */
	readonly ended: boolean;
}

/** A metric over the whole trace, in buckets of opsPerBucket events. */
export type Series = wasm.Series;

/** A whole trace on a machine, from its index: the events worth seeing, and how deep those of each CPU went. */
export interface Overview {
	readonly all: readonly wasm.Chapter[];
	readonly lanes: wasm.Lanes;
}

/** The metrics of the timeline: of all caches, or of one. */
export type Curves = Pick<
	Built,
	"liveObjects" | "slabs" | "slowPaths" | "partialSlabs" | "slabBytes" | "wasteBytes"
>;

/** An event, and one cache (or all of them) right after it. */
export interface Glance {
	/** The event that was asked for. */
	readonly op: number;
	/** The same, or the nearest one of the cache that was asked for. */
	readonly event: number;
	readonly sentence: string;
	/** Time on the trace's clock. */
	readonly time: number;
	readonly live: number;
	readonly slabs: number;
	readonly partial: number;
}

type Flag = "timeIsNs" | "truncated" | "hashed";

/** The import report. */
export interface Report extends Omit<wasm.Report, Flag>, Readonly<Record<Flag, boolean>> {}

/** A parameter as the core describes it. */
export interface Param {
	readonly key: string;
	readonly type: "number" | "choice" | "size" | "list";
	readonly allocators: readonly string[];
	readonly values: readonly string[];
	readonly default: string;
	readonly since: string;
	/** Whether it may change while the trace runs. */
	readonly runtime: boolean;
	readonly meaning: string;
	/** Set for a number or a size. */
	readonly min?: number;
	readonly max?: number;
	/** The value in use, and what set it. */
	readonly value: string;
	readonly origin: "default" | "kernel" | "preset" | "trace" | "user";
}

/** A parameter's name in words, its group, and whether it switches debugging on. */
export interface ParamName {
	readonly key: string;
	readonly name: string;
	readonly group: "allocator" | "topology" | "proposals" | "rules" | "debugging";
	readonly debugs: boolean;
}

/** A cost in model cycles, which is a parameter too. */
export interface CostParam {
	readonly key: string;
	readonly name: string;
	readonly meaning: string;
	readonly default: string;
	/** The value in use. */
	readonly value: string;
}

export interface ParamNames {
	readonly params: readonly ParamName[];
	readonly costs: readonly CostParam[];
}

export interface Preset {
	readonly name: string;
	readonly meaning: string;
}

/** A trace replayed on a machine: everything that stays until the machine changes. */
export type Built = Readonly<ReturnType<typeof builtOf>>;

/** The user's settings: a preset and single keys. */
export interface Machine {
	readonly preset: string;
	readonly values: Readonly<Record<string, string>>;
}

export type Unit = "step" | "event" | "slow" | "slab";

/** The nearest event of a cache, if there is one within this many events; an earlier one is preferred. */
export interface Near {
	readonly cache: number;
	readonly within: number;
}

/** A goal: a position, or a number of units from a position. */
export type Goal =
	| {
			readonly kind: "at";
			readonly op: number;
			readonly step: number | "last";
			readonly near?: Near;
			/** Whether to show the event's own cache, if it has one. */
			readonly own?: boolean;
	  }
	| {
			readonly kind: "move";
			readonly from: Position;
			readonly unit: Unit;
			readonly direction: 1 | -1;
			readonly count: number;
			/** Counts only events of this cache, or of ALL_CACHES. */
			readonly scope: number;
			/** Counts only events that the filter chooses. */
			readonly chosen?: boolean;
			/** A limit: go no further than the end of this event. */
			readonly until?: number;
			/** If no such event follows, take the one before; if there is none, any event in scope. */
			readonly orNearest?: boolean;
	  };

export interface Progress {
	/** The phases: generating or reading a trace, opening a kept one, replaying it; building the index; searching. */
	readonly phase:
		| "making"
		| "measuring"
		| "reading"
		| "opening"
		| "replaying"
		| "indexing"
		| "searching"
		| "comparing";
	/** Bytes while reading, events otherwise. */
	readonly done: number;
	/** 0 while it is unknown. */
	readonly total: number;
	/** Events found so far. */
	readonly events: number;
	/** Time left until the end of this phase; -1 while it's unknown. */
	readonly secondsLeft: number;
}

/** The columns of a CSV file, as far as their names show their roles. */
export interface CsvHeader {
	readonly columns: readonly CsvColumn[];
	/** Required roles that no column has; ROLE_ALLOC may replace ROLE_REQ. */
	readonly missing: readonly number[];
	/** Why it was not read; "" if it was. */
	readonly sentence: string;
}

export interface CsvColumn {
	readonly name: string;
	/** Its values in the first few rows. */
	readonly values: readonly string[];
	/** enum kmem_role. */
	readonly role: number;
}

/** A trace that the browser keeps. */
export interface Recent {
	readonly key: string;
	readonly name: string;
	/** The size of the file as it was opened. */
	readonly sizeBytes: number;
	readonly events: number;
	/** When it was last opened, in milliseconds since 1970. */
	readonly openedMs: number;
	/** Bytes of storage that it takes. */
	readonly keptBytes: number;
}

/** A cache, a slab in it by serial number, or a slot in that slab. */
export type Thing = wasm.Thing;

/** A condition to stop at, for one thing or for any. */
export interface Condition extends Partial<Thing> {
	/** enum kmem_when. */
	readonly when: number;
	/** For WHEN_STEP: the kind of step, by its name. */
	readonly step?: string | undefined;
}

/** The position where a condition holds, and which of the given conditions it is. */
export interface Found {
	readonly position: Position;
	readonly condition: number;
}

/** The history of a thing. -1 stands for an event that never comes. */
export interface ObjectHistory extends abi.Life {
	/** The object that is, or was, in a slot around the event in question. */
	readonly object: Lifetime | undefined;
	/** Events that touched it, around the one in question. */
	readonly rows: readonly HistoryRow[];
}

export interface Lifetime extends abi.Lifetime {
	readonly allocSite: string;
}

export interface HistoryRow {
	readonly op: number;
	/** The conditions that held, enum kmem_when each; none if the thing was only read. */
	readonly moments: readonly number[];
	readonly sentence: string;
}

/** A cache of a machine state; -1 for numbers that it does not contain. */
export type MachineStateRow = wasm.Named<abi.MachineStateRow>;

export interface ObjectId {
	readonly cache: number;
	/** Serial number of its slab. */
	readonly serial: number;
	readonly index: number;
}
