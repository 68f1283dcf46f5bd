/**
 * Replays the trace in use on other machines, in lockstep with the one on the stage: each has its own session. The
 * core gives a number for the decisions in each event; the first event whose numbers differ is where two machines
 * first diverge.
 */

import { Measure, type Totals } from "#abi";
import { KmemSession } from "#wasm";
import { eventWords } from "../../base/format.ts";
import type {
	ComparedMachine,
	Comparison,
	DifferenceOf,
	Divergence,
	Fork,
	OtherStage,
	Run,
	StageOf,
	Taken,
} from "../answers.ts";
import { eventOf } from "../lockstep.ts";
import { SLICE_OPS } from "../machine.ts";
import { type Pace, through } from "../pace.ts";
import { curvesOf } from "../rows.ts";
import type { Goal, Param, Series } from "../types.ts";
import { levelsOf, pathOf } from "./levels.ts";

/** How many points the curve of model cycles has, which the core does not sample while it replays. */
const CYCLE_POINTS = 128;
/** How many events' cycles to read before other work gets a turn. */
const CYCLE_OPS = 256;
const NOTHING_MORE = "No more steps.";

/** An event on another machine. */
export interface FoundThere {
	readonly session: KmemSession;
	readonly cache: number;
	readonly goal: Goal;
	readonly taken: OtherStage["taken"];
}

export class ComparedMachines {
	readonly #first: KmemSession;
	readonly #others: KmemSession[] = [];
	/** The trace of each of the others; undefined for the first machine's trace, or another future of it. */
	readonly #traces: (string | undefined)[] = [];

	constructor(first: KmemSession) {
		this.#first = first;
	}

	/** Adds a machine that replays the same trace, or another future of it; `fork`: the fork of the trace on the stage. */
	async add(
		module: WebAssembly.Module,
		{ future }: ComparedMachine,
		fork: Fork | undefined,
		set: (session: KmemSession) => void,
		pace: Pace,
	): Promise<void> {
		const other = await cloneOf(module, this.#first, { now: fork, wanted: future }, set, pace);
		this.#others.push(other);
		this.#traces.push(undefined);
	}

	/** Adds a machine that replays another trace, in a session that is built. */
	addTrace(session: KmemSession, trace: string): void {
		this.#others.push(session);
		this.#traces.push(trace);
	}

	async compare(pace: Pace): Promise<Comparison> {
		const runs: Run[] = [];
		const divergences: (Divergence | null)[] = [];
		for (const [i, session] of [this.#first, ...this.#others].entries())
			runs.push({ ...(await runOf(session, pace)), trace: this.#traces[i - 1] });
		for (const [i, other] of this.#others.entries())
			divergences.push(this.#traces[i] ? null : await this.#divergence(other, pace));
		return { runs, divergences };
	}

	/** Returns the totals of all machines after that event. */
	totals(op: number): Totals[] {
		return [this.#first, ...this.#others].map((session, nr) => {
			session.seek((nr === 0 ? op : this.#eventOf(nr, op)) + 1);
			return session.totals();
		});
	}

	/** Returns the event of machine `other` (from 1) that corresponds to an event of the first one. */
	#eventOf(other: number, op: number): number {
		const nrOps = this.#others[other - 1]?.nrOps ?? 0;
		return eventOf(op, this.#first, { nrOps, trace: this.#traces[other - 1] });
	}

	/**
	 * Where that event is on another machine, for a cache, and its path on both; undefined: the machine has no cache
	 * with that name. The event's own cache is replaced by the one that serves the event there; for another trace, by
	 * the one with the most slabs.
	 */
	find({ other, op, step, cache: name }: StageOf): FoundThere | undefined {
		const session = this.#others[other - 1];
		if (!session) return undefined;
		const own = this.#eventOf(other, op);
		const isOther = this.#traces[other - 1] !== undefined;
		const isPastEnd = !isOther && op > own;
		const taken = [takenBy(this.#first, op), takenBy(session, own)] as const;
		const [mine, theirs] = taken.map(({ path }) => path.cache);
		const isOwn = this.#first.caches().some((c) => c.cache === mine && c.name === name);
		const caches = session.caches();
		const cache =
			caches.find((c) => c.name === name) ??
			(isOther ? largest(caches) : caches.find((c) => isOwn && c.cache === theirs));
		if (!cache) return undefined;
		return {
			session,
			cache: cache.cache,
			goal: { kind: "at", op: own, step: isPastEnd ? "last" : step },
			taken,
		};
	}

	/** An event that costs different cycles on another machine with the same trace; undefined: there is none. */
	async difference(
		{ other, cache: name, after }: DifferenceOf,
		pace: Pace,
	): Promise<number | undefined> {
		const [first, second] = [this.#first, this.#others[other - 1]];
		if (!second) return undefined;
		const cache = first.caches().find((c) => c.name === name)?.cache;
		const total = Math.min(first.nrOps, second.nrOps);
		let largest = 0;
		let found: number | undefined;
		for (let from = (after ?? -1) + 1; from < total; from += CYCLE_OPS) {
			const to = Math.min(total, from + CYCLE_OPS);
			const [mine, theirs] = [first, second].map((s) => cyclesOfEach(s, from, to));
			for (let op = from; op < to; op++) {
				const apart = Math.abs((mine?.[op - from] ?? 0) - (theirs?.[op - from] ?? 0));
				if (apart <= largest) continue;
				if (cache !== undefined && first.op(op).cache !== cache) continue;
				if (after !== undefined) return op;
				[largest, found] = [apart, op];
			}
			await pace.breathe({ phase: "comparing", done: to, total, events: total });
		}
		return found;
	}

	/** Where another machine first decides differently from the first one; null: nowhere. */
	async #divergence(other: KmemSession, pace: Pace): Promise<Divergence | null> {
		const total = Math.min(this.#first.nrOps, other.nrOps);
		for (let op = 0; op < total; ) {
			const mine = this.#first.prints(op);
			const theirs = other.prints(op);
			const at = mine.findIndex((print, k) => print !== theirs[k]);
			// This includes the event after the end of a shorter future.
			if (at >= 0) return this.#explained(op + at, other);
			op += mine.length;
			await pace.breathe({ phase: "comparing", done: op, total, events: total });
		}
		return other.nrOps > total ? this.#explained(total, other) : null;
	}

	/** The first step whose sentences differ; a machine that takes fewer steps says so. */
	#explained(op: number, other: KmemSession): Divergence {
		const stepsOf = (s: KmemSession) =>
			op < s.nrOps
				? s.steps(op).rows.map((row) => row.sentence)
				: [`It ends after ${eventWords(op - 1)}.`];
		const [mine, theirs] = [stepsOf(this.#first), stepsOf(other)];
		const sentenceOf = (s: KmemSession) => (op < s.nrOps ? s.op(op).sentence : "");
		const at = mine.findIndex((sentence, i) => sentence !== theirs[i]);
		const step = at < 0 ? mine.length : at;
		return {
			op,
			step,
			nrSteps: mine.length,
			sentences: [sentenceOf(this.#first), sentenceOf(other)],
			reasons: [mine[step] ?? NOTHING_MORE, theirs[step] ?? NOTHING_MORE],
		};
	}
}

function takenBy(session: KmemSession, op: number): Taken {
	const path = pathOf(session, op);
	return { path, levels: levelsOf(session, path.cache) };
}

function largest<Row extends { readonly slabs: number }>(rows: readonly Row[]): Row | undefined {
	return rows.toSorted((a, b) => b.slabs - a.slabs)[0];
}

async function runOf(session: KmemSession, pace: Pace): Promise<Omit<Run, "trace">> {
	const { text, nodes, nodeOfCpu } = session.machine();
	const { params } = JSON.parse(session.paramsJson()) as { readonly params: readonly Param[] };
	const setting = (key: string) => params.find((param) => param.key === key)?.value ?? "";
	return {
		machine: text,
		sampling: session.report().sampling,
		slabsBefore: session.warmSlabs(),
		from: session.start().from,
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

/** Returns the model cycles of each event in a part of the trace. */
function cyclesOfEach(session: KmemSession, from: number, to: number): number[] {
	session.seek(from);
	let before = session.totals().cycles;
	return Array.from({ length: to - from }, (_, i) => {
		session.seek(from + i + 1);
		const { cycles } = session.totals();
		const own = cycles - before;
		before = cycles;
		return own;
	});
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

/** The fork of a session, if it has one, and the future that its clone is to have: a fork, or the recorded one. */
interface Futures {
	readonly now: Fork | undefined;
	/** Left out: the same future. */
	readonly wanted: Fork | null | undefined;
}

/**
 * Builds a session for the same trace. It starts as a copy of the whole memory, so that its replay starts like
 * the first one's: the text of a trace has neither its recorded future nor its pointers. `set` changes its machine
 * from the first one's.
 */
export async function cloneOf(
	module: WebAssembly.Module,
	of: KmemSession,
	{ now, wanted }: Futures,
	set: (clone: KmemSession) => void,
	pace: Pace,
): Promise<KmemSession> {
	const image = of.image();
	const clone = await KmemSession.ofImage(module, image.length);
	clone.fillImage(0, image);
	if (wanted) clone.fork(wanted.events, wanted.lines);
	else if (wanted === null && now) clone.leaveFork();
	set(clone);
	await through(pace, "comparing", clone.nrOps, clone.buildSlices(0, SLICE_OPS));
	return clone;
}
