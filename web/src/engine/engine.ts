/**
 * The one interface between the page and the core. The worker serves it over comlink; tests may use the same
 * implementation in their own thread. A call that fails rejects with one sentence for a person.
 */
import type { Totals } from "#abi";
import type { Study, Told } from "#wasm";
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
	Life,
	Machine,
	ObjectId,
	OverlayRow,
	Position,
	Progress,
	Recent,
	Report,
	Searches,
	Thing,
} from "./types.ts";

export interface Engine {
	/**
	 * Starts the core. The bytes of the module, or where they are: then they are fetched once; not before they are
	 * needed, if there is a `small` part of it, at an address too, to begin with.
	 */
	open(wasm: string | Blob, small?: string): Promise<void>;
	/** All of the core is fetched if it is not here yet: it may soon be needed. */
	prepare(): Promise<void>;
	/**
	 * Imports text, gzip or zstd. The trace before stays in use when this fails, is refused or is cancelled. A file
	 * with a name is kept in the browser afterwards, and opens at once when it comes again. With `columns`, a
	 * mapping as kmem_import_columns has it, it is read as CSV, and anew.
	 */
	load(
		input: Input,
		machine: Machine,
		onProgress: (p: Progress) => void,
		columns?: string,
	): Promise<Loaded | Refused | Asked | Overlaid>;
	/** Makes caches as the machine has them whose state is laid over the model, or no longer. */
	useOverlay(on: boolean, onProgress: (p: Progress) => void): Promise<Overlaid>;
	/** The state of the machine that caches are made of now; undefined if they are the model's own. */
	cachesInUse(): Promise<Uint8Array | undefined>;
	/** Whether a file tells the state of a machine's caches. Whatever else it is, load() says. */
	isState(file: File): Promise<boolean>;
	/**
	 * Imports a file and keeps it, beside the trace in use; resolves to its key. Rejects with a sentence where it is no
	 * trace, has no room or cannot be kept.
	 */
	keepAside(file: File, onProgress: (p: Progress) => void): Promise<string>;
	/** Opens what is kept under that key. */
	loadRecent(
		key: string,
		machine: Machine,
		onProgress: (p: Progress) => void,
	): Promise<Loaded | Refused>;
	/** A recording that is made, by its name: `workload:netio?seed=7`. */
	loadMade(
		trace: string,
		machine: Machine,
		onProgress: (p: Progress) => void,
	): Promise<Loaded | Refused>;
	/** The recording in use as a slabtrace. */
	text(): Promise<Blob>;
	/** What the recorded kernel counted itself, by cache; none where the recording does not tell it. */
	told(): Promise<ToldByKernel>;
	/** Replays the trace in use on another machine. */
	rebuild(machine: Machine, onProgress: (p: Progress) => void): Promise<Built>;
	/** Stops a load or rebuild in progress, which then rejects with Cancelled (errors.ts). */
	cancel(): void;
	go(goal: Goal, cache: number): Promise<PackedMoment>;
	/** Objects as they lie in memory at a moment; what an operation in its middle is about to change is left out. */
	objects(at: Position, wanted: readonly ObjectId[]): Promise<readonly CloseUp[]>;
	/** The first moment after a position at which a condition holds, or the last before it; undefined: there is none. */
	find(
		conditions: readonly Condition[],
		from: Position,
		direction: 1 | -1,
		onProgress: (p: Progress) => void,
	): Promise<Found | undefined>;
	/** What happened to a thing, and around an operation. The first question takes a pass over the recording. */
	life(thing: Thing, op: number, onProgress: (p: Progress) => void): Promise<Life>;
	/** The next operation that touched it after op, or the last one before; -1: there is none. */
	touch(
		thing: Thing,
		op: number,
		direction: 1 | -1,
		onProgress: (p: Progress) => void,
	): Promise<number>;
	/** The last operation that had begun by a time of the recording's clock. */
	opAtTime(time: number): Promise<number>;
	/** Whose bytes an address is in after an operation; index -1: the slab's own. undefined: nobody's. */
	objectAt(at: Position, address: number): Promise<ObjectId | undefined>;
	/** Who calls in the recording, in the order of first use. */
	callSites(): Promise<readonly string[]>;
	/** The next operation after op that was called from there; -1: there is none. */
	nextCall(callSite: string, op: number): Promise<number>;
	/** What the recording in use comes to on another machine; the one on the stage stays as it is. */
	searches(machine: Machine, onProgress: (p: Progress) => void): Promise<Searches>;
	/** The recording in use on other machines; they stay in step until the next question. */
	compare(machines: readonly Machine[], onProgress: (p: Progress) => void): Promise<Comparison>;
	/** The machine on the stage and those compared with it, after an operation. */
	compareAt(op: number): Promise<readonly Totals[]>;
	/**
	 * What one of those compared, from 1, has of a cache after so many operations; undefined where it has no cache of
	 * that name.
	 */
	ghost(other: number, ops: number, cacheName: string): Promise<PackedFrame | undefined>;
	/** What order rules answer; needs no recording. */
	orders(question: OrderQuestion): Promise<OrderAnswer>;
	/** A question on a recording with the core's answer; the one on the stage stays as it is. */
	question(of: Played, ask: Ask): Promise<Question>;
	/** What a recording comes to on a machine, beside the one on the stage. */
	figures(of: Played): Promise<Figures>;
	/** An experiment of a proposal, with the figures of the proposal and of a real kernel. */
	study(id: string): Promise<Study>;
	/** Recordings that the browser keeps, latest first. */
	recent(): Promise<readonly Recent[]>;
	/** Lets one go, or all of them. Resolves to what is left. */
	forget(key: string | "all"): Promise<readonly Recent[]>;
	/** Resolves once the last file that was loaded is kept, or is not: then with one sentence on why, else "". */
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
	/** Of a file: which one it is, as Recent has it; "" for what was no file. */
	readonly key: string;
	/** Of CSV that was just read. */
	readonly csv: CsvHeader | undefined;
	/** Whether it came out of what the browser keeps. */
	readonly wasKept: boolean;
}

/** A file that has no room. */
export interface Refused {
	readonly refusal: Refusal;
}

/** A CSV file whose columns have names that nobody knows: the visitor is asked. */
export interface Asked {
	readonly csv: CsvHeader;
}

/** The recorded kernel's own counters; none of either where it told none. */
export interface ToldByKernel {
	readonly counters: readonly Told[];
	/** What they and the model's at the end of the trace say of each other. */
	readonly why: readonly string[];
}

/** A file that is no trace but the state of a machine's caches: it lies over the model of the trace in use now. */
export interface Overlaid {
	readonly overlay: readonly OverlayRow[];
	readonly built: Built;
}
