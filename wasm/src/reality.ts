// reality.ts - checks the model against the run of a real kernel: the states at both ends, and how far the two agree;
// session.reality.

import * as abi from "./abi.ts";
import { Group } from "./group.ts";

/** enum kmem_state of kmem_doctor.h, by name. */
const EDGES = ["start", "stop"] as const;

/** Which state of a run. */
export type Edge = (typeof EDGES)[number];

export interface CheckedCache {
	readonly name: string;
	readonly events: number;
	readonly allocations: number;
	/** How many allocations got the recorded slab and index. */
	readonly right: number;
	/** Slabs at the end minus slabs at the start; the kernel's need a stop state. */
	readonly kernel_slabs: number;
	readonly model_slabs: number;
	readonly lists: number;
	readonly lists_equal: number;
	/** Counters that either side raised, with a stop state. */
	readonly counters: readonly (readonly [counter: number, kernel: number, model: number])[];
}

/** An event that took effect at a different point from where its line is. */
export interface CheckedMove {
	/** From 1. */
	readonly event: number;
	readonly cache: string;
	/** It took effect before that event of its cache; null if after all of them, or in its own place. */
	readonly before_event: number | null;
	/** Whether it stays in its place, but didn't search other nodes. */
	readonly skips_nodes: boolean;
}

/** The result of a check, with the keys of `slabscope check --json`. */
export interface Checked {
	readonly events: number;
	readonly allocations: number;
	readonly right: number;
	/** How many right ones could only be compared by their slab, because SLAB's state does not name the object. */
	readonly right_by_slab: number;
	/** Like `right`, but before any event has moved. */
	readonly right_in_recorded_order: number;
	readonly resynchronised: number;
	readonly moves: number;
	readonly moved: readonly CheckedMove[];
	readonly counters: {
		readonly cells: number;
		readonly within_1_percent: number;
		readonly within_10_percent: number;
	};
	readonly caches: { readonly all: number; readonly within_2: number };
	readonly stop_lists: { readonly all: number; readonly equal: number };
	readonly left_out: Readonly<Record<LeftOut, number>>;
	readonly controls: readonly { readonly setting: string; readonly right: number }[];
	readonly by_cache: readonly CheckedCache[];
	/** Equal parts of the run. */
	readonly band: readonly (readonly [allocations: number, right: number])[];
}

export type LeftOut =
	| "large"
	| "other_caches"
	| "odd_pointers"
	| "unknown_frees"
	| "unseen_frees"
	| "beside";

/** An allocation that the model placed elsewhere. */
export interface Divergence {
	/** From 1. */
	readonly event: number;
	readonly cache: string;
	readonly kernel: string;
	readonly model: string;
	readonly why: string;
}

/** More events than a trace has. */
const AT_ONCE = 0xffffffff;

export class Reality extends Group {
	/** Starts a state of the run; stateChunk and stateEnd follow. */
	stateBegin(edge: Edge): void {
		this.ok(this.kmem.kmem_state_begin(this.s, EDGES.indexOf(edge)));
	}

	stateChunk(bytes: Uint8Array): void {
		this.putBytes(bytes, this.kmem.kmem_state_chunk);
	}

	/** Throws a sentence about the first line that can't be right. */
	stateEnd(): void {
		this.ok(this.kmem.kmem_state_end(this.s));
	}

	/** Whether the start state names every object, so that builds can start from it; SLAB's doesn't. */
	get startNamesObjects(): boolean {
		return this.kmem.kmem_start_names_objects(this.s) !== 0;
	}

	/** From now on, builds of the trace start from the slabs of the start state, or no longer do; build afterwards. */
	beginWithState(on: boolean): void {
		this.ok(this.kmem.kmem_start_use(this.s, Number(on)));
	}

	/**
	 * Replays the trace from the start state, and once more for each control. With `infersOrder` events then move within
	 * their intervals, until the model makes the recorded choices. Yields the estimated thousandths to go after each slice of
	 * so many events, so that a host can show progress or stop; `checked` then has the result.
	 */
	*checkSlices(infersOrder: boolean, sliceEvents: number): Generator<number, void, void> {
		this.beginJob(abi.Job.JOB_CHECK, Number(infersOrder));
		yield* this.jobSlices(abi.Job.JOB_CHECK, sliceEvents);
	}

	/** Returns the result of the check; `parts` divide the band. */
	checked(parts: number): Checked {
		return this.json(this.kmem.kmem_check_json(this.s, parts)) as Checked;
	}

	/** Runs both at once. */
	check(parts: number, infersOrder = false): Checked {
		for (const _ of this.checkSlices(infersOrder, AT_ONCE));
		return this.checked(parts);
	}

	/** Returns the first divergence at or after an event, counted from 0. */
	divergence(from: number): Divergence | null {
		return this.json(this.kmem.kmem_check_divergence_json(this.s, from)) as Divergence | null;
	}

	private json(at: number): unknown {
		return JSON.parse(this.text(this.address(at)));
	}
}
