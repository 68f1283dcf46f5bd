/** The cache on the stage: choose another one by its name or by its numbers; all of them as a table. */
import { change } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { chooseCache } from "../../app/trace/actions.ts";
import { bytes, count, percent, quantity } from "../../base/format.ts";
import type { CacheRow } from "../../engine/types.ts";
import { Button, type Head, Heads, LinkButton, Scrolls, SelectField } from "../../ui/controls.tsx";
import { Sheet } from "./sheet.tsx";
import css from "./sheets.module.css";

const NO_ROWS: readonly CacheRow[] = [];

/** The largest first. */
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

/** How the slabs of the cache are cut. */
function Layout({ cache: c }: { readonly cache: CacheRow }) {
	const aliases = useFacts((f) => f.machineState?.aliases[c.name] ?? "");
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
				{count(c.slabs)} now, at most {count(c.slabsPeak)}
			</dd>
			<dt>allocated</dt>
			<dd>
				{count(c.liveObjects)} of {quantity(c.totalObjects, "object")}
			</dd>
			<dt>memory</dt>
			<dd>
				{bytes(c.slabBytes)}, {percent(c.requestedBytes, c.slabBytes)} requested
			</dd>
		</dl>
	);
}

const COLUMNS: readonly Head[] = [
	"Cache",
	["Slabs", "Slabs now"],
	["Allocated", "Objects allocated now"],
	["Memory", "Bytes in slabs"],
	["Requested", "Bytes requested by live objects, as a share of the bytes in slabs"],
];

function CacheTable({ rows, shown }: { rows: readonly CacheRow[]; shown: string }) {
	const show = (name: string) => {
		chooseCache(name);
		change({ sheet: "" });
	};
	return (
		<Scrolls label="Caches" className={`table-scroll ${css.caches}`}>
			<table className={`${css.table} number stays`}>
				<caption className="hidden">Caches after the event on screen</caption>
				<Heads of={COLUMNS} />
				<tbody>
					{rows.map((c) => (
						<tr key={c.cache} className={c.name === shown ? css.shown : undefined}>
							<th scope="row">
								<LinkButton onClick={() => show(c.name)}>{c.name}</LinkButton>
							</th>
							<td>{count(c.slabs)}</td>
							<td>{count(c.liveObjects)}</td>
							<td>{bytes(c.slabBytes)}</td>
							<td>{percent(c.requestedBytes, c.slabBytes)}</td>
						</tr>
					))}
				</tbody>
			</table>
		</Scrolls>
	);
}
