/** The kernel counters in the trace beside the counters of the replay. */

import { useEffect } from "react";
import { COUNTER_NAMES, COUNTER_WORDS } from "#abi";
import type { KernelCounters } from "#wasm";
import { engine } from "../../app/platform/engine_link.ts";
import { busy, change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { openSample } from "../../app/trace/actions.ts";
import { count, percent } from "../../base/format.ts";
import type { CountersCompared } from "../../engine/answers.ts";
import type { CacheRow } from "../../engine/types.ts";
import { LinkButton } from "../../ui/controls.tsx";
import { type Column, DataTable } from "../../ui/table/data_table.tsx";
import { useAsync } from "../../ui/use_async.ts";
import css from "./experiments.module.css";

const SAMPLE = "linux-6.1-files-and-counters.ftrace.txt.gz";

interface Row {
	readonly name: string;
	readonly words: string;
	readonly kernel: number;
	readonly before: number;
	readonly model: number;
}

export function CountersStudy() {
	const built = useFacts((f) => f.built);
	const compared = useCounters();
	const rows = rowsOf(compared?.counters ?? [], built?.caches ?? []);
	return (
		<>
			<div className={css.head}>
				<h2>What did the real kernel count?</h2>
				<p className="quiet">
					A kernel with one more tracepoint records each SLUB counter as it counts. The table
					compares these kernel counters with the model's, on the machine of the stage.
				</p>
			</div>
			{compared && rows.length === 0 && <Nothing />}
			{rows.length > 0 && (
				<DataTable
					label="Counters, scrolls"
					scrollClass={`table-scroll ${css.scroll}`}
					caption="Kernel counters and model counters"
					className={css.table}
					columns={COLUMNS}
					rows={rows}
					keyOf={({ name }) => name}
				/>
			)}
			{rows.length > 0 && compared?.why.map((sentence) => <p key={sentence}>{sentence}</p>)}
		</>
	);
}

/** The comparison for the present trace and machine; undefined while it is unknown. */
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
			This trace has no kernel counters.{" "}
			<LinkButton onClick={() => void openSample(SAMPLE)}>Open one that has</LinkButton>
		</p>
	);
}

const COLUMNS: readonly Column<Row>[] = [
	{ name: "counter", show: ({ name, words }) => <span title={words}>{name}</span> },
	{ name: "kernel", show: ({ kernel }) => count(kernel) },
	{
		name: "before",
		title: "Counted on frees of objects that were allocated before the trace began",
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
