/**
 * Two machines in lockstep. On one trace, or on two futures of it, an event corresponds to itself; on two traces, to
 * the event at the same share of the other one.
 */

interface Length {
	readonly nrOps: number;
	/** Undefined for the first machine's trace, or a future of it. */
	readonly trace?: string | undefined;
}

/** Returns another machine's event that corresponds to an event of the first one, counted from 0. */
export function eventOf(op: number, { nrOps }: Length, other: Length): number {
	return other.trace === undefined
		? Math.min(op, Math.max(0, other.nrOps - 1))
		: eventAtShare(op, nrOps, other.nrOps);
}

/** In traces of equal length, it's the same event. */
function eventAtShare(op: number, nrOps: number, nrOthers: number): number {
	if (nrOps === nrOthers || nrOps < 2) return Math.min(op, Math.max(0, nrOthers - 1));
	return Math.round((op / (nrOps - 1)) * Math.max(0, nrOthers - 1));
}
