/** The curves of both traces over each other, at aligned positions, with one crosshair for all charts. */
import { line } from "d3";
import { useCallback, useState } from "react";
import { count } from "../../../base/format.ts";
import { numberOf } from "../../../base/numbering.ts";
import { type BothCurves, FIGURES, PARTS } from "../../../engine/query/two_traces.ts";
import { DataTable } from "../../../ui/table/data_table.tsx";
import { Panel } from "../../../ui/view/view.tsx";
import { ChartGrid, LineChart, type Scale } from "../line_chart.tsx";
import { amountOf, changeWords, figureWords } from "./changed.ts";

/** Rows of the text twin: every eighth position. */
const EVERY = 8;

export function Curves({ curves, how }: { readonly curves: BothCurves; readonly how: string }) {
	const [pointed, setPointed] = useState<number | null>(null);
	const at = pointed ?? PARTS;
	const [a, b] = curves.at;
	const beside = (
		<p className="small quiet number">
			after {count(a[at] ?? 0)} events of A and {count(b[at] ?? 0)} of B
		</p>
	);
	return (
		<Panel heading={`Curves, aligned by ${how}`} label="Curves of both traces" beside={beside}>
			<ChartGrid>
				{FIGURES.curves.map((figure, f) => {
					const both = curves.figures[f];
					return (
						both && (
							<Chart key={figure} {...{ figure, both, at }} ops={curves.at} onPoint={setPointed} />
						)
					);
				})}
			</ChartGrid>
		</Panel>
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
	const most = Math.max(1, ...both[0], ...both[1]);
	const pathsOf = useCallback(
		(x: Scale, y: Scale) => {
			const path = line<number>((_, i) => x(i), y);
			return both.map((values) => path(values) ?? "");
		},
		[both],
	);
	const name = figureWords(figure);
	const mostWords = amountOf(most, figure);
	const [a, b] = [both[0][at] ?? 0, both[1][at] ?? 0];
	return (
		<LineChart
			{...{ name, most, mostWords, at, pathsOf, onPoint }}
			last={PARTS}
			label={`${name} of A and B, up to ${mostWords}`}
			values={[amountOf(a, figure), amountOf(b, figure)]}
			more={
				<div className="quiet">
					<dt>B − A</dt>
					<dd>{changeWords(b - a, figure)}</dd>
				</div>
			}
		>
			<Words {...{ figure, both, ops }} />
		</LineChart>
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
