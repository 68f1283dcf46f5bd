/** The shapes of the engine's longer answers: comparisons, order rules, questions of lessons, and refused files. */
import type { Totals } from "#abi";
import type { Input } from "./input.ts";
import type { Machine, Position, Series } from "./types.ts";

/** Why a file is not read to its end, and how to go on. */
export interface Refusal {
	readonly sentence: string;
	readonly ways: readonly string[];
	/** Of the file, from its start: what has room. */
	readonly share: number;
}

/** What a machine comes to over the whole recording. */
export interface Run {
	/** As the machine line of a slabtrace would have it. */
	readonly machine: string;
	readonly slabBytes: Series;
	/** Counters that its allocator has. */
	readonly counters: readonly number[];
	/** Measures that it has: enum kmem_measure. */
	readonly measures: readonly number[];
}

/** The first operation that a machine does not decide as the first one does, and the step at which they part. */
export interface Divergence {
	readonly op: number;
	/** Which run it is, from 1. */
	readonly other: number;
	readonly sentence: string;
	readonly reasons: readonly [string, string];
}

export interface Comparison {
	readonly runs: readonly Run[];
	readonly divergence: Divergence | null;
}

/** Sizes are multiples of this, as all slots of caches are. */
export const SIZE_STEP = 8;

/** No order holds an object of that size. */
export const NO_ORDER = 0xff;

export interface OrderQuestion {
	/** In force for all rules. */
	readonly machine: Machine;
	/** The parameter that is the rule, and the values to compare. */
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
	/** Bytes left over in a slab. */
	readonly waste: Uint32Array;
	/** Of the size that was asked for; null where no order holds such an object. */
	readonly why: OrderWhy | null;
}

export interface OrderWhy {
	readonly size: number;
	/** Bytes of the slot that the allocator makes of it. */
	readonly slotBytes: number;
	readonly order: number;
	readonly objects: number;
	readonly waste: number;
	readonly minPartial: number;
	readonly cpuPartialObjects: number;
	readonly cpuPartialSlabs: number;
	readonly tries: readonly OrderTry[];
	/** Tries made; of very many only the first are in `tries`. */
	readonly nrTries: number;
}

export interface OrderTry {
	readonly minObjects: number;
	/** The left-over may be 1/fraction of the slab; 0 where the rule asks for something else. */
	readonly fraction: number;
	readonly order: number;
	readonly remainder: number;
	readonly accepted: boolean;
}

/** `order` is asked of a size, the others of an operation. */
export const QUESTION_KINDS = ["slab", "path", "zones", "keep", "pages", "order"] as const;

export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface Ask {
	readonly kind: QuestionKind;
	/** 0 asks about `op` or `size`, where one is given; every other number about another. */
	readonly seed: number;
	readonly op?: number | undefined;
	readonly size?: number | undefined;
	/** Only operations of this cache. */
	readonly cache?: string | undefined;
}

export interface Question {
	readonly kind: QuestionKind;
	readonly title: string;
	/** What is known before, in sentences. */
	readonly given: readonly string[];
	readonly choices: readonly string[];
	/** Which one is right. */
	readonly answer: number;
	/** Why, in one sentence without terms. */
	readonly plain: string;
	/** The core's own sentences on why. */
	readonly why: readonly string[];
	/** The moment to guess at, and the one that answers; undefined where it is no moment of a recording. */
	readonly before?: Position | undefined;
	readonly after?: Position | undefined;
	/** The cache that it is about. */
	readonly cache: string;
}

/** A recording on a machine. */
export interface Played {
	/** A sample's file, or WORKLOAD:NAME?KEY=VALUE&... */
	readonly trace: string;
	/** What is in the file; nothing of a workload. */
	readonly file?: Input | undefined;
	readonly machine: Machine;
}

export const WORKLOAD = "workload:";

/** What a recording comes to. */
export interface Figures {
	readonly totals: Totals;
	readonly nrOps: number;
	readonly caches: number;
	/** Counters that the allocator has: indices of COUNTER_NAMES. */
	readonly counters: readonly number[];
}
