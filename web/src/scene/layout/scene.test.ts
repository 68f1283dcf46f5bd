/** Tests invariants of scenes: keys are unique, boxes are on the stage, and a tween starts and ends where it should. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frameFromText, TEXT_CACHE } from "../../../test/fixtures/frame_text.ts";
import { type Frame, NONE } from "../../engine/frame.ts";
import { KIND } from "../../engine/place_kinds.ts";
import { isAbout } from "../about.ts";
import { inWords } from "../describe.ts";
import { cellRects, entryRect, objectArea } from "../geometry.ts";
import { hitTest } from "../hit.ts";
import type { Rect, Scene } from "../scene.ts";
import { ease, transition } from "../tween.ts";
import { layout } from "./layout.ts";
import { makePlan } from "./plan.ts";
import { shapeOf } from "./shape.ts";

const CACHE = { cache: 3, size: 64, minPartial: 5 };

interface Made {
	readonly frame: Frame;
	readonly nodeOfCpu: readonly number[];
	readonly nrNodes: number;
	readonly width: number;
	readonly height: number;
}

function sceneOf({ frame, nodeOfCpu, nrNodes, width, height }: Made): Scene {
	const plan = makePlan(shapeOf(frame.places, { width, height, nodeOfCpu, nrNodes }));
	const zones = [{ node: 0, kind: 2, pages: 1000, used: 100 }];
	return layout(plan, { cache: CACHE, frame, zones, step: undefined, pageBytes: 4096 });
}

const ALLOCATORS = [
	["cpu", "chain", "partial", "full", "transit"],
	["array", "shared", "alien", "full", "partial", "free"],
	["array", "shared", "alien", "alien", "partial", "loose", "transit"],
	["small", "small", "small", "loose"],
	["class", "class", "class", "class", "class", "class", "class", "loose"],
	["cpu", "chain", "sheaf", "barn", "barn", "partial", "full"],
];
const ARRAYS = ["array", "shared", "alien", "sheaf", "barn"];

/** Machines of many shapes, with slabs in all kinds of places. */
const made: fc.Arbitrary<Made> = fc
	.record({
		nrNodes: fc.integer({ min: 1, max: 9 }),
		cpusPerNode: fc.integer({ min: 1, max: 20 }),
		kinds: fc.constantFrom(...ALLOCATORS),
		lengths: fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 2, maxLength: 12 }),
		objects: fc.integer({ min: 1, max: 70 }),
		width: fc.integer({ min: 320, max: 2000 }),
		height: fc.integer({ min: 400, max: 1200 }),
	})
	.map(({ nrNodes, cpusPerNode, kinds, lengths, objects, width, height }) => {
		const nodeOfCpu = Array.from({ length: nrNodes * cpusPerNode }, (_, cpu) => cpu % nrNodes);
		const words = kinds;
		let serial = 0;
		const lines = lengths.map((length, i) => {
			const word = words[i % words.length] ?? "full";
			const ofCpu = ["cpu", "chain", "array", "sheaf"].includes(word);
			const number = Math.floor(i / words.length) % (ofCpu ? nodeOfCpu.length : nrNodes);
			if (ARRAYS.includes(word)) {
				const items = Array.from({ length }, (_, k) => `${i}.${k}`);
				return `${word}${number}>1/${objects}: ${items.join(" ")}`;
			}
			const most = word === "cpu" ? Math.min(1, length) : length;
			const cells = word === "small" ? "a58.12a512" : "a.c".repeat(objects).slice(0, objects);
			const slabs = Array.from({ length: most }, () => `${serial++}:${cells}`);
			const largest = word === "small" || word === "class" ? `<${i * 8 + 8}` : "";
			return `${word}${number}${largest}: ${slabs.join(" ")}`;
		});
		const once = lines.filter((line, i) => {
			const [name = ""] = line.split(":");
			return (
				/^(shared|alien|barn)/.test(name) || lines.findIndex((l) => l.startsWith(`${name}:`)) === i
			);
		});
		return { frame: frameFromText(once.join("\n"), nodeOfCpu), nodeOfCpu, nrNodes, width, height };
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
	it("gives every box its own key and keeps it on the stage", { timeout: 30_000 }, () => {
		fc.assert(
			fc.property(made, (m) => {
				const scene = sceneOf(m);
				expect(scene.slabs).toHaveLength(m.frame.slabs.count);
				const { slabs, arrays, panels, labels, marks } = scene;
				for (const boxes of [slabs, arrays, panels, labels, marks]) {
					expect(new Set(boxes.map((b) => b.key)).size).toBe(boxes.length);
				}
				const astray = [...slabs, ...arrays, ...panels].filter((b) => !isInside(b, scene));
				expect(astray).toEqual([]);
			}),
			{ numRuns: 60 },
		);
	});

	it("gives the same scene for the same frame", () => {
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

	it("copes with 160 CPUs and thousands of slabs", () => {
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
	it("starts as the first scene and ends as the second", () => {
		expect(transition(BEFORE, AFTER)(0)).toBe(BEFORE);
		expect(transition(BEFORE, AFTER)(1)).toBe(AFTER);
		expect(ease(0)).toBe(0);
		expect(ease(1)).toBe(1);
	});

	it("moves a slab from place to place, and lets new ones arrive and old ones leave", () => {
		const half = transition(BEFORE, AFTER)(0.5);
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
				const scene = transition(BEFORE, AFTER)(t);
				expect(scene.slabs.filter((s) => !isInside(s, scene))).toEqual([]);
			}),
		);
	});

	it("reports when nothing moves", () => {
		expect(transition(BEFORE, BEFORE).moves).toBe(false);
		expect(transition(BEFORE, AFTER).moves).toBe(true);
	});
});

const ARRAYS_BEFORE = sceneOf({
	...SIZE,
	frame: frameFromText(`array0/8: 1.2 1.3
		array1/8:
		shared0/16: 1.1
		partial0: 1:aacc`),
});
const ARRAYS_AFTER = sceneOf({
	...SIZE,
	frame: frameFromText(`array0/8: 1.3
		array1/8: 1.1
		shared0/16:
		partial0: 1:aa.c`),
});

describe("arrays", () => {
	const array = (scene: Scene, key: string) => {
		const found = scene.arrays.find((a) => a.key.startsWith(key));
		if (!found) throw new Error(`${key} is missing`);
		return found;
	};

	it("fill from the bottom up, and every object is found where it is drawn", () => {
		const box = array(ARRAYS_BEFORE, "array:cpu/0");
		const [first, second] = [entryRect(box, 0), entryRect(box, box.columns)];
		expect(second.y).toBeLessThan(first.y);
		const found = [0, 1].map((i) => {
			const r = entryRect(box, i);
			return hitTest(ARRAYS_BEFORE, r.x + r.w / 2, r.y + r.h / 2)?.object;
		});
		expect(found).toEqual([
			{ cache: 3, serial: 1, index: 2 },
			{ cache: 3, serial: 1, index: 3 },
		]);
	});

	it("show objects leaving and arriving", () => {
		const half = transition(ARRAYS_BEFORE, ARRAYS_AFTER)(0.5);
		expect(half.flying.map((f) => f.key).sort()).toEqual(["obj:3/1/1", "obj:3/1/2", "obj:3/1/3"]);
		const from = entryRect(array(ARRAYS_BEFORE, "array:0"), 0);
		const to = entryRect(array(ARRAYS_AFTER, "array:cpu/1"), 0);
		const moved = half.flying.find((f) => f.key === "obj:3/1/1");
		expect(moved?.x).toBeCloseTo((from.x + to.x) / 2);
		expect([...array(half, "array:cpu/1").awaited]).toEqual([0]);
		expect(transition(ARRAYS_BEFORE, ARRAYS_AFTER).moves).toBe(true);
	});

	it("are put in words, next object first", () => {
		const frame = frameFromText("array0/8: 1.2 1.3\npartial0: 1:aacc");
		expect(inWords(frame)).toContainEqual({
			key: "0",
			name: "CPU 0, array cache",
			holds: "2 of 8, next: object 3 of slab 1, object 2 of slab 1",
		});
	});
});

describe("blocks of different sizes", () => {
	const frame = frameFromText("small0<255: 7:a1000.24a2000.1072");
	const scene = sceneOf({ ...SIZE, frame });
	const slab = scene.slabs[0];

	it("are as wide as they are long, and fill the slab", () => {
		if (!slab) throw new Error("the slab is missing");
		const area = objectArea(slab);
		const share = (i: number) =>
			cellRects(slab, i).reduce((sum, r) => sum + r.w * r.h, 0) / (area.w * area.h);
		expect([0, 1, 2, 3].map((i) => Math.round(share(i) * 4096))).toEqual([1000, 24, 2000, 1072]);
	});

	it("are found where they are drawn", () => {
		if (!slab) throw new Error("the slab is missing");
		const found = [0, 1, 2, 3].map((i) => {
			const r = cellRects(slab, i)[0] ?? slab;
			return hitTest(scene, r.x + r.w / 2, r.y + r.h / 2)?.object?.index;
		});
		expect(found).toEqual([0, 1, 2, 3]);
	});

	it("can be put in words", () => {
		expect(inWords(frame)[0]?.holds).toBe(
			"slab 7: 1000 bytes at 0 allocated, 24 bytes at 1000 free, " +
				"2000 bytes at 1024 allocated, 1072 bytes at 3024 free",
		);
	});
});

describe("machine-wide lists", () => {
	it("lie between the CPUs and the pages, across all columns", () => {
		const frame = frameFromText(`small${NONE}<255: 7:a4096\nsmall${NONE}<1023: 8:a4096`, [0, 1]);
		const scene = sceneOf({ ...SIZE, frame, nodeOfCpu: [0, 1], nrNodes: 2 });
		const of = (kind: string) => scene.panels.filter((p) => p.kind === kind);
		const [cpus, pages] = [
			Math.max(...of("cpu").map((p) => p.y + p.h)),
			Math.min(...of("zone").map((p) => p.y)),
		];
		for (const slab of scene.slabs) expect(slab.y > cpus && slab.y + slab.h < pages).toBe(true);
		const columns = of("node").filter((p) => p.key.startsWith("node:"));
		const width = Math.max(...columns.map((p) => p.x + p.w)) - Math.min(...columns.map((p) => p.x));
		expect(of("node").find((p) => p.key === "common")?.w).toBeCloseTo(width, -1);
	});
});

describe("hit test", () => {
	it("finds every object in its cell", () => {
		const slab = AFTER.slabs.find((s) => s.key === "slab:3/1");
		if (!slab) throw new Error("slab 1 is missing");
		const found = Array.from(slab.cells, (_, i) => {
			const r = cellRects(slab, i)[0] ?? slab;
			const [x, y] = [r.x + r.w / 2, r.y + r.h / 2];
			return hitTest(AFTER, x, y)?.object?.index;
		});
		expect(found).toEqual(Array.from(slab.cells, (_, i) => i));
	});

	it("finds only the slab where objects are too small to tell apart", () => {
		const slab = AFTER.slabs.find((s) => s.key === "slab:3/1");
		const cell = slab && cellRects(slab, 0)[0];
		if (!cell) throw new Error("slab 1 is missing");
		const [x, y] = [cell.x + cell.w / 2, cell.y + cell.h / 2];
		const least = Math.min(cell.w, cell.h);
		expect(hitTest(AFTER, x, y, 5.1 / least)?.object?.index).toBe(0);
		const far = hitTest(AFTER, x, y, 4.9 / least);
		expect([far?.slab?.key, far?.object]).toEqual(["slab:3/1", undefined]);
	});

	it("finds nothing outside the panels", () => {
		expect(hitTest(AFTER, 1, 1)).toBeUndefined();
	});

	it("finds the CPU, list, zone or node around a point, whether or not there is a slab", () => {
		for (const kind of ["cpu", "list", "zone"] as const) {
			const panel = AFTER.panels.find((p) => p.kind === kind);
			if (!panel) throw new Error(`no ${kind} is drawn`);
			const inside = hitTest(AFTER, panel.x + panel.w - 2, panel.y + panel.h - 2);
			expect(inside?.panel).toBe(panel);
			expect(inside).toBe(hitTest(AFTER, panel.x + panel.w - 3, panel.y + panel.h - 2));
		}
		const slab = AFTER.slabs[0];
		if (!slab) throw new Error("there is a slab");
		const onSlab = hitTest(AFTER, slab.x + 1, slab.y + slab.h - 1);
		expect([onSlab?.slab?.key, onSlab?.panel?.kind]).toEqual([slab.key, "cpu"]);
	});
});

describe("the subject of a step", () => {
	const frame = frameFromText(
		`array0/8:
		array1/8:
		shared0/8:
		alien0>1/4:
		alien1>0/4:
		partial0: 1:....
		partial1: 2:....
		class0<64: 3:....
		class0<128: 4:....`,
		[0, 1],
	);
	const about = (cpu: number, node: number, args: Record<string, number>) => {
		const step = { kind: "", fn: "", sentence: "", cpu, node, cache: TEXT_CACHE, args };
		return frame.places
			.filter((p) => isAbout({ step, frame }, p))
			.map((p) => [p.kind, p.cpu === NONE ? p.node : p.cpu]);
	};

	it("follows from the names of its arguments", () => {
		expect(about(0, 0, { avail: 3 })).toEqual([[KIND.PLACE_CPU_ARRAY, 0]]);
		expect(about(1, 0, { held: 3 })).toEqual([[KIND.PLACE_ALIEN_ARRAY, 1]]);
		expect(about(0, 0, { home: 1, avail: 3 })).toEqual([[KIND.PLACE_ALIEN_ARRAY, 0]]);
		expect(about(0, 1, { nr_partial: 1 })).toEqual([[KIND.PLACE_NODE_PARTIAL, 1]]);
		expect(about(0, 0, { list: KIND.PLACE_SHARED_ARRAY })).toEqual([[KIND.PLACE_SHARED_ARRAY, 0]]);
		// One of a node's lists by size, not all of them.
		const list = KIND.PLACE_CLASS_PAGES;
		expect(about(0, 0, { list, limit: 128 })).toEqual([[list, 0]]);
		expect(about(0, 0, { class: 64 })).toEqual([[list, 0]]);
		expect(about(0, 1, { class: 64 })).toEqual([]);
	});
});

describe("reusing the previous scene", () => {
	it("gives what building it from scratch would give", { timeout: 30_000 }, () => {
		fc.assert(
			fc.property(made, fc.array(fc.nat(), { maxLength: 6 }), (m, picks) => {
				const plan = makePlan(shapeOf(m.frame.places, m));
				const source = { cache: CACHE, zones: [], step: undefined, pageBytes: 4096 };
				const before = layout(plan, { ...source, frame: m.frame });
				const cells = m.frame.cells.slice();
				for (const pick of picks) if (cells.length > 0) cells[pick % cells.length] = 0;
				const frame = { ...m.frame, cells };
				expect(layout(plan, { ...source, frame }, before)).toEqual(
					layout(plan, { ...source, frame }),
				);
			}),
			{ numRuns: 30 },
		);
	});

	it("keeps the boxes of slabs that have not changed", () => {
		const frames = ["partial0: 1:a.aa 2:aa.. 3:a...", "partial0: 1:a.aa 2:aaa. 3:a..."];
		const [first, second] = frames.map((text) => frameFromText(text));
		if (!first || !second) throw new Error("there are two frames");
		const plan = makePlan(shapeOf(first.places, SIZE));
		const source = { cache: CACHE, zones: [], step: undefined, pageBytes: 4096 };
		const before = layout(plan, { ...source, frame: first });
		const after = layout(plan, { ...source, frame: second }, before);
		expect(after.slabs.map((s, i) => s === before.slabs[i])).toEqual([true, false, true]);
	});
});
