/** Proposals: the tables of each proposal, and the kernel counters beside the model's. */

import { type ReactNode, useEffect, useRef } from "react";
import { COUNTER_NAMES, COUNTER_WORDS } from "#abi";
import type { Figure, KernelCounters } from "#wasm";
import { engine } from "../../app/platform/engine_link.ts";
import { busy, change, type StudyName } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { openSample } from "../../app/trace/actions.ts";
import { count, percent } from "../../base/format.ts";
import type { CountersCompared } from "../../engine/answers.ts";
import type { CacheRow } from "../../engine/types.ts";
import { LinkButton } from "../../ui/controls.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { useAsync } from "../../ui/hooks.ts";
import css from "./experiments.module.css";
import { type Plot, type PlotRow, plotted, type Source } from "./findings.ts";
import { ProposalStudy } from "./proposal_study.tsx";

interface Entry {
	readonly study: StudyName;
	readonly name: string;
	readonly what: string;
}

const ENTRIES: readonly Entry[] = [
	{ study: "000", name: "Keep some empty", what: "2008: min_partial by size" },
	{ study: "001", name: "Don't ask twice", what: "2018: skip the checked node" },
	{ study: "002", name: "The queues came back", what: "2010: a unified allocator" },
	{ study: "003", name: "Small machines", what: "2021: SLOB without a search" },
	{ study: "004", name: "The shape of waste", what: "2023: orders of large pages" },
	{ study: "counters", name: "Kernel counters", what: "a real kernel beside the model" },
];

export function Proposals() {
	const study = useFacts((f) => f.study);
	const nav = useRef<HTMLElement>(null);
	// On a narrow page the entries are a strip that scrolls.
	useEffect(() => {
		const entry = nav.current?.querySelector(`[data-study="${study}"]`);
		entry?.scrollIntoView({ block: "nearest", inline: "nearest" });
	}, [study]);
	return (
		<section className={`grid tall ${css.view}`} aria-label="Proposals">
			<nav ref={nav} aria-label="Proposals">
				<ul>
					{ENTRIES.map((e) => (
						<li key={e.study}>
							<button
								type="button"
								data-study={e.study}
								aria-current={e.study === study ? "page" : undefined}
								onClick={() => change({ study: e.study })}
							>
								<span className="strong">{e.name}</span>
								<span className={`quiet small ${css.what}`}>{e.what}</span>
							</button>
						</li>
					))}
				</ul>
			</nav>
			<div className={`grid one-column packed at-start gap-4 narrows tall scrolls ${css.study}`}>
				{study !== "counters" && <ProposalStudy key={study} proposal={study} />}
				{study === "counters" && <CountersStudy />}
			</div>
		</section>
	);
}

/* The kernel counters in the trace beside the counters of the replay. */

const SAMPLE = "linux-6.1-files-and-counters.ftrace.txt.gz";

interface Row {
	readonly name: string;
	readonly words: string;
	readonly kernel: number;
	readonly before: number;
	readonly model: number;
}

function CountersStudy() {
	const built = useFacts((f) => f.built);
	const compared = useCounters();
	const rows = rowsOf(compared?.counters ?? [], built?.caches ?? []);
	return (
		<>
			<div className={`grid gap-1 ${css.head}`}>
				<h2>What did the real kernel count?</h2>
				<p className="quiet">
					A kernel with one extra tracepoint can record each SLUB counter as it counts. The table
					compares these kernel counters with the model's, for the machine on the stage.
				</p>
			</div>
			{compared && rows.length === 0 && <Nothing />}
			{rows.length > 0 && (
				<DataTable
					label="Counters, scrollable"
					scrollClass={`table-scroll ${css.scroll}`}
					caption="Kernel counters and model counters"
					className={`round ${css.table}`}
					columns={COLUMNS}
					rows={rows}
					keyOf={({ name }) => name}
				/>
			)}
			{rows.length > 0 && compared?.why.map((sentence) => <p key={sentence}>{sentence}</p>)}
		</>
	);
}

/** Returns the comparison for the current trace and machine; undefined while it is unknown. */
function useCounters(): CountersCompared | undefined {
	const built = useFacts((f) => f.built);
	const ask = () => busy(() => engine().kernelCounters());
	const { value, sentence } = useAsync(built ? ask : undefined, [built]);
	useEffect(() => {
		if (sentence !== "") change({ error: sentence });
	}, [sentence]);
	return value;
}

function rowsOf(recorded: readonly KernelCounters[], caches: readonly CacheRow[]): Row[] {
	const total = <T,>(all: readonly T[], of: (one: T) => number | undefined) =>
		all.reduce((sum, one) => sum + (of(one) ?? 0), 0);
	return COUNTER_NAMES.map((name, k) => ({
		name: name.toLowerCase(),
		words: COUNTER_WORDS[k] ?? "",
		kernel: total(recorded, (t) => t.all[k]),
		before: total(recorded, (t) => t.before[k]),
		model: total(caches, (c) => c.counters[k]),
	})).filter(({ kernel }) => kernel > 0);
}

function Nothing() {
	return (
		<p>
			This trace doesn't have kernel counters.{" "}
			<LinkButton onClick={() => void openSample(SAMPLE)}>Open one that does</LinkButton>
		</p>
	);
}

const COLUMNS: readonly Column<Row>[] = [
	{ name: "counter", show: ({ name, words }) => <span title={words}>{name}</span> },
	{ name: "kernel", show: ({ kernel }) => count(kernel) },
	{
		name: "before",
		title: "Counted for freed objects from before the trace",
		show: ({ before }) => count(before),
	},
	{
		name: "here",
		title: "Kernel minus before: all that a replay can count",
		className: "strong",
		show: ({ kernel, before }) => count(kernel - before),
	},
	{ name: "model", className: "strong", show: ({ model }) => count(model) },
	{
		name: "difference",
		show: ({ model, kernel, before }) => difference(model, kernel - before),
	},
];

function difference(model: number, here: number): string {
	if (model === here) return "none";
	const sign = model > here ? "+" : "−";
	const share = here > 0 ? ` (${percent(Math.abs(model - here), here)})` : "";
	return `${sign}${count(Math.abs(model - here))}${share}`;
}

/* Dot plots: each row has the proposal's value, a real Linux 6.1's and ours on one axis, as shapes and as numbers. */

const SOURCES: readonly Source[] = ["proposal", "real", "ours"];
const NAMES: Readonly<Record<Source, string>> = {
	proposal: "the proposal",
	real: "Linux 6.1",
	ours: "ours",
};
const WIDTH = 320;
const HEIGHT = 26;
const SIDE = 9;
/** Dots closer than this are drawn one above the other. */
const APART = 12;

export function DotPlot({ plot, figures }: { plot: Plot; figures: readonly Figure[] }) {
	const { title, unit, rows } = plot;
	const values = rows.map((row) => SOURCES.map((source) => plotted(figures, row, source)));
	const shown = SOURCES.filter((_, i) => values.some((of) => of[i] !== undefined));
	const most = Math.max(...values.flat().map((v) => v ?? 0), unit === "%" ? 100 : 0) || 1;
	return (
		<table className={`wide ${css.plot}`} data-plot>
			<caption>{title}</caption>
			<thead>
				<tr>
					<th scope="col">
						<span className="hidden">Figure</span>
					</th>
					<th scope="col" className={css.axis}>
						<span className="flex apart">
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
					<DotRow
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

function DotRow({ row, values, most, unit, shown }: RowProps) {
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
		<svg className={css.dotPlotSign} viewBox="-7 -7 14 14" aria-hidden="true">
			<Shape source={source} />
		</svg>
	);
}

function textOf(value: number, unit: string): string {
	const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
	const number = value.toLocaleString("en-US", { maximumFractionDigits: digits });
	return unit === "%" ? `${number} %` : number;
}
