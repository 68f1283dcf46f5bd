/** A small chart: one line for each machine, a crosshair, and each machine's number there. */

import {
	bisector,
	cumsum,
	max as highest,
	line,
	max,
	rollup,
	type ScaleLinear,
	scaleLinear,
} from "d3";
import { type PointerEvent, type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { Measure, type Totals } from "#abi";
import { seek } from "../../app/playback/player.ts";
import { LETTERS } from "../../app/state/machine_spec.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { eventWords, quantity } from "../../base/format.ts";
import type { Comparison, Run } from "../../engine/answers.ts";
import { eventOf } from "../../engine/lockstep.ts";
import type { Series } from "../../engine/types.ts";
import { classes } from "../../ui/controls.tsx";
import { DataTable } from "../../ui/data_table.tsx";
import { useSize } from "../../ui/hooks.ts";
import { Panel } from "../../ui/view.tsx";
import css from "./compare.module.css";
import { amount, type MetricUnit, wasteOf } from "./metrics.ts";
import { Letter } from "./trace_of.tsx";

const HEIGHT = 92;
const [TOP, BOTTOM, SIDE] = [6, 4, 2];

export type Scale = ScaleLinear<number, number>;

/** Puts charts beside each other, as many as there is room for. */
export function ChartGrid({ children }: { readonly children: ReactNode }) {
	return <div className={`grid gap-4 ${css.grid}`}>{children}</div>;
}

interface LineChartProps {
	readonly name: string;
	readonly unit?: string;
	/** Its accessible name. */
	readonly label: string;
	/** The lines in words, for the file of the chart; left out if it has none. */
	readonly legend?: string;
	/** The largest value, and its words. */
	readonly most: number;
	readonly mostWords: string;
	/** The horizontal axis has the positions from 0 to this one. */
	readonly last: number;
	readonly at: number;
	/** The path of each machine. The paths are drawn again only for another function. */
	readonly pathsOf: (x: Scale, y: Scale) => readonly string[];
	/** The words of each machine's number at the crosshair. */
	readonly values: readonly string[];
	/** Shown after the numbers. */
	readonly more?: ReactNode;
	readonly onPoint: (at: number | null) => void;
	readonly onChoose?: (at: number) => void;
	/** The chart for readers who do not see it. */
	readonly children: ReactNode;
}

export function LineChart({ name, unit, label, legend, values, more, ...props }: LineChartProps) {
	const { most, mostWords, last, at, pathsOf, onPoint, onChoose, children } = props;
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const { x, y, paths } = useMemo(() => {
		const across = scaleLinear([0, last], [SIDE, Math.max(SIDE + 10, width - SIDE)]).clamp(true);
		const up = scaleLinear([0, Math.max(1, most)], [HEIGHT - BOTTOM, TOP]);
		return { x: across, y: up, paths: pathsOf(across, up) };
	}, [last, width, most, pathsOf]);
	const positionAt = (e: PointerEvent) => Math.round(x.invert(e.nativeEvent.offsetX));
	// A touch chooses; where there is nothing to choose, it points.
	const points = (e: PointerEvent) => e.pointerType === "mouse" || !onChoose;
	return (
		<figure className={`grid gap-1 narrows ${css.multiple}`}>
			<figcaption>
				<strong>{name}</strong> {unit && <span className="small quiet">{unit}</span>}
				<span className="small quiet number to-end">up to {mostWords}</span>
			</figcaption>
			<div className={`chart ${css.chart}`} ref={box}>
				<svg
					width={width}
					height={HEIGHT}
					role="img"
					data-export={legend && name.toLowerCase()}
					data-legend={legend}
					aria-label={label}
					onPointerDown={onChoose && ((e) => e.button === 0 && onChoose(positionAt(e)))}
					onPointerMove={(e) => onPoint(points(e) ? positionAt(e) : null)}
					onPointerLeave={() => onPoint(null)}
				>
					<g className="axis">
						<path d={`M0 ${y(0)}H${width}M0 ${TOP}H${width}`} />
					</g>
					{paths
						.map((path, i) => (
							<path key={LETTERS[i]} className={classes(css.curve, css[`run${i}`])} d={path} />
						))
						.toReversed()}
					<path className={css.crosshair} d={`M${x(at)} 0V${HEIGHT}`} />
				</svg>
			</div>
			<dl className={`number flex wrap ${css.values}`}>
				{values.map((words, i) => (
					<div key={LETTERS[i]}>
						<dt>
							<Letter nr={i} />
						</dt>
						<dd>{words}</dd>
					</div>
				))}
				{more}
			</dl>
			{children}
		</figure>
	);
}

/* The curves of a comparison: a metric of every machine over the whole trace, as points. */

/** A point of a line: its value holds from an event until the next point. */
interface Point {
	readonly op: number;
	readonly value: number;
}

interface Curve {
	/** The machines' traces. */
	readonly runs: readonly Pick<Run, "nrOps" | "trace">[];
	readonly name: string;
	readonly unit: MetricUnit;
	readonly most: number;
	/** The points of each machine; undefined if its allocator does not have the metric. */
	readonly machines: readonly (readonly Point[] | undefined)[];
	/** The exact value after an event, from its totals; undefined if they don't include it. */
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

/** Adds up the buckets to each bucket's end. */
function sums({ max, opsPerBucket }: Series): Point[] {
	return Array.from(cumsum(max), (value, k) => ({ op: (k + 1) * opsPerBucket - 1, value }));
}

/** Returns the totals at the end of each bucket. */
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
		name: "Slab memory not requested",
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

/** Returns the value of the last point up to an event; 0 before the first one. */
export function valueAt(points: readonly Point[], op: number): number {
	return points[byOp.right(points, op) - 1]?.value ?? 0;
}

/** Returns each machine's value after an event of the first one's trace: exact if that event's totals include it, otherwise from its curve. */
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

/** Finds the highest point, or the first of several. */
function peakOf(points: readonly Point[]): Point {
	return points.reduce((a, b) => (b.value > a.value ? b : a), { op: 0, value: 0 });
}

/*
 * Small multiples: a chart for each metric, with a curve for each machine. All have the same events across and one
 * crosshair: at the position on screen, or under the pointer.
 */

/** The lines as the style sheet draws them. */
const LINES = ["A, solid", "B, dashed", "C, dotted", "D, dashes and dots"];

interface SmallMultiplesProps {
	readonly comparison: Comparison;
	readonly nrOps: number;
	/** After the event on screen. */
	readonly totals: readonly Totals[];
}

export function SmallMultiples({ comparison, nrOps, totals }: SmallMultiplesProps) {
	const here = useCalm((f) => f.moment?.position.op ?? 0);
	const [pointed, setPointed] = useState<number | null>(null);
	const { runs } = comparison;
	const curves = useMemo(() => curvesFor(runs), [runs]);
	const machines = runs.map(({ machine }) => machine);
	const at = pointed ?? here;
	const beside = (
		<p className="small quiet number">
			{pointed === null ? "at the position, " : "under the pointer, "}
			{eventWords(at)}
		</p>
	);
	return (
		<Panel heading="Curves over the trace" label="Curves" beside={beside}>
			<ChartGrid>
				{curves.map((curve) => (
					<Multiple
						key={curve.name}
						{...{ curve, machines, nrOps, at, here, totals }}
						onPoint={setPointed}
					/>
				))}
			</ChartGrid>
			<p className="hint">
				Each curve adds up all caches.{" "}
				{runs.some(({ trace }) => trace !== undefined) &&
					"All traces are drawn equally wide, so the crosshair marks the same fraction of each. "}
				Model cycles compare machines; they do not predict times.
			</p>
		</Panel>
	);
}

/** Returns the event at the right edge: two futures of a trace may end at different events. */
function lastEvent(runs: Curve["runs"], nrOps: number): number {
	const same = runs.filter(({ trace }) => trace === undefined);
	return Math.max(1, nrOps - 1, ...same.map((run) => run.nrOps - 1));
}

interface MultipleProps {
	readonly curve: Curve;
	/** The machines as a slabtrace names them. */
	readonly machines: readonly string[];
	readonly nrOps: number;
	/** The event of the crosshair. */
	readonly at: number;
	/** The event on screen. */
	readonly here: number;
	readonly totals: readonly Totals[];
	readonly onPoint: (op: number | null) => void;
}

function Multiple({ curve, machines, nrOps, at, here, totals, onPoint }: MultipleProps) {
	const { name, unit, most, runs } = curve;
	const last = lastEvent(runs, nrOps);
	const pathsOf = useCallback(
		(x: Scale, y: Scale) =>
			curve.machines.map((points, i) => {
				const run = curve.runs[i];
				const own = run?.trace === undefined ? last : Math.max(1, run.nrOps - 1);
				return points ? pathOf(points, x.copy().domain([0, own]), y) : "";
			}),
		[curve, last],
	);
	return (
		<LineChart
			{...{ name, unit, most, last, at, pathsOf, onPoint }}
			mostWords={amount(most, unit)}
			label={`${name} of ${quantity(machines.length, "machine")}, up to ${amount(most, unit)} ${unit}`}
			legend={[
				`${name}, ${unit}, up to ${amount(most, unit)}`,
				...machines.map((machine, i) => `${LINES[i]}: ${machine}`),
			].join("\n")}
			values={valuesAt(curve, at, totals).map((value) =>
				value === undefined ? "–" : amount(value, unit),
			)}
			onChoose={seek}
		>
			<CurveWords curve={curve} here={here} values={valuesAt(curve, here, totals)} />
		</LineChart>
	);
}

/** Keeps one point for each pixel across: the highest. */
function pathOf(points: readonly Point[], x: Scale, y: Scale): string {
	const highest = rollup(
		points,
		(those) => max(those, ({ value }) => value) ?? 0,
		({ op }) => Math.round(x(op)),
	);
	const path = line<[number, number]>(
		([pixel]) => pixel,
		([, value]) => y(value),
	);
	return path.digits(1)([...highest]) ?? "";
}

interface CurveWordsProps {
	readonly curve: Curve;
	readonly here: number;
	/** After that event. */
	readonly values: readonly (number | undefined)[];
}

/** The chart for screen readers. */ function CurveWords({ curve, here, values }: CurveWordsProps) {
	const { name, unit, machines } = curve;
	const none = "its allocator doesn't have this number";
	return (
		<DataTable
			caption={`${name}, ${unit}`}
			className="hidden"
			columns={[
				{ name: "Machine", show: (_, i) => LETTERS[i] },
				{
					name: `After ${eventWords(here)}`,
					show: (points, i) => (points ? amount(values[i] ?? 0, unit) : none),
				},
				{
					name: "Peak",
					show: (points, i) => points && peakWords(points, unit, curve.runs[i]?.nrOps ?? 0),
				},
				{
					name: "At the end",
					show: (points) => points && amount(points.at(-1)?.value ?? 0, unit),
				},
			]}
			rows={machines}
			keyOf={(_, i) => LETTERS[i] ?? i}
		/>
	);
}

function peakWords(points: readonly Point[], unit: Curve["unit"], nrOps: number): string {
	const { value, op } = peakOf(points);
	return `${amount(value, unit)}, near ${eventWords(Math.min(nrOps - 1, op))}`;
}
