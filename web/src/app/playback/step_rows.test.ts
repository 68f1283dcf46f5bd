/** Tests the rows in the list of steps: which neighbours share one, and what it says. */
import { describe, expect, it } from "vitest";
import type { Step } from "../../engine/types.ts";
import { stepRows } from "./step_rows.ts";

const step = (kind: string, node = 0, cache = 1): Step => ({
	kind,
	node,
	cache,
	cpu: 0,
	fn: "",
	sentence: "",
	args: {},
});

const rangesOf = (steps: readonly Step[], vain: readonly number[] = []) =>
	stepRows({ steps, firstStep: 0 }, { vain: Uint8Array.from(vain) }).map(({ from, to }) => [
		from,
		to,
	]);

describe("the rows of steps", () => {
	it("join neighbours of one kind and nothing else", () => {
		const kinds = ["A", "ANY_NODE_ZONE", "ANY_NODE_ZONE", "B", "ANY_NODE_ZONE"];
		expect(rangesOf(kinds.map((kind) => step(kind)))).toEqual([
			[0, 0],
			[1, 2],
			[3, 3],
			[4, 4],
		]);
	});

	it("keep the zone that gave a slab apart from those that had none, and caches apart", () => {
		const zones = [1, 2, 3].map((node) => step("ANY_NODE_ZONE", node));
		expect(rangesOf(zones, [1, 1, 0])).toEqual([
			[0, 1],
			[2, 2],
		]);
		expect(rangesOf([step("A", 0, 1), step("A", 0, 2)])).toHaveLength(2);
	});

	it("say what the steps did together, and on which nodes", () => {
		const zones = [1, 1, 2, 3, 0, 0].map((node) => step("ANY_NODE_ZONE", node));
		const [row] = stepRows({ steps: zones, firstStep: 4 }, { vain: new Uint8Array(10).fill(1) });
		expect(row).toEqual({
			from: 4,
			to: 9,
			isVain: true,
			words: "6 zones asked, none could spare a slab",
			nodes: "node 1 twice · 2 · 3 · 0 twice",
		});
	});

	it("have no words for kinds without any, or for a single node", () => {
		const [row] = stepRows({ steps: [step("A"), step("A")], firstStep: 0 }, undefined);
		expect(row).toMatchObject({ words: "", nodes: "" });
	});
});
