/** The tables of Compare, Reality: caches in any order, counters of the kernel and of the model, and negative controls. */
import { useState } from "react";
import type { Checked } from "#wasm";
import { count } from "../../../base/format.ts";
import { SelectField } from "../../../ui/controls.tsx";
import { DataTable, useSorted } from "../../../ui/table/data_table.tsx";
import { Panel } from "../../../ui/view/view.tsx";
import css from "./reality.module.css";
import { byName, columnsOf, counterRows, shareOf, shareWords } from "./rows.ts";

interface Props {
	readonly checked: Checked;
	/** Whether there is a stop state. */
	readonly hasStop: boolean;
}

export function Caches({ checked, hasStop }: Props) {
	const rows = byName(checked.by_cache);
	const sorted = useSorted(columnsOf(hasStop), rows, { by: "share", up: true });
	return (
		<Panel heading="Caches" label="Caches of the run">
			<DataTable
				label="Table of the caches of the run"
				caption="The model against the kernel, by cache"
				className={css.rows}
				keyOf={({ name }) => name}
				{...sorted}
			/>
		</Panel>
	);
}

const ALL = "";

export function Counters({ checked }: Pick<Props, "checked">) {
	const [cache, setCache] = useState(ALL);
	const chosen = checked.by_cache.filter(({ name }) => cache === ALL || name === cache);
	const { cells, within_1_percent: near } = checked.counters;
	const beside = (
		<>
			<p className="small quiet">
				{count(near)} of {count(cells)} counters of a cache that the kernel raised at least 20 times
				are within 1 %.
			</p>
			<SelectField
				label="Cache"
				value={cache}
				onSelect={setCache}
				options={[[ALL, "all caches"], ...checked.by_cache.map(({ name }) => name)]}
			/>
		</>
	);
	return (
		<Panel heading="Counters" label="Counters of the run" beside={beside}>
			<DataTable
				label="Table of the counters of the run"
				caption="Counters of the kernel and of the model"
				className={css.rows}
				columns={[
					{ name: "counter", show: ({ name }) => name },
					{ name: "kernel", show: ({ kernel }) => count(kernel) },
					{ name: "model", show: ({ model }) => count(model) },
					{ name: "model − kernel", show: ({ kernel, model }) => count(model - kernel) },
				]}
				rows={counterRows(chosen)}
				keyOf={({ name }) => name}
			/>
		</Panel>
	);
}

export function Controls({ checked }: Pick<Props, "checked">) {
	const { allocations, right, controls } = checked;
	const isProof = controls.every((control) => control.right < right);
	const wrong = controls.map(({ setting, ...rest }) => ({ ...rest, setting: `with ${setting}` }));
	return (
		<Panel heading="Negative controls">
			<p className="small quiet">
				The same check of models that are wrong on purpose.{" "}
				{isProof
					? "All of them agree less often than the model."
					: "A control agrees as often as the model, so this run proves little."}
			</p>
			<DataTable
				caption="Agreement of the model and of wrong models"
				className={css.rows}
				columns={[
					{ name: "setting", show: ({ setting }) => setting },
					{ name: "allocations that agree", show: (row) => count(row.right) },
					{ name: "share", show: (row) => shareWords(row.right, allocations) },
				]}
				rows={[{ setting: "the model", right }, ...wrong]}
				keyOf={({ setting }) => setting}
			/>
		</Panel>
	);
}

/** Caches with an allocation elsewhere. */
export const wrongCaches = ({ by_cache }: Checked) =>
	by_cache.filter((row) => shareOf(row) < 1).length;
