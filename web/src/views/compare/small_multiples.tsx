/**
 * Small multiples: a chart for each metric, with a curve for each machine. All have the same events across and one
 * crosshair: at the position on screen, or under the pointer.
 */
import { scaleLinear } from "d3";
import { memo, type PointerEvent, useMemo, useRef, useState } from "react";
import type { Totals } from "#abi";
import { seek } from "../../app/playback/player.ts";
import { LETTERS } from "../../app/state/machine_letters.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { quantity } from "../../base/format.ts";
import { eventWords } from "../../base/numbering.ts";
import type { Comparison } from "../../engine/answers.ts";
import { classes } from "../../ui/classes.ts";
import { DataTable } from "../../ui/table/data_table.tsx";
import { useSize } from "../../ui/use_element.ts";
import { type Curve, curvesFor, type Point, peakOf, valuesAt } from "./curves.ts";
import { Letter } from "./letter.tsx";
import { amount } from "./metrics.ts";
import css from "./small_multiples.module.css";

/** The classes of small charts, for other charts that look the same. */
export const charts = css;

/** The lines as the style sheet draws them. */
const LINES = ["A, solid", "B, dashed", "C, dotted", "D, dashes and dots"];
const HEIGHT = 92;
const [TOP, BOTTOM, SIDE] = [6, 4, 2];

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
	return (
		<section className={`card ${css.card}`} aria-label="Curves">
			<div className="panel-head">
				<h3>Curves over the trace</h3>
				<p className="small quiet number">
					{pointed === null ? "at the position, " : "under the pointer, "}
					{eventWords(at)}
				</p>
			</div>
			<div className={css.grid}>
				{curves.map((curve) => (
					<Multiple
						key={curve.name}
						{...{ curve, machines, nrOps, at, here, totals }}
						onPoint={setPointed}
					/>
				))}
			</div>
			<p className="hint">
				All curves are of all caches.{" "}
				{runs.some(({ trace }) => trace !== undefined) &&
					"Traces are drawn to the same width, so the crosshair is at the same share of each. "}
				Model cycles compare machines; they do not predict times.
			</p>
		</section>
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
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const last = lastEvent(curve.runs, nrOps);
	const x = scaleLinear([0, last], [SIDE, Math.max(SIDE + 10, width - SIDE)]).clamp(true);
	const eventAt = (e: PointerEvent) => Math.round(x.invert(e.nativeEvent.offsetX));
	const { name, unit, most } = curve;
	return (
		<figure className={css.multiple}>
			<figcaption>
				<strong>{name}</strong> <span className="small quiet">{unit}</span>
				<span className={`small quiet number ${css.most}`}>up to {amount(most, unit)}</span>
			</figcaption>
			<div className={`chart ${css.chart}`} ref={box}>
				<svg
					width={width}
					height={HEIGHT}
					role="img"
					data-export={name.toLowerCase()}
					data-legend={[
						`${name}, ${unit}, up to ${amount(most, unit)}`,
						...machines.map((machine, i) => `${LINES[i]}: ${machine}`),
					].join("\n")}
					aria-label={`${name} of ${quantity(machines.length, "machine")}, up to ${amount(most, unit)} ${unit}`}
					onPointerDown={(e) => seek(eventAt(e))}
					onPointerMove={(e) => onPoint(e.pointerType === "mouse" ? eventAt(e) : null)}
					onPointerLeave={() => onPoint(null)}
				>
					<Lines curve={curve} width={width} />
					<path className={css.crosshair} d={`M${x(at)} 0V${HEIGHT}`} />
				</svg>
			</div>
			<dl className={`number ${css.values}`}>
				{valuesAt(curve, at, totals).map((value, i) => (
					<div key={LETTERS[i]}>
						<dt>
							<Letter nr={i} />
						</dt>
						<dd>{value === undefined ? "–" : amount(value, unit)}</dd>
					</div>
				))}
			</dl>
			<CurveWords curve={curve} here={here} values={valuesAt(curve, here, totals)} />
		</figure>
	);
}

interface LinesProps {
	readonly curve: Curve;
	readonly width: number;
}

/** The curves stay while the crosshair moves. */
const Lines = memo(function Lines({ curve, width }: LinesProps) {
	const right = Math.max(SIDE + 10, width - SIDE);
	const last = lastEvent(curve.runs, curve.runs[0]?.nrOps ?? 0);
	const across = (nr: number) => {
		const run = curve.runs[nr];
		const own = run?.trace === undefined ? last : Math.max(1, run.nrOps - 1);
		return scaleLinear([0, own], [SIDE, right]).clamp(true);
	};
	const y = scaleLinear([0, Math.max(1, curve.most)], [HEIGHT - BOTTOM, TOP]);
	return (
		<>
			<g className="axis">
				<path d={`M0 ${y(0)}H${width}`} />
				<path d={`M0 ${y.range()[1]}H${width}`} />
			</g>
			{curve.machines
				.map((points, i) => (
					<path
						key={LETTERS[i]}
						className={classes(css.curve, css[`run${i}`])}
						d={points ? lineOf(points, across(i), y) : ""}
					/>
				))
				.toReversed()}
		</>
	);
});

/** One point for each pixel across: the highest. */
function lineOf(
	points: readonly Point[],
	x: (op: number) => number,
	y: (value: number) => number,
): string {
	const highest = new Map<number, number>();
	for (const { op, value } of points) {
		const pixel = Math.round(x(op));
		highest.set(pixel, Math.max(value, highest.get(pixel) ?? 0));
	}
	return [...highest]
		.map(([pixel, value], i) => `${i === 0 ? "M" : "L"}${pixel} ${y(value).toFixed(1)}`)
		.join("");
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
