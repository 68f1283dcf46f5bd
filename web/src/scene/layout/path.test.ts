/**
 * Tests the path of an event: each step is in its row, lines keep to the gutters and the corridor, and nothing
 * crosses a slab.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../../test/fixtures/frame_text.ts";
import { NONE } from "../../engine/frame.ts";
import { KIND, PAGES_RANK, PLACE, rankOf } from "../../engine/place_kinds.ts";
import { isIn } from "../hit.ts";
import { layout } from "./layout.ts";
import { type PathLine, pathOn, type StepPlace } from "./path.ts";
import { makePlan } from "./plan.ts";
import { seatsOn } from "./seats.ts";
import { listKey, shapeOf } from "./shape.ts";

const NODES = [0, 0, 1, 1, 2, 2, 3, 3];
const slabs = (from: number, n: number) =>
	Array.from({ length: n }, (_, i) => `${from + i}:aa.a`).join(" ");
const FRAME = frameFromText(
	[
		...NODES.flatMap((_, cpu) => [
			`cpu${cpu}: ${900 + cpu}:aacc`,
			`chain${cpu}: ${slabs(910 + 4 * cpu, 4)}`,
		]),
		...[0, 1, 2, 3].map((node) => `partial${node}: ${slabs(100 * node, 9)}`),
		...[0, 1, 2, 3].map((node) => `full${node}: ${slabs(500 + 100 * node, 40)}`),
	].join("\n"),
	NODES,
);
const EMPTY = { x: 0, y: 0, w: 0, h: 0 };
const CPU_SLAB = rankOf(PLACE.CPU_SLAB);
const PARTIAL = rankOf(PLACE.NODE_PARTIAL);
const FULL = rankOf(PLACE.NODE_FULL);

function planOf(width: number, height: number, open?: readonly number[]) {
	const machine = { width, height, nodeOfCpu: NODES, nrNodes: 4, ...(open ? { open } : {}) };
	return makePlan(shapeOf(FRAME.places, machine));
}

const step = (rank: number, node: number, isVain = false): StepPlace => ({
	rank,
	node,
	cpu: NONE,
	isVain,
});

function drawn(
	steps: readonly StepPlace[],
	isFree = false,
	current = steps.length - 1,
	size = [1060, 470],
	open?: readonly number[],
) {
	const plan = planOf(size[0] ?? 0, size[1] ?? 0, open);
	const path = pathOn(plan, { cpu: 3, isFree, words: "512 B", steps, current });
	if (!path) throw new Error("there is a path");
	return { plan, path };
}

/** Finds the row that a point is in. */
function rowAt(plan: ReturnType<typeof planOf>, y: number): number {
	return plan.rows.findLast(({ band }) => y >= band.y)?.row.rank ?? -1;
}

function segments({ points }: PathLine) {
	return points.slice(1).map((b, i) => {
		const a = points[i] ?? b;
		const [x, y] = [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
		return { x, y, w: Math.abs(a[0] - b[0]), h: Math.abs(a[1] - b[1]) };
	});
}

const SLOW = [
	step(CPU_SLAB, 1),
	step(PARTIAL, 1, true),
	step(PARTIAL, 0, true),
	step(PARTIAL, 3, true),
	step(PAGES_RANK, 1),
	step(CPU_SLAB, 1),
];

describe("the path", () => {
	it("has a stop for each step, in its row and its column", () => {
		const { plan, path } = drawn(SLOW);
		expect(path.stops.map(({ words }) => words).toSorted()).toEqual(["1", "2", "3", "4", "5", "6"]);
		for (const { from, x, y } of path.stops) {
			expect(rowAt(plan, y)).toBe(SLOW[from]?.rank);
			const column = plan.nodes.find((n) => n.node === SLOW[from]?.node)?.column;
			expect(x > (column?.x ?? 0) && x <= (column?.x ?? 0) + (column?.w ?? 0)).toBe(true);
		}
		expect(path.stops.filter((s) => s.isVain).map((s) => s.words)).toEqual(["2", "3", "4"]);
	});

	it("joins neighbouring steps at one place, and names those for which there is no room", () => {
		const twice = [...SLOW.slice(0, 2), step(PARTIAL, 1, true), ...SLOW.slice(2)];
		expect(drawn(twice).path.stops.map(({ words }) => words)).toContain("2–3");
		const many = Array.from({ length: 12 }, (_, i) => step(i % 2 ? PARTIAL : CPU_SLAB, 1));
		const { stops } = drawn(many).path;
		expect(stops.length).toBeLessThan(12);
		expect(stops.map(({ words }) => words).join()).toContain("1, 3");
		const steps = stops.flatMap(({ from, to }) => [from, to]);
		expect([Math.min(...steps), Math.max(...steps)]).toEqual([0, 11]);
	});

	it("leaves no step out, even if it has no place", () => {
		const nowhere: StepPlace = { rank: -1, node: NONE, cpu: NONE, isVain: false };
		const { stops } = drawn([
			nowhere,
			nowhere,
			SLOW[0] ?? nowhere,
			nowhere,
			SLOW[4] ?? nowhere,
		]).path;
		expect(stops.map(({ words }) => words)).toEqual(["1–4", "5"]);
	});

	it("covers neither the count nor the slabs of a list in a narrow column, and says there that they are kept", () => {
		const refused = { ...step(PARTIAL, 0, true), reason: "kept 9: min_partial is 10" };
		const steps = [SLOW[0] ?? refused, step(PARTIAL, 1, true), refused, refused];
		const { plan, path } = drawn(steps, false, 3, [390, 438], [1, 2]);
		const [stop] = path.stops.filter(({ from }) => from === 2);
		const [note] = path.notes;
		const [node] = plan.nodes;
		const [title, list] = [node?.titles, node?.lists].map((of) => of?.get(`${PLACE.NODE_PARTIAL}`));
		expect((stop?.y ?? 0) + (stop?.h ?? 0) / 2).toBeLessThanOrEqual((title?.y ?? 0) + 2);
		expect(note?.words).toBe("kept");
		expect((note?.y ?? 0) - (note?.size ?? 0)).toBeGreaterThanOrEqual(
			(list?.y ?? 0) + (list?.h ?? 0) - 2,
		);
	});

	it("puts a wide stop below the slabs of a per-CPU partial list", () => {
		const chain = rankOf(PLACE.CPU_PARTIAL);
		const steps = Array.from({ length: 10 }, (_, i) => ({
			...step(i > 3 && i < 8 ? PARTIAL : chain, 1),
			cpu: i > 3 && i < 8 ? NONE : 3,
		}));
		const { plan, path } = drawn(steps, true);
		const wide = path.stops.find(({ from }) => from === 0);
		const [area] = seatsOn(plan, FRAME.places).spots.flatMap((spot, i) =>
			spot && FRAME.places[i]?.kind === PLACE.CPU_PARTIAL && FRAME.places[i]?.cpu === 3
				? [spot.area]
				: [],
		);
		const [slab] = layout(plan, {
			cache: undefined,
			frame: FRAME,
			zones: [],
			step: undefined,
			pageBytes: 4096,
		}).slabs.filter((s) => area && isIn(area, s.x + 1, s.y + 1));
		expect(slab).toBeDefined();
		expect(wide?.w).toBeGreaterThan(40);
		expect((wide?.y ?? 0) - (wide?.h ?? 0) / 2).toBeGreaterThanOrEqual(
			(slab?.y ?? 0) + (slab?.h ?? 0) - 4,
		);
	});

	it("puts two stops of a low slab beside each other, and never one over the other", () => {
		const own = { ...step(CPU_SLAB, 1), cpu: 3 };
		const steps = [own, own, step(PARTIAL, 1, true), step(PAGES_RANK, 1), own];
		const { path } = drawn(steps, false, 4, [390, 438], [1, 2]);
		const [first, last] = path.stops.filter(({ from }) => from === 0 || from === 4);
		expect([first?.words, last?.words]).toEqual(["1–2", "5"]);
		expect((last?.y ?? 0) - (first?.y ?? 0)).toBeGreaterThan(8);
	});

	it("shortens the numbers of a stop if there is no room for all of them", () => {
		const long = Array.from({ length: 4_000 }, (_, i) => step(i % 1_500 ? PARTIAL : PAGES_RANK, 1));
		const words = drawn(long).path.stops.map((stop) => stop.words);
		expect(words.toSorted()).toEqual(["1 …", "2 …"]);
		for (const { w } of drawn(long).path.stops) expect(w).toBeLessThan(80);
	});

	it("says at each list why it refused, and how often it was asked", () => {
		const refused = { ...step(PARTIAL, 0, true), reason: "kept 3: min_partial is 5" };
		const none = { ...step(PARTIAL, 1, true), reason: "none there" };
		const { notes } = drawn([SLOW[0] ?? none, refused, none, none, refused]).path;
		expect(notes.map(({ words }) => words)).toEqual([
			"kept 3: min_partial is 5",
			"none there, asked 2 times",
		]);
		// What a list will answer is not known until it is asked.
		const before = drawn([SLOW[0] ?? none, refused, none, none, refused], false, 1).path;
		expect(before.notes.map(({ words }) => words)).toEqual(["kept 3: min_partial is 5"]);
	});

	it("returns along a dashed line with an arrow", () => {
		const back = drawn(SLOW).path.lines.filter((line) => line.isObject);
		expect(back).toHaveLength(1);
		expect(back[0]?.hasArrow).toBe(true);
	});

	it("goes straight to the slab for a free, and touches no other rows", () => {
		const { plan, path } = drawn([step(FULL, 1), step(PARTIAL, 1)], true);
		expect(path.lines[0]?.isObject).toBe(true);
		expect(path.stops.map(({ y }) => rowAt(plan, y))).toEqual([FULL, PARTIAL]);
	});

	it("shows which steps are done, which one is current and which are still to come", () => {
		const { path } = drawn(SLOW, false, 2);
		const when = new Map(path.stops.map((s) => [s.words, s.when]));
		expect([..."123456"].map((n) => when.get(n))).toEqual([
			"done",
			"done",
			"now",
			"ahead",
			"ahead",
			"ahead",
		]);
	});

	it("crosses no slabs, has no slanted lines and stays on the stage", () => {
		const anyStep = fc
			.record({
				rank: fc.constantFrom(CPU_SLAB, PARTIAL, FULL, PAGES_RANK),
				node: fc.nat(3),
				isVain: fc.boolean(),
			})
			.map(({ rank, node, isVain }) => step(rank, node, isVain));
		const size = fc.constantFrom<readonly number[]>(
			[1060, 470],
			[1400, 900],
			[900, 300],
			[2400, 1300],
		);
		fc.assert(
			fc.property(
				fc.array(anyStep, { minLength: 1, maxLength: 14 }),
				fc.boolean(),
				size,
				(steps, isFree, size) => {
					const { plan, path } = drawn(steps, isFree, 0, [...size]);
					const source = {
						cache: undefined,
						frame: FRAME,
						zones: [],
						step: undefined,
						pageBytes: 4096,
					};
					const boxes = layout(plan, source).slabs.filter((s) => !s.fold);
					for (const line of path.lines)
						for (const { x, y, w, h } of segments(line)) {
							expect(Math.min(w, h)).toBe(0);
							expect(x >= 0 && y >= -6 && x + w <= plan.width && y + h <= plan.height).toBe(true);
							const hit = boxes.filter(
								(s) =>
									x < s.x + s.w - 0.5 &&
									x + w > s.x + 0.5 &&
									y < s.y + s.h - 0.5 &&
									y + h > s.y + 0.5,
							);
							expect(hit.map((s) => s.key)).toEqual([]);
						}
				},
			),
			{ numRuns: 60 },
		);
	});

	it("stops at the list it uses where machine-wide lists are side by side", () => {
		const frame = frameFromText(
			[
				...[256, 1024, 4096].map((bytes, i) => `small${NONE}<${bytes}: ${slabs(100 * i, 30)}`),
				`loose${NONE}: ${slabs(600, 30)}`,
			].join("\n"),
			NODES,
		);
		const plan = makePlan(
			shapeOf(frame.places, { width: 1060, height: 470, nodeOfCpu: NODES, nrNodes: 4 }),
		);
		const rank = rankOf(KIND.PLACE_SMALL_PAGES);
		const source = { cache: undefined, frame, zones: [], step: undefined, pageBytes: 4096 };
		const { slabs: boxes, panels } = layout(plan, source);
		const common = plan.nodes.find(({ node }) => node === NONE);
		const list = listKey({ kind: KIND.PLACE_SMALL_PAGES, bytes: 1024 });
		const steps = [
			{ ...step(rank, NONE), list },
			step(PAGES_RANK, 1),
			{ ...step(rank, NONE), list },
		];
		for (const isFree of [false, true]) {
			const path = pathOn(plan, { cpu: 3, isFree, words: "512 B", steps, current: 2 });
			const stop = path?.stops.find(({ from }) => from === 0);
			const cell = common?.frames.get(list) ?? EMPTY;
			expect(stop && isIn(cell, stop.x, stop.y)).toBe(true);
			const crossed = (path?.lines ?? [])
				.flatMap(segments)
				.flatMap(({ x, y, w, h }) =>
					boxes.filter(
						(s) =>
							x < s.x + s.w - 0.5 && x + w > s.x + 0.5 && y < s.y + s.h - 0.5 && y + h > s.y + 0.5,
					),
				);
			expect(crossed.map(({ key }) => key)).toEqual([]);
		}
		// The outlines of columns leave out what belongs to no node.
		const { y = 0, h = 0 } = common?.column ?? {};
		const outlines = panels.filter(({ key }) => key.startsWith("node:"));
		expect(outlines).toHaveLength(8);
		for (const outline of outlines)
			expect(outline.y + outline.h <= y || outline.y >= y + h).toBe(true);
	});
});
