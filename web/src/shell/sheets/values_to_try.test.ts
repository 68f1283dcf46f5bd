/**
 * Tests the values that the machine sheet measures: around the value in effect, within bounds, and never that value itself.
 */
import { describe, expect, it } from "vitest";
import type { CacheRow, Param } from "../../engine/types.ts";
import { inEffect, valuesToTry } from "./effect.tsx";

const number = (some: Partial<Param>): Param => ({
	key: "min_partial",
	type: "number",
	allocators: ["slub"],
	values: ["automatic", "0..4294967294"],
	default: "automatic",
	since: "",
	runtime: true,
	meaning: "",
	min: 0,
	max: 4294967294,
	value: "automatic",
	origin: "default",
	...some,
});
const CACHE = { minPartial: 5, cpuPartial: 120, limit: 54, batchcount: 27 } as CacheRow;
const BUILT = { nrCpus: 8 };

describe("the value in effect", () => {
	it("for an automatic number, is the one that the core reports", () => {
		expect(inEffect(number({}), BUILT, CACHE)).toBe(5);
		expect(inEffect(number({ key: "cpus" }), BUILT, CACHE)).toBe(8);
		expect(inEffect(number({ key: "limit" }), BUILT, CACHE)).toBe(54);
		expect(inEffect(number({ key: "min_objects" }), BUILT, CACHE)).toBeUndefined();
		expect(inEffect(number({ value: "7" }), BUILT, CACHE)).toBe(7);
	});
});

describe("the values to try", () => {
	it("are the minimum, half and twice the value in effect, and a maximum not far away", () => {
		expect(valuesToTry(number({}), 5)).toEqual(["0", "2", "10"]);
		expect(valuesToTry(number({ key: "limit", min: 1, max: 1024 }), 54)).toEqual([
			"1",
			"27",
			"108",
			"1024",
		]);
		expect(valuesToTry(number({ key: "cpus", min: 1, max: 4096 }), 8)).toEqual(["1", "4", "16"]);
	});

	it("include the default of a number that was set, but not the value in effect", () => {
		expect(valuesToTry(number({ value: "10" }), 10)).toEqual(["0", "5", "20", "automatic"]);
		expect(valuesToTry(number({ value: "1", min: 1, max: 2, default: "2" }), 1)).toEqual(["2"]);
	});

	it("start above a value of zero, and span the bounds if the value is not reported", () => {
		const sheaf = number({ key: "sheaf_capacity", value: "0", default: "0", max: 512 });
		expect(valuesToTry(sheaf, 0)).toEqual(["1", "23", "512"]);
		const order = number({ key: "slab_max_order", max: 10 });
		expect(valuesToTry(order, undefined)).toEqual(["0", "3", "10", "automatic"].slice(0, 3));
	});

	it("are the other values of a choice, and leave several nodes as they are", () => {
		const choice = number({ type: "choice", values: ["all", "skip-checked"], value: "all" });
		expect(valuesToTry(choice, undefined)).toEqual(["skip-checked"]);
		expect(valuesToTry(number({ key: "nodes", value: "4", default: "1" }), 4)).toEqual(["1"]);
	});

	it("of a cost lie around it", () => {
		const cost = { key: "cost.LOCK", name: "Lock", meaning: "", default: "40", value: "40" };
		expect(valuesToTry(cost, 40)).toEqual(["0", "20", "80"]);
	});
});
