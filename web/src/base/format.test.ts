// Numbers as people read them are those that the browser's own formatter gives.

import { expect, it } from "vitest";
import { count, stopped } from "./format.ts";

it("a whole number comes in groups of three digits", () => {
	const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
	for (const n of [0, 7, 999, 1000, 12_345, 999_999, 1_000_000, 4_294_967_295, 2 ** 53])
		for (const each of [n, -n - 1, n + 0.25]) expect(count(each)).toBe(whole.format(each));
});

it("a reason ends in one full stop, whether it is a sentence of its own or not", () => {
	for (const reason of ["No trace is open.", "No trace is open"])
		expect(`There is nothing to explain: ${stopped(reason)}`).toMatch(/[^.]\.$/);
});
