/** Tests long lists as bars: every slab is counted once, and no partial slab looks full at any size. */
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../../../test/fixtures/frame_text.ts";
import { histogramsAt, visibleBox } from "../../geometry.ts";
import { type Glyph, glyphParts } from "../../glyph.ts";
import { rangesIn } from "../../histogram/bars.ts";
import { hitTest } from "../../hit.ts";
import { EMPTY_SCENE, type Histogram, meet, type Scene, type SlabBox } from "../../scene.ts";
import { transition } from "../../tween.ts";
import { capacitiesOf } from "../capacity.ts";
import { layout } from "../layout.ts";
import { makePlan, type Plan } from "../plan.ts";
import { shapeOf } from "../shape.ts";

const WINDOWS = [
	[1060, 170],
	[1060, 560],
	[366, 400],
	[3400, 1500],
] as const;
/** CPUs, and the nodes that have them. */
const MACHINES = [
	[1, 1],
	[2, 1],
	[8, 2],
	[16, 4],
	[17, 1],
	[64, 8],
	[160, 4],
	[512, 8],
	[512, 64],
] as const;

const nodesOf = (cpus: number, nodes: number) =>
	Array.from({ length: cpus }, (_, cpu) => Math.floor((cpu * nodes) / cpus));

/** `n` slabs of four objects, with one to three of them free, in turn. */
function partial(from: number, n: number): string {
	const cells = ["aaa.", "aa..", "a..."];
	return Array.from({ length: n }, (_, i) => `${from + i}:${cells[i % 3]}`).join(" ");
}

const full = (from: number, n: number) =>
	Array.from({ length: n }, (_, i) => `${from + i}:aaaa`).join(" ");

function frameOf(nrPartial: number, nrFull: number, cpus = 2, nodes = 1) {
	const lines = Array.from({ length: nodes }, (_, node) => [
		`partial${node}: ${partial(node * 10_000, nrPartial)}`,
		`full${node}: ${full(node * 10_000 + 5000, nrFull)}`,
	]).flat();
	const own = Array.from({ length: cpus }, (_, cpu) => `cpu${cpu}: ${900_000 + cpu}:aacc`);
	return frameFromText([...own, ...lines].join("\n"), nodesOf(cpus, nodes));
}

interface Drawn {
	readonly plan: Plan;
	readonly scene: Scene;
}

function drawn(
	frame: ReturnType<typeof frameOf>,
	cpus: number,
	nodes: number,
	size: readonly [number, number],
	crowdFrom?: number,
): Drawn {
	const nodeOfCpu = nodesOf(cpus, nodes);
	const machine = { width: size[0], height: size[1], nodeOfCpu, nrNodes: nodes };
	const plan = makePlan(shapeOf(frame.places, machine));
	const source = { cache: undefined, frame, zones: [], step: undefined, pageBytes: 4096 };
	return { plan, scene: layout(plan, source, EMPTY_SCENE, crowdFrom) };
}

const counted = ({ bars }: Histogram) => bars.reduce((sum, bar) => sum + bar.nrSlabs, 0);

describe("the ranges of bars", () => {
	it("cover each count once, and keep full and empty slabs apart from partial ones", () => {
		for (const most of [1, 2, 7, 32, 51, 170]) {
			for (const w of [3, 20, 80, 300, 1200]) {
				const ranges = rangesIn(most, w);
				expect(
					ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
				).toEqual(Array.from({ length: most + 1 }, (_, i) => i));
				expect(ranges[0]).toEqual([0, 0]);
				expect(ranges.at(-1)).toEqual([most, most]);
			}
		}
	});
});

describe("a list of more than 300 slabs", () => {
	it("becomes a histogram that counts each slab once, below a line of its first slabs", () => {
		const { scene } = drawn(frameOf(400, 20), 2, 1, [1060, 560]);
		expect(scene.histograms.map((h) => h.nrSlabs)).toEqual([400]);
		const [histogram] = scene.histograms as [Histogram];
		expect(counted(histogram)).toBe(400);
		expect(histogram.bars.map((bar) => bar.nrSlabs)).toEqual([0, 134, 133, 133, 0]);
		const folded = scene.slabs.filter((s) => s.fold?.key === histogram.key);
		const head = scene.slabs.filter((s) => s.serial < 400 && !s.fold);
		expect(folded.length + head.length).toBe(400);
		expect(head.map((s) => s.serial)).toEqual(head.map((_, i) => i));
		expect(new Set(head.map((s) => s.y)).size).toBe(1);
		expect(Math.max(...head.map((s) => s.y + s.h))).toBeLessThan(histogram.y);
		expect(drawn(frameOf(300, 20), 2, 1, [1060, 560]).scene.histograms).toEqual([]);
	});

	it("marks the bars of slabs with inferred objects, and counts those slabs", () => {
		const partial = Array.from({ length: 310 }, (_, i) => `${i}:${i < 3 ? "ia.." : "aaa."}`).join(
			" ",
		);
		const frame = frameFromText(`partial0: ${partial}\nfull0: 900:aaaa`);
		const [{ bars }] = drawn(frame, 1, 1, [1060, 560]).scene.histograms as [Histogram];
		expect(bars.map((bar) => bar.inferred)).toEqual([0, 0, 3, 0, 0]);
		const roles = (at: number) =>
			glyphParts(bars[at]?.glyph as Glyph, 20, 40, 1).map((p) => p.role);
		expect(roles(1)).not.toContain("notch");
		expect(roles(2)).toContain("notch");
	});

	it("stays a histogram until only half as many slabs are left, in the same room", () => {
		const long = capacitiesOf(frameOf(301, 3).places);
		expect(capacitiesOf(frameOf(2000, 3).places, long)).toBe(long);
		expect(capacitiesOf(frameOf(299, 3).places, long)).toBe(long);
		expect(capacitiesOf(frameOf(152, 3).places, long)).toBe(long);
		expect(capacitiesOf(frameOf(150, 3).places, long)).not.toBe(long);
	});

	it("covers nothing else and has no solid partial slabs, at every size from 1 to 512 CPUs", () => {
		for (const [cpus, nodes] of MACHINES) {
			const frame = frameOf(310, 310, cpus, nodes);
			for (const size of WINDOWS) {
				const { scene, plan } = drawn(frame, cpus, nodes, size, 1);
				expect(scene.histograms).toHaveLength(2 * nodes);
				for (const node of plan.nodes) {
					const own = [...node.lists.values(), ...(node.zones ? [node.zones] : [])];
					const over = own.flatMap((a, i) => own.slice(i + 1).filter((b) => meet(a, b)));
					expect(over).toEqual([]);
				}
				const shown = scene.histograms.flatMap((h) => h.bars).filter((bar) => bar.nrSlabs > 0);
				for (const { from, w, h, glyph } of shown) {
					const [across, down] = [w, h].map((side) => Math.max(1, Math.round(side)));
					const roles = glyphParts(glyph, across ?? 1, down ?? 1, 1).map((part) => part.role);
					if (from === 0) expect(roles).toEqual(["full"]);
					else expect(roles).toContain("foot");
				}
			}
		}
	});

	it("becomes a histogram before its tiles become too small to read", () => {
		const { plan, scene } = drawn(frameOf(290, 290, 512, 64), 512, 64, [1060, 560]);
		const shown = plan.nodes.flatMap((n) => [...n.tiles].filter(([key]) => !n.long.has(key)));
		for (const [, tile] of shown) expect(tile).toBeGreaterThanOrEqual(4);
		expect(scene.histograms).toHaveLength(128);
	});

	it("is hit bar by bar from afar and slab by slab from close up", () => {
		for (const crowdFrom of [1, Number.POSITIVE_INFINITY]) {
			const { scene } = drawn(frameOf(400, 20), 2, 1, [1060, 560], crowdFrom);
			const [histogram] = scene.histograms as [Histogram];
			const bar = histogram.bars[2];
			if (!bar) throw new Error("three bars at least");
			const hit = hitTest(scene, bar.x + bar.w / 2, histogram.y + histogram.h - 1, 1);
			expect(hit?.bar?.bar.from).toBe(2);
			expect(hit?.slab).toBeUndefined();
			const counts = ({ cells, allocated }: SlabBox) => cells.length - allocated === bar.from;
			const slab = scene.slabs.find((s) => s.fold && counts(s));
			if (!slab) throw new Error("a slab of the bar");
			expect(visibleBox(scene, slab, 1)).toBe(bar);
			const near = histogram.unfoldsAt;
			expect(histogramsAt(scene, near)).toEqual([]);
			expect(visibleBox(scene, slab, near)).toBe(slab);
			expect(hitTest(scene, slab.x + slab.w / 2, slab.y + slab.h / 2, near)?.slab?.serial).toBe(
				slab.serial,
			);
		}
	});

	it("shows a slab that leaves it, but none that only moves up", () => {
		const [before, after] = [frameOf(400, 20), frameOf(400, 20)];
		const a = drawn(before, 2, 1, [1060, 560]).scene;
		const out = a.slabs.find((s) => s.serial === 200);
		if (!out) throw new Error("a slab of the list");
		const cpu = { ...out, x: 0, y: 0, fold: undefined };
		const b = drawn(after, 2, 1, [1060, 560]).scene;
		const moved = b.slabs.map((s) =>
			s.serial === 200 ? cpu : s.serial === 201 ? { ...s, x: s.x + 3 } : s,
		);
		const halfway = transition(a, { ...b, slabs: moved })(0.5);
		expect(halfway.slabs.find((s) => s.serial === 200)?.fold).toBeUndefined();
		expect(halfway.slabs.find((s) => s.serial === 201)?.fold).toBeDefined();
	});
});
