/**
 * What the page gets from the engine: plain records and typed arrays, copied out of the core, ready to be
 * transferred between threads. Nothing here is computed by the page; field names are those of core/tables/abi/abi.def.
 */
import type { Kernel } from "#wasm";
import type { Frame } from "./frame.ts";

/** Cache argument that means every cache. */
export const ALL_CACHES = 0xffff;

/** A point in time: right after step `step` (from 0) of operation `op` (from 0). */
export interface Position {
	readonly op: number;
	readonly step: number;
}

/** One decision, with its sentence. */
export interface Step {
	readonly kind: string;
	/** Kernel function at work, "" where the step belongs to whichever function runs. */
	readonly fn: string;
	readonly sentence: string;
	readonly cpu: number;
	readonly node: number;
	readonly cache: number;
	/** By the names of steps.def. */
	readonly args: Readonly<Record<string, number>>;
}

export interface Op {
	readonly op: number;
	readonly kind: number;
	readonly time: number;
	readonly cpu: number;
	readonly cache: number;
	readonly slab: number;
	readonly index: number;
	readonly callSite: string;
	readonly tracepoint: string;
	readonly sentence: string;
}

export interface CacheRow {
	readonly cache: number;
	readonly name: string;
	readonly order: number;
	readonly objectSize: number;
	readonly size: number;
	readonly objectsPerSlab: number;
	readonly slabs: number;
	readonly slabsPeak: number;
	readonly objects: number;
	readonly totalObjects: number;
	readonly liveObjects: number;
	readonly partial: number;
	readonly cpuSlabs: number;
	readonly minPartial: number;
	readonly cpuPartialSlabs: number;
	readonly activeSlabs: number;
	/** Tunables of arrays and queues, 0 where there are none. */
	readonly limit: number;
	readonly batchcount: number;
	readonly sharedfactor: number;
	readonly sharedavail: number;
	readonly requestedBytes: number;
	readonly slabBytes: number;
	/** In the order of enum kmem_counter. */
	readonly counters: readonly number[];
}

export interface ZoneRow {
	readonly node: number;
	readonly kind: number;
	readonly pages: number;
	readonly used: number;
}

/** Searches of all nodes for a partial slab (get_any_partial), up to a point in time. */
export interface Searches {
	readonly entered: number;
	/** Zones of zonelists that they looked at. */
	readonly zones: number;
}

/** All that is needed to draw one point in time. */
export interface Moment {
	readonly position: Position;
	readonly op: Op;
	/** Decisions of the operation. Of very many only those around the position are here, from firstStep on. */
	readonly steps: readonly Step[];
	readonly firstStep: number;
	readonly nrSteps: number;
	/** The cache that the frame shows. */
	readonly cache: number;
	readonly frame: Frame;
	readonly caches: readonly CacheRow[];
	readonly zones: readonly ZoneRow[];
	/** Up to this step. */
	readonly searches: Searches;
	/** A move found nothing further in its direction. */
	readonly ended: boolean;
}

/** A metric over the whole trace, in buckets of opsPerBucket operations. */
export interface Series {
	readonly opsPerBucket: number;
	readonly min: Float64Array;
	readonly max: Float64Array;
}

export interface Problem {
	readonly line: number;
	readonly column: number;
	readonly reason: string;
	readonly text: string;
}

/** What the import saw. */
export interface Report {
	readonly format: string;
	readonly bytes: number;
	readonly lines: number;
	readonly events: number;
	readonly allocs: number;
	readonly frees: number;
	readonly nullFrees: number;
	readonly failedAllocs: number;
	readonly orphanFrees: number;
	readonly unseenFrees: number;
	readonly liveAtEnd: number;
	readonly lost: number;
	readonly skippedLines: number;
	/** Events that stood behind later ones and were put in order by time, and those too far behind for that. */
	readonly reordered: number;
	readonly late: number;
	readonly timeFirst: number;
	readonly timeLast: number;
	readonly timeIsNs: boolean;
	readonly truncated: boolean;
	readonly hashed: boolean;
	readonly kinds: readonly { readonly name: string; readonly lines: number }[];
	readonly caches: readonly TraceCache[];
	readonly problems: readonly Problem[];
	/** Operations of the replay. */
	readonly ops: number;
	readonly cpus: number;
	readonly nodes: number;
}

/** A cache as the recording shows it. */
export interface TraceCache {
	readonly name: string;
	/** Bytes of the slot, 0 if the recording does not say. */
	readonly size: number;
	readonly objectSize: number;
	readonly allocs: number;
	readonly frees: number;
}

/** A parameter as the core describes it. */
export interface Param {
	readonly key: string;
	readonly type: "number" | "choice" | "size" | "list";
	readonly allocators: readonly string[];
	readonly values: readonly string[];
	readonly default: string;
	readonly since: string;
	readonly meaning: string;
	/** In force, and who set it. */
	readonly value: string;
	readonly origin: "default" | "kernel" | "preset" | "trace" | "user";
}

export interface Preset {
	readonly name: string;
	readonly meaning: string;
}

/** A trace gone through by a machine: what does not change until the machine does. */
export interface Built {
	readonly nrOps: number;
	readonly nrCpus: number;
	readonly nrNodes: number;
	readonly nodeOfCpu: readonly number[];
	readonly pageBytes: number;
	/** Counters that the allocator in force has, as indices of enum kmem_counter. */
	readonly counters: readonly number[];
	/** Caches at the end of the trace: names, and the most slabs that each ever had. */
	readonly caches: readonly CacheRow[];
	readonly liveObjects: Series;
	readonly slabs: Series;
	readonly slowPaths: Series;
	/** On the lists of nodes. */
	readonly partialSlabs: Series;
	readonly slabBytes: Series;
	/** In slabs but in no request. */
	readonly wasteBytes: Series;
	readonly params: readonly Param[];
	readonly presets: readonly Preset[];
	readonly machine: string;
	/** Null where nobody could have chosen another than the usual one. */
	readonly kernel: Kernel | null;
	/** What of a real machine's caches is in force, in one sentence; "" where caches are not made as they are there. */
	readonly cacheParams: string;
}

/** What the user has set: a preset and single keys. */
export interface Machine {
	readonly preset: string;
	readonly values: Readonly<Record<string, string>>;
}

export type Unit = "step" | "event" | "slow" | "slab";

/** Where to go: to a point, or so many units from a point. */
export type Goal =
	| { readonly kind: "at"; readonly op: number; readonly step: number | "last" }
	| {
			readonly kind: "move";
			readonly from: Position;
			readonly unit: Unit;
			readonly direction: 1 | -1;
			readonly count: number;
			/** Only operations of this cache, or ALL_CACHES. */
			readonly scope: number;
			/** The end of this operation is as far as it goes. */
			readonly until?: number;
	  };

export interface Progress {
	/** Making or reading a recording, opening what is kept, replaying it; making the index of lives; looking for a moment. */
	readonly phase:
		| "making"
		| "measuring"
		| "reading"
		| "opening"
		| "replaying"
		| "indexing"
		| "searching"
		| "comparing";
	/** Bytes where something is read, else operations. */
	readonly done: number;
	/** 0 while nobody knows. */
	readonly total: number;
	/** Operations found so far. */
	readonly events: number;
	/** Until this phase is over; -1 while nobody can tell. */
	readonly secondsLeft: number;
}

/** The columns of a CSV file, as far as their names tell. */
export interface CsvHeader {
	readonly columns: readonly CsvColumn[];
	/** Roles that no column has and without which nothing can be read; for ROLE_REQ, ROLE_ALLOC does as well. */
	readonly missing: readonly number[];
	/** Why it was not read; "" if it was. */
	readonly sentence: string;
}

export interface CsvColumn {
	readonly name: string;
	/** In the first few rows. */
	readonly values: readonly string[];
	/** enum kmem_role. */
	readonly role: number;
}

/** A recording that the browser keeps. */
export interface Recent {
	readonly key: string;
	readonly name: string;
	/** Of the file as it was opened. */
	readonly sizeBytes: number;
	readonly events: number;
	/** When it was opened last, in milliseconds since 1970. */
	readonly openedMs: number;
	/** What keeping it takes. */
	readonly keptBytes: number;
}

/** A cache, a slab of it by serial number, or a place for objects in that. */
export interface Thing {
	readonly cache: number;
	readonly slab?: number | undefined;
	readonly index?: number | undefined;
}

/** A moment to stop at, of one thing or of any. */
export interface Condition extends Partial<Thing> {
	/** enum kmem_when. */
	readonly when: number;
	/** Of WHEN_STEP: which kind of decision, by its name. */
	readonly step?: string | undefined;
}

/** Where a condition holds, and which one of those that were asked for. */
export interface Found {
	readonly position: Position;
	readonly condition: number;
}

/** What happened to a thing. An operation that never comes is -1. */
export interface Life {
	readonly nrOps: number;
	readonly allocs: number;
	readonly frees: number;
	/** Made, or first used; of a place for objects, first touched. */
	readonly bornOp: number;
	/** A slab: given back. */
	readonly goneOp: number;
	readonly lastOp: number;
	readonly objectsPeak: number;
	readonly objectsPeakOp: number;
	/** The object that is or was at a place around the operation asked for. */
	readonly object: Incarnation | undefined;
	/** Operations that touched it, around the one asked for. */
	readonly rows: readonly LifeRow[];
}

export interface Incarnation {
	readonly allocOp: number;
	readonly freeOp: number;
	/** Which one at its place, from 0, and of how many. */
	readonly number: number;
	readonly nr: number;
	readonly allocSite: string;
	readonly freeSite: string;
}

export interface LifeRow {
	readonly op: number;
	/** What it did, enum kmem_when each; none where the thing was only looked at. */
	readonly moments: readonly number[];
	readonly sentence: string;
}

/** A cache of a real machine; -1 for what is not told. */
export interface OverlayRow {
	readonly name: string;
	/** The one of the model with that name, ALL_CACHES if it has none. */
	readonly cache: number;
	readonly objectSize: number;
	readonly size: number;
	readonly objectsPerSlab: number;
	readonly order: number;
	readonly minPartial: number;
	readonly objects: number;
	readonly totalObjects: number;
	readonly slabs: number;
	readonly partial: number;
	readonly cpuSlabs: number;
}

export interface ObjectId {
	readonly cache: number;
	/** Serial number of its slab. */
	readonly serial: number;
	readonly index: number;
}

/** One object as it lies in memory. */
/** Bytes from, to of a slot that hold one value. */
export interface ByteRun {
	readonly from: number;
	readonly to: number;
	/** -1: the model does not keep it. */
	readonly found: number;
	/** -1: any value may be there. */
	readonly expected: number;
	/** Somebody wrote over these bytes. */
	readonly overwritten: boolean;
}

export interface CloseUp extends ObjectId {
	/** enum kmem_cell. */
	readonly state: number;
	readonly address: number;
	/** Of the slot: from the start of the slab, and its length. */
	readonly slot: number;
	readonly slotBytes: number;
	/** From the start of the slot on. */
	readonly leftBytes: number;
	readonly objectBytes: number;
	readonly rightBytes: number;
	/** From the object on; linkBytes is 0 where objects hold no free pointer. */
	readonly linkOffset: number;
	readonly linkBytes: number;
	readonly tracksOffset: number;
	readonly tracksBytes: number;
	readonly paddingOffset: number;
	readonly paddingBytes: number;
	/** Bytes asked for, 0 if it is not allocated. */
	readonly requested: number;
	/** Place in the slab of the next free object, -1 for none. */
	readonly next: number;
	/** Hexadecimal, "" where nothing is known. */
	readonly stored: string;
	readonly pointer: string;
	readonly secret: string;
	readonly swapped: string;
	/** What the slot's bytes hold, in order; empty where nobody knows. */
	readonly bytes: readonly ByteRun[];
	readonly allocSite: string;
	readonly allocCpu: number;
}
