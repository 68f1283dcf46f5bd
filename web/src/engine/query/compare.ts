/**
 * Replays the trace in use on other machines, in lockstep with the one on the stage: each has a session of its own.
 * The core gives a number for the decisions of each event; the first event whose numbers differ is the first
 * divergence.
 */

import { Measure, Metric, type Totals } from "#abi";
import type { KmemSession } from "#wasm";
import type { Comparison, Divergence, Run } from "../answers.ts";
import type { PackedFrame } from "../frame.ts";
import type { Pace } from "../pace.ts";
import { packFrame } from "../rows.ts";
import { twinOf } from "./clone_session.ts";

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
		const divergence = await this.#divergence(pace);
		return { runs: [this.#first, ...this.#others].map(runOf), divergence };
	}

	/** The totals of all machines after that event. */
	totals(op: number): Totals[] {
		return [this.#first, ...this.#others].map((session) => {
			session.seek(op + 1);
			return session.totals();
		});
	}

	/** The frame of another machine for a cache after so many events; undefined: it has no cache of that name. */
	frame(other: number, ops: number, cacheName: string): PackedFrame | undefined {
		const session = this.#others[other - 1];
		session?.seek(ops);
		const cache = session?.caches().find((c) => c.name === cacheName)?.cache;
		return session && cache !== undefined ? packFrame(session.view(cache)) : undefined;
	}

	async #divergence(pace: Pace): Promise<Divergence | null> {
		const total = this.#first.nrOps;
		for (let op = 0; op < total; ) {
			const mine = this.#first.prints(op);
			const found = this.#others
				.map((other, i) => {
					const prints = other.prints(op);
					return { other: i + 1, at: mine.findIndex((print, k) => print !== prints[k]) };
				})
				.filter(({ at }) => at >= 0)
				.toSorted((a, b) => a.at - b.at)[0];
			if (found) return this.#explained(op + found.at, found.other);
			op += mine.length;
			await pace.breathe({ phase: "comparing", done: op, total, events: total });
		}
		return null;
	}

	#explained(op: number, other: number): Divergence {
		const second = this.#others[other - 1];
		const [a, b] = [this.#first, second].map((s) => s?.steps(op).rows.map((row) => row.sentence));
		const at = (a ?? []).findIndex((sentence, i) => sentence !== b?.[i]);
		const step = at < 0 ? (a?.length ?? 0) : at;
		const said = (rows: readonly string[] | undefined) => rows?.[step] ?? "Nothing more.";
		const { sentence } = this.#first.op(op);
		return { op, other, sentence, reasons: [said(a), said(b)] };
	}
}

function runOf(session: KmemSession): Run {
	return {
		machine: session.machine().text,
		slabBytes: session.series(Metric.METRIC_SLAB_BYTES),
		counters: session.counters(),
		measures: Object.values(Measure).filter((measure) => session.hasMeasure(measure)),
	};
}
