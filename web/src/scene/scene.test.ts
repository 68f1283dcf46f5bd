/** Laws of scenes: keys are unique, boxes are on the stage, and a tween begins and ends where it should. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../test/fixtures/frame_text.ts";
import type { CacheRow, Frame } from "../engine/types.ts";
import { hitTest } from "./hit.ts";
import { layout } from "./layout.ts";
import { makePlan } from "./plan.ts";
import type { Rect, Scene } from "./scene.ts";
import { ease, moves, tween } from "./tween.ts";

const CACHE: CacheRow = {
	cache: 3,
	name: "kmalloc-64",
	order: 0,
	objectSize: 64,
	size: 64,
	objectsPerSlab: 64,
	slabs: 0,
	slabsPeak: 0,
	objects: 0,
	totalObjects: 0,
	liveObjects: 0,
	partial: 0,
	cpuSlabs: 0,
	minPartial: 5,
	cpuPartialSlabs: 4,
	requestedBytes: 0,
	slabBytes: 0,
	counters: [],
};

interface Made {
	readonly frame: Frame;
	readonly nodeOfCpu: readonly number[];
	readonly nrNodes: number;
	readonly width: number;
	readonly height: number;
}

function sceneOf({ frame, nodeOfCpu, nrNodes, width, height }: Made): Scene {
	const plan = makePlan({ width, height, nodeOfCpu, nrNodes, chain: 4 });
	const zones = [{ node: 0, kind: 2, pages: 1000, used: 100 }];
	return layout(plan, { cache: CACHE, frame, zones, step: undefined, tailShare: 0.02 });
}

/** Machines of many shapes, with slabs in all kinds of places. */
const made: fc.Arbitrary<Made> = fc
	.record({
		nrNodes: fc.integer({ min: 1, max: 9 }),
		cpusPerNode: fc.integer({ min: 1, max: 20 }),
		lengths: fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 2, maxLength: 12 }),
		objects: fc.integer({ min: 1, max: 70 }),
		width: fc.integer({ min: 320, max: 2000 }),
		height: fc.integer({ min: 400, max: 1200 }),
	})
	.map(({ nrNodes, cpusPerNode, lengths, objects, width, height }) => {
		const nodeOfCpu = Array.from({ length: nrNodes * cpusPerNode }, (_, cpu) => cpu % nrNodes);
		const words = ["cpu", "chain", "partial", "full", "transit"];
		let serial = 0;
		const lines = lengths.map((length, i) => {
			const word = words[i % words.length] ?? "full";
			const ofCpu = word === "cpu" || word === "chain";
			const number = Math.floor(i / words.length) % (ofCpu ? nodeOfCpu.length : nrNodes);
			const most = word === "cpu" ? Math.min(1, length) : length;
			const slabs = Array.from(
				{ length: most },
				() => `${serial++}:${"a.c".repeat(objects).slice(0, objects)}`,
			);
			return `${word}${number}: ${slabs.join(" ")}`;
		});
		return { frame: frameFromText(lines.join("\n"), nodeOfCpu), nodeOfCpu, nrNodes, width, height };
	});

function isInside(r: Rect, scene: Scene): boolean {
	const slack = 0.01;
	return (
		r.x >= -slack &&
		r.y >= -slack &&
		r.x + r.w <= scene.width + slack &&
		r.y + r.h <= scene.height + slack
	);
}

describe("layout", () => {
	it("gives every box a key of its own and keeps it on the stage", () => {
		fc.assert(
			fc.property(made, (m) => {
				const scene = sceneOf(m);
				expect(scene.slabs).toHaveLength(m.frame.slabs.count);
				for (const boxes of [scene.slabs, scene.panels, scene.labels, scene.marks]) {
					expect(new Set(boxes.map((b) => b.key)).size).toBe(boxes.length);
				}
				const astray = [...scene.slabs, ...scene.panels].filter((b) => !isInside(b, scene));
				expect(astray).toEqual([]);
			}),
			{ numRuns: 60 },
		);
	});

	it("is a function: the same frame gives the same scene", () => {
		fc.assert(
			fc.property(made, (m) => {
				expect(sceneOf(m)).toEqual(sceneOf(m));
			}),
			{ numRuns: 20 },
		);
	});

	it("keeps list order, head first, and never lets slabs of one place overlap", () => {
		const scene = sceneOf({
			frame: frameFromText("partial0: 7:a... 2:.... 9:aa.."),
			nodeOfCpu: [0, 0],
			nrNodes: 1,
			width: 900,
			height: 600,
		});
		const [a, b, c] = scene.slabs;
		expect(scene.slabs.map((s) => s.key)).toEqual(["slab:3/7", "slab:3/2", "slab:3/9"]);
		expect((a?.x ?? 0) + (a?.w ?? 0)).toBeLessThanOrEqual(b?.x ?? 0);
		expect((b?.x ?? 0) + (b?.w ?? 0)).toBeLessThanOrEqual(c?.x ?? 0);
	});

	it("holds 160 CPUs and thousands of slabs", () => {
		const nodeOfCpu = Array.from({ length: 160 }, (_, cpu) => Math.floor(cpu / 20));
		const full = Array.from({ length: 4000 }, (_, i) => `${i}:aaaaaaaa`).join(" ");
		const frame = frameFromText(`full0: ${full}`, nodeOfCpu);
		const scene = sceneOf({ frame, nodeOfCpu, nrNodes: 8, width: 816, height: 540 });
		expect(scene.slabs.filter((s) => !isInside(s, scene))).toEqual([]);
		expect(scene.panels.filter((p) => p.kind === "cpu")).toHaveLength(160);
	});
});

const SIZE = { nodeOfCpu: [0, 0], nrNodes: 1, width: 900, height: 600 };
const BEFORE = sceneOf({ ...SIZE, frame: frameFromText("cpu0: 1:aacc\npartial0: 2:a... 3:....") });
const AFTER = sceneOf({
	...SIZE,
	frame: frameFromText("cpu0: 2:aacc\nfull0: 1:aaaa\ncpu1: 4:acccc"),
});

describe("tween", () => {
	it("begins with the first scene and ends with the second", () => {
		expect(tween(BEFORE, AFTER, 0)).toBe(BEFORE);
		expect(tween(BEFORE, AFTER, 1)).toBe(AFTER);
		expect(ease(0)).toBe(0);
		expect(ease(1)).toBe(1);
	});

	it("moves a slab from place to place, lets new ones arrive and old ones leave", () => {
		const half = tween(BEFORE, AFTER, 0.5);
		const at = (scene: Scene, key: string) => scene.slabs.find((s) => s.key === key);
		const [from, to] = [at(BEFORE, "slab:3/2"), at(AFTER, "slab:3/2")];
		expect(at(half, "slab:3/2")?.x).toBeCloseTo(((from?.x ?? 0) + (to?.x ?? 0)) / 2);
		expect(at(half, "slab:3/4")?.alpha).toBe(0.5);
		expect(at(half, "slab:3/3")?.alpha).toBe(0.5);
		expect(new Set(half.slabs.map((s) => s.key)).size).toBe(half.slabs.length);
	});

	it("stays on the stage all the way", () => {
		fc.assert(
			fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (t) => {
				const scene = tween(BEFORE, AFTER, t);
				expect(scene.slabs.filter((s) => !isInside(s, scene))).toEqual([]);
			}),
		);
	});

	it("knows when nothing moves", () => {
		expect(moves(BEFORE, BEFORE)).toBe(false);
		expect(moves(BEFORE, AFTER)).toBe(true);
	});
});

describe("hit test", () => {
	it("finds every object at its cell", () => {
		const slab = AFTER.slabs.find((s) => s.key === "slab:3/1");
		if (!slab) throw new Error("slab 1 is missing");
		const h = (slab.h - slab.strip) * (1 - slab.tail);
		const found = Array.from(slab.cells, (_, i) => {
			const x = slab.x + (((i % slab.columns) + 0.5) * slab.w) / slab.columns;
			const y = slab.y + slab.strip + ((Math.floor(i / slab.columns) + 0.5) * h) / slab.rows;
			return hitTest(AFTER, x, y)?.index;
		});
		expect(found).toEqual(Array.from(slab.cells, (_, i) => i));
	});

	it("finds nothing beside the slabs", () => {
		expect(hitTest(AFTER, 1, 1)).toBeUndefined();
	});
});
