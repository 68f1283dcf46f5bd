/**
 * Two traces: the one on the stage and a second one, on one machine. Tables say which caches and numbers appeared, vanished
 * and grew; the curves of both are drawn over each other.
 */

import { line } from "d3";
import { useCallback, useState } from "react";
import { traceWords } from "../../../app/state/machine_spec.ts";
import { type Against, ALIGNED, change } from "../../../app/state/store.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { bringSecond, chooseSecond } from "../../../app/trace/bring.ts";
import { count, numberOf, quantity } from "../../../base/format.ts";
import { unscaledWords } from "../../../base/words.ts";
import {
	type BothCurves,
	FIGURES,
	PARTS,
	TABLES,
	type TwoTraces,
} from "../../../engine/query/two_traces.ts";
import { SelectField } from "../../../ui/controls.tsx";
import { CurrentStep } from "../../../ui/current_step.tsx";
import { DataTable } from "../../../ui/data_table.tsx";
import { useAsync } from "../../../ui/hooks.ts";
import { Fault, FileButton, From, Page, Panel } from "../../../ui/view.tsx";
import { ChartGrid, LineChart, type Scale } from "../line_chart.tsx";
import { Letter, TraceOf } from "../trace_of.tsx";
import { amountOf, ChangeTable, changesTo, changeWords, figureWords } from "./change_table.tsx";
import css from "./traces.module.css";

const HOW: Readonly<Record<Against["align"], string>> = {
	share: "share of the run",
	event: "event number",
	time: "time since the first event",
};

export function TracesView() {
	const built = useFacts((f) => f.built);
	const against = useFacts((f) => f.against);
	const { trace } = against;
	const ask = async () => {
		const changes = await changesTo(trace);
		return changes && { built, trace, changes };
	};
	const { value, sentence } = useAsync(built && trace !== "" ? ask : undefined, [built, trace]);
	if (!built) return null;
	const answer = value?.built === built && value.trace === trace ? value.changes : null;
	return (
		<Page label="Two traces">
			<Choice against={against} answer={answer} />
			{!answer && <Fault sentence={sentence} />}
			{trace === "" && <Examples />}
			{answer && <Results answer={answer} align={against.align} />}
			<div className={answer ? undefined : "hidden"}>
				<CurrentStep />
			</div>
		</Page>
	);
}

const EXAMPLES_MOST = 4;

/** Second traces to choose with one click: samples of real kernels. */
function Examples() {
	const own = useFacts((f) => f.trace);
	const samples = useFacts((f) => f.samples);
	const others = samples.filter(({ file, kernel }) => file !== own && kernel !== "");
	return (
		<>
			<p className="hint">
				Drop a second trace here or choose one, for example from before or after a change, or from
				another machine. The machine on the stage replays both.
			</p>
			<ul className={`grid gap-3 ${css.examples}`} aria-label="Recorded samples">
				{others.slice(0, EXAMPLES_MOST).map(({ file, title, what }) => (
					<li key={file}>
						<button type="button" onClick={() => chooseSecond(file)}>
							<span className="strong">{title}</span>
							<span className="small quiet">{what}</span>
						</button>
					</li>
				))}
			</ul>
		</>
	);
}

interface ChoiceProps {
	readonly against: Against;
	readonly answer: TwoTraces | null;
}

function Choice({ against, answer }: ChoiceProps) {
	const own = useFacts((f) => f.trace);
	const recent = useFacts((f) => f.recent);
	const key = against.trace.replace(/^recent:/, "");
	const name = recent.find((r) => r.key === key)?.name ?? traceWords(against.trace);
	return (
		<div className={`flex wrap high ${css.choice}`}>
			<div className={`grid gap-1 narrows ${css.side}`}>
				<h2>
					<Letter nr={0} /> {own.replace(/^local:/, "")}
				</h2>
				<p className="quiet small">
					The trace on the stage
					{answer && `: ${quantity(answer.extents[0].nrOps, "event")}`}
				</p>
			</div>
			<div className={`grid gap-1 narrows ${css.side}`}>
				<h2>
					<Letter nr={1} /> {against.trace === "" ? "A second trace" : name}
				</h2>
				{answer && <p className="quiet small">{quantity(answer.extents[1].nrOps, "event")}</p>}
				<div className="row">
					<TraceOf nr={1} trace={against.trace} set={chooseSecond} none="choose a trace" />
					<FileButton
						label="Second trace file"
						onFiles={([file]) => {
							if (file) void bringSecond(file);
						}}
					>
						Choose a file
					</FileButton>
				</div>
			</div>
			{against.trace !== "" && (
				<SelectField
					label="Align events by"
					value={against.align}
					onSelect={(align) =>
						change({ against: { ...against, align: align as Against["align"] } })
					}
					options={ALIGNED.map((how) => [how, HOW[how]])}
				/>
			)}
		</div>
	);
}

function Results({ answer, align }: { answer: TwoTraces; align: Against["align"] }) {
	const changes = answer.by[align];
	if (typeof changes === "string") return <Fault sentence={changes} />;
	const [a, b] = answer.extents;
	// If one start is a guess, so is the comparison.
	const from = a.from > b.from ? a.from : b.from;
	const sampled = unscaledWords([
		["The trace of A", a.sampling],
		["The trace of B", b.sampling],
	]);
	return (
		<div className="grid one-column gap-3">
			<p className="hint">
				Memory in slabs and pages is modelled from a <From of={from} />.
			</p>
			{sampled !== "" && <p className="hint">{sampled}</p>}
			{a.lacksNames !== b.lacksNames && (
				<p className="hint">
					{a.lacksNames ? "A" : "B"}'s kernel recorded no cache names, so its caches are named after
					their slot size: a cache that both traces use can be listed once as appeared and once as
					vanished.
				</p>
			)}
			<Curves curves={changes.curves} how={HOW[align]} />
			{TABLES.map((table) => (
				<ChangeTable key={table} table={table} rows={changes.tables[table]} from={from} />
			))}
			{answer.whyNoSites !== "" && <p className="hint">Call sites: {answer.whyNoSites}.</p>}
		</div>
	);
}

/* The curves of both traces over each other, at aligned positions, with one crosshair for all charts. */

/** The table for screen readers has every eighth position. */
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

/** The chart for screen readers. */
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
