/** On which CPU or node objects are freed, by the CPU or node that allocated them: a table of numbers with shading. */
import { useState } from "react";
import { MATRIX_BY_WORDS, type MatrixCell } from "#abi";
import type { FreeMatrix } from "#wasm";
import { engine } from "../../../app/platform/engine_link.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { bytes, count, percent, quantity } from "../../../base/format.ts";
import { Scrolls, SelectField } from "../../../ui/controls.tsx";
import { useAsync } from "../../../ui/use_async.ts";
import { Choices } from "../../../ui/view/view.tsx";
import css from "./memory.module.css";

/** More rows are shown by node. */
const ROWS_MOST = 32;

type Number = "objects" | "bytes";

interface Props {
	/** undefined: all caches. */
	readonly cache: number | undefined;
	readonly name: string;
}

export function FreesOfTrace({ cache, name }: Props) {
	const built = useFacts((f) => f.built);
	const { value, sentence } = useAsync(built ? () => engine().frees(cache) : undefined, [
		built,
		cache,
	]);
	const [by, setBy] = useState("cpu");
	const [number, setNumber] = useState<Number>("objects");
	if (!value)
		return (
			<p className="quiet">{sentence === "" ? "Counting where objects are freed …" : sentence}</p>
		);
	const hasCpus = value.byCpu.nrRows <= ROWS_MOST && value.byCpu.by === 0;
	const matrix = hasCpus && by === "cpu" ? value.byCpu : value.byNode;
	return (
		<section className={css.frees} aria-label="Where objects are freed">
			<h2>Where objects are freed{name !== "" && `, ${name}`}</h2>
			<p>{wordsOf(matrix)}</p>
			<Choices>
				<SelectField
					label="Rows and columns"
					value={hasCpus ? by : "node"}
					onSelect={setBy}
					options={[...(hasCpus ? [["cpu", "CPUs"] as const] : []), ["node", "nodes"]]}
				/>
				<SelectField
					label="Number"
					value={number}
					onSelect={(to) => setNumber(to as Number)}
					options={[
						["objects", "objects"],
						["bytes", "bytes requested"],
					]}
				/>
			</Choices>
			<Matrix matrix={matrix} number={number} />
		</section>
	);
}

/** The matrix in words, with its largest cells off the diagonal. */
function wordsOf(matrix: FreeMatrix): string {
	const what = MATRIX_BY_WORDS[matrix.by] ?? "";
	const away = matrix.cells
		.filter((cell) => cell.from !== cell.to)
		.toSorted((a, b) => b.objects - a.objects)
		.slice(0, 2)
		.map((c) => `from ${what} ${c.from} to ${what} ${c.to} (${count(c.objects)})`);
	const most = away.length > 0 ? ` Most go ${away.join(" and ")}.` : "";
	return (
		`The trace frees ${count(matrix.frees)} of ${quantity(matrix.allocations, "allocated object")} ` +
		`(${bytes(matrix.bytes)} requested): ${count(matrix.otherCpu)} ` +
		`(${percent(matrix.otherCpu, matrix.frees)}) on another CPU, ` +
		`${count(matrix.otherNode)} on another node.${most} ${count(matrix.live)} are never freed` +
		`${matrix.unseen > 0 ? `, and ${count(matrix.unseen)} frees are not in the trace` : ""}.`
	);
}

function Matrix({ matrix, number }: { matrix: FreeMatrix; number: Number }) {
	const what = MATRIX_BY_WORDS[matrix.by] ?? "";
	const numbers = Array.from({ length: matrix.nrRows }, (_, i) => i * matrix.perRow);
	const cells = new Map(matrix.cells.map((cell) => [`${cell.from} ${cell.to}`, cell]));
	const most = Math.max(1, ...matrix.cells.map((cell) => cell[number]));
	const labelOf = (n: number) =>
		matrix.perRow === 1 ? `${what} ${n}` : `${what}s ${n} to ${n + matrix.perRow - 1}`;
	return (
		<Scrolls label="Matrix of frees">
			<table className={`number ${css.matrix}`}>
				<caption className="hidden">
					{number} by the {what} that allocated and the {what} that freed
				</caption>
				<thead>
					<tr>
						<th scope="col" className="small quiet">
							allocated on ↓, freed on →
						</th>
						{numbers.map((n) => (
							<th key={n} scope="col">
								{labelOf(n)}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{numbers.map((from) => (
						<tr key={from}>
							<th scope="row">{labelOf(from)}</th>
							{numbers.map((to) => (
								<Cell key={to} cell={cells.get(`${from} ${to}`)} number={number} most={most} />
							))}
						</tr>
					))}
				</tbody>
			</table>
		</Scrolls>
	);
}

interface CellProps {
	readonly cell: MatrixCell | undefined;
	readonly number: Number;
	readonly most: number;
}

function Cell({ cell, number, most }: CellProps) {
	if (!cell) return <td className="quiet">0</td>;
	return (
		<td
			className={css.hot}
			style={{ "--heat": Math.sqrt(cell[number] / most) } as React.CSSProperties}
		>
			{count(cell[number])}
		</td>
	);
}
