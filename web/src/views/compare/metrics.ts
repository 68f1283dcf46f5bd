/** The numbers of a comparison: a plain name, a unit, the core's key, and the value on each machine. */
import { COUNTER_NAMES, COUNTER_WORDS, MEASURE_NAMES, Measure, type Totals } from "#abi";
import { count, percent } from "../../base/format.ts";
import { capital } from "../../base/words.ts";
import type { Run } from "../../engine/answers.ts";

/** Bytes are shown in KiB, so all numbers of a row have the same unit. */
export type MetricUnit =
	| "KiB"
	| "slabs"
	| "page frames"
	| "model cycles"
	| "searches"
	| "zones"
	| "pages"
	| "blocks"
	| "events"
	| "times";

interface Named {
	readonly name: string;
	readonly unit: MetricUnit;
	/** More words, shown under the pointer. */
	readonly title: string;
}

/** A number after an event, from the totals. */
interface TotalsMetric extends Named {
	/** The name that lessons use. */
	readonly short: string;
	readonly measure: Measure;
	readonly of: (totals: Totals) => number;
}

/** A row of the table: a value for each machine, undefined where the allocator does not have the number. */
export interface MetricRow extends Named {
	/** Its name for `slabscope sweep --metric`. */
	readonly key: string;
	/** The event on screen, or the whole trace. */
	readonly over: "event" | "trace";
	readonly isCounter: boolean;
	readonly values: readonly (number | undefined)[];
}

export function wasteOf(t: Totals): number {
	return t.wasteRounding + t.wasteTail + t.wasteFree;
}

const METRICS: readonly TotalsMetric[] = [
	{
		name: "Slabs",
		short: "slabs",
		unit: "slabs",
		title: "Slabs of all caches",
		measure: Measure.NUM_SLABS,
		of: (t) => t.slabs,
	},
	{
		name: "Memory in slabs",
		short: "bytes in slabs",
		unit: "KiB",
		title: "All caches together",
		measure: Measure.NUM_SLAB_BYTES,
		of: (t) => t.slabBytes,
	},
	{
		name: "Slab memory not requested",
		short: "bytes not requested",
		unit: "KiB",
		title: "Internal fragmentation, tail waste and free objects together",
		measure: Measure.NUM_WASTE,
		of: wasteOf,
	},
	{
		name: "Internal fragmentation",
		short: "internal fragmentation",
		unit: "KiB",
		title: "Wasted in the slots of live objects: slot minus request",
		measure: Measure.NUM_WASTE_ROUNDING,
		of: (t) => t.wasteRounding,
	},
	{
		name: "Tail waste",
		short: "tail waste",
		unit: "KiB",
		title: "At the ends of slabs, too little for another object",
		measure: Measure.NUM_WASTE_TAIL,
		of: (t) => t.wasteTail,
	},
	{
		name: "Free objects in slabs",
		short: "free objects",
		unit: "KiB",
		title: "Memory of free objects",
		measure: Measure.NUM_WASTE_FREE_OBJECTS,
		of: (t) => t.wasteFree,
	},
	{
		name: "Partial slabs on nodes",
		short: "partial slabs",
		unit: "slabs",
		title: "Slabs on node partial lists",
		measure: Measure.NUM_PARTIAL,
		of: (t) => t.partial,
	},
	{
		name: "Page frames in use",
		short: "pages in use",
		unit: "page frames",
		title: "Taken from the page allocator and not returned yet",
		measure: Measure.NUM_PAGES_IN_USE,
		of: (t) => t.pagesInUse,
	},
	{
		name: "Page frames in use at the peak so far",
		short: "pages, peak",
		unit: "page frames",
		title: "The highest number after any event so far",
		measure: Measure.NUM_PAGES_PEAK,
		of: (t) => t.pagesPeak,
	},
	{
		name: "Model cycles of all CPUs",
		short: "model cycles",
		unit: "model cycles",
		title: "They compare machines; they do not predict times",
		measure: Measure.NUM_CYCLES,
		of: (t) => t.cycles,
	},
	{
		name: "Waiting for locks",
		short: "waiting for locks",
		unit: "model cycles",
		title: "The model cycles that CPUs spent waiting for locks",
		measure: Measure.NUM_LOCK_WAIT_CYCLES,
		of: (t) => t.lockWaitCycles,
	},
	{
		name: "Searches of other nodes",
		short: "any-node searches",
		unit: "searches",
		title: "2018 proposal: get_partial_count",
		measure: Measure.NUM_GET_ANY_PARTIAL_ENTERED,
		of: (t) => t.anyNodeEntered,
	},
	{
		name: "Zones checked by these searches",
		short: "zones checked",
		unit: "zones",
		title: "2018 proposal: get_partial_try_count",
		measure: Measure.NUM_ZONES_VISITED,
		of: (t) => t.anyNodeZones,
	},
	{
		name: "Pages visited by searches",
		short: "pages visited",
		unit: "pages",
		title: "SLOB: pages that searches looked at",
		measure: Measure.NUM_PAGES_VISITED,
		of: (t) => t.pagesVisited,
	},
	{
		name: "Blocks visited by searches",
		short: "blocks visited",
		unit: "blocks",
		title: "SLOB: free blocks that searches looked at",
		measure: Measure.NUM_BLOCKS_VISITED,
		of: (t) => t.blocksVisited,
	},
];

export const SHORT_NAMES: readonly string[] = METRICS.map(({ short }) => short);

/** A number with a short name. */
export interface Metric {
	readonly name: string;
	readonly title: string;
	readonly bytes: boolean;
	readonly of: (totals: Totals) => number;
}

/** Returns numbers of the machines themselves that are above 0 on any of them; counters have their kernel names. */
export function metricsOf(totals: readonly Totals[]): Metric[] {
	const metrics = METRICS.map(({ short, title, unit, of }) => ({
		name: short,
		title,
		bytes: unit === "KiB",
		of,
	}));
	const counters = COUNTER_NAMES.map((name, i) => ({
		name: name.toLowerCase(),
		title: "A kernel counter",
		bytes: false,
		of: (t: Totals) => t.counters[i] ?? 0,
	}));
	return [...metrics, ...counters].filter((m) => totals.some((t) => m.of(t) > 0));
}

/** A number over the whole trace, taken from a curve. */
interface CurveMetric extends Named {
	readonly measure: Measure;
	readonly of: (run: Run) => number;
}

const most = (values: Iterable<number>) => Array.from(values).reduce((a, b) => Math.max(a, b), 0);
const CURVE_TITLE = "The highest point of its curve over the whole trace";

const CURVE_METRICS: readonly CurveMetric[] = [
	{
		name: "Memory in slabs at its peak",
		unit: "KiB",
		title: CURVE_TITLE,
		measure: Measure.NUM_SLAB_BYTES_PEAK,
		of: ({ curves }) => most(curves.slabBytes.max),
	},
	{
		name: "Slabs at their peak",
		unit: "slabs",
		title: CURVE_TITLE,
		measure: Measure.NUM_SLABS_PEAK,
		of: ({ curves }) => most(curves.slabs.max),
	},
	{
		name: "Partial slabs on nodes at their peak",
		unit: "slabs",
		title: CURVE_TITLE,
		measure: Measure.NUM_PARTIAL_PEAK,
		of: ({ curves }) => most(curves.partialSlabs.max),
	},
	{
		name: "Events that left a fast path",
		unit: "events",
		title: "Slow paths over the whole trace",
		measure: Measure.NUM_SLOW_PATHS,
		of: ({ curves }) => curves.slowPaths.max.reduce((sum, n) => sum + n, 0),
	},
];

function keyOf(measure: Measure): string {
	return (MEASURE_NAMES[measure] ?? "").replace(/^NUM_/, "").toLowerCase();
}

/** Returns the rows that are above 0 on any machine; counters by the core's words, for allocators that have them. */
export function metricRows(totals: readonly Totals[], runs: readonly Run[]): MetricRow[] {
	const hasMeasure = (nr: number, measure: Measure) => runs[nr]?.measures.includes(measure) ?? true;
	const hasCounter = (nr: number, counter: number) => runs[nr]?.counters.includes(counter) ?? true;
	const after = METRICS.map(({ measure, of, name, unit, title }) => ({
		name,
		unit,
		title,
		key: keyOf(measure),
		over: "event" as const,
		isCounter: false,
		values: totals.map((t, nr) => (hasMeasure(nr, measure) ? of(t) : undefined)),
	}));
	const whole = CURVE_METRICS.map(({ measure, of, ...named }) => ({
		...named,
		key: keyOf(measure),
		over: "trace" as const,
		isCounter: false,
		values: runs.map((run, nr) => (hasMeasure(nr, measure) ? of(run) : undefined)),
	}));
	const counters = COUNTER_NAMES.map((name, i) => ({
		key: name.toLowerCase(),
		name: capital(COUNTER_WORDS[i] ?? name),
		unit: "times" as const,
		title: "A kernel counter",
		over: "event" as const,
		isCounter: true,
		values: totals.map((t, nr) => (hasCounter(nr, i) ? (t.counters[i] ?? 0) : undefined)),
	}));
	return [...after, ...whole, ...counters].filter(({ values }) => values.some((v) => (v ?? 0) > 0));
}

/**
 * Returns the rows that differ between machines that have them, measures that only some have, and the number of counters that
 * only one machine has.
 */
export function differingRows(rows: readonly MetricRow[]) {
	const known = ({ values }: MetricRow) => values.filter((v) => v !== undefined);
	const isPart = (row: MetricRow) => !row.isCounter && known(row).length < row.values.length;
	return {
		differ: rows.filter((row) => isPart(row) || new Set(known(row)).size > 1),
		alone: rows.filter((row) => row.isCounter && known(row).length === 1).length,
	};
}

/** Writes a value in its unit, without the unit. */
export function amount(value: number, unit: MetricUnit): string {
	if (unit !== "KiB") return count(value);
	const kib = value / 1024;
	return kib > 0 && kib < 100 ? kib.toFixed(1) : count(kib);
}

/** Writes "−328 (−6.9 %)"; "" for equal values. */
export function differenceInWords(value: number, first: number, unit: MetricUnit): string {
	const by = value - first;
	if (by === 0) return "";
	const sign = by > 0 ? "+" : "−";
	const absolute = `${sign}${amount(Math.abs(by), unit)}`;
	return first > 0 ? `${absolute} (${sign}${percent(Math.abs(by), first)})` : absolute;
}
