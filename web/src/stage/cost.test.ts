/** Tests the story's figures: the multiple of the fast path, and the segments of the bar. */
import { expect, it } from "vitest";
import { Level, LevelNodes, PlaceKind, Verb } from "#abi";
import type { EventPath, LevelRow } from "../engine/types.ts";
import { multipleOf, namesOf, segmentsOf, stepsOf } from "./cost.ts";

const KINDS = ["MISS", "ASK", "ASK", "", "PAGES", "ASK"];
const segments = (cycles: readonly number[], kinds: readonly (string | undefined)[] = KINDS) =>
	segmentsOf(Uint32Array.from(cycles), (i) => kinds[i]);

it("compares an event with the fast path, and the fast path with nothing", () => {
	expect(multipleOf(654, 9)).toBe("73×");
	expect(multipleOf(18, 9)).toBe("2×");
	expect(multipleOf(32, 9)).toBe("3.6×");
	expect(multipleOf(90_000, 9)).toBe("10,000×");
	expect(multipleOf(9, 9)).toBe("");
	expect(multipleOf(70, 0)).toBe("");
});

it("joins neighbours of one kind in order, and leaves out what costs nothing", () => {
	expect(segments([18, 12, 12, 0, 400, 5])).toEqual([
		{ kind: "MISS", from: 0, to: 0, cycles: 18 },
		{ kind: "ASK", from: 1, to: 2, cycles: 24 },
		{ kind: "PAGES", from: 4, to: 4, cycles: 400 },
		{ kind: "ASK", from: 5, to: 5, cycles: 5 },
	]);
	expect(segments([0, 0])).toEqual([]);
});

it("joins steps of unknown kinds", () => {
	expect(segments([1, 2, 3], [undefined, undefined, "ASK"])).toEqual([
		{ kind: "", from: 0, to: 1, cycles: 3 },
		{ kind: "ASK", from: 2, to: 2, cycles: 3 },
	]);
});

it("joins the smallest segments of a long event, and keeps the sum", () => {
	const cycles = Array.from({ length: 5000 }, (_, i) => (i === 2500 ? 40_000 : 1 + (i % 3)));
	const all = segments(
		cycles,
		cycles.map((_, i) => (i === 2500 ? "PAGES" : `KIND_${i % 7}`)),
	);
	expect(all.map((s) => s.kind)).toEqual(["", "PAGES", ""]);
	expect(all.reduce((sum, s) => sum + s.cycles, 0)).toBe(cycles.reduce((a, b) => a + b));
	expect(all.map(stepsOf)).toEqual(["steps 1 to 2,500", "step 2,501", "steps 2,502 to 5,000"]);
});

it("names what is paid for: the slab that a free goes into, where slabs go, or the level that is asked", () => {
	const levels = [Level.LEVEL_CPU_FREELIST, Level.LEVEL_FULL_SLABS, Level.LEVEL_OTHER_NODES].map(
		(level): LevelRow =>
			({ level, nodes: LevelNodes.ANY_NODE, allocs: 0, cycles: 0, share: 0, kinds: [] }) as never,
	);
	const to = (kind: number) => ({ verb: Verb.VERB_MOVES, toKind: kind });
	const steps = [
		{ verb: Verb.VERB_RETURNS },
		to(PlaceKind.PLACE_NODE_PARTIAL),
		to(PlaceKind.PLACE_NODE_PARTIAL),
		to(PlaceKind.PLACE_SHEAF_SPARE),
		{ verb: Verb.VERB_ASKS },
		{ verb: Verb.VERB_RETURNS },
		{ verb: Verb.VERB_NOTES },
		{ verb: Verb.VERB_GIVES, fromKind: 0xffff, toKind: PlaceKind.PLACE_CPU_SLAB, slab: 141 },
	] as unknown as EventPath["steps"];
	const path = { steps, levels: Uint8Array.from([1, 2, 2, 0, 0, 0, 1, 2]) };
	const names = (from: number, to: number) => namesOf({ from, to }, path, levels);
	expect(names(0, 0)).toEqual(["free into a full slab", "free"]);
	expect(names(1, 2)).toEqual(["2 slabs to node partial list", "2 slabs"]);
	expect(names(3, 3)).toEqual(["1 sheaf to spare sheaf", "1 sheaf"]);
	expect(names(4, 4)).toEqual(["cpu freelist"]);
	expect(names(5, 5)).toEqual(["free into cpu freelist", "free"]);
	expect(names(6, 6)).toEqual(["free into a full slab", "free"]);
	// The page allocator has given its pages; making a slab of them is SLUB's work.
	expect(names(7, 7)).toEqual(["new slab", "slab"]);
	// There are two lists, and not all of the slabs go to one.
	expect(names(2, 3)).toEqual([]);
	expect(names(0, 1)).toEqual([]);
});
