/** Rows of call sites: what they are grouped by, the columns and their order, the filter, and numbers as words. */

import { group, hierarchy, treemap } from "d3";
import { LEAK_WORDS, Leak, SITE_COLUMNS, SitesBy } from "#abi";
import type { SitesChoice } from "../../../app/state/store.ts";
import { bytes, count, percent, quantity } from "../../../base/format.ts";
import { LIFETIMES, type SiteShown, type SitesAnswered } from "../../../engine/query/sites.ts";
import type { Sorting } from "../../../ui/data_table.tsx";
import type { Size } from "../../../ui/hooks.ts";

/** Stands for no cache, event or call site. */
const NONE = 0xffffffff;

export interface Pivot {
	readonly key: SitesChoice["by"];
	readonly words: string;
	/** Bits 1 << enum kmem_sites_by. */
	readonly by: number;
}

const bit = (by: SitesBy) => 1 << by;
const SITE_AND_CACHE: Pivot = {
	key: "both",
	words: "call site and cache",
	by: bit(SitesBy.SITES_BY_SITE) | bit(SitesBy.SITES_BY_CACHE),
};

export const PIVOTS: readonly Pivot[] = [
	SITE_AND_CACHE,
	{ key: "site", words: "call site", by: bit(SitesBy.SITES_BY_SITE) },
	{ key: "cache", words: "cache", by: bit(SitesBy.SITES_BY_CACHE) },
	{ key: "cpu", words: "CPU", by: bit(SitesBy.SITES_BY_CPU) },
	{ key: "node", words: "node", by: bit(SitesBy.SITES_BY_NODE) },
	{ key: "task", words: "task", by: bit(SitesBy.SITES_BY_TASK) },
];

export const pivotOf = (key: string): Pivot =>
	PIVOTS.find((pivot) => pivot.key === key) ?? SITE_AND_CACHE;

export const hasSites = ({ by }: Pivot) => (by & bit(SitesBy.SITES_BY_SITE)) !== 0;
export const withSites = ({ by }: Pivot) => by | bit(SitesBy.SITES_BY_SITE);
export const hasCaches = ({ by }: Pivot) => (by & bit(SitesBy.SITES_BY_CACHE)) !== 0;

/** Returns the first name of a row: its call site if rows are grouped by it, otherwise its cache, task, CPU or node. */
export function nameOf(row: SiteShown, pivot: Pivot): string {
	if (hasSites(pivot)) return row.callSite === "" ? "(unknown call site)" : row.callSite;
	if (hasCaches(pivot)) return row.cacheName;
	if (pivot.key === "task") return row.task === "" ? "(unknown task)" : row.task;
	return pivot.key === "cpu" ? `CPU ${row.cpu}` : `node ${row.node}`;
}

/** The core's verdict on the cache; a row without live objects, or without suspects among them, has its own words. */
export function verdictOf(row: SiteShown, { caches }: SitesAnswered): string {
	if (row.liveObjects === 0) return LEAK_WORDS[Leak.LEAK_NONE] ?? "";
	if (row.leakSuspects > 0) return quantity(row.leakSuspects, "leak suspect");
	const leak = row.cache === NONE ? undefined : caches[row.cache]?.leak;
	if (leak === undefined) return "no leak suspects";
	return LEAK_WORDS[leak === Leak.LEAK_SUSPECT ? Leak.LEAK_IN_USE : leak] ?? "";
}

/** Writes a time in nanoseconds with three digits. */
export function shortTime(ns: number): string {
	const units = ["ns", "µs", "ms", "s"];
	let value = ns;
	let unit = 0;
	while (value >= 999.5 && unit < units.length - 1) {
		value /= 1000;
		unit++;
	}
	return `${value >= 1000 ? count(value) : Number(value.toPrecision(3))} ${units[unit]}`;
}

/** How a trace counts time. */
export interface Clock {
	/** Events of the trace. */
	readonly ops: number;
	/** Whether lifetimes are known as times; otherwise they are counted in events. */
	readonly isKnown: boolean;
	/** Whether these times are nanoseconds; otherwise they are ticks. */
	readonly isNs: boolean;
	/** Percentiles are wrong by at most 1 part in this many; 0 if they are unknown. */
	readonly parts: number;
}

/** Returns one of a row's LIFETIMES; -1 without a recorded free, which sorts before the shortest. */
const lifetimeNumber = (row: SiteShown, { isKnown }: Clock, which: number) =>
	row.frees === 0 ? -1 : ((isKnown ? row.lifetimeTime : row.lifetimeEvents)[which] ?? -1);

function lifetime(row: SiteShown, clock: Clock, which: number): string {
	const isPercentile = LIFETIMES[which]?.startsWith("p");
	if (row.frees === 0 || (isPercentile && clock.parts === 0)) return "–";
	const number = lifetimeNumber(row, clock, which);
	if (!clock.isKnown) return quantity(number, "event");
	return clock.isNs ? shortTime(number) : quantity(number, "tick");
}

/** Returns the age of the oldest live object in events; 0 without one. */
export function ageOf({ oldestLiveOp }: SiteShown, { ops }: Clock): number {
	return oldestLiveOp === NONE ? 0 : ops - oldestLiveOp;
}

/** Only one group of columns is shown at a time: all of them at once would be wider than the page. */
export const GROUPS = ["memory", "lifetimes and frees"] as const;

export interface Column {
	readonly name: string;
	/** The only group that has it; undefined if all do. */
	readonly group?: (typeof GROUPS)[number] | undefined;
	readonly title: string;
	readonly of: (row: SiteShown, clock: Clock) => number;
	readonly show: (row: SiteShown, clock: Clock) => string;
}

type SiteColumn = (typeof SITE_COLUMNS)[number];

const LIFETIME = /^lifetime_events_(.+)$/;

/** The index in LIFETIMES; -1 for any other column. */
const lifetimeOf = ({ key }: SiteColumn) =>
	LIFETIMES.map(String).indexOf(LIFETIME.exec(key)?.[1] ?? "");

function groupOf(column: SiteColumn): Column["group"] {
	if (/frees$|^lifetime/.test(column.key)) return "lifetimes and frees";
	const isOfMemory = column.form === "BYTES" || column.form === "PERCENT";
	return isOfMemory || /leak|oldest/.test(column.key) ? "memory" : undefined;
}

/** Writes a number in the form of its column. */
function shown({ form }: SiteColumn, value: number): string {
	if (form === "BYTES") return bytes(value);
	return form === "PERCENT" ? percent(value, 10_000) : count(value);
}

/** Columns that the page shows differently from their form. */
const OTHERWISE: Readonly<Record<string, Pick<Column, "of" | "show">>> = {
	/** Shows the verdict, for which the row alone isn't enough. */
	leak_suspects: { of: (row) => row.leakSuspects, show: () => "" },
	oldest_live_op: {
		of: ageOf,
		show: (row, { ops }) =>
			row.oldestLiveOp === NONE ? "–" : `${quantity(ops - row.oldestLiveOp, "event")} old`,
	},
	cross_cpu_frees: {
		of: (row) => row.crossCpuFrees,
		show: (row) => ofFrees(row.crossCpuFrees, row),
	},
	cross_node_frees: {
		of: (row) => row.crossNodeFrees,
		show: (row) => ofFrees(row.crossNodeFrees, row),
	},
};

const ofFrees = (nr: number, { frees }: SiteShown) =>
	nr === 0 ? "0" : `${count(nr)} (${percent(nr, frees)})`;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The columns of sites.def, in its order and with its words. */
export const COLUMNS: readonly Column[] = SITE_COLUMNS.map((column) => {
	const which = lifetimeOf(column);
	const own: Pick<Column, "of" | "show"> =
		which >= 0
			? {
					of: (row, clock) => lifetimeNumber(row, clock, which),
					show: (row, clock) => lifetime(row, clock, which),
				}
			: {
					of: (row) => row[column.field],
					show: (row) => shown(column, row[column.field]),
				};
	return {
		name: column.name,
		title: capital(column.title),
		group: groupOf(column),
		...own,
		...OTHERWISE[column.key],
	};
});

/** Keeps the rows that contain each typed word in a name. */
export function matching(
	rows: readonly SiteShown[],
	pivot: Pivot,
	text: string,
): readonly SiteShown[] {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	if (words.length === 0) return rows;
	return rows.filter((row) => {
		const names = `${nameOf(row, pivot)} ${row.cacheName}`.toLowerCase();
		return words.every((word) => names.includes(word));
	});
}

/** Sorts rows. Those with equal values in the chosen column keep the command's order: most live bytes, most bytes, earliest. */
export function sorted(
	rows: readonly SiteShown[],
	pivot: Pivot,
	{ by, up }: Sorting,
	clock: Clock,
): readonly SiteShown[] {
	const column = COLUMNS.find(({ name }) => name === by);
	const compared = (a: SiteShown, b: SiteShown) => {
		if (column) return column.of(a, clock) - column.of(b, clock);
		if (by === "cache") return a.cacheName.localeCompare(b.cacheName);
		return nameOf(a, pivot).localeCompare(nameOf(b, pivot), undefined, { numeric: true });
	};
	return rows.toSorted(
		(a, b) =>
			(up ? compared(a, b) : compared(b, a)) ||
			b.liveBytes - a.liveBytes ||
			b.bytesAllocated - a.bytesAllocated ||
			a.firstOp - b.firstOp,
	);
}

/** Describes the rows in one sentence. */
export function summary(rows: readonly SiteShown[], all: number, pivot: Pivot): string {
	const sum = (of: (row: SiteShown) => number) => rows.reduce((n, row) => n + of(row), 0);
	const suspects = sum((row) => row.leakSuspects);
	const many = rows.length === all ? count(all) : `${count(rows.length)} of ${count(all)}`;
	return (
		`${many} ${all === 1 ? "row" : "rows"} by ${pivot.words}: ` +
		`${quantity(
			sum((row) => row.allocations),
			"allocation",
		)}; ` +
		`${quantity(
			sum((row) => row.liveObjects),
			"object",
		)} ` +
		`(${bytes(sum((row) => row.liveBytes))}) live at the end; ` +
		`${suspects === 0 ? "no leak suspects" : quantity(suspects, "leak suspect")}.`
	);
}

/* The tiles of a treemap: one for each row, in proportion to a number of it. */

/** Rows with less area than this have no room for a name, so they share one tile. */
const LEAST_PX2 = 80 * 52;
const BETWEEN_CACHES = 4;
const BETWEEN_TILES = 1;

export interface Tile {
	/** Undefined for the smaller rows together. */
	readonly row: SiteShown | undefined;
	/** How many rows it stands for. */
	readonly nr: number;
	readonly value: number;
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

interface Branch {
	readonly row?: SiteShown;
	readonly nr: number;
	readonly value: number;
	readonly children?: readonly Branch[];
}

const branch = (children: readonly Branch[]): Branch => ({ nr: 0, value: 0, children });

/** Makes tiles for the rows with a number above 0, the largest first; those of one cache are next to each other. */
export function tilesOf(
	rows: readonly SiteShown[],
	numberOf: (row: SiteShown) => number,
	{ width, height }: Size,
): readonly Tile[] {
	const leaves: Branch[] = rows
		.map((row) => ({ row, nr: 1, value: numberOf(row) }))
		.filter(({ value }) => value > 0)
		.sort((a, b) => b.value - a.value);
	const total = leaves.reduce((sum, leaf) => sum + leaf.value, 0);
	const named = leaves.filter(({ value }) => value * width * height >= LEAST_PX2 * total);
	const large = leaves.length - named.length > 1 ? named : leaves;
	const small = leaves.slice(large.length);
	const caches = group(large, ({ row }) => row?.cacheName ?? "");
	const branches = [...caches.values()].map(branch);
	if (small.length > 0) {
		branches.push({ nr: small.length, value: small.reduce((sum, leaf) => sum + leaf.value, 0) });
	}
	if (branches.length === 0) return [];
	const root = hierarchy<Branch>(branch(branches), ({ children }) => children)
		.sum(({ value }) => value)
		.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
	const placed = treemap<Branch>()
		.size([width, height])
		.paddingInner((node) => (node.depth === 0 ? BETWEEN_CACHES : BETWEEN_TILES))(root);
	return placed
		.leaves()
		.map(({ data, x0, y0, x1, y1 }) => ({
			row: data.row,
			nr: data.nr,
			value: data.value,
			x: x0,
			y: y0,
			width: x1 - x0,
			height: y1 - y0,
		}))
		.sort((a, b) => b.value - a.value);
}
