/** The cache on the stage: choose another one by its name or its numbers, or see all of them as a table. */
import { FROM_WORDS, From } from "#abi";
import { change } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { chooseCache } from "../../app/trace/actions.ts";
import { bytes, count, percent, quantity } from "../../base/format.ts";
import type { CacheRow } from "../../engine/types.ts";
import { Button, LinkButton, SelectField } from "../../ui/controls.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { Sheet } from "./sheet.tsx";
import css from "./sheets.module.css";

const NO_ROWS: readonly CacheRow[] = [];

/** Lists the largest caches first. */
function bySize(rows: readonly CacheRow[]): CacheRow[] {
	return rows.toSorted((a, b) => b.slabsPeak - a.slabsPeak || a.cache - b.cache);
}

export function CacheSheet() {
	const cache = useFacts((f) => f.cache);
	const all = useFacts((f) => f.built?.caches ?? NO_ROWS);
	const now = useCalm((f) => f.moment?.caches ?? NO_ROWS);
	const rows = bySize(all).map((row) => now.find((c) => c.cache === row.cache) ?? row);
	const shown = rows.find((c) => c.name === cache);
	return (
		<Sheet name="cache" title="Cache" wide>
			<SelectField
				label="Cache"
				value={cache}
				onSelect={chooseCache}
				options={rows.length === 0 ? [["", "none yet"]] : rows.map((c) => c.name)}
			/>
			{shown && <Layout cache={shown} />}
			<CacheTable rows={rows} shown={cache} />
			<div className="row">
				<Button onClick={() => change({ answer: "slabinfo", sheet: "" })}>
					Slabinfo: all caches as a table
				</Button>
			</div>
		</Sheet>
	);
}

/** Says how the cache's slabs are cut. */
function Layout({ cache: c }: { readonly cache: CacheRow }) {
	const aliases = useFacts((f) => f.machineState?.aliases[c.name] ?? "");
	const mark = useFacts((f) => FROM_WORDS[f.built?.from ?? From.FROM_GUESS]);
	return (
		<dl className="facts small number">
			{aliases !== "" && (
				<>
					<dt>merged with</dt>
					<dd>{aliases}</dd>
				</>
			)}
			<dt>slab</dt>
			<dd>
				{count(c.objectsPerSlab)} × {bytes(c.size)} in {quantity(2 ** c.order, "page")}
			</dd>
			<dt>object</dt>
			<dd>
				{bytes(c.objectSize)}, slot of {bytes(c.size)}
			</dd>
			<dt>slabs</dt>
			<dd>
				{count(c.slabs)} now, {count(c.slabsPeak)} at most ({mark})
			</dd>
			<dt>allocated</dt>
			<dd>
				{count(c.liveObjects)} of {quantity(c.totalObjects, "object")}
			</dd>
			<dt>memory</dt>
			<dd>
				{bytes(c.slabBytes)} ({mark}), {percent(c.requestedBytes, c.slabBytes)} requested
				{c.inUseBeforeBytes > 0 &&
					`, ${percent(c.inUseBeforeBytes, c.slabBytes)} in use before the trace`}
			</dd>
		</dl>
	);
}

function CacheTable({ rows, shown }: { rows: readonly CacheRow[]; shown: string }) {
	const show = (name: string) => {
		chooseCache(name);
		change({ sheet: "" });
	};
	return (
		<DataTable
			label="Caches"
			scrollClass={`table-scroll ${css.caches}`}
			caption="Caches after the event on screen"
			className={`wide small ${css.table} stays`}
			columns={[
				{
					name: "Cache",
					show: ({ name }) => <LinkButton onClick={() => show(name)}>{name}</LinkButton>,
				},
				...COLUMNS,
			]}
			rows={rows}
			keyOf={({ cache }) => cache}
			rowProps={({ name }) => ({ className: name === shown ? css.shown : undefined })}
		/>
	);
}

const COLUMNS: readonly Column<CacheRow>[] = [
	{ name: "Slabs", title: "Slabs now", show: (c) => count(c.slabs) },
	{ name: "Allocated", title: "Objects allocated now", show: (c) => count(c.liveObjects) },
	{ name: "Memory", title: "Bytes in slabs", show: (c) => bytes(c.slabBytes) },
	{
		name: "Requested",
		title: "Bytes requested by live objects, as a share of the bytes in slabs",
		show: (c) => percent(c.requestedBytes, c.slabBytes),
	},
];
