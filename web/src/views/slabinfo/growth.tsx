/** The change of a real machine's caches over the trace, beside the growth of the model's. */
import type { ReactNode } from "react";
import type { Growth } from "#wasm";
import { engine } from "../../app/platform/engine_link.ts";
import { busy } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count } from "../../base/format.ts";
import { type Column, DataTable } from "../../ui/table/data_table.tsx";
import { useAsync } from "../../ui/use_async.ts";
import css from "./slabinfo.module.css";

const UNKNOWN = 0xffffffff;
const ROWS_MOST = 30;

interface GrowthProps {
	/** Names of the two files. */
	readonly before: string;
	readonly after: string;
}

export function GrowthTable({ before, after }: GrowthProps) {
	const built = useFacts((f) => f.built);
	const { value, sentence } = useAsync(() => busy(() => engine().growth()), [built, before, after]);
	if (sentence !== "") return <p role="alert">{sentence}</p>;
	if (!value) return null;
	return (
		<section aria-label="Growth">
			<h3>Growth over the trace</h3>
			<p>
				From <strong>{before}</strong> to <strong>{after}</strong>, beside the model from before its
				first event to behind its last one. A cold model begins with nothing: compare the changes.
			</p>
			<DataTable
				label="Table of growth"
				scrollClass={`table-scroll ${css.growth}`}
				caption="Changes of caches, the largest of the machine first"
				className="stays"
				columns={COLUMNS}
				rows={value.slice(0, ROWS_MOST)}
				keyOf={({ name }) => name}
			/>
			{value.length > ROWS_MOST && <p className="hint">The {ROWS_MOST} largest changes.</p>}
		</section>
	);
}

const COLUMNS: readonly Column<Growth>[] = [
	{ name: "cache", show: (row) => row.name },
	{
		name: "slabs",
		title: "Slabs of the machine, before and after",
		show: (row) => changed(row.slabsBefore, row.slabsAfter),
	},
	{
		name: "slabs, model",
		title: "Slabs of the model, before and after",
		show: (row) => changed(row.modelSlabsBefore, row.modelSlabsAfter),
	},
	{
		name: "objects",
		title: "Active objects of the machine, as slabinfo counts them",
		show: (row) => changed(row.objectsBefore, row.objectsAfter),
	},
	{
		name: "objects, model",
		title: "Active objects of the model",
		show: (row) => changed(row.modelObjectsBefore, row.modelObjectsAfter),
	},
	{
		name: "why",
		title: "Why the slabs of both changed by numbers that differ by more than two",
		isOfWords: true,
		className: css.why,
		show: (row) => row.why,
	},
];

function changed(from: number, to: number): ReactNode {
	if (from === UNKNOWN || to === UNKNOWN) return "–";
	const sign = to < from ? "−" : "+";
	return (
		<>
			{count(from)} → {count(to)} <strong>{`${sign}${count(Math.abs(to - from))}`}</strong>
		</>
	);
}
