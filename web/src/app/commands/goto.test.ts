/** Tests what people type, and what the page takes it to mean. */
import { describe, expect, it } from "vitest";
import { goalsIn } from "./entries.ts";

const clock = { timeIsNs: true, timeFirst: 5_000_000_000, hashed: false };

describe("go to", () => {
	it("counts events and steps from 1, as the page does", () => {
		expect(goalsIn("1,234", clock)).toEqual([{ kind: "event", op: 1233, step: -1 }]);
		expect(goalsIn(" 12/3 ", clock)).toEqual([{ kind: "event", op: 11, step: 2 }]);
		expect(goalsIn("event 7", clock)).toEqual([{ kind: "event", op: 6, step: -1 }]);
		expect(goalsIn("0", clock)).toEqual([]);
		expect(goalsIn("op 7", clock)).toEqual([{ kind: "event", op: 7, step: -1 }]);
	});

	it("reads times of the clock and times since the first event", () => {
		expect(goalsIn("5.25", clock)).toEqual([{ kind: "time", at: 5_250_000_000 }]);
		expect(goalsIn("6 s", clock)).toEqual([{ kind: "time", at: 6_000_000_000 }]);
		expect(goalsIn("+1.5 ms", clock)).toEqual([{ kind: "time", at: 5_001_500_000 }]);
		expect(goalsIn("tick 9", { timeIsNs: false, timeFirst: 2, hashed: false })).toEqual([
			{ kind: "time", at: 9 },
		]);
	});

	it("reads addresses, slabs and objects", () => {
		const near = { kind: "address", address: 4096 };
		expect(goalsIn("0x1000", clock)).toEqual([near, { kind: "pointer", pointer: "0x1000" }]);
		expect(goalsIn("#12", clock)).toEqual([{ kind: "slab", cache: "", serial: 12, index: -1 }]);
		expect(goalsIn("slab 12/5", clock)).toEqual([
			{ kind: "slab", cache: "", serial: 12, index: 5 },
		]);
		expect(goalsIn("kmalloc-64#3", clock)).toEqual([
			{ kind: "slab", cache: "kmalloc-64", serial: 3, index: -1 },
		]);
	});

	it("reads recorded pointers as traces write them, and tries hashes before addresses", () => {
		const goal = [{ kind: "pointer", pointer: "0xffff8881903b7000" }];
		for (const text of ["0xffff8881903b7000", "ffff8881903b7000", "ptr=FFFF8881903B7000"])
			expect(goalsIn(text, clock)).toEqual(goal);
		const hash = { kind: "pointer", pointer: "0xb7c2b8cd" };
		expect(goalsIn("00000000b7c2b8cd", clock)).toEqual([hash]);
		expect(goalsIn("b7c2b8cd", { ...clock, hashed: true })[0]).toEqual(hash);
		expect(goalsIn("0x0000020c4ac0", clock)[0]).toEqual({ kind: "address", address: 0x20c4ac0 });
		expect(goalsIn("0000000000000000", clock).some((g) => g.kind === "pointer")).toBe(false);
	});

	it("ignores anything else", () => {
		for (const text of ["", "dentry", "-1", "1/", "0x", "#", "99999999999", "1e9", "٣"])
			expect(goalsIn(text, clock)).toEqual([]);
	});
});
