/** Tests agreement with the kernel: rounding, and the parts of the run on the timeline. */
import { expect, test } from "vitest";
import { partsShown, shareWords } from "./agreement.tsx";

test("rounds a share down, so that 100 % means all", () => {
	expect(shareWords(99_999, 100_000)).toBe("99.999 %");
	expect(shareWords(9_999_999, 10_000_000)).toBe("99.999 %");
	expect(shareWords(7, 7)).toBe("100.000 %");
	expect(shareWords(0, 0)).toBe("none");
});

test("shows the parts of the timeline's span, each where its events are", () => {
	const band = [[2, 2] as const, [0, 0] as const, [4, 1] as const, [1, 1] as const];
	expect(partsShown(band, 400, { from: 0, to: 400 }, 800)).toEqual([
		{ part: 0, x: 0, width: 200, share: 1 },
		{ part: 2, x: 400, width: 200, share: 0.25 },
		{ part: 3, x: 600, width: 200, share: 1 },
	]);
	expect(partsShown(band, 400, { from: 250, to: 300 }, 100)).toEqual([
		{ part: 2, x: 0, width: 100, share: 0.25 },
	]);
});
