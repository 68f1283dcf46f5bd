/** Tests that pins never overlap, never leave the timeline, and are at their own positions where there is room. */
import { describe, expect, it } from "vitest";
import { placePins } from "./chapters.tsx";

const place = (wanted: readonly number[], width: number, room: number) =>
	placePins(
		wanted,
		wanted.map(() => width),
		room,
	);

describe("pins on the timeline", () => {
	it("stay at their positions while they do not touch", () => {
		expect(place([], 20, 400)).toEqual([]);
		expect(place([50, 70, 200], 20, 400)).toEqual([50, 70, 200]);
	});

	it("move apart by the same amount where they would overlap", () => {
		expect(place([100, 100], 20, 400)).toEqual([90, 110]);
		expect(place([100, 110, 300], 20, 400)).toEqual([95, 115, 300]);
		expect(place([100, 101, 102], 20, 400)).toEqual([81, 101, 121]);
	});

	it("push a neighbour only as far as needed", () => {
		expect(place([100, 100, 124], 20, 400)).toEqual([88, 108, 128]);
	});

	it("may have different widths", () => {
		expect(placePins([50, 200], [60, 20], 400)).toEqual([50, 200]);
		expect(placePins([100, 100], [60, 20], 400)).toEqual([80, 120]);
		expect(placePins([5, 390], [60, 100], 400)).toEqual([30, 350]);
	});

	it("stay within the timeline at both ends", () => {
		expect(place([0, 1, 399, 400], 20, 400)).toEqual([10, 30, 370, 390]);
	});

	it("are spaced evenly and in order when they don't all fit", () => {
		expect(place([5, 5, 5, 5], 20, 40)).toEqual([5, 15, 25, 35]);
	});

	it("never overlap, wherever they are", () => {
		for (let a = 0; a <= 120; a += 7)
			for (let b = a; b <= 120; b += 7)
				for (let c = b; c <= 120; c += 7) {
					const [x = 0, y = 0, z = 0] = place([a, b, c], 20, 120);
					expect([x >= 10, y - x > 19.999, z - y > 19.999, z <= 110]).not.toContain(false);
				}
	});
});
