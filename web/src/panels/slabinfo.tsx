/** The caches as a table, as slabinfo and slabtop show them, after the whole event on screen. */
import { useState } from "react";
import { COUNTER_NAMES } from "#abi";
import type { CacheRow } from "../engine/types.ts";
import { chooseCache } from "../player/actions.ts";
import { bytes, count, percent } from "../player/format.ts";
import { change, useFacts } from "../player/store.ts";
import { CurrentStep } from "./transport.tsx";

interface Column {
	readonly name: string;
	readonly title: string;
	readonly of: (c: CacheRow) => number;
	readonly show?: (n: number, c: CacheRow) => string;
}

const counter = (name: (typeof COUNTER_NAMES)[number]) => (c: CacheRow) =>
	c.counters[COUNTER_NAMES.indexOf(name)] ?? 0;
const fast = (c: CacheRow) => counter("ALLOC_FASTPATH")(c) + counter("FREE_FASTPATH")(c);
const slow = (c: CacheRow) => counter("ALLOC_SLOWPATH")(c) + counter("FREE_SLOWPATH")(c);

const COLUMNS: readonly Column[] = [
	{ name: "active", title: "Active objects, as slabinfo counts", of: (c) => c.objects },
	{ name: "objects", title: "Objects in all slabs", of: (c) => c.totalObjects },
	{ name: "live", title: "Objects allocated now", of: (c) => c.liveObjects },
	{ name: "size", title: "Bytes of a slot", of: (c) => c.size },
	{ name: "per slab", title: "Objects in a slab", of: (c) => c.objectsPerSlab },
	{ name: "order", title: "2^order pages in a slab", of: (c) => c.order },
	{ name: "slabs", title: "Slabs now", of: (c) => c.slabs },
	{ name: "peak", title: "Most slabs so far", of: (c) => c.slabsPeak },
	{ name: "partial", title: "Slabs on partial lists of nodes", of: (c) => c.partial },
	{ name: "on CPUs", title: "Cpu slabs and slabs on chains", of: (c) => c.cpuSlabs },
	{
		name: "keeps",
		title: "min_partial: slabs that a node keeps even when empty",
		of: (c) => c.minPartial,
	},
	{ name: "memory", title: "Bytes in slabs", of: (c) => c.slabBytes, show: (n) => bytes(n) },
	{
		name: "asked for",
		title: "Bytes asked for in live objects, of the bytes in slabs",
		of: (c) => (c.slabBytes === 0 ? 0 : c.requestedBytes / c.slabBytes),
		show: (_, c) => percent(c.requestedBytes, c.slabBytes),
	},
	{
		name: "fast",
		title: "Operations that stayed on the fast path",
		of: (c) => (fast(c) + slow(c) === 0 ? 0 : fast(c) / (fast(c) + slow(c))),
		show: (_, c) => percent(fast(c), fast(c) + slow(c)),
	},
];

export function Slabinfo() {
	const moment = useFacts((f) => f.moment);
	const caches = moment?.caches ?? [];
	const shown = useFacts((f) => f.cache);
	const [by, setBy] = useState("memory");
	const [up, setUp] = useState(false);
	const column = COLUMNS.find((c) => c.name === by);
	const order = (a: CacheRow, b: CacheRow) =>
		column ? column.of(a) - column.of(b) : a.name.localeCompare(b.name);
	const rows = caches.toSorted((a, b) => (up ? order(a, b) : order(b, a)) || a.cache - b.cache);
	const sort = (name: string) => {
		setUp(name === by ? !up : name === "cache");
		setBy(name);
	};
	const head = (name: string, title: string) => (
		<th key={name} scope="col" aria-sort={by === name ? (up ? "ascending" : "descending") : "none"}>
			<button type="button" title={title} onClick={() => sort(name)}>
				{name}
			</button>
		</th>
	);
	const show = (name: string) => {
		chooseCache(name);
		change({ tab: "explore" });
	};
	return (
		<section className="slabinfo" aria-label="Slabinfo">
			<h2 className="number">Caches{moment && ` after event ${count(moment.position.op + 1)}`}</h2>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area has to be reachable by keyboard */}
			<section className="table-scroll" tabIndex={0} aria-label="Table of caches">
				<table className="number">
					<caption className="hidden">Caches at the end of the event on screen</caption>
					<thead>
						<tr>
							{head("cache", "Name")}
							{COLUMNS.map((c) => head(c.name, c.title))}
						</tr>
					</thead>
					<tbody>
						{rows.map((c) => (
							<tr key={c.cache} className={c.name === shown ? "shown" : undefined}>
								<th scope="row">
									<button type="button" className="link" onClick={() => show(c.name)}>
										{c.name}
									</button>
								</th>
								{COLUMNS.map((k) => (
									<td key={k.name}>{k.show ? k.show(k.of(c), c) : count(k.of(c))}</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</section>
			<CurrentStep />
		</section>
	);
}
