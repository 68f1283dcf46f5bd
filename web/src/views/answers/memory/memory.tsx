/** Where memory goes after the event on screen, from requests to pages; and where objects are freed. */

import { useEffect, useState } from "react";
import { useStore } from "zustand";
import {
	FROM_WORDS,
	MATRIX_BY_WORDS,
	type MatrixCell,
	MEMORY_PART_WORDS,
	MemoryPart,
	PLACE_KIND_WORDS,
} from "#abi";
import type { FreeMatrix, MemoryPartRow } from "#wasm";
import { engine } from "../../../app/platform/engine_link.ts";
import { createMeasuring, type Measuring, measuredIn } from "../../../app/playback/many_replays.ts";
import { goToEvent } from "../../../app/playback/why.ts";
import { facts } from "../../../app/state/store.ts";
import { useCalm } from "../../../app/state/use_calm.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { tableOf } from "../../../base/csv_table.ts";
import { bytes, count, eventWords, percent, quantity } from "../../../base/format.ts";
import { sampledWords } from "../../../base/words.ts";
import type { MemoryAnswer } from "../../../engine/query/memory.ts";
import { Button, Scrolls, SelectField } from "../../../ui/controls.tsx";
import { type Column, DataTable } from "../../../ui/data_table.tsx";
import { useAsync } from "../../../ui/hooks.ts";
import { Choices, DownloadCsv, Fault, From, fromKey, Heading } from "../../../ui/view.tsx";
import css from "./memory.module.css";

/** Stands in place of a cache in the rows for all caches together. */
const ALL = 0xffff;
const NO_PLACE = 0xffff;

export function MemoryView() {
	const built = useFacts((f) => f.built);
	const sampling = useFacts((f) => f.report?.sampling);
	const op = useCalm((f) => f.moment?.position.op);
	const [name, setName] = useState("");
	const ask = built && op !== undefined ? () => engine().memoryAfter(op + 1) : undefined;
	const { value, sentence } = useAsync(ask, [built, op]);
	if (!value)
		return (
			<section aria-label="Where memory goes">
				<p className="quiet">{sentence === "" ? "Adding up …" : sentence}</p>
			</section>
		);
	const chosen = value.names.indexOf(name);
	const cache = chosen < 0 ? ALL : chosen;
	const caches = value.names.map((n, i) => [n, pagesOf(value.rows, i)] as const);
	caches.sort(([, a], [, b]) => b - a);
	return (
		<section aria-label="Where memory goes">
			<Heading>
				<h2 className="number">Where memory goes after {eventWords(value.ops - 1)}</h2>
				{built && built.measured !== "" && <p>{built.measured}</p>}
				<p>
					{value.sentences} {sampledWords(sampling)}
				</p>
				{built && (
					<p className="hint">
						{built.warmStart} Whatever isn't measured is modelled from a <From of={built.from} />.
					</p>
				)}
			</Heading>
			<PeakButton ops={value.ops} />
			<Choices>
				<SelectField
					label="Cache"
					value={chosen < 0 ? "" : name}
					onSelect={setName}
					options={[
						["", "all caches"],
						...caches.map(([n, pages]) => [n, `${n}, ${bytes(pages)}`] as const),
					]}
				/>
				<DownloadCsv table={() => fileOf(value)} />
			</Choices>
			<Waterfall rows={value.rows.filter((row) => row.cache === cache)} />
			<FreesOfTrace cache={chosen < 0 ? undefined : chosen} name={chosen < 0 ? "" : name} />
		</section>
	);
}

function pagesOf(rows: readonly MemoryPartRow[], cache: number): number {
	return rows.find((r) => r.cache === cache && r.part === MemoryPart.PART_PAGES)?.bytes ?? 0;
}

function wordsOf({ part, place }: MemoryPartRow): string {
	const words = MEMORY_PART_WORDS[part] ?? "";
	return place === NO_PLACE ? words : `${words}: ${PLACE_KIND_WORDS[place] ?? ""}`;
}

/** A waterfall: each part starts where the one above it ends. As it is a table, it needs no text for screen readers. */
function Waterfall({ rows }: { rows: readonly MemoryPartRow[] }) {
	const all = rows.find((row) => row.part === MemoryPart.PART_PAGES)?.bytes ?? 0;
	let start = 0;
	const placed = rows.map((row) => {
		const left = row.part === MemoryPart.PART_PAGES ? 0 : start;
		start += row.bytes;
		return { ...row, left };
	});
	const share = (part: number) => (all ? part / all : 0);
	const columns: readonly Column<MemoryPartRow & { readonly left: number }>[] = [
		{ name: "part", show: wordsOf },
		{
			name: "chart",
			className: css.chart,
			show: (row) => (
				<span
					style={{ "--from": share(row.left), "--wide": share(row.bytes) } as React.CSSProperties}
				/>
			),
		},
		{ name: "bytes", show: (row) => count(row.bytes) },
		{
			name: "from",
			title: "Where the figure comes from",
			show: ({ from }) => FROM_WORDS[from] ?? "",
		},
		{ name: "share", show: (row) => percent(row.bytes, all) },
		{
			name: "objects",
			title: "Objects, or slabs in the rows for pages and empty slabs",
			show: howMany,
		},
	];
	return (
		<DataTable
			label="Parts of the pages in use"
			caption="Parts of the pages in use, which add up to the total"
			className={`wide ${css.parts}`}
			columns={columns}
			rows={placed}
			keyOf={(row) => `${row.part} ${row.place}`}
			rowProps={({ part }) => ({ "data-part": part })}
		/>
	);
}

function howMany({ part, objects, slabs }: MemoryPartRow): string {
	if (part === MemoryPart.PART_PAGES || part === MemoryPart.PART_EMPTY)
		return quantity(slabs, "slab");
	return objects > 0 ? count(objects) : "";
}

/** Writes the same rows as `slabscope memory --csv`. */
const fileOf = ({ rows, names }: MemoryAnswer) =>
	tableOf<MemoryPartRow>(
		"memory",
		{
			cache: (row) => (row.cache === ALL ? "" : (names[row.cache] ?? "")),
			part: (row) => MEMORY_PART_WORDS[row.part] ?? "",
			place: (row) => (row.place === NO_PLACE ? "" : (PLACE_KIND_WORDS[row.place] ?? "")),
			bytes: (row) => row.bytes,
			objects: (row) => row.objects,
			slabs: (row) => row.slabs,
			from: (row) => fromKey(row.from),
		},
		rows,
	);

/* On which CPU or node objects are freed, by the CPU or node that allocated them: a table of numbers with shading. */

/** Above this many rows, the matrix is by node. */
const ROWS_MOST = 32;

type Number = "objects" | "bytes";

interface Props {
	/** Undefined for all caches. */
	readonly cache: number | undefined;
	readonly name: string;
}

function FreesOfTrace({ cache, name }: Props) {
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
		<section className="grid one-column gap-2" aria-label="Where objects are freed">
			<h2>Where objects are freed{name !== "" && `, ${name}`}</h2>
			<p>{freesWords(matrix)}</p>
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

/** Puts the matrix into words, with its largest cells off the diagonal. */
function freesWords(matrix: FreeMatrix): string {
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

/* Leads to the event after which the most pages are in use. One replay in a helper worker finds it. */

const { store, start, stop } = createMeasuring<"peak">();

interface PeakButtonProps {
	/** Events done at the stage's position. */
	readonly ops: number;
}

/** Events done at the peak; 0 if there is none, undefined while it is unknown. */
function peakIn({ built, replays: [replayed] }: Measuring<"peak">): number | undefined {
	if (!replayed?.rows || built !== facts().built) return undefined;
	return measuredIn(replayed, "pages_peak")?.op ?? 0;
}

/** The button stays even at the peak; otherwise it would lose the focus. */
function PeakButton({ ops }: PeakButtonProps) {
	const built = useFacts((f) => f.built);
	const measuring = useStore(store);
	const { isRunning, replays, sentence } = measuring;
	const peak = peakIn(measuring);
	const why = measuring.built === built ? sentence || (replays[0]?.why ?? "") : "";
	// Whoever has closed the answer doesn't want to be taken to the peak.
	useEffect(() => stop, []);
	const press = async () => {
		if (isRunning) return stop();
		const { trace, machine } = facts();
		if (peak === undefined) await start("peak", [{ trace, machine }], 1);
		const at = peakIn(store.getState());
		if (at) goToEvent(at - 1);
	};
	return (
		<div className="row">
			<Button className="primary" onClick={() => void press()}>
				{isRunning ? "Stop looking for the peak" : "Go to the peak"}
			</Button>
			<span role="status">
				{peak === ops && ops > 0 && "This is the peak: no other event leaves more pages in use."}
				{peak === 0 &&
					"No event leaves more pages in use than there were at the start, so there is no peak to go to."}
			</span>
			<Fault sentence={why} />
		</div>
	);
}
