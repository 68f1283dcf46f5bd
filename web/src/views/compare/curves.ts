/** The curves of a comparison: a metric of every machine over the whole trace, as points. */
import { bisector, cumsum, max as highest } from "d3";
import { Measure, type Totals } from "#abi";
import type { Run } from "../../engine/answers.ts";
import { eventOf } from "../../engine/lockstep.ts";
import type { Series } from "../../engine/types.ts";
import { type MetricUnit, wasteOf } from "./metrics.ts";

/** A value that holds from an event until the next point. */
export interface Point {
	readonly op: number;
	readonly value: number;
}

export interface Curve {
	/** The machines' traces. */
	readonly runs: readonly Pick<Run, "nrOps" | "trace">[];
	readonly name: string;
	readonly unit: MetricUnit;
	readonly most: number;
	/** The points of each machine; undefined if its allocator does not have the metric. */
	readonly machines: readonly (readonly Point[] | undefined)[];
	/** The exact value after an event, from its totals; undefined if they do not have it. */
	readonly exact: ((totals: Totals) => number) | undefined;
}

interface CurveKind {
	readonly name: string;
	readonly unit: MetricUnit;
	readonly measure: Measure;
	readonly points: (run: Run) => readonly Point[];
	readonly exact?: Curve["exact"];
}

/** The most in each bucket. */
function levels({ max, opsPerBucket }: Series): Point[] {
	return Array.from(max, (value, k) => ({ op: k * opsPerBucket, value }));
}

/** The sum of the buckets up to each bucket's end. */
function sums({ max, opsPerBucket }: Series): Point[] {
	return Array.from(cumsum(max), (value, k) => ({ op: (k + 1) * opsPerBucket - 1, value }));
}

/** Totals at the end of each bucket. */
function totals({ max, opsPerBucket }: Series): Point[] {
	return Array.from(max, (value, k) => ({ op: (k + 1) * opsPerBucket - 1, value }));
}

const KINDS: readonly CurveKind[] = [
	{
		name: "Memory in slabs",
		unit: "KiB",
		measure: Measure.NUM_SLAB_BYTES,
		points: ({ curves }) => levels(curves.slabBytes),
		exact: (t) => t.slabBytes,
	},
	{
		name: "Slab memory in no request",
		unit: "KiB",
		measure: Measure.NUM_WASTE,
		points: ({ curves }) => levels(curves.wasteBytes),
		exact: wasteOf,
	},
	{
		name: "Slabs",
		unit: "slabs",
		measure: Measure.NUM_SLABS,
		points: ({ curves }) => levels(curves.slabs),
		exact: (t) => t.slabs,
	},
	{
		name: "Partial slabs on nodes",
		unit: "slabs",
		measure: Measure.NUM_PARTIAL,
		points: ({ curves }) => levels(curves.partialSlabs),
		exact: (t) => t.partial,
	},
	{
		name: "Slow paths so far",
		unit: "events",
		measure: Measure.NUM_SLOW_PATHS,
		points: ({ curves }) => sums(curves.slowPaths),
	},
	{
		name: "Model cycles so far",
		unit: "model cycles",
		measure: Measure.NUM_CYCLES,
		points: ({ cycles }) => totals(cycles),
		exact: (t) => t.cycles,
	},
];

export function curvesFor(runs: readonly Run[]): Curve[] {
	return KINDS.map(({ name, unit, measure, points, exact }) => {
		const machines = runs.map((run) => (run.measures.includes(measure) ? points(run) : undefined));
		const most =
			highest(
				machines.flatMap((of) => of ?? []),
				({ value }) => value,
			) ?? 0;
		return { runs, name, unit, machines, most, exact };
	});
}

const byOp = bisector<Point, number>(({ op }) => op);

/** The value of the last point up to an event; 0 before the first one. */
export function valueAt(points: readonly Point[], op: number): number {
	return points[byOp.right(points, op) - 1]?.value ?? 0;
}

/** The value of each machine after an event of the first one's trace: exact where the totals of that event have it, else from its curve. */
export function valuesAt(
	{ machines, exact, runs }: Curve,
	op: number,
	totals: readonly Totals[],
): (number | undefined)[] {
	return machines.map((points, nr) => {
		const known = totals[nr];
		const [first, run] = [runs[0], runs[nr]];
		if (!points || !first || !run) return undefined;
		const own = nr === 0 ? op : eventOf(op, first, run);
		return exact && known?.ops === own + 1 ? exact(known) : valueAt(points, own);
	});
}

/** The highest point, the first of several. */
export function peakOf(points: readonly Point[]): Point {
	return points.reduce((a, b) => (b.value > a.value ? b : a), { op: 0, value: 0 });
}
