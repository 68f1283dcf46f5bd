/**
 * Two traces side by side: the core joins the numbers of each at aligned positions by name, the largest change first,
 * as in the command's `compare A --against B`.
 */
import { CHANGED_NAMES, Align as CoreAlign, type From, SidePart, SitesBy } from "#abi";
import { type Difference, KmemError, type KmemSession, SideBySide, Status } from "#wasm";
import type { Pace } from "../pace.ts";
import { countSites } from "./sites.ts";

/** How the events of the two traces correspond. */
export const ALIGNS = ["share", "event", "time"] as const;
export type Align = (typeof ALIGNS)[number];
const IN_CORE: Readonly<Record<Align, CoreAlign>> = {
	share: CoreAlign.ALIGN_SHARE,
	event: CoreAlign.ALIGN_EVENT,
	time: CoreAlign.ALIGN_TIME,
};

/** Equal parts of the run. */
export const PARTS = 64;

/** Names in the order of enum kmem_compared. */
export const TABLES = ["caches", "sites", "waste", "totals", "counters"] as const;
export type TableName = (typeof TABLES)[number];

/** The figures of a table's rows; the first one decides the order. */
export const FIGURES: Readonly<Record<TableName | "curves", readonly string[]>> = {
	caches: ["slab_bytes", "requested_bytes", "waste_bytes", "live_objects", "slabs", "cycles"],
	sites: ["live_bytes", "live_objects", "allocations", "bytes_requested", "bytes_allocated"],
	waste: ["bytes"],
	totals: ["value"],
	counters: ["value"],
	curves: ["slab_bytes", "waste_bytes", "live_objects", "slabs", "partial"],
};

export type Kind = "appeared" | "vanished" | "grew" | "shrank" | "same";

/** Where the difference between the two changes most: the events from `from` up to but not including `end`. */
export interface Step {
	readonly change: number;
	readonly a: readonly [from: number, end: number];
	readonly b: readonly [from: number, end: number];
}

export interface Figure {
	readonly a: number;
	readonly b: number;
	readonly change: number;
	readonly step: Step | null;
}

/** Events of A and of B, from 0; -1 if there is none. */
export type Events = readonly [a: number, b: number];

export interface Change extends Pick<Difference, "name" | "cache" | "nameInB"> {
	readonly kind: Kind;
	/** Values in the order of FIGURES. */
	readonly figures: readonly Figure[];
	readonly first: Events;
	readonly peak: Events;
}

/** A figure for all caches at each aligned position, in both traces. */
export interface BothCurves {
	readonly at: readonly [a: readonly number[], b: readonly number[]];
	readonly figures: readonly (readonly [a: readonly number[], b: readonly number[]])[];
}

export interface Changes {
	readonly tables: Readonly<Record<TableName, readonly Change[]>>;
	readonly curves: BothCurves;
}

/** A trace in the comparison. */
export interface Extent {
	readonly nrOps: number;
	/** Time from its first event to its last one. */
	readonly duration: number;
	readonly isNs: boolean;
	/** The recorder printed no cache names: caches are named by the size of a slot. */
	readonly lacksNames: boolean;
	/** How many events each one stands for; 1: unknown, 0: the trace is not sampled. */
	readonly sampling: number;
	/** Where those memory figures come from that depend on its start. */
	readonly from: From;
}

export interface TwoTraces {
	readonly extents: readonly [Extent, Extent];
	/** A sentence if the two cannot be aligned like that. */
	readonly by: Readonly<Record<Align, Changes | string>>;
	/** Why the call sites could not be counted, "" if they were. */
	readonly whyNoSites: string;
}

type Both<T> = readonly [a: T, b: T];
type Bytes = Uint8Array<ArrayBuffer>;
/** The values at each aligned position. */
type Points = readonly (readonly [op: number, values: Bytes])[];

/** Both sessions are built and have an index; that of A may be on the stage, so its position moves. */
export async function twoTraces(
	module: WebAssembly.Module,
	a: KmemSession,
	b: KmemSession,
	pace: Pace,
): Promise<TwoTraces> {
	const extents: Both<Extent> = [extentOf(a), extentOf(b)];
	const whyNot = whyNoTimes(extents);
	const points: Partial<Record<Align, Both<Points>>> = {};
	for (const [nr, align] of ALIGNS.entries()) {
		if (align === "time" && whyNot !== "") continue;
		const take = (session: KmemSession, side: number) =>
			pointsOf(session, align, extents, pace, 2 * nr + side);
		points[align] = [await take(a, 0), await take(b, 1)];
	}
	const rows: Both<Bytes> = [a.side.part(SidePart.SIDE_ROWS), b.side.part(SidePart.SIDE_ROWS)];
	// The count may take the memory of the index, which the rows above need.
	const { sites, whyNoSites } = await sitesOfBoth(a, b, pace);
	const by = async (align: Align) => {
		const taken = points[align];
		return taken ? changesIn(await SideBySide.open(module), taken, rows, sites) : whyNot;
	};
	return {
		extents,
		by: { share: await by("share"), event: await by("event"), time: await by("time") },
		whyNoSites,
	};
}

async function sitesOfBoth(a: KmemSession, b: KmemSession, pace: Pace) {
	const sitesIn = async (session: KmemSession) => {
		await countSites(session, { by: SITE_AND_CACHE }, pace);
		return session.side.part(SidePart.SIDE_SITES);
	};
	try {
		const sites: Both<Bytes> = [await sitesIn(a), await sitesIn(b)];
		return { sites, whyNoSites: "" };
	} catch (error) {
		if (error instanceof KmemError && error.code === Status.KMEM_ENOMEM)
			return { sites: undefined, whyNoSites: error.message };
		throw error;
	}
}

const SITE_AND_CACHE = (1 << SitesBy.SITES_BY_SITE) | (1 << SitesBy.SITES_BY_CACHE);

function extentOf(session: KmemSession): Extent {
	const { timeFirst, timeLast, timeIsNs, sampling } = session.report();
	const { from } = session.start();
	const lacksNames = session.caches().some(({ name }) => name.startsWith("size-"));
	const duration = Number(timeLast) - Number(timeFirst);
	return {
		nrOps: session.nrOps,
		duration,
		isNs: Number(timeIsNs) === 1,
		lacksNames,
		sampling,
		from,
	};
}

function whyNoTimes([a, b]: Both<Extent>): string {
	for (const [letter, { duration }] of [["A", a] as const, ["B", b] as const])
		if (duration === 0) return `${letter} has no times: align by event or by share.`;
	if (a.isNs === b.isNs) return "";
	return "One trace has nanoseconds and the other has ticks of an unknown clock: align by event or by share.";
}

/** Visits the positions in order, so that each part is replayed once. */
async function pointsOf(
	session: KmemSession,
	align: Align,
	extents: Both<Extent>,
	pace: Pace,
	nr: number,
): Promise<Points> {
	const [events, longest] = (["nrOps", "duration"] as const).map((of) =>
		Math.max(...extents.map((extent) => extent[of])),
	) as [number, number];
	const total = extents[0].nrOps + extents[1].nrOps;
	const points: [number, Bytes][] = [];
	for (let i = 0; i <= PARTS; i++) {
		const op = session.side.at(IN_CORE[align], align === "time" ? longest : events, i);
		session.seek(op);
		points.push([op, session.side.part(SidePart.SIDE_VALUES)]);
		const done = (total * (nr + i / PARTS)) / (2 * ALIGNS.length);
		await pace.breathe({ phase: "comparing", done, total, events: total });
	}
	return points;
}

function changesIn(
	beside: SideBySide,
	points: Both<Points>,
	rows: Both<Bytes>,
	sites: Both<Bytes> | undefined,
): Changes {
	for (const which of [0, 1] as const) {
		for (const [op, values] of points[which]) beside.put(which, SidePart.SIDE_VALUES, op, values);
		beside.put(which, SidePart.SIDE_ROWS, 0, rows[which]);
		if (sites) beside.put(which, SidePart.SIDE_SITES, 0, sites[which]);
	}
	const { rows: all, at, curves } = beside.compared();
	const tables = TABLES.map((table, nr) => [
		table,
		all.filter((row) => row.table === nr).map(changeOf),
	]);
	return { tables: Object.fromEntries(tables), curves: { at, figures: curves } };
}

const NONE = 0xffffffff;

function changeOf(row: Difference): Change {
	const event = (op: number) => (op === NONE ? -1 : op);
	const { name, cache, nameInB, kind, amounts, firstA, firstB, peakA, peakB } = row;
	return {
		...{ name, cache, nameInB },
		kind: (CHANGED_NAMES[kind] ?? "").replace("CHANGED_", "").toLowerCase() as Kind,
		figures: amounts.map(({ a, b, change, step, ...of }) => ({
			...{ a, b, change },
			step:
				step === 0
					? null
					: {
							change: step,
							a: [of.stepFromA, of.stepEndA],
							b: [of.stepFromB, of.stepEndB],
						},
		})),
		first: [event(firstA), event(firstB)],
		peak: [event(peakA), event(peakB)],
	};
}
