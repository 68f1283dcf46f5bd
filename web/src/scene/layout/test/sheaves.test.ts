/** Tests sheaves as stacks: full, empty and absent ones look different, and every object is found where it is drawn. */
import { describe, expect, it } from "vitest";
import { frameFromText, TEXT_CACHE } from "../../../../test/fixtures/frame_text.ts";
import { placeName } from "../../../engine/place_kinds.ts";
import { isAbout } from "../../about.ts";
import { cpuInWords, inWords } from "../../describe.ts";
import { entryAt, entryRect, stackRect } from "../../geometry.ts";
import { hitTest } from "../../hit.ts";
import { meet, type Scene } from "../../scene.ts";
import { transition } from "../../tween.ts";
import { layout } from "../layout.ts";
import { makePlan } from "../plan.ts";
import { shapeOf } from "../shape.ts";

const TEXT = [
	"sheaf0/4*1: 1.0 1.1 1.2",
	"spare0/4*0:",
	"sheaf1/4*1:",
	"spare1/4*1: 2.0 2.1 2.2 2.3",
	"barn0/40*2: 3.0 3.1 3.2 3.3 4.0 4.1 4.2 4.3",
	"empty0*3:",
	"partial0: 9:a...",
	"full0: 1:ccca 2:cccc 3:ssss 4:ssss",
].join("\n");
const NODE_OF_CPU = [0, 0];

function sceneOf(text = TEXT, nodeOfCpu = NODE_OF_CPU, width = 900, height = 600): Scene {
	const frame = frameFromText(text, nodeOfCpu);
	const plan = makePlan(shapeOf(frame.places, { width, height, nodeOfCpu, nrNodes: 1 }));
	return layout(plan, { cache: undefined, frame, zones: [], step: undefined, pageBytes: 4096 });
}

function boxOf(scene: Scene, name: string) {
	const found = scene.arrays.find((a) => a.name === name);
	if (!found) throw new Error(`${name} is on the stage`);
	return found;
}

describe("sheaves", () => {
	const scene = sceneOf();

	it("show an absent sheaf and an empty one differently", () => {
		expect(boxOf(scene, "CPU 0, spare sheaf").stacks).toMatchObject({ room: 1, present: 0 });
		expect(boxOf(scene, "CPU 1, main sheaf").stacks).toMatchObject({ room: 1, present: 1 });
		expect(boxOf(scene, "CPU 1, main sheaf").count).toBe(0);
	});

	it("are stacks of one column, the next object on top, if their objects are tall enough", () => {
		const main = boxOf(scene, "CPU 0, main sheaf");
		expect([main.columns, main.rows]).toEqual([1, 4]);
		const heights = [0, 1, 2].map((i) => entryRect(main, i).y);
		expect(heights).toEqual(heights.toSorted((a, b) => b - a));
	});

	it("have room for ten in a barn, none of which overlaps another", () => {
		const barn = boxOf(scene, "node 0, full sheaves in the barn");
		expect(barn.stacks).toMatchObject({ room: 10, present: 2, capacity: 4 });
		const rects = Array.from({ length: 10 }, (_, i) => stackRect(barn, i));
		for (const [i, r] of rects.entries()) {
			expect(r.x + r.w).toBeLessThanOrEqual(barn.x + barn.w + 0.01);
			for (const other of rects.slice(i + 1)) expect(meet(r, other)).toBe(false);
		}
		expect(boxOf(scene, "node 0, empty sheaves in the barn").stacks?.present).toBe(3);
	});

	it("show each object in its sheaf, where it can be hit", () => {
		for (const array of scene.arrays) {
			for (let i = 0; i < array.count; i++) {
				const { x, y, w, h } = entryRect(array, i);
				expect(entryAt(array, x + w / 2, y + h / 2)).toBe(i);
				const hit = hitTest(scene, x + w / 2, y + h / 2)?.object;
				expect(hit).toMatchObject({ serial: array.serials[i], index: array.indices[i] });
				const of = stackRect(array, Math.floor(i / (array.stacks?.capacity ?? 1)));
				expect(x).toBeGreaterThanOrEqual(of.x - 0.01);
				expect(x + w).toBeLessThanOrEqual(of.x + of.w + 0.01);
			}
		}
	});

	it("never show an object between two of them", () => {
		const barn = boxOf(scene, "node 0, full sheaves in the barn");
		const [first, second] = [stackRect(barn, 0), stackRect(barn, 1)];
		expect(entryAt(barn, (first.x + first.w + second.x) / 2, first.y + first.h - 1)).toBe(-1);
	});

	it("have their contents beside them, and the barn above", () => {
		const label = (key: string) => scene.labels.find((l) => l.key === key);
		const places = frameFromText(TEXT, NODE_OF_CPU).places;
		const [main, spare] = [places[0]?.kind, places[1]?.kind];
		expect(label(`sheaf:0/${main}`)?.details).toEqual(["3 of 4", "3"]);
		expect(label(`sheaf:0/${spare}`)?.details).toEqual(["absent", "–"]);
		// Right beside the box, however wide its part of the card is.
		const box = boxOf(scene, "CPU 0, main sheaf");
		const apart = (label(`sheaf:0/${main}`)?.x ?? 0) - box.x - box.w;
		expect(apart).toBeGreaterThan(0);
		expect(apart).toBeLessThan(8);
		const barn = scene.labels.find((l) => l.key.startsWith("arrays:0/"));
		expect(barn?.details[0]).toBe("2 of 10 full sheaves");
	});

	it("also have places in squares, from 17 to 512 CPUs", () => {
		for (const n of [17, 64, 512]) {
			const nodeOfCpu = Array.from({ length: n }, () => 0);
			const cpus = nodeOfCpu.flatMap((_, i) => [`sheaf${i}/4*1: 1.0`, `spare${i}/4*0:`]);
			const many = sceneOf([...cpus, "barn0/40*0:", "partial0:"].join("\n"), nodeOfCpu, 1400, 400);
			expect(many.arrays).toHaveLength(2 * n + 1);
			for (const { w, h } of many.arrays) expect(Math.min(w, h)).toBeGreaterThan(1);
		}
	});
});

describe("a refill and a flush", () => {
	const before = sceneOf("sheaf0/4*1:\nspare0/4*1:\npartial0: 1:...a 2:....\nfull0:");
	const after = sceneOf("sheaf0/4*1:\nspare0/4*1: 1.0 1.1 1.2\npartial0: 2:....\nfull0: 1:ccca");

	it("move objects from their slab to their place in the sheaf, one by one", () => {
		const way = transition(before, after);
		expect(way.moves).toBe(true);
		const { flying, arrays } = way(0.5);
		expect(flying.map((f) => f.key).toSorted()).toEqual(["obj:3/1/0", "obj:3/1/1", "obj:3/1/2"]);
		const spare = arrays.find((a) => a.name === "CPU 0, spare sheaf");
		expect(spare?.awaited.size).toBe(3);
		expect(way(1)).toBe(after);
	});

	it("move them back again", () => {
		const { flying } = transition(after, before)(0.5);
		expect(flying).toHaveLength(3);
		const cell = before.slabs.find((s) => s.serial === 1);
		const last = transition(after, before)(0.999).flying[0];
		expect(Math.abs((last?.y ?? 0) - (cell?.y ?? 0))).toBeLessThan(cell?.h ?? 0);
	});
});

describe("steps about sheaves", () => {
	const frame = frameFromText(TEXT, NODE_OF_CPU);
	const step = { kind: "", fn: "", sentence: "", cpu: 1, node: 0, cache: TEXT_CACHE };
	const lit = (args: Record<string, number>) =>
		frame.places.filter((p) => isAbout({ step: { ...step, args }, frame }, p)).map(placeName);

	it("light the main sheaf for one object, and whatever is there for several", () => {
		expect(lit({ slab: 1, index: 0, left: 2 })).toEqual(["CPU 1, main sheaf"]);
		expect(lit({ slab: 1, objects: 3, left: 2 })).toEqual([
			"CPU 1, main sheaf",
			"CPU 1, spare sheaf",
		]);
	});

	it("never light an absent sheaf, and light the barn for its own steps", () => {
		const of = { ...step, cpu: 0, args: { objects: 3, left: 2 } };
		const names = frame.places.filter((p) => isAbout({ step: of, frame }, p)).map(placeName);
		expect(names).toEqual(["CPU 0, main sheaf"]);
		expect(lit({ objects: 4, full: 2, empty: 0 })).toEqual([
			"node 0, full sheaves in the barn",
			"node 0, empty sheaves in the barn",
		]);
	});
});

describe("sheaves in words", () => {
	const frame = frameFromText(TEXT, NODE_OF_CPU);

	it("say which is full, empty or absent", () => {
		const words = inWords(frame).map(({ name, holds }) => `${name}: ${holds}`);
		expect(words).toContain(
			"CPU 0, main sheaf: 3 of 4, next: object 2 of slab 1, object 1 of slab 1, object 0 of slab 1",
		);
		expect(words.find((w) => w.startsWith("node 0, full sheaves"))).toMatch(
			/: 2 of 10 sheaves of 4 objects, next: object 3 of slab 4/,
		);
		expect(words).toContain("node 0, empty sheaves in the barn: 3 sheaves of 4 objects");
		expect(words).toContain("1 sheaf: empty");
		expect(words).toContain("1 place for a sheaf: absent");
	});

	it("say the same for one CPU", () => {
		expect(cpuInWords(frame, 0).places.map((p) => `${p.name} ${p.holds}`)).toEqual([
			"main sheaf 3 of 4",
			"spare sheaf absent",
		]);
	});
});
