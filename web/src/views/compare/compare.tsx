/**
 * Compare: up to four machines, on one trace or each on its own, in lockstep: stages, the first divergence of each with its reasons,
 * curves, and numbers.
 */

import { Fragment, useEffect } from "react";
import { ALLOCATORS, type From as Mark, type Totals } from "#abi";
import { go } from "../../app/playback/player.ts";
import {
	allocatorIn,
	futureTrace,
	LETTERS,
	settingsIn,
	specOf,
	traceIn,
	traceWords,
} from "../../app/state/machine_spec.ts";
import { change, MOST_OTHERS, USUAL_ALLOCATOR } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { beginAs } from "../../app/trace/actions.ts";
import { eventWords, numberOf, quantity } from "../../base/format.ts";
import { unscaledWords } from "../../base/words.ts";
import type { Comparison, Divergence, Run } from "../../engine/answers.ts";
import { Button, Check, IconButton, LinkButton, Scrolls, Select } from "../../ui/controls.tsx";
import { CurrentStep } from "../../ui/current_step.tsx";
import { useAsync } from "../../ui/hooks.ts";
import { Entry, Fault, From, Page, Panel } from "../../ui/view.tsx";
import css from "./compare.module.css";
import { SmallMultiples } from "./line_chart.tsx";
import { compareWith, totalsAt } from "./machines.ts";
import { amount, differenceInWords, differingRows, type MetricRow, metricRows } from "./metrics.ts";
import { Stages } from "./stages.tsx";
import { Letter, TraceOf } from "./trace_of.tsx";

export function Compare() {
	const built = useFacts((f) => f.built);
	const versus = useFacts((f) => f.versus);
	const { comparison, sentence } = useComparison();
	const totals = useTotals(comparison);
	if (!built) return null;
	return (
		<Page label="Compare">
			<Machines versus={versus} />
			<Fault sentence={sentence}>{comparison && "The comparison below is the previous one."}</Fault>
			{comparison && (
				<>
					<Sampled {...comparison} />
					<Starts {...comparison} />
					<Stages comparison={comparison} versus={versus} />
					<Divergences {...comparison} />
					<Marks {...comparison} />
					<SmallMultiples comparison={comparison} nrOps={built.nrOps} totals={totals} />
					<Numbers totals={totals} runs={comparison.runs} />
				</>
			)}
			<CurrentStep />
		</Page>
	);
}

/** Names each replayed trace that is sampled. */
function Sampled({ runs }: Comparison) {
	const words = unscaledWords(
		runs.flatMap(({ trace, sampling }, nr) =>
			nr === 0 || trace !== undefined ? [[`The trace of ${LETTERS[nr]}`, sampling] as const] : [],
		),
	);
	return words === "" ? null : <p className="hint">{words}</p>;
}

const LIST = new Intl.ListFormat("en");

/** Says where each machine's memory figures come from, in one sentence if all are the same. */
function Marks({ runs }: Comparison) {
	const marks = [...new Set(runs.map(({ from }) => from))];
	const lettersOf = (mark: Mark) =>
		LIST.format(runs.flatMap(({ from }, nr) => (from === mark ? [LETTERS[nr] ?? ""] : [])));
	return (
		<p className="hint">
			Memory in slabs and pages is modelled from a{" "}
			{marks.map((mark, i) => (
				<Fragment key={mark}>
					{i > 0 && ", "}
					<From of={mark} />
					{marks.length > 1 && ` for ${lettersOf(mark)}`}
				</Fragment>
			))}
			.
		</p>
	);
}

/** Says which machines start with slabs from before the trace, if only some of those that replay it do. */
function Starts({ runs }: Comparison) {
	const isStates = useFacts((f) => f.machineState?.warm ?? false);
	const letters = (isWarm: boolean) =>
		runs.flatMap(({ trace, slabsBefore }, nr) =>
			trace === undefined && slabsBefore > 0 === isWarm ? [LETTERS[nr] ?? ""] : [],
		);
	const [warm, empty] = [letters(true), letters(false)];
	if (empty.length === 0 || warm.length === 0) return null;
	const begin = (those: readonly string[]) =>
		`${LIST.format(those)} ${those.length === 1 ? "starts" : "start"}`;
	return (
		<p className="hint">
			{begin(warm)} with slabs from before the trace and {begin(empty)} empty, so you can't compare
			their memory.{" "}
			{!isStates && (
				<LinkButton onClick={() => void beginAs({ cold: true, start: "" })}>
					Start all of them empty
				</LinkButton>
			)}
		</p>
	);
}

/** Keeps the comparison for the current trace, the machine on the stage and the other machines. */
function useComparison(): Compared {
	const built = useFacts((f) => f.built);
	const versus = useFacts((f) => f.versus);
	const compare = async () => {
		const comparison = await compareWith(versus);
		return comparison && { built, comparison };
	};
	const { value, sentence } = useAsync(built ? compare : undefined, [built, versus]);
	// An earlier comparison stays, unless the new one failed and it was about another machine or trace.
	const isOld = sentence !== "" && value?.built !== built;
	return { comparison: isOld ? null : (value?.comparison ?? null), sentence };
}

interface Compared {
	readonly comparison: Comparison | null;
	readonly sentence: string;
}

/** Finds an allocator that none of the machines has yet. */
function another(versus: readonly string[]): string {
	const known = new Set(versus.map(allocatorIn));
	known.add(USUAL_ALLOCATOR);
	return Object.keys(ALLOCATORS).find((a) => !known.has(a)) ?? USUAL_ALLOCATOR;
}

const NO_TOTALS: readonly Totals[] = [];

/** Returns the totals after the event on screen, on every machine. */
function useTotals(comparison: Comparison | null): readonly Totals[] {
	const op = useCalm((f) => f.moment?.position.op ?? -1);
	const ask = () => totalsAt(op);
	const { value, sentence } = useAsync(comparison && op >= 0 ? ask : undefined, [comparison, op]);
	useEffect(() => {
		if (sentence !== "") change({ error: sentence });
	}, [sentence]);
	return value ?? NO_TOTALS;
}

function Machines({ versus }: { versus: readonly string[] }) {
	const machine = useFacts((f) => f.built?.machine ?? "");
	const future = useFacts((f) => (f.sandbox?.after ? futureTrace(f.future) : ""));
	const set = (others: readonly string[]) => change({ versus: others });
	return (
		<div className="flex wrap high gap-3">
			<div className={`grid one-column gap-2 narrows ${css.machine}`}>
				<h2>
					<Letter nr={0} /> The machine on the stage
				</h2>
				<p className="quiet mono" title={machine}>
					{machine.replace(/^machine /, "")}
				</p>
				{future !== "" && <p>It replays {traceWords(future)} of the branch.</p>}
			</div>
			{versus.map((spec, i) => (
				<Other
					key={i}
					nr={i + 1}
					spec={spec}
					set={(changed) => set(versus.with(i, changed))}
					remove={versus.length > 1 ? () => set(versus.toSpliced(i, 1)) : undefined}
				/>
			))}
			{versus.length < MOST_OTHERS && (
				<Button onClick={() => set([...versus, another(versus)])}>Add a machine</Button>
			)}
		</div>
	);
}

interface OtherProps {
	readonly nr: number;
	readonly spec: string;
	readonly set: (spec: string) => void;
	readonly remove: (() => void) | undefined;
}

function Other({ nr, spec, set, remove }: OtherProps) {
	const trace = traceIn(spec);
	return (
		<div className={`grid one-column gap-2 narrows ${css.machine}`}>
			<div className={`flex middle gap-2 ${css.fields}`}>
				<Letter nr={nr} />
				<Select
					aria-label={`Allocator of ${LETTERS[nr]}`}
					value={allocatorIn(spec)}
					onSelect={(allocator) => set(specOf(allocator, settingsIn(spec), trace))}
					options={Object.entries(ALLOCATORS)}
				/>
				<Entry
					className="mono"
					aria-label={`Settings of ${LETTERS[nr]}`}
					title="Settings such as min_partial=0,cpus=2"
					placeholder="e.g. min_partial=0"
					value={settingsIn(spec)}
					onEnter={(settings) => set(specOf(allocatorIn(spec), settings, trace))}
				/>
				{remove && (
					<IconButton name={`Remove ${LETTERS[nr]}`} onClick={remove}>
						×
					</IconButton>
				)}
			</div>
			<TraceOf
				nr={nr}
				trace={trace}
				set={(chosen) => set(specOf(allocatorIn(spec), settingsIn(spec), chosen))}
			/>
		</div>
	);
}

/* The numbers of the compared machines: after the event on screen, and over the whole trace. */

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
			Only differences
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
				{rows.length === 0 && <p className="hint">No numbers differ so far.</p>}
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
						{row.name} <span className={`mono quiet block ${css.key}`}>{row.key}</span>
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

/** Shows the number, and its difference from the first machine's. */
function Value({ row, value, nr }: ValueProps) {
	if (value === undefined)
		return <td title={`${LETTERS[nr]}'s allocator doesn't have this number`}>–</td>;
	const first = row.values[0];
	const by = nr > 0 && first !== undefined ? differenceInWords(value, first, row.unit) : "";
	return (
		<td>
			{amount(value, row.unit)}
			<span className={`small quiet block ${css.by}`}>{by}</span>
		</td>
	);
}

/* The first divergence of each machine from the machine on the stage. */

function Divergences({ divergences, runs }: Comparison) {
	return (
		<Panel heading="First divergence of each machine from A" label="First divergence">
			<ul className={`grid gap-4 ${css.list}`}>
				{divergences.map((divergence, i) => (
					<li key={LETTERS[i + 1]}>
						<OfMachine
							nr={i + 1}
							divergence={divergence}
							hasOwnTrace={runs[i + 1]?.trace !== undefined}
						/>
					</li>
				))}
			</ul>
		</Panel>
	);
}

interface OfMachineProps {
	readonly nr: number;
	readonly divergence: Divergence | null;
	readonly hasOwnTrace: boolean;
}

function OfMachine({ nr, divergence, hasOwnTrace }: OfMachineProps) {
	if (hasOwnTrace)
		return (
			<p>
				<Letter nr={nr} /> {LETTERS[nr]} replays another trace, so its decisions can't be matched
				with A's.
			</p>
		);
	if (!divergence)
		return (
			<p>
				<Letter nr={nr} /> None: {LETTERS[nr]} makes the same decisions as A to the end of the
				trace.
			</p>
		);
	const { op, step, nrSteps, sentences, reasons } = divergence;
	const [mine, theirs] = sentences;
	return (
		<>
			<div className="panel-head">
				<h4>
					<Letter nr={nr} /> {eventWords(op)}, step {numberOf(step)}
				</h4>
				{mine !== "" && (
					<LinkButton
						aria-label={`Go to ${eventWords(op)}, where ${LETTERS[nr]} differs first`}
						onClick={() => go({ kind: "at", op, step: step < nrSteps ? step : "last" })}
					>
						Go to {eventWords(op)}
					</LinkButton>
				)}
			</div>
			{mine === theirs && <p>{mine}</p>}
			{[mine, theirs].map((sentence, i) => (
				<p key={i === 0 ? "A" : LETTERS[nr]}>
					<Letter nr={i === 0 ? 0 : nr} /> {mine !== theirs && sentence} {reasons[i]}
				</p>
			))}
		</>
	);
}
