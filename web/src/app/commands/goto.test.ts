/** What a person writes, and what it is taken for. */
import { describe, expect, it } from "vitest";
import { goalsIn } from "./goto.ts";

const clock = { timeIsNs: true, timeFirst: 5_000_000_000 };

describe("go to", () => {
	it("counts events and steps from 1, as the page does", () => {
		expect(goalsIn("1,234", clock)).toEqual([{ kind: "event", op: 1233, step: -1 }]);
		expect(goalsIn(" 12/3 ", clock)).toEqual([{ kind: "event", op: 11, step: 2 }]);
		expect(goalsIn("event 7", clock)).toEqual([{ kind: "event", op: 6, step: -1 }]);
		expect(goalsIn("0", clock)).toEqual([]);
		expect(goalsIn("op 7", clock)).toEqual([{ kind: "event", op: 7, step: -1 }]);
	});

	it("reads times of the clock, and since the first event", () => {
		expect(goalsIn("5.25", clock)).toEqual([{ kind: "time", at: 5_250_000_000 }]);
		expect(goalsIn("6 s", clock)).toEqual([{ kind: "time", at: 6_000_000_000 }]);
		expect(goalsIn("+1.5 ms", clock)).toEqual([{ kind: "time", at: 5_001_500_000 }]);
		expect(goalsIn("tick 9", { timeIsNs: false, timeFirst: 2 })).toEqual([{ kind: "time", at: 9 }]);
	});

	it("reads addresses, slabs and objects", () => {
		expect(goalsIn("0x1000", clock)).toEqual([{ kind: "address", address: 4096 }]);
		expect(goalsIn("#12", clock)).toEqual([{ kind: "slab", cache: "", serial: 12, index: -1 }]);
		expect(goalsIn("slab 12/5", clock)).toEqual([
			{ kind: "slab", cache: "", serial: 12, index: 5 },
		]);
		expect(goalsIn("kmalloc-64#3", clock)).toEqual([
			{ kind: "slab", cache: "kmalloc-64", serial: 3, index: -1 },
		]);
	});

	it("takes anything else for nothing", () => {
		for (const text of ["", "dentry", "-1", "1/", "0x", "#", "99999999999", "1e9", "٣"])
			expect(goalsIn(text, clock)).toEqual([]);
	});
});
