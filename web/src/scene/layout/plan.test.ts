/** The plan of the map: equal columns, tiles of one size that fill the room, nothing over anything else, and no jumps. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../../test/fixtures/frame_text.ts";
import { PLACE } from "../../engine/place_kinds.ts";
import { actingNodes } from "../acting.ts";
import { meet, type Rect } from "../scene.ts";
import { capacitiesOf, capacityKey, isLong, rungFor } from "./capacity.ts";
import { layout } from "./layout.ts";
import { makePlan, type Plan } from "./plan.ts";
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
	wide?: number[],
): Plan {
	const machine = { width, height, nodeOfCpu: NODES, nrNodes: 4, ...(wide ? { wide } : {}) };
	return makePlan(shapeOf(frameOf(partial, full).places, machine));
}

/** Every part of a plan that holds something. */
function partsOf(plan: Plan): Rect[] {
	return [
		...plan.cpus.map((c) => c.card),
		...plan.nodes.flatMap((n) => [...n.lists.values(), ...(n.zones ? [n.zones] : [])]),
	];
}

describe("the plan of the map", () => {
	it("has equal columns, and wider ones for the nodes that are asked for", () => {
		const widths = (plan: Plan) => plan.nodes.map((n) => n.column.w);
		const [least, most] = [Math.min, Math.max].map((of) => of(...widths(planOf(3, 80, 1060, 260))));
		expect((most ?? 0) - (least ?? 0)).toBeLessThanOrEqual(1);
		const [a = 0, b = 0, c = 0, d = 0] = widths(planOf(3, 80, 1060, 560, [1]));
		expect(b).toBeGreaterThan(1.8 * a);
		expect([c, d].every((w) => Math.abs(w - a) <= 1)).toBe(true);
	});

	it("gives all lists tiles of one size, as large as fit", () => {
		for (const [width, height] of [
			[1060, 260],
			[1060, 560],
			[366, 500],
		] as const) {
			const few = planOf(3, 0, width, height).tile;
			const many = planOf(3, 134, width, height).tile;
			expect(few).toBeGreaterThan(1.7 * many);
			const frame = frameOf(3, 134);
			const source = { cache: undefined, frame, zones: [], step: undefined, pageBytes: 4096 };
			const scene = layout(planOf(3, 134, width, height), source);
			const sizes = scene.slabs.filter((s) => s.serial < 900).map((s) => s.w);
			expect(new Set(sizes)).toEqual(new Set([many]));
		}
	});

	it("fills the room with three slabs, on a large screen too", () => {
		expect(planOf(3, 0, 1060, 560).tile).toBeGreaterThan(60);
		expect(planOf(3, 0, 3800, 1700).tile).toBeGreaterThan(200);
	});

	it("gives the CPUs of one node the room of lists that stay short", () => {
		const { places } = frameFromText("cpu0: 0:aacc\nchain0: 1:a...\npartial0:\nfull0:", [0, 0]);
		const slabOf = (slabsPeak: number, width: number, height: number) => {
			const machine = { width, height, nodeOfCpu: [0, 0], nrNodes: 1, slabsPeak };
			const [cpu] = makePlan(shapeOf(places, machine)).cpus;
			return { card: cpu?.card.w ?? 0, slab: cpu?.parts.get(PLACE.CPU_SLAB)?.w ?? 0 };
		};
		const [few, many] = [slabOf(3, 1060, 150), slabOf(400, 1060, 150)];
		expect(few.card).toBeGreaterThan(1.3 * many.card);
		expect(few.slab).toBeGreaterThanOrEqual(many.slab);
		expect(slabOf(3, 3400, 1180).slab).toBeGreaterThan(480);
		expect(slabOf(4, 1060, 150)).toEqual(few);
	});

	it("shows 134 slabs of one node below the stairs as large as there is room", () => {
		expect(planOf(53, 81, 1100, 260).tile).toBeGreaterThanOrEqual(10);
	});

	it("lets nothing stand over anything else", () => {
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
	it("hold at least what a list has, and little more", () => {
		for (let n = 1; n <= 300; n++) {
			expect(rungFor(n)).toBeGreaterThanOrEqual(n);
			expect(rungFor(n)).toBeLessThanOrEqual(Math.max(3, n * 1.2 + 1));
			expect(isLong(rungFor(n))).toBe(false);
		}
		expect([301, 5000].map((n) => isLong(rungFor(n)))).toEqual([true, true]);
		expect(rungFor(0)).toBe(0);
	});

	it("stay while a list grows and shrinks a little, and follow when it does so much", () => {
		const start = capacitiesOf(frameOf(10, 40).places);
		expect(capacitiesOf(frameOf(11, 39).places, start)).toBe(start);
		expect(capacitiesOf(frameOf(7, 30).places, start)).toBe(start);
		expect(capacitiesOf(frameOf(30, 40).places, start)).not.toBe(start);
		expect(capacitiesOf(frameOf(3, 40).places, start)).not.toBe(start);
	});

	it("grow together where lists fill up at about the same time", () => {
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

	it("depend on the position alone where one jumps to it", () => {
		expect(capacitiesOf(frameOf(10, 40).places)).toEqual(capacitiesOf(frameOf(10, 40).places));
	});
});

describe("acting nodes", () => {
	it("are those of the steps and of their CPUs", () => {
		const steps = [
			{ cpu: 0, node: 0xffff },
			{ cpu: 0, node: 3 },
			{ cpu: 5, node: 3 },
		];
		expect(actingNodes(steps, NODES)).toEqual([0, 2, 3]);
	});
});
