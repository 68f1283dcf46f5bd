/** Tests the order of a table of changes. */
import { expect, it } from "vitest";
import type { Change } from "../../../engine/query/two_traces.ts";
import type { Sorting } from "../../../ui/data_table.tsx";
import { sortedBy } from "./change_table.tsx";

const row = (name: string, a: number, b: number): Change => ({
	name,
	cache: "",
	nameInB: "",
	kind: "grew",
	figures: [{ a, b, change: b - a, step: null }],
	first: [-1, -1],
	peak: [-1, -1],
});

it("sorts by a column up or down, and changes by their size", () => {
	const rows = [row("pipe", 9, 1), row("fork", 2, 7), row("open", 3, 8)];
	const names = (by: Sorting["by"], up: boolean) =>
		sortedBy(rows, 0, { by, up }).map(({ name }) => name);
	expect(names("B − A", false)).toEqual(["pipe", "fork", "open"]);
	expect(names("B − A", true)).toEqual(["fork", "open", "pipe"]);
	expect(names("A", false)).toEqual(["pipe", "open", "fork"]);
	expect(names("B", true)).toEqual(["pipe", "fork", "open"]);
	expect(names("name", true)).toEqual(["fork", "open", "pipe"]);
});
