/** The tables of each view with exact numbers, at the position on screen. */
import { COUNTER_NAMES } from "#abi";
import { inFull } from "../app/playback/opened.ts";
import { SERIES_LOOKS } from "../app/state/range.ts";
import { type Facts, facts } from "../app/state/store.ts";
import type { Table } from "../base/csv_table.ts";
import { numberOf } from "../base/format.ts";
import { NO_ORDER, type OrderAnswer } from "../engine/answers.ts";
import { NONE } from "../engine/frame.ts";
import { allocatedIn, holdsObjects, placeName } from "../engine/place_kinds.ts";
import { ALL_CACHES, type CacheRow, type Moment } from "../engine/types.ts";
import { compareWith, totalsAt } from "../views/compare/machines.ts";
import { metricRows } from "../views/compare/metrics.ts";
import { askOrders, orderChoices, sizeAt } from "../views/order_lab/order_question.ts";
import { argumentText } from "./arguments.ts";

/** Returns the tables of the view on screen, and always the steps of the event. */
export async function tablesOfView(): Promise<Table[]> {
	const f = facts();
	if (!f.moment || !f.built) return [];
	return [...(await ofTab(f, f.moment)), stepsTable(f.moment)];
}

async function ofTab(f: Facts, moment: Moment): Promise<Table[]> {
	const { tab, parts } = f;
	if (f.answer === "slabinfo") return [cachesTable(f, moment)];
	if (tab === "explore") return [placesTable(moment), seriesTable(f)];
	if (tab === "labs" && parts.labs === "orders") return orderTables(f);
	if (tab === "compare" && parts.compare === "machines") return compareTables(f, moment);
	return shownTables();
}

/** Returns the tables of a bundle: the position on screen, all caches, and the curves of the trace. */
export function tablesOfCase(): Table[] {
	const f = facts();
	if (!f.moment) return [];
	return [stepsTable(f.moment), placesTable(f.moment), cachesTable(f, f.moment), seriesTable(f)];
}

function stepsTable({ op, steps, firstStep, caches }: Moment): Table {
	const cacheName = (n: number) => caches.find((c) => c.cache === n)?.name ?? "";
	const or = (n: number) => (n === NONE ? null : n);
	return {
		name: "steps",
		columns: ["event", "step", "kind", "function", "cpu", "node", "cache", "arguments", "sentence"],
		rows: steps.map((s, i) => [
			numberOf(op.op),
			numberOf(firstStep + i),
			s.kind,
			s.fn,
			or(s.cpu),
			or(s.node),
			s.cache === ALL_CACHES ? null : cacheName(s.cache),
			Object.entries(s.args)
				.map(([key, value]) => `${key}=${argumentText(key, value)}`)
				.join(" "),
			s.sentence,
		]),
	};
}

/** Writes a row for each slab of the cache on the stage, and a table of the arrays of single objects. */
function placesTable({ frame }: Moment): Table {
	const { places, slabs } = frame;
	const or = (n: number) => (n === NONE ? null : n);
	const rows = places.flatMap((place) => {
		const where = [placeName(place), or(place.cpu), or(place.node)];
		if (holdsObjects(place.kind))
			return place.nrEntries + place.sheaves === 0
				? []
				: [[...where, null, place.nrEntries, place.limit > 0 ? place.limit : null, null, null]];
		return Array.from({ length: place.nrSlabs }, (_, k) => {
			const row = place.firstSlab + k;
			const onCpu = slabs.freeOnCpu[row] ?? 0;
			return [
				...where,
				slabs.serial[row] ?? null,
				slabs.objects[row] ?? null,
				null,
				allocatedIn(frame, row),
				onCpu,
			];
		});
	});
	const what = ["slab", "objects", "limit", "allocated", "free_on_cpu"];
	return { name: "places", columns: ["place", "cpu", "node", ...what], rows };
}

/** Writes the whole trace as the maximum of every bucket. */
function seriesTable({ built }: Facts): Table {
	const all = built ? SERIES_LOOKS.map(({ words, of }) => ({ words, series: of(built) })) : [];
	const [first] = all;
	return {
		name: "timeline",
		columns: ["from_event", ...all.map(({ words }) => words)],
		rows: [...(first?.series.max.keys() ?? [])].map((i) => [
			numberOf(i * (first?.series.opsPerBucket ?? 1)),
			...all.map(({ series }) => series.max[i] ?? null),
		]),
	};
}

const CACHE_COLUMNS = [
	"name",
	"objects",
	"totalObjects",
	"liveObjects",
	"objectSize",
	"size",
	"objectsPerSlab",
	"order",
	"slabs",
	"slabsPeak",
	"partial",
	"cpuSlabs",
	"minPartial",
	"cpuPartialSlabs",
	"activeSlabs",
	"limit",
	"batchcount",
	"sharedfactor",
	"sharedavail",
	"requestedBytes",
	"slabBytes",
] as const satisfies readonly (keyof CacheRow)[];

function cachesTable({ built }: Facts, { caches }: Moment): Table {
	const counters = built?.counters ?? [];
	return {
		name: "slabinfo",
		columns: [
			...CACHE_COLUMNS.map((c) => c.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
			...counters.map((c) => (COUNTER_NAMES[c] ?? `counter ${c}`).toLowerCase()),
		],
		rows: caches.map((row) => [
			...CACHE_COLUMNS.map((c) => row[c]),
			...counters.map((c) => row.counters[c] ?? 0),
		]),
	};
}

async function compareTables({ versus }: Facts, { position }: Moment): Promise<Table[]> {
	const runs = (await compareWith(versus))?.runs ?? [];
	const totals = await totalsAt(position.op);
	const names = ["A on the stage", ...versus.map((spec, i) => `${"BCD"[i]} ${spec}`)];
	return [
		{
			name: "compare",
			columns: ["metric", "key", "unit", "over", ...names],
			rows: metricRows(totals, runs).map(({ name, key, unit, over, values }) => [
				name,
				key,
				unit === "KiB" ? "bytes" : unit,
				over,
				...values.map((value) => value ?? null),
			]),
		},
	];
}

async function orderTables(f: Facts): Promise<Table[]> {
	const cache = f.built?.caches.find((c) => c.name === f.cache);
	const choices = f.built && orderChoices(f.built, inFull(f.trace, f.machine), cache, f.lab);
	const answer = choices && (await askOrders(choices.question));
	return answer ? [sizesTable(answer), triesTable(answer)] : [];
}

function sizesTable({ rules }: OrderAnswer): Table {
	const or = (order: number | undefined) => (order === NO_ORDER ? null : (order ?? null));
	return {
		name: "orders of all sizes",
		columns: [
			"size",
			...rules.flatMap(({ rule }) => [`${rule} order`, `${rule} objects`, `${rule} bytes left`]),
		],
		rows: [...(rules[0]?.order.keys() ?? [])].map((i) => [
			sizeAt(i),
			...rules.flatMap((r) => [or(r.order[i]), r.objects[i] ?? 0, r.waste[i] ?? 0]),
		]),
	};
}

function triesTable({ rules, pageBytes }: OrderAnswer): Table {
	return {
		name: "tries of the order rules",
		columns: ["rule", "slot", "order", "at_least", "slab_bytes", "left", "fraction", "accepted"],
		rows: rules.flatMap(({ rule, why }) =>
			(why?.tries ?? []).map((t) => [
				rule,
				why?.alignedSize ?? 0,
				t.order,
				t.minObjects,
				pageBytes << t.order,
				t.remainder,
				t.fraction,
				t.accepted === 1,
			]),
		),
	};
}

/** Returns the tables on screen for other views, with their own text. */
function shownTables(): Table[] {
	const tables = document.querySelectorAll<HTMLTableElement>(
		'[role="tabpanel"]:not([hidden]) table',
	);
	return [...tables].map((table, i) => {
		const [head, ...rows] = [...table.rows].map((row) =>
			[...row.cells].map((cell) => (cell.textContent ?? "").trim()),
		);
		const name = (table.caption?.textContent ?? "").trim() || `table ${i + 1}`;
		return { name, columns: head ?? [], rows };
	});
}
