/** The caches as a table, as slabinfo and slabtop show them, after the whole event on screen. */

import { type ReactNode, useEffect, useState } from "react";
import { COUNTER_NAMES } from "#abi";
import type { Growth } from "#wasm";
import { engine } from "../../app/platform/engine_link.ts";
import { busy, change, facts, type MachineState } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import {
	applyMachineState,
	beginWarm,
	chooseCache,
	keepAsBefore,
	removeMachineState,
} from "../../app/trace/actions.ts";
import { bytes, count, eventWords, percent, quantity } from "../../base/format.ts";
import { ALL_CACHES, type CacheRow, type MachineStateRow } from "../../engine/types.ts";
import { Check, classes, LinkButton } from "../../ui/controls.tsx";
import { type Column, DataTable, useSorted } from "../../ui/data_table.tsx";
import { useAsync } from "../../ui/hooks.ts";
import { From } from "../../ui/view.tsx";
import css from "./slabinfo.module.css";

interface CounterColumn {
	readonly name: string;
	readonly title: string;
	/** A cache's number: a field of its row, or derived from it. */
	readonly of: NumberOf | ((c: CacheRow) => number);
	readonly show?: (n: number, c: CacheRow) => string;
	/** The field of a machine state with the same number; -1 if the machine state doesn't contain it. */
	readonly real?: Exclude<keyof MachineStateRow, "name">;
	/** Whether only some allocators have it. */
	readonly optional?: boolean;
}

type NumberOf = { [K in keyof CacheRow]: CacheRow[K] extends number ? K : never }[keyof CacheRow];

const numberOf = ({ of }: CounterColumn, cache: CacheRow) =>
	typeof of === "string" ? cache[of] : of(cache);

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

const COLUMNS: readonly CounterColumn[] = [
	{
		name: "active",
		title: "Active objects, as slabinfo counts them",
		of: "objects",
		real: "objects",
	},
	{ name: "objects", title: "Objects in all slabs", of: "totalObjects", real: "totalObjects" },
	{ name: "live", title: "Objects allocated now", of: "liveObjects" },
	{ name: "size", title: "Bytes of a slot", of: "size", real: "size" },
	{ name: "per slab", title: "Objects in a slab", of: "objectsPerSlab", real: "objectsPerSlab" },
	{ name: "order", title: "2^order pages in a slab", of: "order", real: "order" },
	{ name: "slabs", title: "Slabs now", of: "slabs", real: "slabs" },
	{ name: "peak", title: "Most slabs so far", of: "slabsPeak" },
	{ name: "partial", title: "Slabs on node partial lists", of: "partial", real: "partial" },
	{
		name: "on CPUs",
		title: "Cpu slabs and slabs on per-CPU partial lists",
		of: "cpuSlabs",
		real: "cpuSlabs",
		optional: true,
	},
	{
		name: "min_partial",
		title: "A slab that becomes empty is kept if its node has fewer partial slabs than this",
		of: "minPartial",
		real: "minPartial",
		optional: true,
	},
	{ name: "active_slabs", title: "Slabs in use, as slabinfo counts them", of: "activeSlabs" },
	{
		name: "limit",
		title: "Most objects in a CPU's array cache or queue",
		of: "limit",
		optional: true,
	},
	{ name: "batch", title: "Objects moved at a time", of: "batchcount", optional: true },
	{
		name: "shared",
		title: "sharedfactor: limit of the shared array, in batches",
		of: "sharedfactor",
		optional: true,
	},
	{
		name: "in shared",
		title: "sharedavail: objects in shared arrays or queues",
		of: "sharedavail",
		optional: true,
	},
	{ name: "memory", title: "Bytes in slabs", of: "slabBytes", show: (n) => bytes(n) },
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
function columnsFor(
	caches: readonly CacheRow[],
	counts: (name: CounterName) => boolean,
): CounterColumn[] {
	return COLUMNS.filter((column) => {
		if (!column.optional) return true;
		return column.name === "fast" ? FAST.some(counts) : caches.some((c) => numberOf(column, c) > 0);
	});
}

interface ReplayCheckProps {
	readonly checked: boolean;
	readonly replay: (wanted: boolean) => Promise<void>;
	/** Shows the state that the replay has led to. */
	readonly after: () => boolean;
	readonly children: string;
}

/** A box that is ticked at once, although the replay that it asks for takes its time. */
function ReplayCheck({ checked, replay, after, children }: ReplayCheckProps) {
	const [shown, setShown] = useState(checked);
	useEffect(() => setShown(checked), [checked]);
	const ask = (wanted: boolean) => {
		setShown(wanted);
		void replay(wanted).finally(() => setShown(after()));
	};
	return (
		<Check checked={shown} onCheck={ask}>
			{children}
		</Check>
	);
}

/** Names the machine state beside the model's numbers, with its actions. */
function MachineStateBar({ machineState }: { machineState: MachineState }) {
	const made = useFacts((f) => f.built?.cacheParams ?? "");
	const start = useFacts((f) => f.built?.warmStart ?? "");
	const before = useFacts((f) => f.stateBefore);
	const here = machineState.rows.filter((o) => o.cache !== ALL_CACHES).length;
	return (
		<section className={`row ${css.overlay}`} aria-label="Model and machine">
			<p>
				The lower numbers are the real machine's, from <strong>{machineState.name}</strong>;{" "}
				{count(here)} of its {quantity(machineState.rows.length, "cache")}{" "}
				{here === 1 ? "is" : "are"} in this trace. Numbers that differ are underlined.
			</p>
			<ReplayCheck
				checked={machineState.used}
				replay={applyMachineState}
				after={() => facts().machineState?.used ?? false}
			>
				Give caches the machine's parameters
			</ReplayCheck>
			<ReplayCheck
				checked={machineState.warm}
				replay={beginWarm}
				after={() => facts().machineState?.warm ?? false}
			>
				Start from the machine's slabs
			</ReplayCheck>
			{machineState.used && made !== "" && <p className="hint">{made}</p>}
			{machineState.warm && start !== "" && <p className="hint">{start}</p>}
			{before === "" && (
				<LinkButton onClick={() => void keepAsBefore()}>
					Compare it with a state from after the trace
				</LinkButton>
			)}
			<LinkButton onClick={() => void removeMachineState()}>Remove</LinkButton>
		</section>
	);
}

interface RealProps {
	readonly column: CounterColumn;
	readonly cache: CacheRow;
	readonly row: MachineStateRow | undefined;
}

function Real({ column, cache, row }: RealProps) {
	const n = row && column.real ? row[column.real] : -1;
	if (n < 0) return null;
	return (
		<span
			className={classes(
				"small quiet",
				`block ${css.real}`,
				n !== numberOf(column, cache) && css.differs,
			)}
		>
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
	const aliases = machineState?.aliases ?? {};
	const before = useFacts((f) => f.stateBefore);
	const isLaid = machineState !== null || before !== "";
	const real = new Map(machineState?.rows.map((o) => [o.cache, o]));
	const show = (name: string) => {
		chooseCache(name);
		change({ tab: "explore", answer: "" });
	};
	const nameColumn: Column<CacheRow> = {
		name: "cache",
		title: "Name",
		isOfWords: true,
		of: (c) => c.name,
		show: (c) => (
			<>
				<LinkButton onClick={() => show(c.name)}>{c.name}</LinkButton>
				{aliases[c.name] && (
					<span className={`small quiet block ${css.real}`}>merged with {aliases[c.name]}</span>
				)}
			</>
		),
	};
	const tableColumns = columns.map(
		(k): Column<CacheRow> => ({
			name: k.name,
			title: k.title,
			of: (c) => numberOf(k, c),
			show: (c) => (
				<>
					{k.show ? k.show(numberOf(k, c), c) : count(numberOf(k, c))}
					<Real column={k} cache={c} row={real.get(c.cache)} />
				</>
			),
		}),
	);
	const sorted = useSorted([nameColumn, ...tableColumns], caches, { by: "memory", up: false });
	return (
		<section
			className={isLaid ? `${css.slabinfo} ${css.laid}` : css.slabinfo}
			aria-label="Slabinfo"
		>
			<div>
				<h2 className="number">Caches{moment && ` after ${eventWords(moment.position.op)}`}</h2>
				{built && (
					<p className="hint">
						Live objects and what they request are counted in the trace. Slabs and their memory are
						modelled from a <From of={built.from} />.
					</p>
				)}
			</div>
			{isLaid && (
				<div className="grid gap-3">
					{machineState ? (
						<MachineStateBar machineState={machineState} />
					) : (
						<p>
							Before the trace: <strong>{before}</strong>. Drop the machine state from after it to
							compare both.{" "}
							<LinkButton onClick={() => void removeMachineState()}>Remove</LinkButton>
						</p>
					)}
					{before !== "" && machineState && (
						<GrowthTable before={before} after={machineState.name} />
					)}
				</div>
			)}
			<DataTable
				label="Table of caches"
				caption="Caches after the event on screen"
				className="stays"
				keyOf={(c) => c.cache}
				rowProps={(c) => ({ className: c.name === shown ? css.shown : undefined })}
				{...sorted}
			/>
		</section>
	);
}

/* The change of a real machine's caches over the trace, beside the growth of the model's. */

const UNKNOWN = 0xffffffff;
const ROWS_MOST = 30;

interface GrowthProps {
	/** Names of the two files. */
	readonly before: string;
	readonly after: string;
}

function GrowthTable({ before, after }: GrowthProps) {
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
				columns={GROWTH_COLUMNS}
				rows={value.slice(0, ROWS_MOST)}
				keyOf={({ name }) => name}
			/>
			{value.length > ROWS_MOST && <p className="hint">The {ROWS_MOST} largest changes.</p>}
		</section>
	);
}

const GROWTH_COLUMNS: readonly Column<Growth>[] = [
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
