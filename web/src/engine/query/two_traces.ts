/**
 * Compares two traces: the numbers of each at aligned positions, joined by name, the largest change first. The same
 * as the command's `compare A --against B`, which a test compares with it. All numbers are the core's; only differences are
 * computed here.
 */
import { COUNTER_NAMES, type From, SitesBy, type Totals } from "#abi";
import { KmemError, type KmemSession, Status } from "#wasm";
import { joinBuilds, type Pair } from "../call_site_builds.ts";
import type { Pace } from "../pace.ts";
import { known } from "../rows.ts";
import { countSites } from "./sites.ts";

/** How events of the two belong together. */
export const ALIGNS = ["share", "event", "time"] as const;
export type Align = (typeof ALIGNS)[number];

/** Equal parts of the run. */
export const PARTS = 64;

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

/** Where the difference between the two changes most: events from `from` on, up to `end`, which is not one of them. */
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

/** Events of A and of B, from 0; -1 where there is none. */
export type Events = readonly [a: number, b: number];

export interface Change {
	readonly name: string;
	/** The cache of a call site; "" in other tables. */
	readonly cache: string;
	/** The call site in B, if that is another build of the kernel; "" if it has the same name. */
	readonly nameInB: string;
	readonly kind: Kind;
	/** In the order of FIGURES. */
	readonly figures: readonly Figure[];
	readonly first: Events;
	readonly peak: Events;
}

/** A figure of all caches at each aligned position, on both. */
export interface BothCurves {
	readonly at: readonly [a: readonly number[], b: readonly number[]];
	readonly figures: readonly (readonly [a: readonly number[], b: readonly number[]])[];
}

export interface Changes {
	readonly tables: Readonly<Record<TableName, readonly Change[]>>;
	readonly curves: BothCurves;
}

/** A trace as it is compared. */
export interface Extent {
	readonly nrOps: number;
	/** Time from its first event to its last one. */
	readonly duration: number;
	readonly isNs: boolean;
	/** The recorder printed no cache names: caches are named by the size of a slot. */
	readonly lacksNames: boolean;
	/** Events for which one stands; 1: unknown, 0: the trace is not sampled. */
	readonly sampling: number;
	/** Where the figures of memory come from that its start decides. */
	readonly from: From;
}

export interface TwoTraces {
	readonly extents: readonly [Extent, Extent];
	/** A sentence where the two cannot be aligned like that. */
	readonly by: Readonly<Record<Align, Changes | string>>;
	/** Why the call sites could not be counted, "" if they were. */
	readonly whyNoSites: string;
}

interface Row {
	readonly name: string;
	readonly cache: string;
	first: number;
	peak: number;
	/** For each figure, a value at each position; or at the end alone. */
	readonly values: readonly (readonly number[])[];
}

/** Call sites are counted once, over the whole run. */
type Aligned = Exclude<TableName, "sites">;
const ALIGNED = TABLES.filter((table): table is Aligned => table !== "sites");

interface AlignedChanges extends Pick<Changes, "curves"> {
	readonly tables: Readonly<Record<Aligned, readonly Change[]>>;
}

type Side = Readonly<Record<Aligned | "curves", readonly Row[]>>;

const WASTE: readonly (readonly [string, (t: Totals) => number])[] = [
	["waste_rounding", (t) => t.wasteRounding],
	["waste_tail", (t) => t.wasteTail],
	["waste_free", (t) => t.wasteFree],
	["requested_bytes", (t) => t.requestedBytes],
	["in_use_before_bytes", (t) => t.inUseBeforeBytes],
	["slab_bytes", (t) => t.slabBytes],
];

const TOTALS: readonly (readonly [string, (t: Totals) => number])[] = [
	["live_objects", (t) => t.liveObjects],
	["slabs", (t) => t.slabs],
	["partial", (t) => t.partial],
	["pages_in_use", (t) => t.pagesInUse],
	["pages_peak", (t) => t.pagesPeak],
	["large_bytes", (t) => t.largeBytes],
	["cycles", (t) => t.cycles],
	["lock_wait_cycles", (t) => t.lockWaitCycles],
];

const CURVES: readonly ((t: Totals) => number)[] = [
	(t) => t.slabBytes,
	(t) => t.wasteRounding + t.wasteTail + t.wasteFree,
	(t) => t.liveObjects,
	(t) => t.slabs,
	(t) => t.partial,
];

/** Both sessions are built; that of A may be on the stage, so its position moves. */
export async function twoTraces(a: KmemSession, b: KmemSession, pace: Pace): Promise<TwoTraces> {
	const extents = [extentOf(a), extentOf(b)] as const;
	const by: Partial<Record<Align, AlignedChanges>> = {};
	const whyNot = whyNoTimes(extents);
	for (const [i, align] of ALIGNS.entries())
		if (align !== "time" || whyNot === "")
			by[align] = await changesBy(align, [a, b], extents, pace, i);
	// The count may take the memory of the index, which the tables above need.
	const { sites, whyNoSites } = await sitesOfBoth(a, b, pace);
	const withSites = (align: Align) => {
		const changes = by[align];
		return changes ? { ...changes, tables: { ...changes.tables, sites } } : whyNot;
	};
	return {
		extents,
		by: { share: withSites("share"), event: withSites("event"), time: withSites("time") },
		whyNoSites,
	};
}

async function sitesOfBoth(a: KmemSession, b: KmemSession, pace: Pace) {
	try {
		const [x, y] = [await sitesIn(a, pace), await sitesIn(b, pace)];
		return { sites: changesOf(joinBuilds(pairs(x, y)), [[], []]), whyNoSites: "" };
	} catch (error) {
		if (error instanceof KmemError && error.code === Status.KMEM_ENOMEM)
			return { sites: [], whyNoSites: error.message };
		throw error;
	}
}

const SITE_AND_CACHE = (1 << SitesBy.SITES_BY_SITE) | (1 << SitesBy.SITES_BY_CACHE);

async function sitesIn(session: KmemSession, pace: Pace): Promise<readonly Row[]> {
	await countSites(session, { by: SITE_AND_CACHE }, pace);
	return session.sites.rows().rows.map((row) => ({
		name: row.callSite === "" ? "unknown" : row.callSite,
		cache: row.cacheName,
		first: row.firstOp,
		peak: row.peakOp,
		values: [
			[row.liveBytes],
			[row.liveObjects],
			[row.allocations],
			[row.bytesRequested],
			[row.bytesAllocated],
		],
	}));
}

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

function whyNoTimes([a, b]: readonly [Extent, Extent]): string {
	for (const [letter, { duration }] of [["A", a] as const, ["B", b] as const])
		if (duration === 0) return `${letter} has no times: align by event or by share.`;
	if (a.isNs === b.isNs) return "";
	return "One trace has nanoseconds and the other has ticks of an unknown clock: align by event or by share.";
}

async function changesBy(
	align: Align,
	sessions: readonly [KmemSession, KmemSession],
	extents: readonly [Extent, Extent],
	pace: Pace,
	nr: number,
): Promise<AlignedChanges> {
	const at = [positions(align, 0), positions(align, 1)] as const;
	function positions(how: Align, side: 0 | 1): number[] {
		const { nrOps } = extents[side];
		const most = Math.max(extents[0].nrOps, extents[1].nrOps);
		const longest = Math.max(extents[0].duration, extents[1].duration);
		return Array.from({ length: PARTS + 1 }, (_, i) => {
			if (i === PARTS) return nrOps;
			if (how === "share") return part(nrOps, i);
			if (how === "event") return Math.min(part(most, i), nrOps);
			return eventsUntil(sessions[side], part(longest, i));
		});
	}
	const steps = 2 * ALIGNS.length;
	const takeSide = (side: 0 | 1) =>
		take(sessions[side], at[side], async (done) => {
			const share = (2 * nr + side + done) / steps;
			const total = extents[0].nrOps + extents[1].nrOps;
			await pace.breathe({ phase: "comparing", done: share * total, total, events: total });
		});
	const a = await takeSide(0);
	const b = await takeSide(1);
	const tables = Object.fromEntries(
		ALIGNED.map((table) => [table, join(a[table], b[table], at)]),
	) as AlignedChanges["tables"];
	const figures = FIGURES.curves.map(
		(_, f) => [a.curves[0]?.values[f] ?? [], b.curves[0]?.values[f] ?? []] as const,
	);
	return { tables, curves: { at, figures } };
}

/** Part i of PARTS equal parts, rounded down. */
function part(whole: number, i: number): number {
	return Math.floor(whole / PARTS) * i + Math.floor(((whole % PARTS) * i) / PARTS);
}

/** How many events happen up to that time after the first one. */
function eventsUntil(session: KmemSession, time: number): number {
	const first = Number(session.report().timeFirst);
	let [low, high] = [0, session.nrOps];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (Number(session.op(middle).time) - first <= time) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Visits the positions in order, so that each part is replayed once. */
async function take(
	session: KmemSession,
	at: readonly number[],
	breathe: (done: number) => Promise<void>,
): Promise<Side> {
	const points: Totals[] = [];
	const caches: { name: string; values: number[][] }[] = [];
	for (const [i, op] of at.entries()) {
		session.seek(op);
		points.push(session.totals());
		for (const [k, row] of session.caches().entries()) {
			caches[k] ??= { name: row.name, values: FIGURES.caches.map(() => Array(PARTS + 1).fill(0)) };
			const used = row.requestedBytes + row.inUseBeforeBytes;
			const waste = Math.max(0, row.slabBytes - used);
			const { slabBytes, requestedBytes, liveObjects, slabs, cycles } = row;
			const numbers = [slabBytes, requestedBytes, waste, liveObjects, slabs, cycles];
			for (const [f, n] of numbers.entries()) (caches[k]?.values[f] ?? [])[i] = n;
		}
		await breathe(i / PARTS);
	}
	const single = (name: string, of: (t: Totals) => number): Row => ({
		name,
		cache: "",
		first: -1,
		peak: -1,
		values: [points.map(of)],
	});
	return {
		caches: caches.map(({ name, values }, cache) => {
			const { bornOp, slabsPeakOp } = known(session.life({ cache }));
			return { name, cache: "", first: bornOp, peak: slabsPeakOp, values };
		}),
		waste: WASTE.map(([name, of]) => single(name, of)),
		totals: TOTALS.map(([name, of]) => single(name, of)),
		counters: session
			.counters()
			.map((i) => single((COUNTER_NAMES[i] ?? "").toLowerCase(), (t) => t.counters[i] ?? 0)),
		curves: [
			{
				name: "all caches",
				cache: "",
				first: -1,
				peak: -1,
				values: CURVES.map((of) => points.map(of)),
			},
		],
	};
}

function join(a: readonly Row[], b: readonly Row[], at: BothCurves["at"]): readonly Change[] {
	return changesOf(pairs(a, b), at);
}

function changesOf(joined: readonly Pair<Row>[], at: BothCurves["at"]): readonly Change[] {
	return joined.map((pair) => changeOf(pair, at)).toSorted(byChange);
}

/** Rows of one name, and of one cache, belong together; several of one name in their order. */
function pairs(a: readonly Row[], b: readonly Row[]): Pair<Row>[] {
	const waiting = new Map<string, Row[]>();
	const keyOf = ({ name, cache }: Row) => `${name}\n${cache}`;
	for (const row of b) waiting.set(keyOf(row), [...(waiting.get(keyOf(row)) ?? []), row]);
	const joined = a.map((row): Pair<Row> => [row, waiting.get(keyOf(row))?.shift()]);
	const left = [...waiting.values()].flat().map((row): Pair<Row> => [undefined, row]);
	return [...joined, ...left];
}

function changeOf([a, b]: Pair<Row>, at: BothCurves["at"]): Change {
	const either = a ?? b;
	const figures = (either?.values ?? []).map((_, f): Figure => {
		const [x, y] = [a?.values[f], b?.values[f]];
		const [own, other] = [x?.at(-1) ?? 0, y?.at(-1) ?? 0];
		return { a: own, b: other, change: other - own, step: largestStep(x, y, at) };
	});
	return {
		name: either?.name ?? "",
		cache: either?.cache ?? "",
		nameInB: a && b && b.name !== a.name ? b.name : "",
		kind: kindOf([a, b], figures),
		figures,
		first: [a?.first ?? -1, b?.first ?? -1],
		peak: [a?.peak ?? -1, b?.peak ?? -1],
	};
}

/** The first figure that changed decides. */
function kindOf([a, b]: Pair<Row>, figures: readonly Figure[]): Kind {
	if (!a) return "appeared";
	if (!b) return "vanished";
	const { change } = figures.find((figure) => figure.change !== 0) ?? { change: 0 };
	return change === 0 ? "same" : change > 0 ? "grew" : "shrank";
}

function largestStep(
	a: readonly number[] | undefined,
	b: readonly number[] | undefined,
	[ofA, ofB]: BothCurves["at"],
): Step | null {
	const length = (a ?? b)?.length ?? 0;
	let [change, end] = [0, 0];
	for (let i = 1; i < length; i++) {
		const gap = (k: number) => (b?.[k] ?? 0) - (a?.[k] ?? 0);
		const step = gap(i) - gap(i - 1);
		if (Math.abs(step) > Math.abs(change)) [change, end] = [step, i];
	}
	if (change === 0) return null;
	const range = (of: readonly number[]) => [of[end - 1] ?? 0, of[end] ?? 0] as const;
	return { change, a: range(ofA), b: range(ofB) };
}

/** The larger change first; then by name, as the command compares text. */
function byChange(x: Change, y: Change): number {
	for (const [f, figure] of x.figures.entries()) {
		const by = Math.abs(y.figures[f]?.change ?? 0) - Math.abs(figure.change);
		if (by !== 0) return by;
	}
	return compare(x.name, y.name) || compare(x.cache, y.cache);
}

const compare = (x: string, y: string) => Number(x > y) - Number(x < y);
