/** The rows of Compare, Reality: caches in any order, counters, and the band of agreement. */
import { COUNTER_NAMES } from "#abi";
import type { Checked, CheckedCache } from "#wasm";
import { count } from "../../../base/format.ts";
import type { Column } from "../../../ui/table/data_table.tsx";

/** The caches in the order of their names, which rows that are alike in a column keep. */
export const byName = (rows: readonly CheckedCache[]) =>
	rows.toSorted((a, b) => a.name.localeCompare(b.name));

type NumberOf = (row: CheckedCache) => number;

const column = (
	name: string,
	title: string,
	of: NumberOf,
	words: (n: number) => string = count,
): Column<CheckedCache> => ({ name, title, of, show: (row) => words(of(row)) });

const signed = (n: number) => (n > 0 ? `+${count(n)}` : count(n));

/** Some columns need the numbers of a stop state. */
export const columnsOf = (hasStop: boolean): readonly Column<CheckedCache>[] => [
	{
		name: "cache",
		title: "By name",
		isOfWords: true,
		show: (row) => row.name,
		of: (row) => row.name,
	},
	column("allocations", "Allocations of the run", (row) => row.allocations),
	column("right", "Allocations in the recorded slab and index", (row) => row.right),
	{
		name: "share",
		title: "Right ones of all allocations",
		of: shareOf,
		show: ({ right, allocations }) => (allocations === 0 ? "–" : shareWords(right, allocations)),
	},
	...(hasStop ? [KERNEL_SLABS] : []),
	column(
		"slabs, model",
		"The model's slabs at the end less those at the start",
		(row) => row.model_slabs,
		signed,
	),
	...(hasStop ? LISTS : []),
];

const KERNEL_SLABS = column(
	"slabs, kernel",
	"The kernel's slabs at the end less those at the start",
	(row) => row.kernel_slabs,
	signed,
);

const LISTS = [
	column("lists", "Lists of the stop state that are not empty", (row) => row.lists),
	column(
		"equal lists",
		"Lists with the same slabs in order, and the same free objects as far as the state names them",
		(row) => row.lists_equal,
	),
];

/** 1 without allocations: nothing is wrong. */
export function shareOf({ allocations, right }: Pick<CheckedCache, "allocations" | "right">) {
	return allocations === 0 ? 1 : right / allocations;
}

/** "99.988 %", rounded down: 100 % means all. */
export function shareWords(right: number, all: number): string {
	if (all === 0) return "none";
	return `${(Math.floor((right * 100_000) / all) / 1000).toFixed(3)} %`;
}

export interface CounterRow {
	readonly name: string;
	readonly kernel: number;
	readonly model: number;
}

/** The counters of the caches, summed by counter. */
export function counterRows(caches: readonly CheckedCache[]): CounterRow[] {
	const sums = new Map<number, CounterRow>();
	for (const [counter, kernel, model] of caches.flatMap(({ counters }) => counters)) {
		const { name, ...before } = sums.get(counter) ?? {
			name: (COUNTER_NAMES[counter] ?? "").toLowerCase(),
			kernel: 0,
			model: 0,
		};
		sums.set(counter, {
			name,
			kernel: before.kernel + kernel,
			model: before.model + model,
		});
	}
	return [...sums].toSorted(([a], [b]) => a - b).map(([, row]) => row);
}

/** The events of a part of the band: from the first to before the end, counted from 0. */
export function eventsOf(part: number, parts: number, nrOps: number): readonly [number, number] {
	return [Math.ceil((part * nrOps) / parts), Math.ceil(((part + 1) * nrOps) / parts)];
}

/** The place of each part with allocations on the timeline, and its share of right ones. */
export function partsShown(
	band: Checked["band"],
	nrOps: number,
	span: { readonly from: number; readonly to: number },
	width: number,
) {
	const xOf = (op: number) => {
		const share = (op - span.from) / Math.max(1, span.to - span.from);
		return width * Math.min(1, Math.max(0, share));
	};
	return band.flatMap(([all, right], part) => {
		const [from, end] = eventsOf(part, band.length, nrOps);
		const x = xOf(from);
		const wide = xOf(end) - x;
		return all > 0 && wide > 0 ? [{ part, x, width: wide, share: right / all }] : [];
	});
}

/** Parts with allocations, those with all of them right, and the part with the smallest share. */
export function bandOf(band: Checked["band"]) {
	const used = band.flatMap(([all, right], part) => (all > 0 ? [{ part, all, right }] : []));
	const share = (p: { all: number; right: number }) => p.right / p.all;
	const [worst] = used.toSorted((a, b) => share(a) - share(b));
	return { used: used.length, whole: used.filter(({ all, right }) => all === right).length, worst };
}
