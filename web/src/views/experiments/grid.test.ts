/** Tests that grids are read the way the command reads them, and that each cell is the replay with its pair of values. */
import { describe, expect, it } from "vitest";
import type { Param } from "../../engine/types.ts";
import { axisOf, cellsOf, type Question, runOf } from "./grid.ts";

const param = (key: string, allocators: readonly string[]): Param => ({
	key,
	type: "number",
	allocators,
	values: [],
	default: "",
	since: "",
	runtime: false,
	meaning: "",
	value: "",
	origin: "default",
});
const PARAMS = [param("cpus", ["machine"]), param("min_partial", ["slub"])];
const axis = (text: string, trace = "a.txt") => axisOf(text, trace, PARAMS, ["threads"]);

describe("a side of the grid", () => {
	it("accepts values, ranges and steps", () => {
		expect(axis("min_partial=0..6:2,13").values).toEqual(["0", "2", "4", "6", "13"]);
		expect(axis("zones=2,2;1,1").values).toEqual(["2,2", "1,1"]);
		expect(axis("allocator=slub").values).toEqual(["slub"]);
	});

	it("says what is wrong with it", () => {
		expect(() => axis("min_partial")).toThrow("Expected KEY=V1,V2");
		expect(() => axis("min_partial=1,,2")).toThrow("Expected a value");
		expect(() => axis("min_partial=5..1")).toThrow("expected LAST");
		expect(() => axis("min_partial=0..10:-1")).toThrow("`0..10:-1` is not a range");
		expect(() => axis("min_partial=0..10:0")).toThrow("expected a step of at least 1");
		expect(() => axis("min_partial=0..x")).toThrow("is not a range");
		expect(() => axis("min_partial=0..9999")).toThrow("more than 512");
	});
});

describe("a cell", () => {
	const base = { preset: "", values: { nodes: "4" } };

	it("is the machine with the values of its column and row", () => {
		const question: Question = {
			trace: "a.txt",
			base,
			x: axis("min_partial=0,5"),
			y: axis("preset=6.1,linux-4.19"),
		};
		expect(cellsOf(question)).toBe(4);
		expect(runOf(question, 3)).toEqual({
			trace: "a.txt",
			machine: { preset: "linux-4.19", values: { nodes: "4", min_partial: "5" } },
		});
	});

	it("replays a different trace if the value belongs to the workload", () => {
		const trace = "workload:tcp-rr?seed=3";
		const question = { trace, base, x: axis("threads=4,40", trace), y: axis("cpus=8", trace) };
		expect(runOf(question, 1)).toEqual({
			trace: "workload:tcp-rr?seed=3&threads=40&cpus=8",
			machine: base,
		});
	});
});
