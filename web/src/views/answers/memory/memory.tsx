/** Where memory goes after the event on screen, from requests to pages; and where objects are freed. */
import { useState } from "react";
import { FROM_WORDS, MEMORY_PART_WORDS, MemoryPart, PLACE_KIND_WORDS } from "#abi";
import type { MemoryPartRow } from "#wasm";
import { engine } from "../../../app/platform/engine_link.ts";
import { useCalm } from "../../../app/state/use_calm.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { tableOf } from "../../../base/csv_table.ts";
import { bytes, count, percent } from "../../../base/format.ts";
import { eventWords } from "../../../base/numbering.ts";
import { sampledWords } from "../../../base/words.ts";
import type { MemoryAnswer } from "../../../engine/query/memory.ts";
import { SelectField } from "../../../ui/controls.tsx";
import { type Column, DataTable } from "../../../ui/table/data_table.tsx";
import { DownloadCsv } from "../../../ui/table/download.tsx";
import { useAsync } from "../../../ui/use_async.ts";
import { From, fromKey } from "../../../ui/view/from.tsx";
import { Choices, Heading } from "../../../ui/view/view.tsx";
import { FreesOfTrace } from "./frees.tsx";
import css from "./memory.module.css";
import { PeakButton } from "./peak.tsx";

/** All caches together; also the cache of their rows. */
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
						{built.warmStart} What is not measured is modelled from a <From of={built.from} />.
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

/** Each part begins where the one above it ends. The table is its text twin. */
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
		{ name: "objects", title: "Objects; of pages and empty slabs: slabs", show: howMany },
	];
	return (
		<DataTable
			label="Parts of the pages in use"
			caption="Parts of the pages in use; they add up to them"
			className={css.parts}
			columns={columns}
			rows={placed}
			keyOf={(row) => `${row.part} ${row.place}`}
			rowProps={({ part }) => ({ "data-part": part })}
		/>
	);
}

function howMany({ part, objects, slabs }: MemoryPartRow): string {
	if (part === MemoryPart.PART_PAGES || part === MemoryPart.PART_EMPTY)
		return `${count(slabs)} slabs`;
	return objects > 0 ? count(objects) : "";
}

/** The rows of `slabscope memory --csv`. */
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
