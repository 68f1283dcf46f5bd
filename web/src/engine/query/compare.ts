/**
 * Replays the trace in use on other machines, in lockstep with the one on the stage: each has a session of its own.
 * The core gives a number for the decisions of each event; the first event whose numbers differ is the first
 * divergence of two machines.
 */

import { Measure, type Totals } from "#abi";
import type { KmemSession } from "#wasm";
import type { Comparison, Divergence, OtherStage, Run, StageOf } from "../answers.ts";
import type { Pace } from "../pace.ts";
import { curvesOf, packFrame } from "../rows.ts";
import type { Param, Series } from "../types.ts";
import { twinOf } from "./clone_session.ts";

/** Points of the curve of model cycles, which the core does not sample while it replays. */
const CYCLE_POINTS = 128;
const NOTHING_MORE = "Nothing more.";

export class ComparedMachines {
	readonly #first: KmemSession;
	readonly #others: KmemSession[] = [];

	constructor(first: KmemSession) {
		this.#first = first;
	}

	async add(
		module: WebAssembly.Module,
		set: (session: KmemSession) => void,
		pace: Pace,
	): Promise<void> {
		this.#others.push(await twinOf(module, this.#first, set, pace));
	}

	async compare(pace: Pace): Promise<Comparison> {
		const runs: Run[] = [];
		const divergences: (Divergence | null)[] = [];
		for (const session of [this.#first, ...this.#others]) runs.push(await runOf(session, pace));
		for (const other of this.#others) divergences.push(await this.#divergence(other, pace));
		return { runs, divergences };
	}

	/** The totals of all machines after that event. */
	totals(op: number): Totals[] {
		return [this.#first, ...this.#others].map((session) => {
			session.seek(op + 1);
			return session.totals();
		});
	}

	/**
	 * Another machine's stage for a cache after that event, or before it, and the cost of the event on both machines;
	 * undefined: it has no cache of that name.
	 */
	stage({ other, op, isDone, cache: name }: StageOf): OtherStage | undefined {
		const session = this.#others[other - 1];
		if (!session) return undefined;
		session.seek(isDone ? op + 1 : op);
		const cache = session.caches().find((c) => c.name === name);
		if (!cache) return undefined;
		const [zones, packed] = [session.zones(), packFrame(session.view(cache.cache))];
		return { cache, zones, packed, cycles: [this.#first.path(op).cycles, session.path(op).cycles] };
	}

	/** Where another machine first decides differently from the first one; null: nowhere. */
	async #divergence(other: KmemSession, pace: Pace): Promise<Divergence | null> {
		const total = this.#first.nrOps;
		for (let op = 0; op < total; ) {
			const mine = this.#first.prints(op);
			const theirs = other.prints(op);
			const at = mine.findIndex((print, k) => print !== theirs[k]);
			if (at >= 0) return this.#explained(op + at, other);
			op += mine.length;
			await pace.breathe({ phase: "comparing", done: op, total, events: total });
		}
		return null;
	}

	/** The first step whose sentences differ; a machine that takes fewer steps says so. */
	#explained(op: number, other: KmemSession): Divergence {
		const [a, b] = [this.#first, other].map((s) => s.steps(op).rows.map((row) => row.sentence));
		const [mine, theirs] = [a ?? [], b ?? []];
		const at = mine.findIndex((sentence, i) => sentence !== theirs[i]);
		const step = at < 0 ? mine.length : at;
		return {
			op,
			step,
			nrSteps: mine.length,
			sentence: this.#first.op(op).sentence,
			reasons: [mine[step] ?? NOTHING_MORE, theirs[step] ?? NOTHING_MORE],
		};
	}
}

async function runOf(session: KmemSession, pace: Pace): Promise<Run> {
	const { text, nodes, nodeOfCpu } = session.machine();
	const { params } = JSON.parse(session.paramsJson()) as { readonly params: readonly Param[] };
	const setting = (key: string) => params.find((param) => param.key === key)?.value ?? "";
	return {
		machine: text,
		allocator: setting("allocator"),
		pageBytes: Number(setting("page_size")),
		nrOps: session.nrOps,
		nrNodes: nodes,
		nodeOfCpu,
		curves: curvesOf((metric) => session.series(metric)),
		cycles: await cyclesOf(session, pace),
		counters: session.counters(),
		measures: Object.values(Measure).filter((measure) => session.hasMeasure(measure)),
	};
}

/** Model cycles from the start of the trace, at the end of each of equal parts of it. */
async function cyclesOf(session: KmemSession, pace: Pace): Promise<Series> {
	const total = session.nrOps;
	const opsPerBucket = Math.max(1, Math.ceil(total / CYCLE_POINTS));
	const points: number[] = [];
	for (let op = 0; op < total; op += opsPerBucket) {
		session.seek(Math.min(total, op + opsPerBucket));
		points.push(session.totals().cycles);
		await pace.breathe({ phase: "comparing", done: op, total, events: total });
	}
	const at = Float64Array.from(points);
	return { opsPerBucket, min: at, max: at };
}
