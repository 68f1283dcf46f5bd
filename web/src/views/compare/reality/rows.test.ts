/** Compare, Reality: rounding, order, sums and the band. */
import { expect, test } from "vitest";
import type { CheckedCache } from "#wasm";
import { sortedBy } from "../../../ui/table/data_table.tsx";
import {
	bandOf,
	byName,
	columnsOf,
	counterRows,
	eventsOf,
	partsShown,
	shareWords,
} from "./rows.ts";

const row = (name: string, allocations: number, right: number): CheckedCache => ({
	name,
	events: allocations,
	allocations,
	right,
	kernel_slabs: 0,
	model_slabs: 0,
	lists: 0,
	lists_equal: 0,
	counters: [
		[0, 10, 9],
		[8, right, right],
	],
});
const ROWS = [row("b", 10, 10), row("a", 10, 10), row("c", 10, 5), row("d", 0, 0)];

test("a share is rounded down, so 100 % means all", () => {
	expect(shareWords(99_999, 100_000)).toBe("99.999 %");
	expect(shareWords(9_999_999, 10_000_000)).toBe("99.999 %");
	expect(shareWords(7, 7)).toBe("100.000 %");
	expect(shareWords(0, 0)).toBe("none");
});

test("the worst cache comes first, equal ones by name", () => {
	const names = (by: string, up: boolean) =>
		sortedBy(byName(ROWS), columnsOf(true), { by, up }).map(({ name }) => name);
	expect(names("share", true)).toEqual(["c", "a", "b", "d"]);
	expect(names("right", false)).toEqual(["a", "b", "c", "d"]);
	expect(names("cache", false)).toEqual(["d", "c", "b", "a"]);
});

test("counters of several caches are summed in the kernel's order", () => {
	expect(counterRows(ROWS)).toEqual([
		{ name: "alloc_fastpath", kernel: 40, model: 36 },
		{ name: "alloc_slab", kernel: 25, model: 25 },
	]);
});

test("the parts of the band divide the events, and the lowest is found", () => {
	const parts = Array.from({ length: 7 }, (_, i) => eventsOf(i, 7, 100));
	expect(parts[0]?.[0]).toBe(0);
	expect(parts.at(-1)?.[1]).toBe(100);
	for (const [i, [from]] of parts.entries()) if (i > 0) expect(from).toBe(parts[i - 1]?.[1]);
	const band = [[0, 0] as const, [4, 4] as const, [4, 1] as const, [2, 1] as const];
	expect(bandOf(band)).toEqual({ used: 3, whole: 1, worst: { part: 2, all: 4, right: 1 } });
	expect(bandOf([[0, 0]]).worst).toBeUndefined();
});

test("the timeline shows the parts of its span, each where its events are", () => {
	const band = [[2, 2] as const, [0, 0] as const, [4, 1] as const, [1, 1] as const];
	expect(partsShown(band, 400, { from: 0, to: 400 }, 800)).toEqual([
		{ part: 0, x: 0, width: 200, share: 1 },
		{ part: 2, x: 400, width: 200, share: 0.25 },
		{ part: 3, x: 600, width: 200, share: 1 },
	]);
	expect(partsShown(band, 400, { from: 250, to: 300 }, 100)).toEqual([
		{ part: 2, x: 0, width: 100, share: 0.25 },
	]);
});
