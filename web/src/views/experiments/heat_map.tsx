/**
 * A grid of replays as a heat map. It is a table of exact numbers with shading, so colour and text agree; arrow keys
 * go from cell to cell, and the full text of a cell is shown above.
 */

import { useRef, useState } from "react";
import type { Replayed } from "../../app/playback/many_replays.ts";
import { count, quantity } from "../../base/format.ts";
import { Scrolls } from "../../ui/controls.tsx";
import { From } from "../../ui/view.tsx";
import css from "./experiments.module.css";
import { pairOf, type Question } from "./grid.ts";
import { METRICS, measuredAt, openCell } from "./sweep.tsx";

interface Props {
	readonly question: Question;
	readonly cells: readonly Replayed[];
	readonly metric: string;
}

export function HeatMap({ question, cells, metric }: Props) {
	const { x, y } = question;
	const [at, setAt] = useState(0);
	const here = Math.min(at, cells.length - 1);
	const table = useRef<HTMLTableElement>(null);
	const span = spanOf(cells, metric);
	const move = (event: React.KeyboardEvent) => {
		const way = MOVES[event.key];
		if (!way) return;
		// At the edge too the key is the table's, and nothing else on the page moves.
		event.preventDefault();
		const to = way(here, x.values.length, cells.length);
		if (to < 0) return;
		setAt(to);
		table.current?.querySelector<HTMLElement>(`[data-cell="${to}"]`)?.focus();
	};
	const rows = y?.values ?? [""];
	return (
		<div className={`grid gap-3 ${css.heat}`}>
			<p className={`flex wrap baseline ${css.reading}`} aria-live="polite">
				<Reading question={question} cell={cells[here]} nr={here} metric={metric} />
			</p>
			<Scrolls label="Heat map, scrollable" className={css.scroll}>
				<table ref={table} className="number">
					<caption className="hidden">
						{metric} by {x.key}
						{y && ` and ${y.key}`}
					</caption>
					<thead>
						<tr>
							<td />
							<th scope="colgroup" colSpan={x.values.length} className="small quiet">
								{x.key}
							</th>
						</tr>
						<tr>
							<th scope="col" className="small quiet">
								{y?.key}
							</th>
							{x.values.map((value) => (
								<th key={value} scope="col">
									{value}
								</th>
							))}
						</tr>
					</thead>
					<tbody onKeyDown={move}>
						{rows.map((value, row) => (
							<tr key={value}>
								<th scope="row">{value}</th>
								{x.values.map((column, i) => {
									const nr = row * x.values.length + i;
									return (
										<HeatCell
											key={column}
											nr={nr}
											cell={cells[nr]}
											metric={metric}
											span={span}
											current={nr === here}
											name={pairOf(question, nr)
												.map(([axis, v]) => `${axis.key} ${v}`)
												.join(", ")}
											point={setAt}
										/>
									);
								})}
							</tr>
						))}
					</tbody>
				</table>
			</Scrolls>
			<Legend span={span} />
		</div>
	);
}

interface Span {
	readonly least: number;
	readonly most: number;
	readonly known: number;
}

function spanOf(cells: readonly Replayed[], metric: string): Span {
	const values = cells.flatMap((cell) => measuredAt(cell, metric)?.value ?? []);
	return { least: Math.min(...values), most: Math.max(...values), known: values.length };
}

type Move = (at: number, width: number, all: number) => number;

/** The cell that each key leads to; -1 for none. */
const MOVES: Readonly<Record<string, Move>> = {
	ArrowRight: (at, width) => ((at + 1) % width > 0 ? at + 1 : -1),
	ArrowLeft: (at, width) => (at % width > 0 ? at - 1 : -1),
	ArrowDown: (at, width, all) => (at + width < all ? at + width : -1),
	ArrowUp: (at, width) => at - width,
	Home: (at, width) => at - (at % width),
	End: (at, width) => at - (at % width) + width - 1,
};

interface CellProps {
	readonly nr: number;
	readonly cell: Replayed | undefined;
	readonly metric: string;
	readonly span: Span;
	readonly current: boolean;
	readonly name: string;
	readonly point: (nr: number) => void;
}

function HeatCell({ nr, cell, metric, span, current, name, point }: CellProps) {
	const value = measuredAt(cell, metric)?.value;
	const share = value === undefined || span.most === span.least ? 0 : shareOf(value, span);
	const sign =
		span.most === span.least ? "" : value === span.most ? "▲" : value === span.least ? "▼" : "";
	const text =
		value !== undefined ? count(value) : cell?.why ? "invalid" : cell?.rows ? "none" : "·";
	return (
		<td
			className={value === undefined ? css.empty : undefined}
			style={{ "--heat": share } as React.CSSProperties}
		>
			<button
				type="button"
				data-cell={nr}
				tabIndex={current ? 0 : -1}
				aria-label={`${name}: ${text === "·" ? "not measured yet" : text}`}
				aria-disabled={value === undefined}
				onFocus={() => point(nr)}
				onPointerEnter={() => point(nr)}
				onClick={() => void openCell(nr, metric)}
			>
				<span aria-hidden="true" className={`small left ${css.sign}`}>
					{sign}
				</span>
				{text}
			</button>
		</td>
	);
}

function shareOf(value: number, { least, most }: Span): number {
	return (value - least) / (most - least);
}

interface ReadingProps {
	readonly question: Question;
	readonly cell: Replayed | undefined;
	readonly nr: number;
	readonly metric: string;
}

/** Writes the full text of a cell. */
function Reading({ question, cell, nr, metric }: ReadingProps) {
	const found = measuredAt(cell, metric);
	const words = METRICS.find(({ key }) => key === metric)?.words ?? metric;
	const pair = pairOf(question, nr).map(([axis, value]) => `${axis.key}=${value}`);
	return (
		<>
			<span className="mono">{pair.join(" ")}</span>
			{cell?.why ? (
				<span>invalid: {cell.why}</span>
			) : found?.value === undefined ? (
				<span>
					{cell?.rows ? "This cell's allocator doesn't have this number." : "not measured yet"}
				</span>
			) : (
				<>
					<strong className="number">{count(found.value)}</strong>
					<span>
						{words}
						{found.from !== undefined && (
							<>
								{" "}
								(<From of={found.from} />)
							</>
						)}
					</span>
					<span className="quiet">
						highest after {quantity(found.op, "event")}; press Enter or click to open it there
					</span>
				</>
			)}
		</>
	);
}

function Legend({ span }: { span: Span }) {
	if (span.known === 0) return null;
	if (span.least === span.most) return <p className="hint">All cells have the same value.</p>;
	return (
		<div className="small quiet number flex middle gap-3">
			<span>▼ {count(span.least)}</span>
			<span className={css.ramp} aria-hidden="true" />
			<span>▲ {count(span.most)}</span>
		</div>
	);
}
