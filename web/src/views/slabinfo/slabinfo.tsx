/** The caches as a table, as slabinfo and slabtop show them, after the whole event on screen. */
import { useEffect, useState } from "react";
import { COUNTER_NAMES } from "#abi";
import { change, facts, type MachineState } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { applyMachineState, chooseCache, removeMachineState } from "../../app/trace/actions.ts";
import { bytes, count, percent, quantity } from "../../base/format.ts";
import { eventWords } from "../../base/numbering.ts";
import { ALL_CACHES, type CacheRow, type MachineStateRow } from "../../engine/types.ts";
import { CurrentStep } from "../../ui/current_step.tsx";
import css from "./slabinfo.module.css";

interface Column {
	readonly name: string;
	readonly title: string;
	readonly of: (c: CacheRow) => number;
	readonly show?: (n: number, c: CacheRow) => string;
	/** The same for the machine state, -1 if it does not contain it. */
	readonly real?: (o: MachineStateRow) => number;
	/** Not for every allocator. */
	readonly optional?: boolean;
}

type CounterName = (typeof COUNTER_NAMES)[number];

/** Events that stayed on the fast path and those that left it, by the counters of each allocator. */
const FAST: readonly CounterName[] = ["ALLOC_FASTPATH", "FREE_FASTPATH", "ALLOCHIT", "FREEHIT"];
const SLOW: readonly CounterName[] = ["ALLOC_SLOWPATH", "FREE_SLOWPATH", "ALLOCMISS", "FREEMISS"];

const sum = (names: readonly CounterName[]) => (c: CacheRow) =>
	names.reduce((n, name) => n + (c.counters[COUNTER_NAMES.indexOf(name)] ?? 0), 0);
const fast = sum(FAST);
const all = sum([...FAST, ...SLOW]);

/** If one cache's slabs serve all, as SLOB's pages do, they hold the requests of all. */
function pooled(caches: readonly CacheRow[]): readonly CacheRow[] {
	const holders = caches.filter((c) => c.slabBytes > 0);
	const holder = holders[0];
	if (holders.length !== 1 || !holder) return caches;
	const requestedBytes = caches.reduce((n, c) => n + c.requestedBytes, 0);
	return caches.map((c) => (c === holder ? { ...c, requestedBytes } : c));
}

const COLUMNS: readonly Column[] = [
	{
		name: "active",
		title: "Active objects, as slabinfo counts them",
		of: (c) => c.objects,
		real: (o) => o.objects,
	},
	{
		name: "objects",
		title: "Objects in all slabs",
		of: (c) => c.totalObjects,
		real: (o) => o.totalObjects,
	},
	{ name: "live", title: "Objects allocated now", of: (c) => c.liveObjects },
	{ name: "size", title: "Bytes of a slot", of: (c) => c.size, real: (o) => o.size },
	{
		name: "per slab",
		title: "Objects in a slab",
		of: (c) => c.objectsPerSlab,
		real: (o) => o.objectsPerSlab,
	},
	{ name: "order", title: "2^order pages in a slab", of: (c) => c.order, real: (o) => o.order },
	{ name: "slabs", title: "Slabs now", of: (c) => c.slabs, real: (o) => o.slabs },
	{ name: "peak", title: "Most slabs so far", of: (c) => c.slabsPeak },
	{
		name: "partial",
		title: "Slabs on node partial lists",
		of: (c) => c.partial,
		real: (o) => o.partial,
	},
	{
		name: "on CPUs",
		title: "Cpu slabs and slabs on per-CPU partial lists",
		of: (c) => c.cpuSlabs,
		real: (o) => o.cpuSlabs,
		optional: true,
	},
	{
		name: "min_partial",
		title: "Slabs that a node keeps on its partial list, even empty ones",
		of: (c) => c.minPartial,
		real: (o) => o.minPartial,
		optional: true,
	},
	{
		name: "active_slabs",
		title: "Slabs in use, as slabinfo counts them",
		of: (c) => c.activeSlabs,
	},
	{
		name: "limit",
		title: "Most objects in a CPU's array cache or queue",
		of: (c) => c.limit,
		optional: true,
	},
	{ name: "batch", title: "Objects moved at a time", of: (c) => c.batchcount, optional: true },
	{
		name: "shared",
		title: "sharedfactor: limit of the shared array, in batches",
		of: (c) => c.sharedfactor,
		optional: true,
	},
	{
		name: "in shared",
		title: "sharedavail: objects in shared arrays or queues",
		of: (c) => c.sharedavail,
		optional: true,
	},
	{ name: "memory", title: "Bytes in slabs", of: (c) => c.slabBytes, show: (n) => bytes(n) },
	{
		name: "requested",
		title: "Bytes requested by live objects, as a share of the bytes in slabs",
		of: (c) => (c.slabBytes === 0 ? 0 : c.requestedBytes / c.slabBytes),
		show: (_, c) => percent(c.requestedBytes, c.slabBytes),
	},
	{
		name: "fast",
		title: "Allocations and frees that stayed on the fast path",
		of: (c) => (all(c) === 0 ? 0 : fast(c) / all(c)),
		show: (_, c) => percent(fast(c), all(c)),
		optional: true,
	},
];

/** Leaves out columns that are empty under the allocator in use. */
function columnsFor(caches: readonly CacheRow[], counts: (name: CounterName) => boolean): Column[] {
	return COLUMNS.filter((column) => {
		if (!column.optional) return true;
		return column.name === "fast" ? FAST.some(counts) : caches.some((c) => column.of(c) > 0);
	});
}

/** Names the machine state beside the model's numbers, with its actions. */
function MachineStateBar({ machineState }: { machineState: MachineState }) {
	const made = useFacts((f) => f.built?.cacheParams ?? "");
	/** The box is ticked at once; the replay with these caches takes its time. */
	const [used, setUsed] = useState(machineState.used);
	useEffect(() => setUsed(machineState.used), [machineState.used]);
	const use = (wanted: boolean) => {
		setUsed(wanted);
		void applyMachineState(wanted).finally(() => setUsed(facts().machineState?.used ?? false));
	};
	const here = machineState.rows.filter((o) => o.cache !== ALL_CACHES).length;
	return (
		<section className={css.overlay} aria-label="Model and machine">
			<p>
				The lower numbers are the real machine's, from <strong>{machineState.name}</strong>;{" "}
				{count(here)} of its {quantity(machineState.rows.length, "cache")}{" "}
				{here === 1 ? "is" : "are"} in this trace. Numbers that differ are underlined.
			</p>
			<label className="check">
				<input type="checkbox" checked={used} onChange={(e) => use(e.currentTarget.checked)} />
				<span>Give caches the machine's parameters</span>
			</label>
			{machineState.used && made !== "" && <p className="hint">{made}</p>}
			<button type="button" className="link" onClick={() => void removeMachineState()}>
				Remove
			</button>
		</section>
	);
}

interface RealProps {
	readonly column: Column;
	readonly cache: CacheRow;
	readonly row: MachineStateRow | undefined;
}

function Real({ column, cache, row }: RealProps) {
	const n = row && column.real ? column.real(row) : -1;
	if (n < 0) return null;
	return (
		<span className={n === column.of(cache) ? css.real : `${css.real} ${css.differs}`}>
			<span className="hidden">on the real machine </span>
			{count(n)}
		</span>
	);
}

export function Slabinfo() {
	const moment = useCalm((f) => f.moment);
	const caches = pooled(moment?.caches ?? []);
	const built = useFacts((f) => f.built);
	const counters = new Set(built?.counters);
	const columns = columnsFor(built?.caches ?? [], (name) =>
		counters.has(COUNTER_NAMES.indexOf(name)),
	);
	const shown = useFacts((f) => f.cache);
	const machineState = useFacts((f) => f.machineState);
	const real = new Map(machineState?.rows.map((o) => [o.cache, o]));
	const [by, setBy] = useState("memory");
	const [up, setUp] = useState(false);
	const column = columns.find((c) => c.name === by);
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
		<section
			className={machineState ? `${css.slabinfo} ${css.laid}` : css.slabinfo}
			aria-label="Slabinfo"
		>
			<h2 className="number">Caches{moment && ` after ${eventWords(moment.position.op)}`}</h2>
			{machineState && <MachineStateBar machineState={machineState} />}
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area has to be reachable by keyboard */}
			<section className="table-scroll" tabIndex={0} aria-label="Table of caches">
				<table className="number">
					<caption className="hidden">Caches after the event on screen</caption>
					<thead>
						<tr>
							{head("cache", "Name")}
							{columns.map((c) => head(c.name, c.title))}
						</tr>
					</thead>
					<tbody>
						{rows.map((c) => (
							<tr key={c.cache} className={c.name === shown ? css.shown : undefined}>
								<th scope="row">
									<button type="button" className="link" onClick={() => show(c.name)}>
										{c.name}
									</button>
								</th>
								{columns.map((k) => (
									<td key={k.name}>
										{k.show ? k.show(k.of(c), c) : count(k.of(c))}
										<Real column={k} cache={c} row={real.get(c.cache)} />
									</td>
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
