/**
 * Judges the problem at the end of a lesson: whether a trace on another machine reaches its goals. Also counts the
 * slow events.
 */

import { COUNTER_NAMES, type Totals, When } from "#abi";
import type { KmemSession } from "#wasm";

const REPORTS = "reports";

/** A goal for one metric, over the whole trace or after an event. */
export interface Target {
	/** A kernel counter by its name, a field of the totals, or "reports": those of debugging. */
	readonly metric: string;
	/** Counted from after this event, which is counted from 0. */
	readonly since?: number;
	readonly is: "at most" | "at least";
	/** The bound itself, or else a percentage of the value on the lesson's own machine. */
	readonly bound?: number;
	readonly percent?: number;
}

export interface Judged {
	/** On the lesson's own machine, and on the visitor's. */
	readonly own: number;
	readonly value: number;
	readonly bound: number;
	readonly isMet: boolean;
	/** Whether the visitor's allocator has no such counter, so that it cannot reach the goal. */
	readonly isAbsent: boolean;
}

export function judge(
	own: KmemSession,
	changed: KmemSession,
	targets: readonly Target[],
): Judged[] {
	return targets.map((target) => {
		const before = measured(own, target);
		const value = measured(changed, target);
		const bound = target.bound ?? Math.floor((before * (target.percent ?? 100)) / 100);
		const isAbsent = lacks(changed, target.metric);
		const isWithin = target.is === "at most" ? value <= bound : value >= bound;
		return { own: before, value, bound, isMet: isWithin && !isAbsent, isAbsent };
	});
}

function measured(session: KmemSession, { metric, since }: Target): number {
	session.seek(session.nrOps);
	const all = reading(session, metric);
	if (since === undefined) return all;
	session.seek(since + 1);
	return all - reading(session, metric);
}

function reading(session: KmemSession, metric: string): number {
	if (metric === REPORTS) return session.reports().all;
	const totals = session.totals();
	const counter = counterNr(metric);
	const value = counter >= 0 ? totals.counters[counter] : totals[metric as keyof Totals];
	if (typeof value !== "number")
		throw new RangeError(
			`The totals do not have a metric ${metric}: expected a kernel counter or a field of the totals.`,
		);
	return value;
}

function counterNr(metric: string): number {
	return (COUNTER_NAMES as readonly string[]).indexOf(metric);
}

function lacks(session: KmemSession, metric: string): boolean {
	const counter = counterNr(metric);
	return counter >= 0 && !session.counters().includes(counter);
}

/** Returns the slow events from `from` to `to`, in order. */
export function slowEvents(session: KmemSession, from: number, to: number): number[] {
	const slow: number[] = [];
	const last = Math.min(to, session.nrOps - 1);
	for (let op = from; op <= last; ) {
		const found = session.find([{ when: When.WHEN_SLOW_PATH }], { op, step: 0 });
		if (!found || found.op > last) break;
		slow.push(found.op);
		op = found.op + 1;
	}
	return slow;
}
