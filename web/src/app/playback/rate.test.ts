/** Tests the playing speed: a scale that is easy to read, and slides short enough to keep up with it. */
import { describe, expect, it } from "vitest";
import { faster, fractionOf, SPEED_MAX, SPEED_MIN, slideMs, speedAt } from "./player.ts";

describe("speed", () => {
	it("spans its whole range in steps of 1, 2, 5", () => {
		const seen = new Set<number>();
		for (let i = 0; i <= 1000; i++) seen.add(speedAt(i / 1000));
		expect([...seen]).toEqual([
			0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000,
		]);
	});

	it("can be read back from the slider's position", () => {
		for (const speed of [0.1, 0.5, 2, 50, 1000, 10000])
			expect(speedAt(fractionOf(speed))).toBe(speed);
	});

	it("goes up and down by one notch and stops at the ends", () => {
		expect(faster(2, 1)).toBe(5);
		expect(faster(2, -1)).toBe(1);
		expect(faster(SPEED_MAX, 1)).toBe(SPEED_MAX);
		expect(faster(SPEED_MIN, -1)).toBe(SPEED_MIN);
	});
});

describe("slides", () => {
	it("last at most 300 ms, and there are none above 5 steps a second or with reduced motion", () => {
		expect(slideMs(2, true, false)).toBeLessThanOrEqual(300);
		expect(slideMs(10, true, false)).toBe(0);
		expect(slideMs(2, false, true)).toBe(0);
	});
});
