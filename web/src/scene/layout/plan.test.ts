/**
 * Tests the plan of the section: rows from near to far, equal columns, tiles of one size in a row, nothing
 * covering anything else, and no jumps.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../../test/fixtures/frame_text.ts";
import { PLACE } from "../../engine/place_kinds.ts";
import { meet, type Rect } from "../scene.ts";
import { capacitiesOf, capacityKey, isLong, rungFor } from "./capacity.ts";
import { layout } from "./layout.ts";
import { makePlan, openNodes, type Plan } from "./plan.ts";
import { shapeOf } from "./shape.ts";

const NODES = [0, 0, 1, 1, 2, 2, 3, 3];

function slabs(from: number, n: number): string {
	return Array.from({ length: n }, (_, i) => `${from + i}:aa.a`).join(" ");
}

const frameOf = (partial: number, full: number) =>
	frameFromText(
		[
			"cpu0: 900:aacc",
			"chain0: 901:a...",
			`partial0: ${slabs(0, partial)}`,
			...[1, 2, 3].map((node) => `partial${node}:`),
			`full0: ${slabs(400, full)}`,
			...[1, 2, 3].map((node) => `full${node}:`),
		].join("\n"),
		NODES,
	);

function planOf(
	partial: number,
	full: number,
	width: number,
	height: number,
	open?: number[],
): Plan {
	const machine = { width, height, nodeOfCpu: NODES, nrNodes: 4, ...(open ? { open } : {}) };
	return makePlan(shapeOf(frameOf(partial, full).places, machine));
}

/** Lists every part of a plan that holds something. */
function partsOf(plan: Plan): Rect[] {
	return [
		...plan.cpus.map((c) => c.card),
		...plan.nodes.flatMap((n) => [...n.lists.values(), ...(n.zones ? [n.zones] : [])]),
	];
}

describe("the plan of the section", () => {
	it("has a row for every kind of place, from near to far, with the pages last", () => {
		const { rows } = planOf(3, 80, 1060, 470);
		expect(rows.map(({ row }) => row.name)).toEqual([
			"cpu freelist",
			"per-CPU partial list",
			"node partial list",
			"full slabs",
			"page allocator",
		]);
		const tops = rows.map(({ band }) => band.y);
		expect(tops).toEqual(tops.toSorted((a, b) => a - b));
	});

	it("has equal columns, or, where these would be too narrow, wide ones for the nodes that act", () => {
		const widths = (plan: Plan) => plan.nodes.map((n) => n.column.w);
		const [least, most] = [Math.min, Math.max].map((of) => of(...widths(planOf(3, 80, 1060, 470))));
		expect((most ?? 0) - (least ?? 0)).toBeLessThanOrEqual(1);
		expect(openNodes({ width: 1060, nrNodes: 4 }, [1])).toBeUndefined();
		expect(openNodes({ width: 390, nrNodes: 4 }, [2, 1, 3])).toEqual([1, 2]);
		const [a = 0, b = 0, c = 0, d = 0] = widths(planOf(3, 80, 390, 560, [1, 2]));
		expect(Math.min(b, c)).toBeGreaterThan(3 * Math.max(a, d));
	});

	it("gives all lists in a row tiles of the same size, as large as will fit", () => {
		for (const [width, height] of [
			[1060, 470],
			[1060, 900],
			[366, 500],
		] as const) {
			const tiles = (plan: Plan, kind: number) =>
				new Set(plan.nodes.map((n) => n.tiles.get(String(kind)) ?? 0));
			const [few] = tiles(planOf(3, 0, width, height), PLACE.NODE_PARTIAL);
			const many = tiles(planOf(110, 20, width, height), PLACE.NODE_PARTIAL);
			expect(many.size).toBe(1);
			expect(few).toBeGreaterThan(1.2 * ([...many][0] ?? 0));
			const frame = frameOf(110, 20);
			const source = { cache: undefined, frame, zones: [], step: undefined, pageBytes: 4096 };
			const scene = layout(planOf(110, 20, width, height), source);
			const own = scene.slabs.filter((s) => s.serial < 110 && !s.fold);
			expect(own.every((s) => many.has(s.w))).toBe(true);
		}
	});

	it("draws slabs of searched lists at 11 pixels or more at the usual size, or as bars", () => {
		for (const partial of [0, 3, 55, 82, 140, 299]) {
			const [first] = planOf(partial, 80, 1060, 470).nodes;
			const key = String(PLACE.NODE_PARTIAL);
			if (!first?.long.has(key)) expect(first?.tiles.get(key)).toBeGreaterThanOrEqual(11);
		}
		expect(planOf(55, 80, 1060, 470).nodes[0]?.long.size).toBe(0);
	});

	it("keeps the heights of its rows, whatever the lists contain", () => {
		const heights = (plan: Plan) => plan.rows.map(({ band }) => [band.y, band.h]);
		expect(heights(planOf(120, 200, 1060, 470))).toEqual(heights(planOf(0, 0, 1060, 470)));
	});

	it("never lets one thing cover another", () => {
		const size = {
			width: fc.integer({ min: 340, max: 3840 }),
			height: fc.integer({ min: 120, max: 2000 }),
		};
		fc.assert(
			fc.property(
				fc.record({ ...size, partial: fc.nat(120), full: fc.nat(200) }),
				({ width, height, partial, full }) => {
					const parts = partsOf(planOf(partial, full, width, height)).map(
						({ x, y, w, h }): Rect => ({ x: x + 0.6, y: y + 0.6, w: w - 1.2, h: h - 1.2 }),
					);
					const pairs = parts.flatMap((a, i) => parts.slice(i + 1).map((b) => [a, b] as const));
					expect(pairs.filter(([a, b]) => a.h > 0 && b.h > 0 && meet(a, b))).toEqual([]);
				},
			),
			{ numRuns: 40 },
		);
	});
});

describe("capacities", () => {
	it("hold at least what is on a list, and little more", () => {
		for (let n = 1; n <= 300; n++) {
			expect(rungFor(n)).toBeGreaterThanOrEqual(n);
			expect(rungFor(n)).toBeLessThanOrEqual(Math.max(3, n * 1.2 + 1));
			expect(isLong(rungFor(n))).toBe(false);
		}
		expect([301, 5000].map((n) => isLong(rungFor(n)))).toEqual([true, true]);
		expect(rungFor(0)).toBe(0);
	});

	it("stay while a list grows and shrinks a little, and follow when it does so a lot", () => {
		const start = capacitiesOf(frameOf(10, 40).places);
		expect(capacitiesOf(frameOf(11, 39).places, start)).toBe(start);
		expect(capacitiesOf(frameOf(7, 30).places, start)).toBe(start);
		expect(capacitiesOf(frameOf(30, 40).places, start)).not.toBe(start);
		expect(capacitiesOf(frameOf(3, 40).places, start)).not.toBe(start);
	});

	it("grow together when lists fill up at about the same time", () => {
		const start = capacitiesOf(frameOf(10, 40).places);
		const alone = capacitiesOf(frameOf(12, 30).places, start);
		const together = capacitiesOf(frameOf(12, 39).places, start);
		const full = (of: typeof start) => of[capacityKey(0, String(PLACE.NODE_FULL))] ?? 0;
		expect(full(alone)).toBe(full(start));
		expect(full(together)).toBeGreaterThan(full(start));
		expect(capacitiesOf(frameOf(12, 41).places, together)).toBe(together);
		const most = capacitiesOf(frameOf(10, 299).places);
		expect(isLong(full(capacitiesOf(frameOf(12, 300).places, most)))).toBe(false);
	});

	it("depend only on the position after a jump", () => {
		expect(capacitiesOf(frameOf(10, 40).places)).toEqual(capacitiesOf(frameOf(10, 40).places));
	});
});
