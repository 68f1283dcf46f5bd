// workloads.ts - generated traces, and the shape of any trace; session.workloads.

import * as abi from "./abi.ts";
import { Group } from "./group.ts";
import type { Shape, Workload } from "./rows.ts";

/** KEY=VALUE pairs, keys of the workload or of the machine: { "seed": 7, "payload": 0, "nodes": 4 }. */
export type WorkloadSettings = Readonly<Record<string, number | string>>;

const SLICE_OPS = 1 << 17;

export class Workloads extends Group {
	/** Returns all workloads, with their keys. */
	list(): readonly Workload[] {
		return JSON.parse(this.text(this.kmem.kmem_workloads_json(this.s))) as Workload[];
	}

	/** Generates a trace, e.g. make("netio", { "seed": 7 }); the session's report then describes it. */
	make(name: string, settings: WorkloadSettings = {}): void {
		for (const _ of this.slices(name, settings)) {
			// Each slice is the work itself.
		}
	}

	/** Does the same in slices: yields how many thousandths are still to go. */
	*slices(
		name: string,
		settings: WorkloadSettings = {},
		sliceOps = SLICE_OPS,
	): Generator<number, void, void> {
		const words = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
		const nameAt = this.putText(name, 0);
		const settingsAt = this.putText(words.join(" "), name.length * 3 + 1);
		this.beginJob(abi.Job.JOB_WORKLOAD, nameAt, settingsAt);
		yield* this.jobSlices(abi.Job.JOB_WORKLOAD, sliceOps);
	}

	/** Returns the call sites without duplicates, in the order of first use. */
	callSites(): string[] {
		const { kmem, s } = this;
		const all = new Set<string>();
		for (let i = 0; ; i++) {
			const at = kmem.kmem_call_site(s, i) >>> 0;
			if (at === 0) break;
			all.add(this.text(at));
		}
		all.delete("");
		return [...all];
	}

	/** Finds the next event after op that was called from there, or the last before it; undefined if there is none. */
	nextCall(callSite: string, op: number, back = false): number | undefined {
		const { kmem, s } = this;
		const next = kmem.kmem_next_call(s, this.putText(callSite, 0), op, Number(back)) >>> 0;
		return next === 0xffffffff ? undefined : next;
	}

	/** Describes the trace: sizes, lifetimes, frees on other CPUs, live objects. */
	shape(): Shape {
		const at = this.address(this.kmem.kmem_shape(this.s));
		const raw = abi.readShape(this.memory(), at);
		return {
			...raw,
			sizes: this.rowsAt(raw.sizesAt, raw.nrSizes, abi.SHAPE_SIZE_SIZE, abi.readShapeSize),
		};
	}
}
