// workloads.ts - generated traces, and the shape of any trace; session.workloads.

import * as abi from "./abi.ts";
import { type Calls, readText } from "./core.ts";
import { readRows, type Shape, type Workload } from "./rows.ts";

/** KEY=VALUE pairs, keys of the workload or of the machine: { "seed": 7, "payload": 0, "nodes": 4 }. */
export type WorkloadSettings = Readonly<Record<string, number | string>>;

const SLICE_OPS = 1 << 17;

export class Workloads {
	private readonly host: Calls;

	constructor(host: Calls) {
		this.host = host;
	}

	/** All workloads, with their keys. */
	list(): readonly Workload[] {
		const { kmem, s } = this.host;
		const json = readText(kmem.memory, kmem.kmem_workloads_json(s) >>> 0);
		return JSON.parse(json) as Workload[];
	}

	/** Generates a trace, e.g. make("netio", { "seed": 7 }); the session's report then describes it. */
	make(name: string, settings: WorkloadSettings = {}): void {
		for (const _ of this.slices(name, settings)) {
			// Each slice is the work itself.
		}
	}

	/** The same in slices: yields how many thousandths are still to go. */
	*slices(
		name: string,
		settings: WorkloadSettings = {},
		sliceOps = SLICE_OPS,
	): Generator<number, void, void> {
		const { kmem, s } = this.host;
		const words = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
		const nameAt = this.host.putText(name, 0);
		const settingsAt = this.host.putText(words.join(" "), name.length * 3 + 1);
		this.host.check(kmem.kmem_workload_begin(s, nameAt, settingsAt));
		yield* this.host.slices(() => kmem.kmem_workload_run(s, sliceOps));
	}

	/** The call sites, in the order of first use, each once. */
	callSites(): string[] {
		const { kmem, s } = this.host;
		const all = new Set<string>();
		for (let i = 0; ; i++) {
			const at = kmem.kmem_call_site(s, i) >>> 0;
			if (at === 0) break;
			all.add(readText(kmem.memory, at));
		}
		all.delete("");
		return [...all];
	}

	/** The next event after op that was called from there, or the last before it; undefined: there is none. */
	nextCall(callSite: string, op: number, back = false): number | undefined {
		const { kmem, s } = this.host;
		const next = kmem.kmem_next_call(s, this.host.putText(callSite, 0), op, Number(back)) >>> 0;
		return next === 0xffffffff ? undefined : next;
	}

	/** Sizes, lifetimes, frees on other CPUs, live objects. */
	shape(): Shape {
		const at = this.host.pointer(this.host.kmem.kmem_shape(this.host.s));
		const view = new DataView(this.host.kmem.memory.buffer);
		const raw = abi.readShape(view, at);
		const from = this.host.base + raw.sizesAt;
		return {
			...raw,
			sizes: readRows(view, from, raw.nrSizes, abi.SHAPE_SIZE_SIZE, abi.readShapeSize),
		};
	}
}
