/** The shapes of the engine's longer answers: comparisons, order rules, questions of lessons, and refused files. */
import type { Totals } from "#abi";
import type { Input } from "./input.ts";
import type { Machine, Position, Series } from "./types.ts";

/** Why a file is not read to its end, and how to go on. */
export interface Refusal {
	readonly sentence: string;
	readonly ways: readonly string[];
	/** The part of the file, from its start, that fits in memory. */
	readonly share: number;
}

/** A machine's totals over the whole trace. */
export interface Run {
	/** As a machine line of a slabtrace. */
	readonly machine: string;
	readonly slabBytes: Series;
	/** Counters that its allocator has. */
	readonly counters: readonly number[];
	/** Measures that its allocator has: enum kmem_measure. */
	readonly measures: readonly number[];
}

/** The first divergence: the first event that a machine decides differently from the first machine, and the step. */
export interface Divergence {
	readonly op: number;
	/** The number of the run, from 1. */
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
	/** Number of tries; `tries` has only the first of very many. */
	readonly nrTries: number;
}

export interface OrderTry {
	readonly minObjects: number;
	/** The tail waste may be 1/fraction of the slab; 0 if the rule has another limit. */
	readonly fraction: number;
	readonly order: number;
	readonly remainder: number;
	readonly accepted: boolean;
}

/** `order` is a question about a size, the others are about an event. */
export const QUESTION_KINDS = ["slab", "path", "zones", "keep", "pages", "order"] as const;

export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface Ask {
	readonly kind: QuestionKind;
	/** Random seed; 0 asks about `op` or `size` if one is given, every other number about another one. */
	readonly seed: number;
	readonly op?: number | undefined;
	readonly size?: number | undefined;
	/** Only events of this cache. */
	readonly cache?: string | undefined;
}

export interface Question {
	readonly kind: QuestionKind;
	readonly title: string;
	/** The facts that are given, in sentences. */
	readonly given: readonly string[];
	readonly choices: readonly string[];
	/** The index of the right one. */
	readonly answer: number;
	/** The reason, in one sentence without kernel terms. */
	readonly plain: string;
	/** The core's own sentences about the reason. */
	readonly why: readonly string[];
	/** The position to guess at, and the one that answers; undefined if the question is not about a trace. */
	readonly before?: Position | undefined;
	readonly after?: Position | undefined;
	/** The cache in question. */
	readonly cache: string;
}

/** A trace on a machine. */
export interface Played {
	/** A sample's file, or WORKLOAD:NAME?KEY=VALUE&... */
	readonly trace: string;
	/** The contents of the file; undefined for a workload. */
	readonly file?: Input | undefined;
	readonly machine: Machine;
}

export const WORKLOAD = "workload:";

/** The totals of a trace. */
export interface Figures {
	readonly totals: Totals;
	readonly nrOps: number;
	readonly caches: number;
	/** Counters that the allocator has: indices of COUNTER_NAMES. */
	readonly counters: readonly number[];
}
