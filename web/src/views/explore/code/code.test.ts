/** Tests that every decision lights a line, in the program of some allocator that makes it. */
import { beforeAll, describe, expect, it } from "vitest";
import { STEP_KINDS, WHAT_NAMES } from "#abi";
import type { Step } from "../../../engine/types.ts";
import { codeAt, type Program } from "./program.ts";
import { ALLOCATORS_WITH_PROGRAM, programOf } from "./programs.ts";
import { SLUB } from "./slub.ts";

function step(kind: string, fn: string, args: Record<string, number> = {}): Step {
	return { kind, fn, sentence: "", cpu: 0, node: 0, cache: 0, args };
}

/** These light no line: a step that did nothing, a wait, a parameter. */
const NO_LINE = new Set(["NOTHING", "LOCK_WAIT", "SET", "SET_REFUSED", "THRESHOLD"]);

let programs: readonly Program[] = [];

beforeAll(async () => {
	programs = await Promise.all(ALLOCATORS_WITH_PROGRAM.map(programOf));
});

function isDark(steps: readonly Step[]): boolean {
	return programs.every((p) => (codeAt(p, steps, steps.length - 1)?.line ?? -1) < 0);
}

describe("the code at work", () => {
	it("lights a line for every kind of step", () => {
		const dark = STEP_KINDS.filter((k) => !NO_LINE.has(k.name))
			.filter((k) => isDark([step(k.name, k.function)]))
			.map((k) => k.name);
		expect(dark).toEqual([]);
	});

	it("lights a line for every threshold, in the function of the steps around it", () => {
		const dark = WHAT_NAMES.filter((_, what) =>
			isDark([step("FREE_SLOWPATH", "__slab_free"), step("THRESHOLD", "", { what })]),
		);
		expect(dark).toEqual([]);
	});

	it("describes each function in one procedure only", () => {
		for (const { procedures } of programs) {
			const names = procedures.flatMap((p) => p.names);
			expect(names.filter((n, i) => names.indexOf(n) !== i)).toEqual([]);
		}
	});

	it("lights a line for every decision that the functions of 7.x make", async () => {
		const program = await programOf("slub7");
		const kinds =
			"SHEAF_REUSE SHEAF_FROM_SLAB SHEAF_PLACES PARTIAL_SEARCH PAGES_ALLOC BARN_GET SHEAF_FLUSH " +
			"BARN_PUT_FAIL BARN_GET_FAIL FREE_ADD_PARTIAL LIST_ADD FREE_SLOWPATH SHEAF_REFILL ANY_NODE_ZONE " +
			"SHEAF_FROM_BARN ALLOC_FASTPATH BARN_PUT SHEAF_ALLOC ALLOC_SLAB SHEAF_SWAP ANY_NODE_ENTER " +
			"FREE_FASTPATH FLUSH_GROUP FREE_PAST_SHEAF SHEAF_FREE ALLOC_SLOWPATH ALLOC_NODE_MISMATCH " +
			"OBJECT_TAKEN PAGES_FREE SHRINK_FREE SHRINK_DISCARD OBJECT_CHECKED FULL_LEAVE";
		const dark = kinds.split(" ").filter((kind) => {
			const fn = STEP_KINDS.find((k) => k.name === kind)?.function ?? "";
			return (codeAt(program, [step(kind, fn)], 0)?.line ?? -1) < 0;
		});
		expect(dark).toEqual([]);
		const words = program.procedures.flatMap((p) => p.lines.map((l) => l.text)).join(" ");
		expect(words).not.toMatch(/cpu slab|cpu freelist|per-CPU partial/);
	});

	it("counts the threshold of a free as part of the free", () => {
		const what = WHAT_NAMES.indexOf("WHAT_NR_PARTIAL_MIN_PARTIAL");
		const steps = [step("FREE_SLOWPATH", "__slab_free"), step("THRESHOLD", "", { what })];
		expect(codeAt(SLUB, steps, 1)?.procedure?.names[0]).toBe("__slab_free");
	});

	it("stays with the per-CPU partial list while its slabs go to the nodes", () => {
		const steps = [
			step("FREE_SLOWPATH", "__slab_free"),
			step("CHAIN_DETACH", "put_cpu_partial"),
			step("FREE_ADD_PARTIAL", "__slab_free"),
		];
		expect(codeAt(SLUB, steps, 2)?.procedure?.names[0]).toBe("put_cpu_partial");
	});

	it("counts a swap of sheaves within a free as part of the free", async () => {
		const program = await programOf("slub7");
		const swap = step("SHEAF_SWAP", "__pcs_replace_empty_main");
		const free = [swap, step("FREE_FASTPATH", "do_slab_free")];
		const alloc = [swap, step("ALLOC_FASTPATH", "slab_alloc_node")];
		expect(codeAt(program, free, 0)?.procedure?.names[0]).toBe("__pcs_replace_full_main");
		expect(codeAt(program, free, 1)?.procedure?.names[0]).toBe("slab_free");
		expect(codeAt(program, alloc, 0)?.procedure?.names[0]).toBe("__pcs_replace_empty_main");
	});

	it("names the function of a step that no program describes", async () => {
		const none = await programOf("another");
		const work = codeAt(none, [step("ALLOC_FASTPATH", "slab_alloc_node")], 0);
		expect(work).toEqual({ procedure: undefined, line: -1, fn: "slab_alloc_node" });
	});
});
