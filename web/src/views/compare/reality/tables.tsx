/** The tables of Compare, Reality: caches in any order, counters of the kernel and of the model, and negative controls. */
import { useState } from "react";
import type { Checked, CheckedCache } from "#wasm";
import { count } from "../../../base/format.ts";
import { Heads, Scrolls, SelectField } from "../../../ui/controls.tsx";
import css from "./reality.module.css";
import { COLUMNS, counterRows, type Sorting, shareOf, shareWords, sorted } from "./rows.ts";

interface Props {
	readonly checked: Checked;
	/** Whether there is a stop state. */
	readonly hasStop: boolean;
}

export function Caches({ checked, hasStop }: Props) {
	const [sorting, setSorting] = useState<Sorting>({ by: "share", up: true });
	const { by, up } = sorting;
	const columns = COLUMNS.filter(({ needsStop }) => hasStop || !needsStop);
	const head = (name: string, title: string) => (
		<th key={name} scope="col" aria-sort={by === name ? (up ? "ascending" : "descending") : "none"}>
			<button
				type="button"
				title={title}
				onClick={() => setSorting({ by: name, up: name === by ? !up : name === "cache" })}
			>
				{name}
			</button>
		</th>
	);
	return (
		<section className={`card ${css.card}`} aria-label="Caches of the run">
			<h3>Caches</h3>
			<Scrolls label="Table of the caches of the run">
				<table className={`number ${css.rows}`}>
					<caption className="hidden">The model against the kernel, by cache</caption>
					<thead>
						<tr>
							{head("cache", "By name")}
							{columns.map(({ name, title }) => head(name, title))}
						</tr>
					</thead>
					<tbody>
						{sorted(checked.by_cache, sorting).map((row) => (
							<tr key={row.name}>
								<th scope="row">{row.name}</th>
								{columns.map((column) => (
									<td key={column.name}>{cell(column.name, column.of(row), row)}</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</Scrolls>
		</section>
	);
}

function cell(name: string, value: number, row: CheckedCache): string {
	if (name === "share") return row.allocations === 0 ? "–" : shareWords(row.right, row.allocations);
	if (!name.startsWith("slabs")) return count(value);
	return value > 0 ? `+${count(value)}` : count(value);
}

const ALL = "";

export function Counters({ checked }: Pick<Props, "checked">) {
	const [cache, setCache] = useState(ALL);
	const chosen = checked.by_cache.filter(({ name }) => cache === ALL || name === cache);
	const { cells, within_1_percent: near } = checked.counters;
	return (
		<section className={`card ${css.card}`} aria-label="Counters of the run">
			<div className={css.head}>
				<h3>Counters</h3>
				<p className="small quiet">
					{count(near)} of {count(cells)} counters of a cache that the kernel raised at least 20
					times are within 1 %.
				</p>
				<SelectField
					label="Cache"
					value={cache}
					onSelect={setCache}
					options={[[ALL, "all caches"], ...checked.by_cache.map(({ name }) => name)]}
				/>
			</div>
			<Scrolls label="Table of the counters of the run">
				<table className={`number ${css.rows}`}>
					<caption className="hidden">Counters of the kernel and of the model</caption>
					<Heads of={["counter", "kernel", "model", "model − kernel"]} />
					<tbody>
						{counterRows(chosen).map(({ name, kernel, model }) => (
							<tr key={name}>
								<th scope="row">{name}</th>
								<td>{count(kernel)}</td>
								<td>{count(model)}</td>
								<td>{count(model - kernel)}</td>
							</tr>
						))}
					</tbody>
				</table>
			</Scrolls>
		</section>
	);
}

export function Controls({ checked }: Pick<Props, "checked">) {
	const { allocations, right, controls } = checked;
	const share = (part: number) => shareWords(part, allocations);
	const isProof = controls.every((control) => control.right < right);
	return (
		<section className={`card ${css.card}`} aria-label="Negative controls">
			<h3>Negative controls</h3>
			<p className="small quiet">
				The same check of models that are wrong on purpose.{" "}
				{isProof
					? "All of them agree less often than the model."
					: "A control agrees as often as the model, so this run proves little."}
			</p>
			<table className={`number stays ${css.rows}`}>
				<caption className="hidden">Agreement of the model and of wrong models</caption>
				<Heads of={["setting", "allocations that agree", "share"]} />
				<tbody>
					<tr>
						<th scope="row">the model</th>
						<td>{count(right)}</td>
						<td>{share(right)}</td>
					</tr>
					{controls.map((control) => (
						<tr key={control.setting}>
							<th scope="row">with {control.setting}</th>
							<td>{count(control.right)}</td>
							<td>{share(control.right)}</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

/** Caches with an allocation elsewhere. */
export const wrongCaches = ({ by_cache }: Checked) =>
	by_cache.filter((row) => shareOf(row) < 1).length;
