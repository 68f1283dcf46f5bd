/**
 * The proposals' experiments, and the tables of their figures. Results come with the page; each can be measured again in
 * its own worker, and then stays until the page is closed.
 */

import { proxy } from "comlink";
import { create } from "zustand";
import { FigureKind, When } from "#abi";
import { type Figure, type Quantity, quantityText, type Study } from "#wasm";
import { viewOf } from "../../app/link/url.ts";
import { restore } from "../../app/navigation/sync.ts";
import { engine } from "../../app/platform/engine_link.ts";
import { firstStep } from "../../app/playback/breakpoints.ts";
import { type Job, job } from "../../app/playback/many_replays.ts";
import { go, sentenceOf } from "../../app/playback/player.ts";
import { busy, facts, type OrderLab } from "../../app/state/store.ts";
import { quantity } from "../../base/format.ts";
import { loadCode } from "../../base/load_code.ts";
import { ALL_CACHES, type Progress } from "../../engine/types.ts";
import { Scrolls } from "../../ui/controls.tsx";
import css from "./experiments.module.css";

export interface Measuring {
	/** The proposal's figures, the real kernel's and ours. */
	readonly study: Study | undefined;
	/** Whether ours were measured in this browser. */
	readonly isOwn: boolean;
	readonly running: boolean;
	/** Thousandths. */
	readonly done: number;
	readonly sentence: string;
}

const NOTHING: Measuring = {
	study: undefined,
	isOwn: false,
	running: false,
	done: 0,
	sentence: "",
};

const useAll = create<Readonly<Record<string, Measuring>>>(() => ({}));

export function useStudy(proposal: string): Measuring {
	return useAll((all) => all[proposal] ?? NOTHING);
}

function set(proposal: string, some: Partial<Measuring>): void {
	useAll.setState({ [proposal]: { ...NOTHING, ...useAll.getState()[proposal], ...some } });
}

/** Looks up the figures known before any measurement in this browser. */
export async function lookUp(proposal: string): Promise<void> {
	if (useAll.getState()[proposal]?.study) return;
	try {
		const study = await busy(async () => {
			const [begun, shipped] = await Promise.all([engine().study(proposal), shippedOf(proposal)]);
			return shipped ? withShipped(begun, shipped) : begun;
		});
		if (!useAll.getState()[proposal]?.study) set(proposal, { study });
	} catch (error) {
		set(proposal, { sentence: sentenceOf(error) });
	}
}

const measured = new Map<string, Job<Study>>();

export async function measureStudy(proposal: string): Promise<void> {
	if (useAll.getState()[proposal]?.running) return;
	set(proposal, { running: true, done: 0, sentence: "" });
	const onProgress = proxy(({ done }: Progress) => set(proposal, { done }));
	const measuring = job((helper) => helper.reproduce(proposal, onProgress));
	measured.set(proposal, measuring);
	try {
		const study = await measuring.done;
		if (study) set(proposal, { study, isOwn: true });
	} catch (error) {
		set(proposal, { sentence: sentenceOf(error) });
	}
	set(proposal, { running: false });
}

export function stopStudy(proposal: string): void {
	measured.get(proposal)?.stop();
}

/**
 * Where a proposal's change can be watched: a trace, the machine with the switch, and the machines to compare with.
 */
export interface Scene {
	readonly trace: string;
	readonly values: Readonly<Record<string, string>>;
	readonly versus: readonly string[];
	/** The position to start at, if the change can't be seen at the end. */
	readonly at?: { readonly op: number; readonly step: number; readonly cache: string };
	/** The change is a search of other nodes: the stage shows the first one. */
	readonly search?: boolean;
	/** The change is an order rule: what the order lab is asked about it. */
	readonly lab?: Partial<OrderLab>;
}

export async function watchScene(
	{ trace, values, versus, at, search }: Scene,
	tab: "explore" | "compare",
): Promise<void> {
	await restore({
		...viewOf(facts()),
		trace,
		file: "",
		machine: { preset: "", values },
		versus,
		cache: at?.cache ?? "",
		selected: null,
		zoom: null,
		range: null,
		marks: [],
		op: at?.op ?? -1,
		step: at?.step ?? -1,
		tab,
	});
	if (search && tab === "explore") await goToFirstSearch();
}

/** Goes to the first search of other nodes in the trace, if there is one. */
async function goToFirstSearch(): Promise<void> {
	const { built } = facts();
	const condition = { when: When.WHEN_STEP, step: "ANY_NODE_ENTER", cache: ALL_CACHES };
	const found = await firstStep(condition);
	if (found && facts().built === built) go({ kind: "at", ...found });
}

/* The core's own measurement of each proposal, made with `npm run measured` and part of the page. */

export interface Shipped {
	/** Checksum of the golden file of the experiments at the time of the measurement. */
	readonly golden: string;
	/** Reasons and rules without duplicates; the first one is empty. */
	readonly sentences: readonly string[];
	/** Figures by table, row and column. */
	readonly figures: Readonly<Record<string, Rows>>;
}

type Rows = Readonly<Record<string, Readonly<Record<string, ShippedFigure>>>>;

/** Our value as digits, whether it agrees, and the places of its reason and its rule among the sentences. */
type ShippedFigure = readonly [
	ours: string | null,
	agrees: boolean | null,
	why: number,
	rule: number,
];

const FILES = import.meta.glob<{ readonly default: Shipped }>("./measured/*.json");

/** Returns undefined if the page has none for that proposal. */
async function shippedOf(id: string): Promise<Shipped | undefined> {
	const load = FILES[`./measured/${id}.json`];
	return load && (await loadCode(load)).default;
}

/** Fills the study with the shipped measurement. Figures that weren't measured stay as they are. */
export function withShipped(study: Study, { figures, sentences }: Shipped): Study {
	return {
		...study,
		runsDone: study.runs,
		figures: study.figures.map((figure) => {
			const found = figures[figure.table]?.[figure.row]?.[figure.column];
			if (!found) return figure;
			const [ours, agrees, why, rule] = found;
			return {
				...figure,
				ours: ours === null ? undefined : quantityOf(ours),
				agrees: agrees ?? undefined,
				why: sentences[why] ?? "",
				rule: sentences[rule] ?? "",
			};
		}),
	};
}

function quantityOf(digits: string): Quantity {
	const decimals = digits.split(".")[1]?.length ?? 0;
	return { value: Number(digits.replace(".", "")), decimals };
}

/* Why figures of an experiment agree or not: the rules and the reasons. */

/** Lists the rules by which figures agree; none before a measurement. */
function rulesOf(figures: readonly Figure[]): string[] {
	return [...new Set(figures.map(({ rule }) => rule))].filter((rule) => rule !== "");
}

interface Reason {
	/** Names of the figures. */
	readonly of: string;
	readonly why: string;
}

/** Lists each reason once, with its figures. */
function reasonsOf(figures: readonly Figure[]): Reason[] {
	const reasons = new Map<string, string[]>();
	for (const { row, column, why } of figures) {
		if (why === "") continue;
		const names = reasons.get(why) ?? [];
		names.push(`${row}, ${column}`);
		reasons.set(why, names);
	}
	return [...reasons].map(([why, names]) => ({
		of: names.length > 3 ? `${names[0]} and ${names.length - 1} more` : names.join("; "),
		why,
	}));
}

/* A table of the figures of the proposal, of a real Linux 6.1 and ours. A word and a sign show agreement; the hue only follows. */

export interface TableOf {
	readonly name: string;
	readonly figures: readonly Figure[];
}

/** The figures of each table. */
export function tablesOf({ figures }: Study): TableOf[] {
	const names = [...new Set(figures.map(({ table }) => table))];
	return names.map((name) => ({ name, figures: figures.filter(({ table }) => table === name) }));
}

interface FigureTableProps extends TableOf {
	/** Shows its name above it. */
	readonly hasCaption?: boolean;
}

export function FigureTable({ name, figures, hasCaption = false }: FigureTableProps) {
	const hasReal = figures.some(({ real }) => real !== undefined);
	const unit = common(figures.map((f) => f.unit));
	const oursUnit = common(figures.map((f) => f.oursUnit));
	const reasons = reasonsOf(figures);
	return (
		<section className={`grid one-column at-start gap-2 ${css.figures}`} aria-label={name}>
			<Scrolls label={`${name}, scrollable`} className={`table-scroll ${css.scroll}`}>
				<table className={`round ${css.table} number`}>
					<caption className={hasCaption ? "left strong" : "hidden"}>{name}</caption>
					<thead>
						<tr>
							<th scope="col" colSpan={2}>
								<span className="hidden">Figure</span>
							</th>
							<th scope="col">the proposal{unitOf(unit)}</th>
							{hasReal && <th scope="col">Linux 6.1</th>}
							<th scope="col">ours{unitOf(oursUnit)}</th>
							<th scope="col">agrees</th>
						</tr>
					</thead>
					<tbody>
						{figures.map((figure, i) => (
							<FigureRow
								key={`${figure.row}, ${figure.column}`}
								figure={figure}
								begins={figures[i - 1]?.row !== figure.row}
								hasReal={hasReal}
								hasUnit={unit !== undefined}
								hasOursUnit={oursUnit !== undefined}
							/>
						))}
					</tbody>
				</table>
			</Scrolls>
			{rulesOf(figures).map((rule) => (
				<p key={rule} className={`small quiet ${css.rule}`}>
					{rule}
				</p>
			))}
			{reasons.length > 0 && (
				<details className={css.whys}>
					<summary>Why, {quantity(reasons.length, "reason")}</summary>
					<dl>
						{reasons.map(({ of, why }) => (
							<div key={of}>
								<dt className="small quiet">{of}</dt>
								<dd>{why}</dd>
							</div>
						))}
					</dl>
				</details>
			)}
		</section>
	);
}

function unitOf(unit: string | undefined): string {
	return unit ? `, ${short(unit)}` : "";
}

const short = (unit: string) => unit.replace("million ", "M ");

function Unit({ unit }: { unit: string }) {
	return unit === "" ? null : <span className={`small quiet ${css.unit}`}>{short(unit)}</span>;
}

/** Returns the common unit, undefined if they differ. */
function common(units: readonly string[]): string | undefined {
	return new Set(units).size === 1 ? units[0] : undefined;
}

function numberText(quantity: Quantity): string {
	return quantityText(quantity).replace("-", "−");
}

interface RowProps {
	readonly figure: Figure;
	/** The first of its row in the proposal's table. */
	readonly begins: boolean;
	readonly hasReal: boolean;
	/** The heading has the unit. */
	readonly hasUnit: boolean;
	readonly hasOursUnit: boolean;
}

function FigureRow({ figure, begins, hasReal, hasUnit, hasOursUnit }: RowProps) {
	const { row, column, seed: proposed, real, realLeast, realMost, realFrom, ours, kind } = figure;
	const spread =
		realLeast && realMost ? `, ${quantityText(realLeast)} to ${quantityText(realMost)}` : "";
	const inCycles = kind === FigureKind.FIGURE_TIME || kind === FigureKind.FIGURE_RATE;
	return (
		<tr className={begins ? css.begins : undefined}>
			<th scope="row">
				<span aria-hidden="true">{begins && row}</span>
				<span className="hidden">
					{row}, {column}
				</span>
			</th>
			<td className={`quiet ${css.figure}`} aria-hidden="true">
				{column}
			</td>
			<td>
				{proposed ? numberText(proposed) : <None />}
				{proposed && !hasUnit && <Unit unit={figure.unit} />}
			</td>
			{hasReal && (
				<td title={realFrom === "" ? undefined : `${realFrom}${spread}`}>
					{real ? numberText(real) : <None />}
					{real && !hasUnit && <Unit unit={figure.unit} />}
				</td>
			)}
			<td title={inCycles ? "in model cycles" : undefined}>
				{ours ? <strong>{numberText(ours)}</strong> : <None />}
				{ours && !hasOursUnit && <Unit unit={figure.oursUnit} />}
			</td>
			<td>
				<Agrees figure={figure} />
			</td>
		</tr>
	);
}

function None() {
	return (
		<span className="quiet">
			<span aria-hidden="true">–</span>
			<span className="hidden">none</span>
		</span>
	);
}

function Agrees({ figure: { agrees, ours, why } }: { figure: Figure }) {
	if (agrees === undefined)
		return <span className="quiet">{ours || why !== "" ? "open" : ""}</span>;
	return (
		<span className={agrees ? "accent strong" : "danger strong"} data-agrees={agrees}>
			<span aria-hidden="true">{agrees ? "✓" : "✕"}</span> {agrees ? "agrees" : "differs"}
		</span>
	);
}
