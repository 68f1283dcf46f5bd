// Tests that numbers are written as the browser's own formatter would write them.

import { expect, it } from "vitest";
import { bytes, count, stopped } from "./format.ts";

it("writes whole numbers in groups of three digits", () => {
	const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
	for (const n of [0, 7, 999, 1000, 12_345, 999_999, 1_000_000, 4_294_967_295, 2 ** 53])
		for (const each of [n, -n - 1, n + 0.25]) expect(count(each)).toBe(whole.format(each));
});

it("ends a reason with one full stop, whether it is a whole sentence or not", () => {
	for (const reason of ["No trace is open.", "No trace is open"])
		expect(`There is nothing to explain: ${stopped(reason)}`).toMatch(/[^.]\.$/);
});

it("writes bytes that round to 1024 of a unit as 1 of the next", () => {
	expect(bytes(1023)).toBe("1023 bytes");
	expect(bytes(1024)).toBe("1.00 KiB");
	expect(bytes(1023 * 1024)).toBe("1023 KiB");
	expect(bytes(1_048_575)).toBe("1.00 MiB");
	expect(bytes(2 ** 30 - 1)).toBe("1.00 GiB");
});
