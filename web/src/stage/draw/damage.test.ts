/** Tests invariants of damage: its pieces cover what is marked, and do not overlap. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Rect } from "../../scene/scene.ts";
import { Damage } from "./damage.ts";

const rects: fc.Arbitrary<Rect[]> = fc.array(
	fc.record({
		x: fc.integer({ min: -50, max: 900 }),
		y: fc.integer({ min: -50, max: 700 }),
		w: fc.integer({ min: 1, max: 120 }),
		h: fc.integer({ min: 1, max: 120 }),
	}),
	{ maxLength: 12 },
);

const isIn = (r: Rect, x: number, y: number) =>
	x >= r.x && y >= r.y && x < r.x + r.w && y < r.y + r.h;

describe("damage", () => {
	it("covers what was marked with pieces that do not overlap", () => {
		fc.assert(
			fc.property(rects, fc.constantFrom(1, 1.25, 2), (marked, ratio) => {
				const [width, height] = [800 * ratio, 600 * ratio];
				const damage = new Damage(width, height, ratio);
				for (const r of marked) damage.mark(r);
				const pieces = damage.pieces();
				for (const r of marked) {
					const [x, y] = [(r.x + r.w / 2) * ratio, (r.y + r.h / 2) * ratio];
					if (x < 0 || y < 0 || x >= width || y >= height) continue;
					expect(damage.touches(r)).toBe(true);
					expect(pieces.filter((p) => isIn(p, x, y))).toHaveLength(1);
				}
			}),
			{ numRuns: 100 },
		);
	});

	it("starts empty, and is whole once most of it is marked", () => {
		const damage = new Damage(800, 600, 1);
		expect(damage.isEmpty).toBe(true);
		expect(damage.pieces()).toEqual([]);
		damage.mark({ x: 0, y: 0, w: 700, h: 500 });
		expect(damage.isAll).toBe(true);
	});
});
