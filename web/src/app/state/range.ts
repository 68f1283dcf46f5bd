/** The timeline's view: which part of the trace it shows, and which of the core's series. */

import { bytes, count } from "../../base/format.ts";
import type { Curves, Series } from "../../engine/types.ts";
import { change, facts, type Range, SERIES, type SeriesName, type StillFacts } from "./store.ts";

/** With fewer events than this, their marks would be wider than the events themselves. */
const LEAST_OPS = 10;

interface SeriesLook {
	readonly name: SeriesName;
	readonly words: string;
	readonly of: (curves: Curves) => Series;
	readonly text: (value: number) => string;
	/** This depends on what the replay starts from; live objects do not. */
	readonly isModelled?: true;
}

export const SERIES_LOOKS: readonly SeriesLook[] = [
	{ name: "live", words: "live objects", of: (b) => b.liveObjects, text: count },
	{ name: "slabs", words: "slabs", of: (b) => b.slabs, text: count, isModelled: true },
	{
		name: "partial",
		words: "partial slabs",
		of: (b) => b.partialSlabs,
		text: count,
		isModelled: true,
	},
	{
		name: "bytes",
		words: "memory in slabs",
		of: (b) => b.slabBytes,
		text: bytes,
		isModelled: true,
	},
	{ name: "waste", words: "waste", of: (b) => b.wasteBytes, text: bytes, isModelled: true },
	{ name: "slow", words: "slow paths", of: (b) => b.slowPaths, text: count },
];

/**
 * Returns the curves that the timeline draws: for the cache on the stage once they are found, and for all caches
 * until then.
 */
export function curvesShown({ built, cache, cacheCurves }: StillFacts): Curves | null {
	const isOwn = cacheCurves?.built === built && cacheCurves?.cache === cache;
	return isOwn ? (cacheCurves?.curves ?? null) : built;
}

/** Returns the curves for all caches, if those of one cache are drawn over them. */
export function behindOf(f: StillFacts): Curves | undefined {
	return f.built && curvesShown(f) !== f.built ? f.built : undefined;
}

/** Returns the part that the timeline shows: as much of the chosen part as this trace has, or everything. */
export function spanOf(range: Range | null, nrOps: number): Range {
	const all = { from: 0, to: Math.max(1, nrOps - 1) };
	if (!range) return all;
	const to = Math.min(range.to, all.to);
	return range.from < to ? { from: range.from, to } : all;
}

/** Finds the buckets of a series for a part of the trace: the first, and the one after the last. */
export function bucketsOf({ opsPerBucket, max }: Series, { from, to }: Range): [number, number] {
	const first = Math.floor(from / opsPerBucket);
	return [first, Math.min(max.length, Math.floor(to / opsPerBucket) + 1)];
}

export function mostOf(series: Series, span: Range): number {
	return series.max.subarray(...bucketsOf(series, span)).reduce((a, b) => Math.max(a, b), 0);
}

/** Shows these events; nearly all events count as all. */
export function showRange(from: number, to: number): void {
	const nrOps = facts().built?.nrOps ?? 0;
	const length = Math.max(LEAST_OPS, Math.round(to - from));
	const first = Math.max(0, Math.min(Math.round(from), nrOps - 1 - length));
	const isAll = length >= nrOps - 1;
	change({ range: isAll ? null : { from: first, to: first + length } });
}

/** Shows `factor` times as much as now; the event at `around` keeps its place. */
export function zoomRange(factor: number, around: number = facts().moment?.position.op ?? 0): void {
	const { built, range } = facts();
	const { from, to } = spanOf(range, built?.nrOps ?? 0);
	const isInside = around >= from && around <= to;
	const share = isInside ? (around - from) / (to - from) : 0.5;
	const length = (to - from) * factor;
	showRange(around - share * length, around + (1 - share) * length);
}

/** The last series stays, because an empty timeline would show nothing. */
export function toggleSeries(name: SeriesName): void {
	const { series } = facts();
	const shown = SERIES.filter((s) => series.includes(s) !== (s === name));
	if (shown.length > 0) change({ series: shown });
}
