/** Call sites of the whole trace, in slices: what each allocates, what becomes of it, and what is left at the end. */
import { SITE_COLUMNS } from "#abi";
import { KmemError, type KmemSession, type SiteRow, type SitesQuestion, Status } from "#wasm";
import type { Pace } from "../pace.ts";

const SLICE_OPS = 1 << 16;
/**
 * An index or a build in between takes the count's memory away, and the count is tried again. That doesn't happen
 * this many times in a row by chance.
 */
const TRIES_MOST = 3;

/** Lifetimes of a row: the shortest, the mean, percentiles, the longest. */
export const LIFETIMES = ["min", "mean", "p50", "p90", "p99", "max"] as const;
/** The same, under the names of the core's fields. */
const ENDINGS = {
	min: "Min",
	mean: "Mean",
	p50: "P50",
	p90: "P90",
	p99: "P99",
	max: "Max",
} as const;

/** Only what the page shows, because every field is copied from the worker. */
const SHOWN = [
	"callSite",
	"cacheName",
	"cache",
	"cpu",
	"node",
	"task",
	"firstOp",
	...SITE_COLUMNS.map(({ field }) => field),
] as const satisfies readonly (keyof SiteRow)[];

/** A row of the table. `cache` is a number of SitesAnswered.caches. */
export interface SiteShown extends Pick<SiteRow, (typeof SHOWN)[number]> {
	/** Indexed like LIFETIMES: nanoseconds or ticks, and events. */
	readonly lifetimeTime: readonly number[];
	readonly lifetimeEvents: readonly number[];
}

/** The verdict on the live objects of a cache, and the reason for it. */
export interface CacheVerdict {
	readonly name: string;
	/** enum kmem_leak. */
	readonly leak: number;
	readonly liveObjects: number;
	readonly why: string;
}

export interface SitesAnswered {
	readonly rows: readonly SiteShown[];
	readonly caches: readonly CacheVerdict[];
	/** Events of the trace. */
	readonly ops: number;
	/** Whether lifetimes are known in nanoseconds or ticks. */
	readonly timeIsKnown: boolean;
	/** Percentiles are off by at most 1 part in this many; 0: they are unknown. */
	readonly lifetimeParts: number;
	/** Whether events were lost or cut off. */
	readonly isGuess: boolean;
}

/** Counts the rows that are then in session.sites. */
export async function countSites(
	session: KmemSession,
	question: SitesQuestion,
	pace: Pace,
): Promise<void> {
	const total = session.nrOps;
	for (let tries = 1; ; tries++) {
		try {
			for (const left of session.sites.slices(question, SLICE_OPS)) {
				const done = Math.max(0, total - left);
				await pace.breathe({ phase: "indexing", done, total, events: total });
			}
			return;
		} catch (error) {
			const wasDropped = error instanceof KmemError && error.code === Status.KMEM_ESTATE;
			if (!wasDropped || tries === TRIES_MOST) throw error;
		}
	}
}

export async function sitesOf(
	session: KmemSession,
	question: SitesQuestion,
	pace: Pace,
): Promise<SitesAnswered> {
	await countSites(session, question, pace);
	return shown(session);
}

/** Writes call sites as a profile for pprof. */
export async function profileOf(
	session: KmemSession,
	question: SitesQuestion,
	pace: Pace,
): Promise<Blob> {
	await countSites(session, question, pace);
	return new Blob([...session.sites.profile()], { type: "application/gzip" });
}

function shown(session: KmemSession): SitesAnswered {
	const { rows, caches, ops, timeIsKnown, lifetimeParts, isGuess } = session.sites.rows();
	return {
		rows: rows.map(shownOf),
		caches: caches.map(({ name, leak, liveObjects, why }) => ({ name, leak, liveObjects, why })),
		ops,
		timeIsKnown: timeIsKnown !== 0,
		lifetimeParts,
		isGuess: isGuess !== 0,
	};
}

function shownOf(row: SiteRow): SiteShown {
	const by = (kind: "Time" | "Events") =>
		LIFETIMES.map((name) => row[`lifetime${kind}${ENDINGS[name]}`]);
	const shown = Object.fromEntries(SHOWN.map((key) => [key, row[key]]));
	const lifetimes = { lifetimeTime: by("Time"), lifetimeEvents: by("Events") };
	return { ...(shown as Pick<SiteRow, (typeof SHOWN)[number]>), ...lifetimes };
}
