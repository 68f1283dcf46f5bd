/**
 * Small multiples: a chart for each metric, with a curve for each machine. All have the same events across and one
 * crosshair: at the position on screen, or under the pointer.
 */
import { line, max, rollup } from "d3";
import { useCallback, useMemo, useState } from "react";
import type { Totals } from "#abi";
import { seek } from "../../app/playback/player.ts";
import { LETTERS } from "../../app/state/machine_letters.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { quantity } from "../../base/format.ts";
import { eventWords } from "../../base/numbering.ts";
import type { Comparison } from "../../engine/answers.ts";
import { DataTable } from "../../ui/table/data_table.tsx";
import { Panel } from "../../ui/view/view.tsx";
import { type Curve, curvesFor, type Point, peakOf, valuesAt } from "./curves.ts";
import { ChartGrid, LineChart, type Scale } from "./line_chart.tsx";
import { amount } from "./metrics.ts";

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
				All curves are of all caches.{" "}
				{runs.some(({ trace }) => trace !== undefined) &&
					"Traces are drawn to the same width, so the crosshair is at the same share of each. "}
				Model cycles compare machines; they do not predict times.
			</p>
		</Panel>
	);
}

/** The event at the right edge: two futures of a trace may end at different events. */
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

/** One point for each pixel across: the highest. */
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

/** The chart for readers who do not see it. */
function CurveWords({ curve, here, values }: CurveWordsProps) {
	const { name, unit, machines } = curve;
	const none = "its allocator does not have this number";
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
