/** The shapes of the engine's longer answers: loaded and refused files, comparisons, order rules, questions of lessons. */
import type { From, OrderMachineTotals, Totals } from "#abi";
import type { Edge, KernelCounters, MachineOrder, Order } from "#wasm";
import type { Input } from "./input.ts";
import type { PackedMoment } from "./moment.ts";
import type { StageCopy } from "./stage_copy.ts";
import type {
	Built,
	CacheRow,
	CsvHeader,
	Curves,
	EventPath,
	LevelRow,
	Machine,
	MachineStateRow,
	Position,
	Report,
	Series,
} from "./types.ts";

export interface Loaded {
	readonly report: Report;
	readonly built: Built;
	/** One sentence if only a part of the file could be used, "" otherwise. */
	readonly note: string;
	/** How long it took to read the file, or to open the kept copy, and to replay it. */
	readonly readMs: number;
	readonly replayMs: number;
	/** The file's key under Recent; "" if it was not a file. */
	readonly key: string;
	/** Set for CSV that was just read. */
	readonly csv: CsvHeader | undefined;
	/** Whether the browser had kept it. */
	readonly wasKept: boolean;
}

/** The visitor's own future: the trace's first events, then lines of a slabtrace. */
export interface Fork {
	readonly events: number;
	readonly lines: string;
}

/** An object that is live at a fork. */
export interface ForkObject {
	/** The event that allocated it. */
	readonly op: number;
	readonly sentence: string;
}

/** A file that does not fit in memory. */
export interface Refused {
	readonly refusal: Refusal;
}

/** A CSV file with unknown column names: the visitor chooses their roles. */
export interface Asked {
	readonly csv: CsvHeader;
}

/** The kernel counters; empty if the trace has none. */
export interface CountersCompared {
	readonly counters: readonly KernelCounters[];
	/** Sentences that compare the kernel counters with the model's at the end of the trace. */
	readonly why: readonly string[];
}

/** A file that is not a trace but a machine state: it is shown with the trace in use. */
export interface WithMachineState {
	readonly machineState: readonly MachineStateRow[];
	/** Other names of the model's caches, each "a, b", if the file has them. */
	readonly aliases: Readonly<Record<string, string>>;
	readonly built: Built;
	/** The report of the trace, if it was read again because the file names its caches. */
	readonly readAgain?: Report;
	/**
	 * Whether caches have its parameters, and whether the replay starts from its slabs or from those of the state
	 * before it.
	 */
	readonly used: boolean;
	readonly warm: boolean;
	/** Why the replay no longer starts from a machine's slabs, "" if nothing has changed. */
	readonly said: string;
}

/** A file of a kernel's symbols: how many call-site addresses it names. */
export interface WithNames {
	readonly named: number;
	readonly built: Built;
}

/** A real kernel's state at the start or the end of the run that a trace recorded. */
export interface WithEdge {
	readonly edge: Edge;
}

/** A file that is shown with the trace in use. */
export type Beside = WithMachineState | WithNames | WithEdge;

/** Why a file is not read to the end, and what the visitor can do. */
export interface Refusal {
	readonly sentence: string;
	readonly ways: readonly string[];
	/** The part of the file, from its start, that fits in memory. */
	readonly share: number;
}

/** A machine to compare with the one on the stage. */
export interface ComparedMachine extends Machine {
	/** Left out: the trace on the stage. A sample's file, workload:NAME?KEY=VALUE&..., or recent:KEY. */
	readonly trace?: string;
	/** The contents of a sample. */
	readonly file?: Input | undefined;
	/** A future of the trace on the stage: a fork, or null for the recorded one. Left out: the one on the stage. */
	readonly future?: Fork | null | undefined;
}

/** A machine of a comparison, over the whole trace. */
export interface Run {
	/** Written like a machine line of a slabtrace. */
	readonly machine: string;
	/** Undefined: the trace on the stage. */
	readonly trace: string | undefined;
	/** How many events each one stands for; 1: unknown, 0: the trace is not sampled. */
	readonly sampling: number;
	/** How many slabs from before the trace the replay starts from; 0: it starts empty. */
	readonly slabsBefore: number;
	/** Where its memory figures come from. */
	readonly from: From;
	readonly allocator: string;
	readonly pageBytes: number;
	readonly nrOps: number;
	readonly nrNodes: number;
	/** Node of each CPU. */
	readonly nodeOfCpu: readonly number[];
	/** All caches together. */
	readonly curves: Curves;
	/** Model cycles since the start of the trace. */
	readonly cycles: Series;
	/** Counters that its allocator has. */
	readonly counters: readonly number[];
	/** Measures that its allocator has: enum kmem_measure. */
	readonly measures: readonly number[];
}

/** The first divergence: the first event and step that a machine decides differently from the first machine. */
export interface Divergence {
	readonly op: number;
	readonly step: number;
	/** Steps of the event on the first machine. */
	readonly nrSteps: number;
	/** The event on the first machine, and on the other: two futures have different events. */
	readonly sentences: readonly [string, string];
	/** The step on the first machine, and on the other. */
	readonly reasons: readonly [string, string];
}

export interface Comparison {
	readonly runs: readonly Run[];
	/**
	 * One for each machine after the first. Null: it decides like the first machine to the end of the trace, or it
	 * replays another trace.
	 */
	readonly divergences: readonly (Divergence | null)[];
}

/** An event as one machine takes it: its path, and the levels of its cache there. */
export interface Taken {
	readonly path: EventPath;
	readonly levels: readonly LevelRow[];
}

/** A cache of a compared machine at an event of the machine's own trace. */
export interface OtherStage {
	readonly moment: PackedMoment;
	/** The event on the first machine, and on this one. */
	readonly taken: readonly [Taken, Taken];
}

/** An event on a compared machine. */
export interface StageOf {
	/** The number of the machine, from 1. */
	readonly other: number;
	readonly op: number;
	/** An event that takes fewer steps there is shown after its last one. */
	readonly step: number | "last";
	/** The cache's name. */
	readonly cache: string;
}

/** The events of a cache that two machines serve at different costs. */
export interface DifferenceOf {
	/** The number of the other machine, from 1. */
	readonly other: number;
	/** By name; events of every cache if none has it. */
	readonly cache: string;
	/** Look for the first one after this event; undefined: for the one with the largest difference in the whole trace. */
	readonly after?: number;
}

/** Sizes are multiples of this, as all slots are. */
export const SIZE_STEP = 8;

/** Whether no order holds an object of that size. */
export const NO_ORDER = 0xff;

/** Two order rules for the caches of the machine state that is shown. */
export interface MachineOrdersQuestion {
	/** Other settings that count, such as max_order. */
	readonly machine: Machine;
	readonly rules: readonly [string, string];
	/** Page size of the rows, and those of the totals. */
	readonly pageBytes: number;
	readonly pageSizes: readonly number[];
	readonly cpus: number;
}

export interface MachineOrdersAnswer {
	/** One for each page size. */
	readonly totals: readonly OrderMachineTotals[];
	/** In the machine's order; -1 if its file does not say. */
	readonly rows: readonly MachineOrder[];
}

export interface OrderQuestion {
	/** For all rules. */
	readonly machine: Machine;
	/** The parameter that selects the rule, and the values to compare. */
	readonly key: string;
	readonly rules: readonly string[];
	readonly size: number;
	readonly toBytes: number;
}

export interface OrderAnswer {
	readonly pageBytes: number;
	readonly cpus: number;
	readonly rules: readonly OrderRule[];
}

/** By index: (i + 1) * SIZE_STEP bytes. */
export interface OrderRule {
	readonly rule: string;
	readonly order: Uint8Array;
	readonly objects: Uint16Array;
	/** Tail waste of a slab, in bytes. */
	readonly waste: Uint32Array;
	/** For the requested size; null if no order holds such an object. */
	readonly why: Order | null;
}

/** `order` asks about a size, the others about an event. */
export const QUESTION_KINDS = [
	"slab",
	"object",
	"path",
	"zones",
	"keep",
	"pages",
	"order",
] as const;

export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface Ask {
	readonly kind: QuestionKind;
	/** Random seed; 0 asks about `op` or `size` if one is given, and any other number about a different one. */
	readonly seed: number;
	readonly op?: number | undefined;
	readonly size?: number | undefined;
	/** Asks only about events of this cache. */
	readonly cache?: string | undefined;
}

export interface Question {
	readonly kind: QuestionKind;
	readonly title: string;
	/** The facts that the question gives, in sentences. */
	readonly given: readonly string[];
	readonly choices: readonly string[];
	/** Why each choice is wrong, in one sentence; "" for the right one. */
	readonly reasons: readonly string[];
	/** The serial numbers of the choices that are slabs, which come first; undefined if none is. */
	readonly slabs?: readonly number[] | undefined;
	/** The index of the right choice. */
	readonly answer: number;
	/** The reason, in one sentence without kernel terms. */
	readonly plain: string;
	/** The core's own sentences about the reason. */
	readonly why: readonly string[];
	/**
	 * The position where the question is asked, and the one that shows the answer; undefined if the question is not
	 * about a trace.
	 */
	readonly before?: Position | undefined;
	readonly after?: Position | undefined;
	/** The cache in question. */
	readonly cache: string;
}

/** A trace on a machine. */
export interface Played {
	/** A sample's file, or workload:NAME?KEY=VALUE&... */
	readonly trace: string;
	/** The contents of the file; undefined for a workload. */
	readonly file?: Input | undefined;
	/** The session on the stage, instead of them. */
	readonly copy?: StageCopy;
	readonly machine: Machine;
}

/** The totals of a trace. */
export interface Figures {
	readonly totals: Totals;
	readonly nrOps: number;
	readonly caches: number;
	/** Which counters the allocator has: indices of COUNTER_NAMES. */
	readonly counters: readonly number[];
	/** The counters of the event alone. */
	readonly steps: number;
	readonly eventCycles: number;
	/** Reports of debugging so far, each with the kernel's text in lines. */
	readonly reports: readonly string[];
	/** The figures for the cache that was asked about; undefined if no cache has that name yet. */
	readonly cache: Pick<CacheRow, "slabs" | "liveObjects" | "partial"> | undefined;
}

/** What a slab for objects of one size looks like. */
export interface SizeFigures extends Omit<Order, "tries"> {
	readonly pageBytes: number;
}

/** A position in a film: the end of the event if there is no step. */
export interface Shot {
	readonly op: number;
	readonly step?: number | undefined;
}

/** Each event of a passage on one machine, for two machines that run it side by side. */
export interface PassageRun {
	readonly film: Film;
	/** The events that left the fast path, by the core's count. */
	readonly slow: readonly number[];
	/** Model cycles from the start of the passage to the end of each of its events. */
	readonly cycles: readonly number[];
}

/** One cache of a trace at some positions, for small pictures of the stage. */
export interface Film {
	readonly built: Pick<Built, "nodeOfCpu" | "nrNodes" | "pageBytes">;
	readonly moments: readonly PackedMoment[];
}
