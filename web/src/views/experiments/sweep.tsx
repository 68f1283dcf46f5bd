/** A grid of replays: the varied parameters, the number to measure, and the resulting heat map. */

import { useEffect, useState } from "react";
import { create, useStore } from "zustand";
import { ALLOCATORS, WORKLOADS } from "#abi";
import { MEASURES, type Measured } from "#wasm";
import { viewOf } from "../../app/link/url.ts";
import { restore } from "../../app/navigation/sync.ts";
import { mostHands } from "../../app/platform/helper_workers.ts";
import {
	createMeasuring,
	isKnown,
	isQuick,
	type Measuring,
	markOf,
	measuredIn,
	type Replayed,
	usualHands,
} from "../../app/playback/many_replays.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { change, facts, type Grid, type StillFacts } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import type { Table } from "../../base/csv_table.ts";
import { count } from "../../base/format.ts";
import { alikeWords } from "../../engine/alike.ts";
import type { Built, Machine, Param } from "../../engine/types.ts";
import { LinkButton, Options, Select, SelectField, TextInput } from "../../ui/controls.tsx";
import { DownloadCsv, Fault, fromKey, Working } from "../../ui/view.tsx";
import css from "./experiments.module.css";
import { axisOf, cellsOf, pairOf, type Question, runOf } from "./grid.ts";
import { HeatMap } from "./heat_map.tsx";

const ask = (some: Partial<Grid>) => change({ grid: { ...facts().grid, ...some } });

export function SweepView() {
	const metric = useFacts((f) => f.grid.metric);
	const measuring = useStore(store);
	const { question, replays, alike, isRunning, sentence } = measuring;
	const isOfOther = useFacts((f) => isOld(measuring, f));
	useSweptAtOnce();
	const known = replays.filter(isKnown).length;
	return (
		<section
			className={`grid one-column packed at-start gap-4 narrows tall scrolls ${css.study}`}
			aria-label="Sweep"
		>
			<div className={`grid gap-1 ${css.head}`}>
				<h2>What difference does a parameter make?</h2>
				<p className="quiet">
					The trace on the stage is replayed once for each pair of values. Each cell shows one
					number from one replay; click it to open that replay at the event where the number is
					highest.
				</p>
			</div>
			<Form running={isRunning} />
			<ReadyQuestions />
			<Fault sentence={sentence} />
			{isRunning && (
				<Working label="Sweep" done={known} all={replays.length}>
					{count(known)} of {count(replays.length)} replays
				</Working>
			)}
			{isOfOther && !isRunning && (
				<p role="status" className="strong">
					The machine or the trace has changed since then: run the sweep again.
				</p>
			)}
			{question && alike && <p>{alikeWords(alike, cellWords(question, alike.cannot))}</p>}
			{question && <HeatMap question={question} cells={replays} metric={metric} />}
			{question && known > 0 && <DownloadCsv table={() => tableOf(question, replays, metric)} />}
		</section>
	);
}

/** Writes "red_zone=on, cpu_partial=4". */
function cellWords(question: Question, cell: number): string {
	return pairOf(question, cell)
		.map(([{ key }, value]) => `${key}=${value}`)
		.join(", ");
}

/** Runs if the view has no cells for this trace and machine when it opens, and when the trace changes. */
function useSweptAtOnce() {
	const built = useFacts((f) => f.built);
	useEffect(() => {
		const found = store.getState();
		if (built && (!found.question || isOld(found, facts()))) void startSweep(true);
	}, [built]);
}

function ReadyQuestions() {
	const built = useFacts((f) => f.built);
	return (
		<p className={css.ready}>
			<span className="quiet">Or ask:</span>
			{readyFor(built).map((one) => (
				<LinkButton key={one.name} onClick={() => askReady(one)}>
					{one.name}
				</LinkButton>
			))}
		</p>
	);
}

function Form({ running }: { running: boolean }) {
	const grid = useFacts((f) => f.grid);
	return (
		<form
			className={`flex wrap low gap-3 ${css.form}`}
			onSubmit={(e) => {
				e.preventDefault();
				if (running) stop();
				else void startSweep();
			}}
		>
			<Side name="Columns" text={grid.x} set={(x) => ask({ x })} />
			<Side name="Rows" text={grid.y} set={(y) => ask({ y })} optional />
			<SelectField
				label="Number"
				value={grid.metric}
				onSelect={(metric) => ask({ metric })}
				options={METRICS.map(({ key, words }) => [key, `${words} (${key})`])}
			/>
			<Workers />
			<button type="submit" className="tool-text primary">
				{running ? "Stop" : "Run the sweep"}
			</button>
		</form>
	);
}

interface SideProps {
	readonly name: string;
	readonly text: string;
	readonly set: (text: string) => void;
	readonly optional?: boolean;
}

/** The key of a side, and its values as text. */
function Side({ name, text, set, optional = false }: SideProps) {
	const params = useFacts((f) => f.built?.params ?? NO_PARAMS);
	const workload = useWorkloadKeys();
	const equals = text.indexOf("=");
	const key = text.slice(0, Math.max(0, equals));
	const values = text.slice(equals + 1);
	const keys = [...params.map((p) => p.key), "preset"];
	const isOther = key !== "" && !keys.includes(key) && !workload.includes(key);
	return (
		<fieldset className={`field ${css.side}`}>
			<legend>{name}</legend>
			<Select
				aria-label={`${name}: parameter`}
				value={key}
				onSelect={(to) => set(to === "" ? "" : `${to}=${suggested(to, params)}`)}
				options={[...(optional ? [["", "none"] as const] : []), ...(isOther ? [key] : [])]}
			>
				{workload.length > 0 && (
					<optgroup label="of the workload">
						<Options of={workload} />
					</optgroup>
				)}
				<optgroup label="of the machine">
					<Options of={keys} />
				</optgroup>
			</Select>
			{key !== "" && (
				<TextInput
					className="mono"
					aria-label={`${name}: values`}
					placeholder="0,2,5 or 0..16:4"
					value={values}
					onChange={(e) => set(`${key}=${e.currentTarget.value}`)}
				/>
			)}
		</fieldset>
	);
}

const NO_PARAMS: readonly Param[] = [];

/** Returns the keys of the workload that generates the trace; none for a recorded trace. */
function useWorkloadKeys(): readonly string[] {
	const trace = useFacts((f) => f.trace);
	const name = /^workload:([^?]*)/.exec(trace)?.[1];
	return WORKLOADS.find((w) => w.name === name)?.keys ?? [];
}

/** Chooses the initial values: all choices, or a few numbers. */
function suggested(key: string, params: readonly Param[]): string {
	const param = params.find((p) => p.key === key);
	if (key === "preset")
		return (
			facts()
				.built?.presets.map((p) => p.name.replace("linux-", ""))
				.join(",") ?? "6.1"
		);
	if (param?.type === "choice") return param.values.join(",");
	if (param?.type === "number") return NUMBERS[key] ?? "0..8:2";
	if (key === "memory") return "1G,4G,16G";
	if (key === "zones") return "3;2";
	return param ? param.value : "1,2,4";
}

const NUMBERS: Readonly<Record<string, string>> = {
	cpus: "1,2,4,8,16",
	nodes: "1,2,4",
	max_order: "0..5",
	min_objects: "4,8,16,32",
	min_partial: "0..16:4",
	cpu_partial: "0,2,6,13,30",
	remote_node_defrag_ratio: "0..100:25",
	limit: "8,30,60,120",
	batchcount: "4,15,30,60",
	queue: "15,30,60,120",
	batch: "4,15,30,60",
	sheaf_capacity: "0,8,16,32,64",
};

function Workers() {
	const { workers } = useWorkers();
	const [most] = useState(mostHands);
	return (
		<SelectField
			label="Workers"
			value={workers}
			onSelect={(nr) => useWorkers.setState({ workers: Number(nr) })}
			options={Array.from({ length: most }, (_, i) => String(i + 1))}
		/>
	);
}

/** Writes it as the command prints it. */
function tableOf(question: Question, cells: readonly Replayed[], metric: string): Table {
	const { trace, x, y } = question;
	return {
		name: "sweep",
		columns: ["trace", x.key, ...(y ? [y.key] : []), metric, "op", "why", "from"],
		rows: cells.map((cell, nr) => {
			const found = measuredAt(cell, metric);
			const pair = pairOf(question, nr).map(([, value]) => value);
			// The core counts events done; the command and links count events from 0.
			const worst = found && found.op > 0 ? found.op - 1 : null;
			return [trace, ...pair, found?.value ?? null, worst, cell.why, fromKey(markOf(cell))];
		}),
	};
}

/* Grids of replays, computed by a few helper workers; results stay while the page lives. */

const { store, start, stop } = createMeasuring<Question>();
const useWorkers = create(() => ({ workers: usualHands() }));

function questionNow(): Question {
	const { trace, machine, grid, built } = facts();
	const keys: readonly string[] = WORKLOADS.flatMap((w) => w.keys);
	const axis = (text: string) => axisOf(text, trace, built?.params ?? [], keys);
	return {
		trace,
		base: machine,
		x: axis(grid.x),
		y: grid.y === "" ? undefined : axis(grid.y),
	};
}

/** Replays the grid on the trace and machine of the stage, but a large grid only when asked to. */
async function startSweep(isUnasked = false): Promise<void> {
	try {
		const question = questionNow();
		if (isUnasked && !isQuick(cellsOf(question))) return;
		const all = Array.from({ length: cellsOf(question) }, (_, cell) => runOf(question, cell));
		await start(question, all, useWorkers.getState().workers);
	} catch (error) {
		store.setState({ sentence: sentenceOf(error) });
	}
}

/** Whether the cells come from a different trace from the stage's, or from a machine that differs in more than the varied parameters. */
function isOld({ question }: Measuring<Question>, { trace, machine }: StillFacts): boolean {
	if (!question) return false;
	const varied = [question.x.key, question.y?.key];
	const rest = ({ preset, values }: Machine) =>
		JSON.stringify([
			varied.includes("preset") ? "" : preset,
			Object.entries(values)
				.filter(([key]) => !varied.includes(key))
				.sort(),
		]);
	return question.trace !== trace || rest(question.base) !== rest(machine);
}

interface Ready extends Grid {
	readonly name: string;
}

/** Questions you can ask with one click. */
const READY: readonly Ready[] = [
	{
		name: "Memory by slab order and CPUs",
		x: "max_order=0..5",
		y: "cpus=1,2,4,8,16",
		metric: "slab_bytes_peak",
	},
	{
		name: "Slow paths by min_partial and per-CPU partial lists",
		x: "min_partial=0,2,5,10,20",
		y: "cpu_partial=0,6,30,120",
		metric: "slow_paths",
	},
	{
		name: "Model cycles by allocator and CPUs",
		x: `allocator=${Object.keys(ALLOCATORS).join(",")}`,
		y: "cpus=1,2,4,8",
		metric: "cycles",
	},
];

/** Returns the questions whose parameters the machine on the stage has, and the kernels of all presets. */
function readyFor(built: Built | null): Ready[] {
	if (!built) return [];
	const has = (axis: string) => built.params.some(({ key }) => axis.startsWith(`${key}=`));
	const kernels = `preset=${suggested("preset", built.params)}`;
	return [
		...READY.filter(({ x, y }) => has(x) && has(y)),
		{ name: "Slow paths by kernel version", x: kernels, y: "", metric: "slow_paths" },
	];
}

function askReady({ x, y, metric }: Ready): void {
	change({ grid: { x, y, metric } });
	void startSweep();
}

export function measuredAt(cell: Replayed | undefined, metric: string): Measured | undefined {
	return cell && measuredIn(cell, metric);
}

/** Opens the replay of a cell on the stage, at the event where its number was highest. */
export async function openCell(nr: number, metric: string): Promise<void> {
	const { question, replays } = store.getState();
	const found = measuredAt(replays[nr], metric);
	if (!question || !found) return;
	const { trace, machine } = runOf(question, nr);
	await restore({
		...viewOf(facts()),
		trace,
		machine,
		tab: "explore",
		op: Math.max(0, found.op - 1),
		step: -1,
	});
}

export const METRICS = MEASURES;
