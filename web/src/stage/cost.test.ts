/** The figures of the story: the multiple of the fast path, and the segments of the bar. */
import { expect, it } from "vitest";
import { multipleOf, segmentsOf, stepsOf } from "./cost.ts";

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

it("joins neighbours of one kind, in order, and leaves out what costs nothing", () => {
	expect(segments([18, 12, 12, 0, 400, 5])).toEqual([
		{ kind: "MISS", from: 0, to: 0, cycles: 18 },
		{ kind: "ASK", from: 1, to: 2, cycles: 24 },
		{ kind: "PAGES", from: 4, to: 4, cycles: 400 },
		{ kind: "ASK", from: 5, to: 5, cycles: 5 },
	]);
	expect(segments([0, 0])).toEqual([]);
});

it("joins steps whose kinds are not known", () => {
	expect(segments([1, 2, 3], [undefined, undefined, "ASK"])).toEqual([
		{ kind: "", from: 0, to: 1, cycles: 3 },
		{ kind: "ASK", from: 2, to: 2, cycles: 3 },
	]);
});

it("joins the smallest segments of a long event, and keeps its sum", () => {
	const cycles = Array.from({ length: 5000 }, (_, i) => (i === 2500 ? 40_000 : 1 + (i % 3)));
	const all = segments(
		cycles,
		cycles.map((_, i) => (i === 2500 ? "PAGES" : `KIND_${i % 7}`)),
	);
	expect(all.map((s) => s.kind)).toEqual(["", "PAGES", ""]);
	expect(all.reduce((sum, s) => sum + s.cycles, 0)).toBe(cycles.reduce((a, b) => a + b));
	expect(all.map(stepsOf)).toEqual(["steps 1 to 2,500", "step 2,501", "steps 2,502 to 5,000"]);
});
