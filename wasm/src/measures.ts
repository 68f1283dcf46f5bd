// measures.ts - replays a trace only for its numbers, each with the event where it was highest; session.measures. It
// takes one pass, and keeps nothing for moving through the trace.

import * as abi from "./abi.ts";
import { Group } from "./group.ts";

/** A number of a replay. */
export interface MeasureName {
	/** The name for `slabscope sweep --metric`. */
	readonly key: string;
	readonly words: string;
}

/** One number; undefined if the allocator in use does not have it. */
export interface Measured extends MeasureName {
	readonly value: number | undefined;
	/** Where it comes from, if it is a memory figure. */
	readonly from: abi.From | undefined;
	/** Events done when it was highest. */
	readonly op: number;
}

/** The kernel counters of one cache; indices of both arrays are abi.Counter. */
export interface KernelCounters {
	readonly name: string;
	/** The model's cache of that name, ALL if there is none. */
	readonly cache: number;
	readonly all: readonly number[];
	/** How much of each comes from freeing objects that were allocated before the trace. */
	readonly before: readonly number[];
}

/** Every number that can be measured, in the core's order. */
export const MEASURES: readonly MeasureName[] = [
	...abi.MEASURE_NAMES.map((name, i) => ({
		key: name.slice(name.indexOf("_") + 1).toLowerCase(),
		words: abi.MEASURE_WORDS[i] ?? "",
	})),
	...abi.COUNTER_NAMES.map((name, i) => ({
		key: name.toLowerCase(),
		words: abi.COUNTER_WORDS[i] ?? "",
	})),
];

/** Keys of memory figures that the trace itself contains. */
const OF_TRACE: ReadonlySet<number> = new Set([
	abi.Measure.NUM_REQUESTED_BYTES,
	abi.Measure.NUM_LARGE_BYTES,
	abi.Measure.NUM_LIVE_OBJECTS,
]);

/** Returns the mark of a number after a replay with this start. */
function markOf(measure: number, start: abi.From): abi.From | undefined {
	if (OF_TRACE.has(measure)) return abi.From.FROM_MEASURED;
	return measure < abi.Measure.NUM_LIVE_OBJECTS ? start : undefined;
}

const SLICE_OPS = 1 << 16;
const ALL_ROWS = 0xffffffff;

export class Measures extends Group {
	/** Builds the machine, at its start. */
	begin(): void {
		this.beginJob(abi.Job.JOB_MEASURE);
	}

	/** Builds the machine and replays the trace; yields the events still to go. */
	*slices(sliceOps = SLICE_OPS): Generator<number, void, void> {
		this.begin();
		yield* this.jobSlices(abi.Job.JOB_MEASURE, sliceOps);
	}

	/** Returns the kernel counters; none if the trace has none. */
	kernelCounters(): KernelCounters[] {
		const rows = this.table(
			this.kmem.kmem_kernel_counters,
			abi.KERNEL_COUNTERS_ROW_SIZE,
			abi.readKernelCountersRow,
		);
		return this.named(rows).map(({ name, cache, all, before }) => ({ name, cache, all, before }));
	}

	/**
	 * Compares the kernel counters with the model's in sentences, up to the position; none without kernel counters.
	 */
	kernelCountersWhy(): string[] {
		const { kmem, s } = this;
		const sentences: string[] = [];
		for (let i = 0; ; i++) {
			const at = kmem.kmem_kernel_counters_why(s, ALL_ROWS, i) >>> 0;
			if (at === 0) return sentences;
			const sentence = this.text(at);
			if (sentence !== "") sentences.push(sentence);
		}
	}

	/** Returns the results after the replay. */
	rows(): Measured[] {
		const { kmem, s, scratch } = this;
		const at = this.address(kmem.kmem_measured(s, scratch));
		const start = kmem.kmem_from(s) as abi.From;
		const view = this.memory();
		return MEASURES.map((name, i) => {
			const { value, op, known } = abi.readMeasured(view, at + i * abi.MEASURED_SIZE);
			return { ...name, value: known === 1 ? value : undefined, from: markOf(i, start), op };
		});
	}
}
