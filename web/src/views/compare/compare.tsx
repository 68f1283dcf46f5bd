/**
 * Compare: up to four machines on one trace, in lockstep: curves, the first divergence with its reasons, and the
 * numbers.
 */

import { useEffect, useState } from "react";
import { ALLOCATORS, type Totals } from "#abi";
import { go } from "../../app/playback/player.ts";
import { LETTERS } from "../../app/state/machine_letters.ts";
import { change, MOST_OTHERS, USUAL_ALLOCATOR } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { bytes, count, percent, quantity } from "../../base/format.ts";
import { eventWords } from "../../base/numbering.ts";
import type { Comparison, Divergence, Run } from "../../engine/answers.ts";
import { classes } from "../../ui/classes.ts";
import {
	Button,
	Check,
	IconButton,
	LinkButton,
	Scrolls,
	Select,
	TextInput,
} from "../../ui/controls.tsx";
import { CurrentStep } from "../../ui/current_step.tsx";
import { useAsync } from "../../ui/use_async.ts";
import css from "./compare.module.css";
import { CompareChart } from "./compare_chart.tsx";
import {
	allocatorIn,
	compareWith,
	differing,
	type Metric,
	metricsOf,
	settingsIn,
	specOf,
	totalsAt,
} from "./machines.ts";

export function Compare() {
	const built = useFacts((f) => f.built);
	const versus = useFacts((f) => f.versus);
	const { comparison, sentence } = useComparison();
	const totals = useTotals(comparison);
	if (!built) return null;
	return (
		<section className={css.view} aria-label="Compare">
			<Machines versus={versus} />
			{sentence !== "" && (
				<p className={`danger strong ${css.fault}`} role="alert">
					{sentence.replace(/[^.]$/, "$&.")}
					{comparison && " The comparison below is the previous one."}
				</p>
			)}
			{comparison && (
				<div className={css.results}>
					<div className={css.left}>
						<section className={`card ${css.card} ${css.memory}`} aria-label="Memory">
							<h3>Bytes in slabs</h3>
							<CompareChart comparison={comparison} nrOps={built.nrOps} />
						</section>
						<Parting divergence={comparison.divergence} others={comparison.runs.length - 1} />
					</div>
					<Numbers totals={totals} runs={comparison.runs} />
				</div>
			)}
			<CurrentStep />
		</section>
	);
}

/** The comparison for the present trace, machine on the stage and other machines. */
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

/** An allocator that none of the machines has yet. */
function another(versus: readonly string[]): string {
	const known = new Set(versus.map(allocatorIn));
	known.add(USUAL_ALLOCATOR);
	return Object.keys(ALLOCATORS).find((a) => !known.has(a)) ?? USUAL_ALLOCATOR;
}

const NO_TOTALS: readonly Totals[] = [];

/** Totals after the event on screen, on every machine. */
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
	const set = (others: readonly string[]) => change({ versus: others });
	return (
		<div className={css.machines}>
			<div className={css.machine}>
				<h2>
					<Letter nr={0} /> The machine on the stage
				</h2>
				<p className="quiet mono" title={machine}>
					{machine.replace(/^machine /, "")}
				</p>
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

export function Letter({ nr }: { nr: number }) {
	return <span className={classes(css.letter, css[`run${nr}`])}>{LETTERS[nr]}</span>;
}

interface OtherProps {
	readonly nr: number;
	readonly spec: string;
	readonly set: (spec: string) => void;
	readonly remove: (() => void) | undefined;
}

function Other({ nr, spec, set, remove }: OtherProps) {
	const [text, setText] = useState<string | null>(null);
	const apply = () => {
		if (text !== null && text !== settingsIn(spec)) set(specOf(allocatorIn(spec), text));
		setText(null);
	};
	return (
		<div className={css.machine}>
			<div className={css.fields}>
				<Letter nr={nr} />
				<Select
					aria-label={`Allocator of ${LETTERS[nr]}`}
					value={allocatorIn(spec)}
					onSelect={(allocator) => set(specOf(allocator, settingsIn(spec)))}
					options={Object.entries(ALLOCATORS)}
				/>
				{remove && (
					<IconButton name={`Remove ${LETTERS[nr]}`} onClick={remove}>
						×
					</IconButton>
				)}
			</div>
			<div className={css.fields}>
				<TextInput
					className="mono"
					aria-label={`Settings of ${LETTERS[nr]}`}
					title="Settings such as min_partial=0,cpus=2"
					placeholder="e.g. min_partial=0"
					value={text ?? settingsIn(spec)}
					onChange={(e) => setText(e.currentTarget.value)}
					onBlur={apply}
					onKeyDown={(e) => {
						if (e.key === "Enter") apply();
					}}
				/>
				<LinkButton
					aria-label={`Show ${LETTERS[nr]} on the stage`}
					title="Draw it as ghosts over the machine on the stage, where it differs"
					onClick={() => change({ ghost: nr, tab: "explore" })}
				>
					Show on the stage
				</LinkButton>
			</div>
		</div>
	);
}

interface PartingProps {
	readonly divergence: Divergence | null;
	readonly others: number;
}

function Parting({ divergence, others }: PartingProps) {
	if (!divergence)
		return (
			<section className={`card ${css.card}`} aria-label="First divergence">
				<h3>First divergence</h3>
				<p>None: all machines decide alike to the end of the trace.</p>
			</section>
		);
	const { op, other, sentence, reasons } = divergence;
	return (
		<section className={`card ${css.card}`} aria-label="First divergence">
			<div className="panel-head">
				<h3>First divergence</h3>
				<LinkButton onClick={() => go({ kind: "at", op, step: "last" })}>
					Go to {eventWords(op)}
				</LinkButton>
			</div>
			<p>{sentence}</p>
			<p>
				<Letter nr={0} /> {reasons[0]}
			</p>
			<p>
				<Letter nr={other} /> {reasons[1]}
			</p>
			{others > 1 && (
				<p className="hint">
					{LETTERS[other]} is the first machine that decides differently from A.
				</p>
			)}
		</section>
	);
}

interface NumbersProps {
	readonly totals: readonly Totals[];
	readonly runs: readonly Run[];
}

function Numbers({ totals, runs }: NumbersProps) {
	const [all, setAll] = useState(false);
	const op = useCalm((f) => f.moment?.position.op ?? 0);
	// The previous machines' numbers may still be here.
	if (totals.length === 0 || totals.length !== runs.length) return null;
	const every = metricsOf(totals, runs);
	const { differ, alone } = differing(every, totals);
	const metrics = all ? every : differ;
	return (
		<section className={`card ${css.card} ${css.numbers}`} aria-label="Numbers">
			<div className="panel-head">
				<h3 className="number">After {eventWords(op)}</h3>
				<Check checked={!all} onCheck={(only) => setAll(!only)}>
					only differences
				</Check>
			</div>
			<Scrolls label="Table of differences">
				<table className="stays number">
					<caption className="hidden">Numbers of each machine after the event on screen</caption>
					<thead>
						<tr>
							<td />
							{totals.map((_, i) => (
								<th key={LETTERS[i]} scope="col">
									<Letter nr={i} />
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{metrics.map((m) => (
							<tr key={m.name}>
								<th scope="row" title={m.title}>
									{m.name}
								</th>
								{totals.map((t, i) => (
									<Value
										key={LETTERS[i]}
										metric={m}
										value={m.of(t)}
										first={m.isOn?.(0) === false ? 0 : m.of(totals[0] ?? t)}
										nr={i}
									/>
								))}
							</tr>
						))}
					</tbody>
				</table>
				{metrics.length === 0 && <p className="hint">No number differs so far.</p>}
				{!all && alone > 0 && (
					<p className="hint">
						Not shown: {quantity(alone, "counter")} that only one of these allocators has.
					</p>
				)}
			</Scrolls>
		</section>
	);
}

interface ValueProps {
	readonly metric: Metric;
	readonly value: number;
	readonly first: number;
	readonly nr: number;
}

/** The number, and its difference from the first machine's. */
function Value({ metric, value, first, nr }: ValueProps) {
	if (metric.isOn?.(nr) === false)
		return <td title={`The allocator of ${LETTERS[nr]} does not have this number`}>–</td>;
	const change = nr > 0 && first > 0 && value !== first ? value - first : 0;
	return (
		<td>
			{metric.bytes ? bytes(value) : count(value)}
			<span className={`small quiet ${css.by}`}>
				{change !== 0 && `${change > 0 ? "+" : "−"}${percent(Math.abs(change), first)}`}
			</span>
		</td>
	);
}
