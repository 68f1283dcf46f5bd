/** Which events of a trace go into a bundle: all of them if they fit, otherwise those around the one on screen. */
import type { FilterCondition } from "#wasm";
import { count, numberOf } from "../../base/format.ts";

/** As text, this is about 100 MB, which the page packs in seconds; bundles are read within limits (bundle.ts). */
export const WHOLE_MOST = 1_000_000;
const BEFORE = 20_000;
const AFTER = 2_000;

/** The first and the last event in the bundle, from 0. The start of a trace gives the same slabs as the whole. */
export interface Cut {
	readonly part: "all" | "beginning" | "middle";
	readonly from: number;
	readonly to: number;
	readonly nrOps: number;
}

export function cutAround(op: number, nrOps: number): Cut {
	const to = Math.min(op + AFTER, nrOps - 1);
	if (nrOps <= WHOLE_MOST) return { part: "all", from: 0, to: nrOps - 1, nrOps };
	if (to < WHOLE_MOST) return { part: "beginning", from: 0, to, nrOps };
	return { part: "middle", from: op - BEFORE, to, nrOps };
}

export function conditionsOf({ part, from, to }: Cut): FilterCondition[] {
	const last: FilterCondition = ["to-event", String(numberOf(to))];
	if (part === "all") return [];
	return part === "beginning" ? [last] : [["from-event", String(numberOf(from))], last];
}

/** Names the part in words: "all 2,557 events", or "events 1 to 52,000 of 1,200,000". */
export function cutWords({ part, from, to, nrOps }: Cut): string {
	if (part === "all") return `all ${count(nrOps)} events`;
	return `events ${count(numberOf(from))} to ${count(numberOf(to))} of ${count(nrOps)}`;
}
