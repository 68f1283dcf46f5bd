/** The curves of both traces over each other, at aligned positions, with one crosshair for all charts. */
import { line, scaleLinear } from "d3";
import { useRef, useState } from "react";
import { count } from "../../../base/format.ts";
import { numberOf } from "../../../base/numbering.ts";
import { type BothCurves, FIGURES, PARTS } from "../../../engine/query/two_traces.ts";
import { classes } from "../../../ui/classes.ts";
import { DataTable } from "../../../ui/table/data_table.tsx";
import { useSize } from "../../../ui/use_element.ts";
import { Letter } from "../letter.tsx";
import { charts } from "../small_multiples.tsx";
import { amountOf, changeWords, figureWords } from "./changed.ts";

const HEIGHT = 92;
const [TOP, BOTTOM, SIDE] = [6, 4, 2];
/** Rows of the text twin: every eighth position. */
const EVERY = 8;

export function Curves({ curves, how }: { readonly curves: BothCurves; readonly how: string }) {
	const [pointed, setPointed] = useState<number | null>(null);
	const at = pointed ?? PARTS;
	const [a, b] = curves.at;
	return (
		<section className={`card ${charts.card}`} aria-label="Curves of both traces">
			<div className="panel-head">
				<h3>Curves, aligned by {how}</h3>
				<p className="small quiet number">
					after {count(a[at] ?? 0)} events of A and {count(b[at] ?? 0)} of B
				</p>
			</div>
			<div className={charts.grid}>
				{FIGURES.curves.map((figure, f) => {
					const both = curves.figures[f];
					return (
						both && (
							<Chart key={figure} {...{ figure, both, at }} ops={curves.at} onPoint={setPointed} />
						)
					);
				})}
			</div>
		</section>
	);
}

interface ChartProps {
	readonly figure: string;
	readonly both: readonly [readonly number[], readonly number[]];
	readonly ops: BothCurves["at"];
	readonly at: number;
	readonly onPoint: (at: number | null) => void;
}

function Chart({ figure, both, ops, at, onPoint }: ChartProps) {
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const most = Math.max(1, ...both[0], ...both[1]);
	const x = scaleLinear([0, PARTS], [SIDE, Math.max(SIDE + 10, width - SIDE)]).clamp(true);
	const y = scaleLinear([0, most], [HEIGHT - BOTTOM, TOP]);
	const path = line<number>(
		(_, i) => x(i),
		(value) => y(value),
	);
	const name = figureWords(figure);
	const [a, b] = [both[0][at] ?? 0, both[1][at] ?? 0];
	return (
		<figure className={charts.multiple}>
			<figcaption>
				<strong>{name}</strong>
				<span className={`small quiet number ${charts.most}`}>up to {amountOf(most, figure)}</span>
			</figcaption>
			<div className={`chart ${charts.chart}`} ref={box}>
				<svg
					width={width}
					height={HEIGHT}
					role="img"
					aria-label={`${name} of A and B, up to ${amountOf(most, figure)}`}
					onPointerMove={(e) => onPoint(Math.round(x.invert(e.nativeEvent.offsetX)))}
					onPointerLeave={() => onPoint(null)}
				>
					<g className="axis">
						<path d={`M0 ${y(0)}H${width}`} />
						<path d={`M0 ${TOP}H${width}`} />
					</g>
					<path className={classes(charts.curve, charts.run1)} d={path(both[1]) ?? ""} />
					<path className={classes(charts.curve, charts.run0)} d={path(both[0]) ?? ""} />
					<path className={charts.crosshair} d={`M${x(at)} 0V${HEIGHT}`} />
				</svg>
			</div>
			<dl className={`number ${charts.values}`}>
				{[a, b].map((value, nr) => (
					<div key={nr === 0 ? "A" : "B"}>
						<dt>
							<Letter nr={nr} />
						</dt>
						<dd>{amountOf(value, figure)}</dd>
					</div>
				))}
				<div className="quiet">
					<dt>B − A</dt>
					<dd>{changeWords(b - a, figure)}</dd>
				</div>
			</dl>
			<Words {...{ figure, both, ops }} />
		</figure>
	);
}

/** The chart for readers who do not see it. */
function Words({ figure, both, ops }: Pick<ChartProps, "figure" | "both" | "ops">) {
	const rows = Array.from({ length: PARTS / EVERY + 1 }, (_, i) => i * EVERY);
	return (
		<DataTable
			caption={`${figureWords(figure)} of both traces`}
			className="hidden"
			columns={[
				{
					name: "Position",
					show: (i) =>
						`${numberOf(i)}: ${count(ops[0][i] ?? 0)} events of A, ${count(ops[1][i] ?? 0)} of B`,
				},
				{ name: "A", show: (i) => amountOf(both[0][i] ?? 0, figure) },
				{ name: "B", show: (i) => amountOf(both[1][i] ?? 0, figure) },
			]}
			rows={rows}
			keyOf={(i) => i}
		/>
	);
}
