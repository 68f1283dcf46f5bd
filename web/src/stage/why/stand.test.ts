/** The Why card stands beside its place and leaves the bar of cycles free. */
import { expect, it } from "vitest";
import { standAt } from "./stand.ts";

const CARD = { w: 640, h: 190 };
const STAGE = { w: 1100, h: 720 };
const BAR = { x: 20, y: 450, w: 1060, h: 50 };

it("stands below a place that is high", () => {
	const { side, top } = standAt(CARD, STAGE, { x: 300, y: 40, w: 100, h: 60 }, { bar: BAR });
	expect(side).toBe("top");
	expect(top).toBeGreaterThan(100);
});

it("stands above a low place, and above the bar of cycles rather than over it", () => {
	const place = { x: 300, y: 580, w: 200, h: 130 };
	const free = standAt(CARD, STAGE, place);
	const { side, top } = standAt(CARD, STAGE, place, { bar: BAR });
	expect(side).toBe("bottom");
	expect(free.top + CARD.h).toBeGreaterThan(BAR.y);
	expect(top + CARD.h).toBeLessThan(BAR.y);
	expect(top).toBeGreaterThanOrEqual(0);
});

it("leaves the stops of the path in sight: beside them, or over the bar", () => {
	const place = { x: 300, y: 580, w: 200, h: 130 };
	const stop = (x: number, y: number) => ({ x, y, w: 20, h: 20 });
	const beside = standAt(CARD, STAGE, place, { bar: BAR, stops: [stop(700, 260)] });
	expect(beside.left + CARD.w).toBeLessThanOrEqual(700);
	expect(beside.left + beside.pointer).toBeCloseTo(400);
	const below = standAt(CARD, STAGE, place, {
		bar: BAR,
		stops: [stop(30, 260), stop(400, 300), stop(700, 320)],
	});
	expect(below.top).toBeGreaterThan(340);
	expect(below.top + CARD.h).toBeLessThan(place.y);
});

it("stays beside its place where the bar is elsewhere", () => {
	const place = { x: 300, y: 580, w: 200, h: 130 };
	expect(standAt(CARD, STAGE, place, { bar: { ...BAR, y: 0 } })).toEqual(
		standAt(CARD, STAGE, place),
	);
});
