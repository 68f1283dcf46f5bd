/** Two traces in lockstep: an event of one stands for the event at the same share of the other. */

/** Events are counted from 0; traces of equal length have the same event. */
export function eventAtShare(op: number, nrOps: number, nrOthers: number): number {
	if (nrOps === nrOthers || nrOps < 2) return Math.min(op, Math.max(0, nrOthers - 1));
	return Math.round((op / (nrOps - 1)) * Math.max(0, nrOthers - 1));
}
