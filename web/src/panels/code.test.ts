/** Every decision has a line that it lights. */
import { describe, expect, it } from "vitest";
import { STEP_KINDS, WHAT_NAMES } from "#abi";
import type { Step } from "../engine/types.ts";
import { codeAt } from "./code.ts";

function step(kind: string, fn: string, args: Record<string, number> = {}): Step {
	return { kind, fn, sentence: "", cpu: 0, node: 0, cache: 0, args };
}

/** These tell of no line: nothing was done, a wait, a parameter. */
const NO_LINE = new Set(["NOTHING", "LOCK_WAIT", "SET", "THRESHOLD"]);

describe("the code at work", () => {
	it("lights a line for every kind of step", () => {
		const dark = STEP_KINDS.filter((k) => !NO_LINE.has(k.name))
			.filter((k) => (codeAt([step(k.name, k.function)], 0)?.line ?? -1) < 0)
			.map((k) => k.name);
		expect(dark).toEqual([]);
	});

	it("lights a line for every threshold, in the function that the steps around it are of", () => {
		const dark = WHAT_NAMES.filter((_, what) => {
			const steps = [step("FREE_SLOWPATH", "__slab_free"), step("THRESHOLD", "", { what })];
			return (codeAt(steps, 1)?.line ?? -1) < 0;
		});
		expect(dark).toEqual([]);
	});

	it("takes the threshold of a free for the free's own", () => {
		const what = WHAT_NAMES.indexOf("WHAT_NR_PARTIAL_MIN_PARTIAL");
		const steps = [step("FREE_SLOWPATH", "__slab_free"), step("THRESHOLD", "", { what })];
		expect(codeAt(steps, 1)?.procedure.names[0]).toBe("__slab_free");
	});

	it("asks for pages in the words of the allocator at work", () => {
		const pages = step("PAGES_ALLOC", "__alloc_pages");
		const slab = codeAt([step("ALLOCMISS", "____cache_alloc"), pages], 1);
		expect(slab?.procedure.names[0]).toBe("cache_grow_begin");
		const slub = codeAt([step("ALLOC_SLOWPATH", "___slab_alloc"), pages], 1);
		expect(slub?.procedure.names[0]).toBe("allocate_slab");
	});

	it("stays with the chain while its slabs are handed to the nodes", () => {
		const steps = [
			step("FREE_SLOWPATH", "__slab_free"),
			step("CHAIN_DETACH", "put_cpu_partial"),
			step("FREE_ADD_PARTIAL", "__slab_free"),
		];
		expect(codeAt(steps, 2)?.procedure.names[0]).toBe("put_cpu_partial");
	});
});
