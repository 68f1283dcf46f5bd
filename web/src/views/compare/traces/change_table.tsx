/** One table of changes: what appeared, vanished and grew, the largest first, with links to the events that explain it. */

import { useMemo, useState } from "react";
import { From as Mark } from "#abi";
import { engine, onProgress } from "../../../app/platform/engine_link.ts";
import { ownRecording } from "../../../app/platform/page_files.ts";
import { inFull } from "../../../app/playback/opened.ts";
import { seek } from "../../../app/playback/player.ts";
import { change, facts, lookUp } from "../../../app/state/store.ts";
import { chooseCache } from "../../../app/trace/actions.ts";
import { showInSecond } from "../../../app/trace/bring.ts";
import type { Table } from "../../../base/csv_table.ts";
import { isCancelled } from "../../../base/errors.ts";
import { bytes, count, eventWords, numberOf } from "../../../base/format.ts";
import {
	type Change,
	type Events,
	FIGURES,
	type Step,
	type TableName,
	type TwoTraces,
} from "../../../engine/query/two_traces.ts";
import { Button, LinkButton, SelectField } from "../../../ui/controls.tsx";
import { type Column, DataTable, type Sorting } from "../../../ui/data_table.tsx";
import { useRows } from "../../../ui/hooks.ts";
import { DownloadCsv, fromKey, Panel } from "../../../ui/view.tsx";
import css from "./traces.module.css";

/** How many rows a table shows at first. */
const FEW = 12;
/** The downloaded file has all rows. */
const MOST = 400;

const showMore = (nr: number) =>
	nr > MOST ? `Show the first ${MOST} of ${nr} rows` : `Show all ${nr} rows`;

interface ChangeTableProps {
	readonly table: TableName;
	readonly rows: readonly Change[];
	/** The mark on memory figures that depend on the start. */
	readonly from: Mark;
}

export function ChangeTable({ table, rows, from }: ChangeTableProps) {
	const [figure, setFigure] = useState(0);
	const [sorting, setSorting] = useState<Sorting>({ by: "B − A", up: false });
	const [isWhole, setWhole] = useState(false);
	const changed = useMemo(
		() => sortedBy(rows.filter(hasChanged), figure, sorting),
		[rows, figure, sorting],
	);
	const shown = useRows(changed, isWhole ? MOST : FEW);
	if (rows.length === 0) return null;
	const figures = FIGURES[table];
	const title = TITLES[table];
	const beside = (
		<>
			<p className="small quiet">{summaryOf(rows)}</p>
			{figures.length > 1 && (
				<SelectField
					label="Figure"
					value={figure}
					onSelect={(f) => setFigure(Number(f))}
					options={figures.map((name, f) => [f, figureWords(name)])}
				/>
			)}
		</>
	);
	return (
		<Panel heading={title} beside={beside}>
			{changed.length === 0 && <p className="hint">Nothing changed.</p>}
			{changed.length > 0 && (
				<DataTable
					label={`Table of ${title.toLowerCase()}`}
					caption={`${title} of both traces, with their changes`}
					className={`stays ${css.table}`}
					columns={columnsOf(table, figure)}
					rows={shown}
					keyOf={(row, i) => `${row.name} ${row.cache} ${i}`}
					sorting={sorting}
					onSort={setSorting}
				/>
			)}
			<div className="row">
				{changed.length > FEW && (
					<Button onClick={() => setWhole(!isWhole)}>
						{isWhole ? `Show ${FEW} rows` : showMore(changed.length)}
					</Button>
				)}
				<DownloadCsv table={() => fileOf(table, rows, from)} />
			</div>
		</Panel>
	);
}

function nameOf(table: TableName): string {
	if (table === "caches") return "Cache";
	return table === "sites" ? "Call site" : "Number";
}

function columnsOf(table: TableName, figure: number): readonly Column<Change>[] {
	// A row of the waste and of the totals has a figure of its own.
	const isNumber = table === "waste" || table === "totals";
	const unitOf = (row: Change) => (table === "totals" ? row.name : (FIGURES[table][figure] ?? ""));
	const of = (row: Change) => row.figures[figure] ?? NO_FIGURE;
	return [
		{
			name: "name",
			head: nameOf(table),
			isOfWords: true,
			show: (row) => <NameOf row={row} isNumber={isNumber} />,
		},
		{
			name: "A",
			show: (row) => (row.kind === "appeared" ? "–" : amountOf(of(row).a, unitOf(row))),
		},
		{
			name: "B",
			show: (row) => (row.kind === "vanished" ? "–" : amountOf(of(row).b, unitOf(row))),
		},
		{
			name: "B − A",
			className: "strong",
			show: (row) => changeWords(of(row).change, unitOf(row)),
		},
		{
			name: "Events that explain it",
			isFixed: true,
			className: `small ${css.events}`,
			show: (row) => {
				const { step } = of(row);
				return (
					<>
						<Explains what="first use" events={row.first} cache={cacheOf(table, row)} />
						<Explains
							what={table === "sites" ? "most live objects" : "most slabs"}
							events={row.peak}
							cache={cacheOf(table, row)}
						/>
						{step && <StepWords step={step} unit={unitOf(row)} />}
					</>
				);
			},
		},
	];
}

const NO_FIGURE = { a: 0, b: 0, change: 0, step: null };

function NameOf({ row, isNumber }: { readonly row: Change; readonly isNumber: boolean }) {
	return (
		<>
			{isNumber ? figureWords(row.name) : <span className="mono">{row.name}</span>}
			{row.cache !== "" && <span className="small quiet"> of {row.cache}</span>}
			{row.nameInB !== "" && (
				<span className="small quiet">
					{" "}
					matched by function: {row.nameInB} in B, which is another build
				</span>
			)}
			{(row.kind === "appeared" || row.kind === "vanished") && (
				<span className="tag">{row.kind}</span>
			)}
		</>
	);
}

const cacheOf = (table: TableName, { name, cache }: Change) => (table === "caches" ? name : cache);

interface ExplainsProps {
	readonly what: string;
	readonly events: Events;
	readonly cache: string;
}

function Explains({ what, events: [a, b], cache }: ExplainsProps) {
	if (a < 0 && b < 0) return null;
	return (
		<p>
			{what}: {a >= 0 && <OfA op={a} cache={cache} what={what} />}
			{a >= 0 && b >= 0 && ", "}
			{b >= 0 && <OfB op={b} what={`${what} of ${cache}`} />}
		</p>
	);
}

function showInFirst(op: number): void {
	seek(op);
	change({ tab: "explore" });
}

function OfA({ op, cache, what }: { op: number; cache: string; what: string }) {
	const show = () => {
		if (cache !== "" && facts().built?.caches.some(({ name }) => name === cache))
			chooseCache(cache);
		showInFirst(op);
	};
	return (
		<LinkButton aria-label={`Go to ${eventWords(op)} of A: ${what} of ${cache}`} onClick={show}>
			{eventWords(op)} of A
		</LinkButton>
	);
}

function OfB({ op, what }: { op: number; what: string }) {
	return (
		<LinkButton
			aria-label={`Open B at ${eventWords(op)}: ${what}`}
			title="Opens the second trace on the stage; the two swap places"
			onClick={() => void showInSecond(op)}
		>
			{eventWords(op)} of B
		</LinkButton>
	);
}

function StepWords({ step, unit }: { readonly step: Step; readonly unit: string }) {
	const { a, b, change: by } = step;
	return (
		<p>
			{" "}
			largest jump {changeWords(by, unit)}:{" "}
			{a[0] < a[1] ? (
				<LinkButton aria-label={`Go to ${rangeWords(a)} of A`} onClick={() => showInFirst(a[0])}>
					{rangeWords(a)} of A
				</LinkButton>
			) : (
				"none of A"
			)}
			,{" "}
			{b[0] < b[1] ? (
				<LinkButton
					aria-label={`Open B at ${rangeWords(b)}`}
					onClick={() => void showInSecond(b[0])}
				>
					{rangeWords(b)} of B
				</LinkButton>
			) : (
				"none of B"
			)}
		</p>
	);
}

const MEASURED: ReadonlySet<string> = new Set(["requested_bytes", "live_objects", "large_bytes"]);

/** Returns a figure's mark, if it's a memory figure; `from`: the mark on figures that depend on the start. */
function markOf(table: TableName, figure: string, from: Mark): Mark | undefined {
	if (table === "counters" || figure.includes("cycles")) return undefined;
	return table === "sites" || MEASURED.has(figure) ? Mark.FROM_MEASURED : from;
}

/** Writes one row for each figure, with the columns of the command's --csv. */
function fileOf(table: TableName, rows: readonly Change[], from: Mark): Table {
	const { trace, against } = facts();
	const none = (op: number) => (op < 0 ? null : op);
	const lines = rows.flatMap((row) =>
		FIGURES[table].map((figure, f) => {
			const { a, b, change: by, step } = row.figures[f] ?? NO_FIGURE;
			const events = [none(row.first[0]), none(row.first[1]), none(row.peak[0]), none(row.peak[1])];
			const range = step ? [step.change, ...step.a, ...step.b] : [0, null, null, null, null];
			const name = [trace, against.trace, table, row.name, row.cache, row.kind, figure];
			const mark = fromKey(markOf(table, FIGURES[table].length > 1 ? figure : row.name, from));
			return [...name, a, b, by, ...events, ...range, mark];
		}),
	);
	return { name: `changes-${table}`, columns: COLUMNS, rows: lines };
}

const COLUMNS =
	"trace_a,trace_b,table,name,cache,kind,figure,a,b,change,first_op_a,first_op_b,peak_op_a,peak_op_b,largest_step,step_from_op_a,step_end_op_a,step_from_op_b,step_end_op_b,from".split(
		",",
	);

/* The changes from the trace on the stage to the second one: the call to the worker, and the words of its answer. */

/** Resolves to null if it was cancelled. The second trace is replayed with the settings of the machine on the stage. */
export async function changesTo(trace: string): Promise<TwoTraces | null> {
	const { machine, samples } = facts();
	const isSample = samples.some(({ file }) => file === trace);
	const file = isSample ? await ownRecording(trace) : undefined;
	const other = { ...inFull(trace, machine), trace, file };
	try {
		return await lookUp(() => engine().changes(other, onProgress));
	} catch (error) {
		if (isCancelled(error)) return null;
		throw error;
	}
}

/** The figures in words. */
const WORDS: Readonly<Record<string, string>> = {
	slab_bytes: "bytes in slabs",
	requested_bytes: "bytes requested",
	waste_bytes: "bytes not requested",
	live_objects: "live objects",
	slabs: "slabs",
	partial: "partial slabs on nodes",
	cycles: "model cycles",
	live_bytes: "live bytes",
	allocations: "allocations",
	bytes_requested: "bytes requested over the run",
	bytes_allocated: "bytes allocated over the run",
	bytes: "bytes",
	value: "number",
	waste_rounding: "internal fragmentation",
	waste_tail: "tail waste",
	waste_free: "free objects",
	in_use_before_bytes: "objects in use before the trace",
	pages_in_use: "page frames in use",
	pages_peak: "page frames at the peak",
	large_bytes: "kmalloc beyond the largest size class",
	lock_wait_cycles: "model cycles spent waiting for locks",
};

export function figureWords(figure: string): string {
	return WORDS[figure] ?? figure;
}

const isBytes = (figure: string) => /bytes|^waste_(rounding|tail|free)$/.test(figure);

export function amountOf(n: number, figure: string): string {
	return isBytes(figure) ? bytes(n) : count(n);
}

export function changeWords(n: number, figure: string): string {
	const sign = n > 0 ? "+" : n < 0 ? "−" : "";
	return `${sign}${amountOf(Math.abs(n), figure)}`;
}

/** Writes "events 11 to 41", or "none" for no event. */
function rangeWords([from, end]: Step["a"]): string {
	if (from === end) return "none";
	const [first, last] = [count(numberOf(from)), count(end)];
	return first === last ? `event ${first}` : `events ${first} to ${last}`;
}

/** Sorts by a column; equal rows keep the order of the answer. The size of a change counts, not its sign. */
export function sortedBy(
	rows: readonly Change[],
	figure: number,
	{ by, up }: Sorting,
): readonly Change[] {
	const number = ({ figures }: Change) => {
		const { a = 0, b = 0, change = 0 } = figures[figure] ?? {};
		return by === "A" ? a : by === "B" ? b : Math.abs(change);
	};
	const compared = (x: Change, y: Change) =>
		by === "name" ? x.name.localeCompare(y.name) : number(x) - number(y);
	return rows.toSorted((x, y) => (up ? compared(x, y) : compared(y, x)));
}

function hasChanged({ kind }: Change): boolean {
	return kind !== "same";
}

/** Writes "3 appeared, 1 vanished, 20 grew". */
function summaryOf(rows: readonly Change[]): string {
	const kinds = ["appeared", "vanished", "grew", "shrank", "same"] as const;
	const parts = kinds
		.map((kind) => [rows.filter((row) => row.kind === kind).length, kind] as const)
		.filter(([nr]) => nr > 0);
	return parts.map(([nr, kind]) => `${count(nr)} ${kind}`).join(", ");
}

const TITLES: Readonly<Record<TableName, string>> = {
	caches: "Caches",
	sites: "Call sites",
	waste: "Bytes in slabs",
	totals: "Totals",
	counters: "Counters",
};
