/** Answers the timeline's questions about one cache: its curves over the whole trace, and its numbers after one event. */
import type { KmemSession } from "#wasm";
import { nearestEvent } from "../nearest_event.ts";
import type { Pace } from "../pace.ts";
import { curvesOf } from "../rows.ts";
import { ALL_CACHES, type Curves, type Glance, type Near } from "../types.ts";

const SLICE_OPS = 1 << 14;

/** Replays once more, in slices: calls from the page get their turn in between, and may move the session. */
export async function cacheSeries(
	session: KmemSession,
	cache: number,
	pace: Pace,
): Promise<Curves> {
	const total = session.nrOps;
	for (const left of session.cacheSeriesSlices(cache, SLICE_OPS))
		await pace.breathe({ phase: "indexing", done: total - left, total, events: total });
	return curvesOf((metric) => session.cacheSeries(metric));
}

export function glance(session: KmemSession, op: number, cache: number, near?: Near): Glance {
	const event = nearestEvent(session, op, near);
	session.seek(event + 1);
	const rows = session.caches().filter((c) => cache === ALL_CACHES || c.cache === cache);
	const sum = (of: "liveObjects" | "slabs" | "partial") =>
		rows.reduce((all, row) => all + row[of], 0);
	const { sentence, time } = session.op(event);
	return {
		op,
		event,
		sentence,
		time,
		live: sum("liveObjects"),
		slabs: sum("slabs"),
		partial: sum("partial"),
	};
}
