/** The path of an event: every step has a stop on its level, and the lines follow the order of the steps. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { pathOn, type Tread } from "./path.ts";

const WIDE: readonly Tread[] = Array.from({ length: 5 }, (_, i) => ({
	x: i * 220,
	y: 50 + i * 20,
	w: 212,
}));

function pathOf(levels: readonly number[], current = 0, vain: readonly number[] = []) {
	const steps = {
		levels: Uint8Array.from(levels),
		vain: Uint8Array.from(levels, (_, i) => vain[i] ?? 0),
		current,
	};
	return pathOn(WIDE, steps, "across", 60);
}

/** Down the stairs to the page allocator, and back with the object. */
const SLOW = [0, 0, 2, 3, 3, 3, 4, 4, 0];

it("gives every step a stop on its level, in the order of the steps", () => {
	const { stops, reached } = pathOf(SLOW);
	expect(stops.map((s) => [s.from, s.level])).toEqual(SLOW.map((level, i) => [i, level]));
	expect([...reached]).toEqual([0, 2, 3, 4]);
	for (const [i, stop] of stops.entries()) {
		const before = stops[i - 1];
		if (before?.level === stop.level) expect(stop.x).toBeGreaterThan(before.x);
	}
});

it("raises what the path comes back to above the level", () => {
	const { stops, lines } = pathOf(SLOW);
	expect(stops.filter((s) => s.isBack).map((s) => s.from)).toEqual([8]);
	expect(stops[8]?.y).toBeLessThan(stops[0]?.y ?? 0);
	expect(lines.filter((l) => l.isBack)).toHaveLength(1);
});

it("tells what is done, what is on screen and what is ahead", () => {
	const { stops, lines } = pathOf(SLOW, 6, [0, 0, 1, 0, 1, 1, 0, 0, 0]);
	expect(stops.map((s) => s.when).join(" ")).toBe("done done done done done done now ahead ahead");
	expect(stops.map((s) => Number(s.isVain)).join("")).toBe("001011000");
	expect(lines.some((l) => l.when === "ahead" && l.isBack)).toBe(true);
});

it("joins the steps of a visit when they have no room", () => {
	const { stops } = pathOf([0, ...Array<number>(30).fill(2), 0], 12);
	expect(stops.map((s) => [s.from, s.to])).toEqual([
		[0, 0],
		[1, 30],
		[31, 31],
	]);
	expect(stops[1]?.when).toBe("now");
});

it("shows one stop for each level in a list: the last one until now", () => {
	const rows = Array.from({ length: 5 }, (_, i) => ({ x: i * 10, y: i * 70, w: 360 - i * 10 }));
	const steps = { levels: Uint8Array.from(SLOW), vain: new Uint8Array(SLOW.length), current: 4 };
	const { stops } = pathOn(rows, steps, "down");
	expect(stops.map((s) => [s.from, s.level])).toEqual([
		[1, 0],
		[2, 2],
		[4, 3],
		[6, 4],
	]);
});

it("keeps stops apart and on their level, whatever the event does", () => {
	const levels = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 80 });
	fc.assert(
		fc.property(levels, fc.nat(80), (all, at) => {
			const current = Math.min(at, all.length - 1);
			const { stops, lines, reached } = pathOf(all, current);
			expect(new Set(all)).toEqual(reached);
			expect(new Set(stops.map((s) => s.level))).toEqual(reached);
			expect(stops.some((s) => s.from <= current && current <= s.to)).toBe(true);
			for (const { x, level } of stops) {
				const tread = WIDE[level] as Tread;
				expect(x).toBeGreaterThanOrEqual(tread.x);
				expect(x).toBeLessThanOrEqual(tread.x + tread.w);
			}
			const places = stops.map((s) => `${s.x}/${s.y}`);
			expect(new Set(places).size).toBe(places.length);
			for (const { d } of lines) expect(d).not.toContain("NaN");
		}),
	);
});
