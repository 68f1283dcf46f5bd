/** Dot plots: each row has the proposal's value, a real Linux 6.1's and ours on one axis, as shapes and as numbers. */

import type { ReactNode } from "react";
import type { Figure } from "#wasm";
import css from "./dot_plot.module.css";
import { type Plot, type PlotRow, plotted, type Source } from "./findings.ts";

const SOURCES: readonly Source[] = ["proposal", "real", "ours"];
const NAMES: Readonly<Record<Source, string>> = {
	proposal: "the proposal",
	real: "Linux 6.1",
	ours: "ours",
};
const WIDTH = 320;
const HEIGHT = 26;
const SIDE = 9;
/** Dots that are closer stand one above the other. */
const APART = 12;

export function DotPlot({ plot, figures }: { plot: Plot; figures: readonly Figure[] }) {
	const { title, unit, rows } = plot;
	const values = rows.map((row) => SOURCES.map((source) => plotted(figures, row, source)));
	const shown = SOURCES.filter((_, i) => values.some((of) => of[i] !== undefined));
	const most = Math.max(...values.flat().map((v) => v ?? 0), unit === "%" ? 100 : 0) || 1;
	return (
		<table className={css.plot} data-plot>
			<caption>{title}</caption>
			<thead>
				<tr>
					<th scope="col">
						<span className="hidden">Figure</span>
					</th>
					<th scope="col" className={css.axis}>
						<span className={css.ends}>
							<span>0</span>
							<span>{textOf(most, unit)}</span>
						</span>
					</th>
					{shown.map((source) => (
						<th key={source} scope="col" className="number">
							<Sign source={source} /> {NAMES[source]}
						</th>
					))}
				</tr>
			</thead>
			<tbody>
				{rows.map((row, i) => (
					<Row
						key={row.label}
						row={row}
						values={values[i] ?? []}
						most={most}
						unit={unit}
						shown={shown}
					/>
				))}
			</tbody>
		</table>
	);
}

interface RowProps {
	readonly row: PlotRow;
	/** In the order of SOURCES. */
	readonly values: readonly (number | undefined)[];
	readonly most: number;
	readonly unit: string;
	readonly shown: readonly Source[];
}

function Row({ row, values, most, unit, shown }: RowProps) {
	const dots = SOURCES.flatMap((source, i) => {
		const value = values[i];
		return value === undefined ? [] : [{ source, value }];
	});
	const words = dots.map(({ source, value }) => `${NAMES[source]} ${textOf(value, unit)}`);
	const x = (value: number) => SIDE + (value / most) * (WIDTH - 2 * SIDE);
	return (
		<tr>
			<th scope="row">{row.label}</th>
			<td className={css.axis}>
				<svg
					viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
					role="img"
					aria-label={`${row.label}: ${words.join(", ")}`}
				>
					<line className={css.line} x1={SIDE} x2={WIDTH - SIDE} y1={HEIGHT / 2} y2={HEIGHT / 2} />
					{dots.map(({ source, value }) => {
						const close = dots.filter((d) => Math.abs(x(d.value) - x(value)) < APART);
						const place = close.findIndex((d) => d.source === source) - (close.length - 1) / 2;
						return (
							<g key={source} transform={`translate(${x(value)} ${HEIGHT / 2 + place * 8})`}>
								<Shape source={source} />
							</g>
						);
					})}
				</svg>
			</td>
			{shown.map((source) => {
				const value = values[SOURCES.indexOf(source)];
				return (
					<td key={source} className={source === "ours" ? "number strong" : "number"}>
						{value === undefined ? <span className="quiet">–</span> : textOf(value, unit)}
					</td>
				);
			})}
		</tr>
	);
}

/** The sources differ by shape, so that no colour is needed. */
function Shape({ source }: { source: Source }): ReactNode {
	if (source === "proposal") return <circle className={css.proposal} r={4.5} />;
	if (source === "real") return <path className={css.real} d="M0 -6L6 0L0 6L-6 0Z" />;
	return <circle className={css.ours} r={5} />;
}

function Sign({ source }: { source: Source }) {
	return (
		<svg className={css.sign} viewBox="-7 -7 14 14" aria-hidden="true">
			<Shape source={source} />
		</svg>
	);
}

function textOf(value: number, unit: string): string {
	const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
	const number = value.toLocaleString("en-US", { maximumFractionDigits: digits });
	return unit === "%" ? `${number} %` : number;
}
