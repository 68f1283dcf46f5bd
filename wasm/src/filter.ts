// filter.ts - chooses events of a trace by time, number, CPU, node, cache, call site and task; session.filter.

import * as abi from "./abi.ts";
import { copyBytes } from "./core.ts";
import { Group } from "./group.ts";

const NONE = 0xffffffff;
const ANY_CACHE = 0xffff;
const SLICE_OPS = 1 << 17;

/** The properties by which events are chosen. */
export const FILTER_KEYS = [
	"from-event",
	"to-event",
	"from-time",
	"to-time",
	"cpu",
	"node",
	"cache",
	"call-site",
	"task",
] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** More values of one key widen a filter, more keys narrow it. */
export type FilterCondition = readonly [FilterKey, string];

export class Filter extends Group {
	/** Chooses the events that pass all conditions; yields about how many are still to go. Throws for a bad value. */
	*slices(
		conditions: readonly FilterCondition[],
		sliceOps = SLICE_OPS,
	): Generator<number, void, void> {
		const choices = new Uint32Array(2 * conditions.length);
		let end = choices.byteLength;
		for (const [i, text] of conditions.flat().entries()) {
			choices[i] = this.putText(text, end);
			end += text.length * 3 + 1;
		}
		new Uint32Array(this.kmem.memory.buffer, this.scratch).set(choices);
		this.beginJob(abi.Job.JOB_FILTER, this.scratch, conditions.length);
		yield* this.jobSlices(abi.Job.JOB_FILTER, sliceOps);
	}

	/** Returns the events that the last filter chose; throws unless it has run to its end. */
	chosen(): abi.Filter {
		const at = this.address(this.kmem.kmem_filter(this.s));
		return abi.readFilter(this.memory(), at);
	}

	/** Finds the first chosen event at or after event op, or the last one before it; of one cache, or of all. */
	next(op: number, direction: 1 | -1, cache = ANY_CACHE): number | undefined {
		const { kmem, s } = this;
		const found = kmem.kmem_filter_next(s, op, Number(direction < 0), cache) >>> 0;
		return found === NONE ? undefined : found;
	}

	/** Says which of the events from event op on are chosen: one bit each, the lowest first. Needs a build. */
	bits(op: number, nr: number): Uint32Array<ArrayBuffer> {
		const { kmem, s } = this;
		const at = this.address(kmem.kmem_filter_bits(s, op, nr));
		return new Uint32Array(copyBytes(kmem.memory, at, Math.ceil(nr / 32) * 4));
	}

	/** Returns the chosen objects that are live at the position. */
	objects(cache = ANY_CACHE): abi.Entry[] {
		const call = (s: number, nr: number) => this.kmem.kmem_filter_objects(s, cache, nr);
		return this.rowsOf(call, abi.ENTRY_SIZE, abi.readEntry);
	}

	/** Chooses every event again. */
	end(): void {
		this.kmem.kmem_filter_end(this.s);
	}
}
