/**
 * The only interface between the page and the core. The worker serves it over comlink; tests may use the same
 * implementation in their own thread. A call that fails rejects with one sentence for a person.
 */
import type { Totals } from "#abi";
import type { KernelCounters, Study } from "#wasm";
import type {
	Ask,
	Comparison,
	Figures,
	OrderAnswer,
	OrderQuestion,
	Played,
	Question,
	Refusal,
} from "./answers.ts";
import type { PackedFrame } from "./frame.ts";
import type { Input } from "./input.ts";
import type { PackedMoment } from "./moment.ts";
import type {
	Built,
	CloseUp,
	Condition,
	CsvHeader,
	Found,
	Goal,
	Machine,
	MachineStateRow,
	ObjectHistory,
	ObjectId,
	Position,
	Progress,
	Recent,
	Report,
	Searches,
	Thing,
} from "./types.ts";

export interface Engine {
	/**
	 * Starts the core. `module`: its bytes, or its address; an address is fetched once. If there is a `small` module,
	 * at an address too, the core begins with it and fetches the whole one only when it needs it.
	 */
	open(wasm: string | Blob, small?: string): Promise<void>;
	/** Fetches the whole core in advance: it may soon be needed. */
	prepare(): Promise<void>;
	/**
	 * Imports text, gzip or zstd. The previous trace stays in use if this fails, is refused or is cancelled. The
	 * browser keeps a file that has a name, and opens it at once the next time. With `columns`, a mapping as for
	 * kmem_import_columns, the file is read again as CSV.
	 */
	load(
		input: Input,
		machine: Machine,
		onProgress: (p: Progress) => void,
		columns?: string,
	): Promise<Loaded | Refused | Asked | WithMachineState>;
	/** Gives caches the parameters of the machine state that is shown, or their own again. */
	applyMachineState(on: boolean, onProgress: (p: Progress) => void): Promise<WithMachineState>;
	/** The machine state whose parameters the caches have; undefined if they have their own. */
	cachesInUse(): Promise<Uint8Array | undefined>;
	/** Whether a file is a machine state. load() handles all other files. */
	isState(file: File): Promise<boolean>;
	/**
	 * Imports a file and keeps it, beside the trace in use; resolves to its key. Rejects with a sentence if the file
	 * is not a trace, does not fit or cannot be kept.
	 */
	keepAside(file: File, onProgress: (p: Progress) => void): Promise<string>;
	/** Opens the trace that is kept under that key. */
	loadRecent(
		key: string,
		machine: Machine,
		onProgress: (p: Progress) => void,
	): Promise<Loaded | Refused>;
	/** A generated trace, by its name: `workload:netio?seed=7`. */
	loadMade(
		trace: string,
		machine: Machine,
		onProgress: (p: Progress) => void,
	): Promise<Loaded | Refused>;
	/** The trace in use as a slabtrace. */
	text(): Promise<Blob>;
	/** The kernel counters of each cache; none if the trace has none. */
	kernelCounters(): Promise<CountersCompared>;
	/** Replays the trace in use on another machine. */
	rebuild(machine: Machine, onProgress: (p: Progress) => void): Promise<Built>;
	/** Stops a load or rebuild in progress, which then rejects with Cancelled (errors.ts). */
	cancel(): void;
	go(goal: Goal, cache: number): Promise<PackedMoment>;
	/** Objects as they lie in memory at a position; within an event, without the parts that the event is changing. */
	objects(at: Position, wanted: readonly ObjectId[]): Promise<readonly CloseUp[]>;
	/**
	 * The first step after a position at which a condition holds, or the last before it; undefined: there is none.
	 */
	find(
		conditions: readonly Condition[],
		from: Position,
		direction: 1 | -1,
		onProgress: (p: Progress) => void,
	): Promise<Found | undefined>;
	/** The history of a thing, around an event. The first call takes a pass over the trace. */
	objectHistory(
		thing: Thing,
		op: number,
		onProgress: (p: Progress) => void,
	): Promise<ObjectHistory>;
	/** The next event that touched it after event `op`, or the previous one; -1: none. */
	touch(
		thing: Thing,
		op: number,
		direction: 1 | -1,
		onProgress: (p: Progress) => void,
	): Promise<number>;
	/** The last event that had begun by a time of the trace's clock. */
	opAtTime(time: number): Promise<number>;
	/** The object that has an address after an event; index -1: the slab's own bytes. undefined: no slab's. */
	objectAt(at: Position, address: number): Promise<ObjectId | undefined>;
	/** The call sites of the trace, in the order of first use. */
	callSites(): Promise<readonly string[]>;
	/** The next event after event `op` that was called from there; -1: none. */
	nextCall(callSite: string, op: number): Promise<number>;
	/** The totals of the trace in use on another machine; the stage does not change. */
	searches(machine: Machine, onProgress: (p: Progress) => void): Promise<Searches>;
	/** Replays the trace in use on other machines; they stay in step with the stage until the next call. */
	compare(machines: readonly Machine[], onProgress: (p: Progress) => void): Promise<Comparison>;
	/** Totals of the machine on the stage and of those compared with it, after an event. */
	compareAt(op: number): Promise<readonly Totals[]>;
	/**
	 * The frame of a compared machine, from 1, for a cache after so many events; undefined if it has no cache of that
	 * name.
	 */
	ghost(other: number, ops: number, cacheName: string): Promise<PackedFrame | undefined>;
	/** The answers of order rules; needs no trace. */
	orders(question: OrderQuestion): Promise<OrderAnswer>;
	/** A question about a trace with the core's answer; the stage does not change. */
	question(of: Played, ask: Ask): Promise<Question>;
	/** The totals of a trace on a machine; the stage does not change. */
	figures(of: Played): Promise<Figures>;
	/** An experiment of a proposal, with the figures of the proposal and of a real kernel. */
	study(id: string): Promise<Study>;
	/** Traces that the browser keeps, latest first. */
	recent(): Promise<readonly Recent[]>;
	/** Removes one, or all. Resolves to the remaining ones. */
	forget(key: string | "all"): Promise<readonly Recent[]>;
	/** Resolves once the last loaded file is kept, to ""; or is not, to one sentence with the reason. */
	kept(): Promise<string>;
}

export interface Loaded {
	readonly report: Report;
	readonly built: Built;
	/** One sentence when the file could be used only in part, "" otherwise. */
	readonly note: string;
	/** How long it took to read, or to open what was kept, and to replay. */
	readonly readMs: number;
	readonly replayMs: number;
	/** The file's key under Recent; "" if it was not a file. */
	readonly key: string;
	/** For CSV that was just read. */
	readonly csv: CsvHeader | undefined;
	/** Whether the browser had kept it. */
	readonly wasKept: boolean;
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
	readonly built: Built;
}
