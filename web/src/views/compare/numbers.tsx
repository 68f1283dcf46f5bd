/** The numbers of the compared machines: after the event on screen, and over the whole trace. */
import type { Totals } from "#abi";
import { LETTERS } from "../../app/state/machine_letters.ts";
import { change } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { quantity } from "../../base/format.ts";
import { eventWords } from "../../base/numbering.ts";
import type { Run } from "../../engine/answers.ts";
import { Check, Scrolls } from "../../ui/controls.tsx";
import { Panel } from "../../ui/view/view.tsx";
import { Letter } from "./letter.tsx";
import { amount, differenceInWords, differingRows, type MetricRow, metricRows } from "./metrics.ts";
import css from "./numbers.module.css";

interface NumbersProps {
	readonly totals: readonly Totals[];
	readonly runs: readonly Run[];
}

export function Numbers({ totals, runs }: NumbersProps) {
	const comparing = useFacts((f) => f.comparing);
	const all = comparing.allNumbers;
	const op = useCalm((f) => f.moment?.position.op ?? 0);
	// The previous machines' numbers may still be here.
	if (totals.length === 0 || totals.length !== runs.length) return null;
	const every = metricRows(totals, runs);
	const { differ, alone } = differingRows(every);
	const rows = all ? every : differ;
	const after = rows.filter(({ over }) => over === "event");
	const whole = rows.filter(({ over }) => over === "trace");
	const beside = (
		<Check
			checked={!all}
			onCheck={(only) => change({ comparing: { ...comparing, allNumbers: !only } })}
		>
			only differences
		</Check>
	);
	return (
		<Panel heading="Numbers" beside={beside}>
			<Scrolls label="Table of differences">
				<table className={`stays number ${css.table}`}>
					<caption className="hidden">Numbers of each machine, with differences from A</caption>
					<thead>
						<tr>
							<th scope="col">Metric</th>
							<th scope="col" className={css.unit}>
								Unit
							</th>
							{totals.map((_, i) => (
								<th key={LETTERS[i]} scope="col">
									<Letter nr={i} />
								</th>
							))}
						</tr>
					</thead>
					<Rows title={`After ${eventWords(op)}`} rows={after} width={totals.length + 2} />
					<Rows title="Over the whole trace" rows={whole} width={totals.length + 2} />
				</table>
				{rows.length === 0 && <p className="hint">No number differs so far.</p>}
				{!all && alone > 0 && (
					<p className="hint">
						Not shown: {quantity(alone, "counter")} that only one of these allocators has.
					</p>
				)}
			</Scrolls>
		</Panel>
	);
}

interface RowsProps {
	readonly title: string;
	readonly rows: readonly MetricRow[];
	readonly width: number;
}

function Rows({ title, rows, width }: RowsProps) {
	return (
		<tbody>
			<tr>
				<th scope="rowgroup" colSpan={width} className={css.group}>
					{title}
				</th>
			</tr>
			{rows.map((row) => (
				<tr key={`${row.over} ${row.key}`}>
					<th scope="row" title={row.title}>
						{row.name} <span className={`mono quiet ${css.key}`}>{row.key}</span>
						<span className={`small quiet ${css.ownUnit}`}>{row.unit}</span>
					</th>
					<td className={`quiet ${css.unit}`}>{row.unit}</td>
					{row.values.map((value, nr) => (
						<Value key={LETTERS[nr]} row={row} value={value} nr={nr} />
					))}
				</tr>
			))}
		</tbody>
	);
}

interface ValueProps {
	readonly row: MetricRow;
	readonly value: number | undefined;
	readonly nr: number;
}

/** The number, and its difference from the first machine's. */
function Value({ row, value, nr }: ValueProps) {
	if (value === undefined)
		return <td title={`The allocator of ${LETTERS[nr]} does not have this number`}>–</td>;
	const first = row.values[0];
	const by = nr > 0 && first !== undefined ? differenceInWords(value, first, row.unit) : "";
	return (
		<td>
			{amount(value, row.unit)}
			<span className={`small quiet ${css.by}`}>{by}</span>
		</td>
	);
}
