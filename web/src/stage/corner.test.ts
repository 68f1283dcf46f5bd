/** The inspector's corner: it never covers the CPU that acts as long as there is room anywhere. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CORNERS, standFor } from "./corner.ts";

const STAGE = { w: 800, h: 600 };
const CARD = { w: 264, h: 200 };

describe("the inspector's corner", () => {
	it("stays where it is while nothing is in the way", () => {
		expect(standFor(CARD, STAGE, undefined, "bottom-right").corner).toBe("bottom-right");
		const left = { x: 20, y: 20, w: 200, h: 150 };
		expect(standFor(CARD, STAGE, left, "top-right").corner).toBe("top-right");
	});

	it("leaves the CPU that acts", () => {
		const right = { x: 500, y: 300, w: 280, h: 280 };
		expect(standFor(CARD, STAGE, right, "bottom-right").corner).toBe("bottom-left");
		const below = { x: 0, y: 300, w: 800, h: 300 };
		expect(standFor(CARD, STAGE, below, "bottom-right").corner).toBe("top-right");
	});

	it("is made lower where no corner has room for all of it", () => {
		const across = { x: 0, y: 100, w: 800, h: 200 };
		const stand = standFor({ w: 780, h: 500 }, STAGE, across, "top-left");
		expect(stand.corner).toMatch(/^bottom/);
		expect(stand.maxHeight).toBe(600 - 300 - 16);
	});

	it("covers nothing that acts wherever a strip of the stage is free", () => {
		const at = fc.integer({ min: 0, max: 700 });
		const size = fc.integer({ min: 20, max: 500 });
		fc.assert(
			fc.property(
				at,
				at,
				size,
				size,
				size,
				fc.constantFrom(...CORNERS),
				(x, y, w, h, tall, now) => {
					const acting = { x, y: y % 560, w, h };
					const { corner, maxHeight } = standFor({ w: 264, h: tall }, STAGE, acting, now);
					const high = Math.min(tall, maxHeight);
					const left = corner.endsWith("right") ? STAGE.w - 16 - 264 : 16;
					const top = corner.startsWith("top") ? 16 : STAGE.h - 16 - high;
					const across = Math.min(left + 264, x + w) - Math.max(left, x);
					const down = Math.min(top + high, acting.y + h) - Math.max(top, acting.y);
					const hasStrip =
						acting.y >= 80 || acting.y + h <= STAGE.h - 80 || x >= 280 || x + w <= 520;
					if (hasStrip) expect(across > 0 && down > 0).toBe(false);
				},
			),
		);
	});
});
