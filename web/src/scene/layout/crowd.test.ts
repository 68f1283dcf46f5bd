/** Tests that a crowd shows and finds the same as slabs that are made one by one. */
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../../test/fixtures/frame_text.ts";
import { runPairs, tilesIn } from "../crowd.ts";
import { slabByKey, slabBySerial } from "../find.ts";
import { hitTest } from "../hit.ts";
import { EMPTY_SCENE, type Scene } from "../scene.ts";
import { layout } from "./layout.ts";
import { makePlan } from "./plan.ts";
import { shapeOf } from "./shape.ts";

const SIZE = { width: 900, height: 600, nodeOfCpu: [0, 0], nrNodes: 1 };
const slabs = (from: number, cells: string[]) => cells.map((c, i) => `${from + i}:${c}`).join(" ");
const TEXT = [
	"cpu0: 1:aacc",
	"chain0: 2:a... 3:aa..",
	`partial0: ${slabs(10, ["a...", "aa..", "aaa.", "a..a", ".aa.", "...."])}`,
	`full0: ${slabs(30, ["aaaa", "aaaa", "aaaa"])}`,
].join("\n");

function sceneOf(text: string, crowdFrom: number): Scene {
	const frame = frameFromText(text);
	const plan = makePlan(shapeOf(frame.places, SIZE));
	const source = { cache: undefined, frame, zones: [], step: undefined, pageBytes: 4096 };
	return layout(plan, source, EMPTY_SCENE, crowdFrom);
}

describe("a crowd", () => {
	const [crowd, plain] = [sceneOf(TEXT, 1), sceneOf(TEXT, Number.POSITIVE_INFINITY)];

	it("gives the same boxes as slabs laid out one by one", () => {
		expect(crowd.crowd).toBeDefined();
		expect(plain.crowd).toBeUndefined();
		expect(crowd.slabs).toEqual(plain.slabs);
		expect(crowd.finest).toBe(plain.finest);
	});

	it("is hit where its slabs are, and never between them", () => {
		for (const { x, y, w, h } of plain.slabs) {
			for (const [px, py] of [
				[x + 0.1, y + 0.1],
				[x + w - 0.1, y + h - 0.1],
				[x + w + 0.4, y + h / 2],
			] as const)
				expect(hitTest(crowd, px, py)?.slab?.key).toBe(hitTest(plain, px, py)?.slab?.key);
		}
	});

	it("finds a slab by number and by key", () => {
		expect(slabBySerial(crowd, 12)).toEqual(slabBySerial(plain, 12));
		expect(slabBySerial(crowd, 99)).toBeUndefined();
		for (const { key } of plain.slabs) expect(slabByKey(crowd, key)?.key).toBe(key);
	});

	it("returns each tile in a window once", () => {
		const everywhere = { x: -10, y: -10, w: 2000, h: 2000 };
		for (const run of crowd.crowd?.runs ?? [])
			expect(tilesIn(run, everywhere)).toEqual(Array.from({ length: run.count }, (_, i) => i));
	});

	it("pairs each place with itself, and tells looks apart by cells and by name", () => {
		const other = sceneOf(TEXT.replace("11:aa..", "11:a.a.").replace("30:aaaa", "39:aaaa"), 1);
		const [a, b] = [crowd.crowd, other.crowd];
		if (!a || !b) throw new Error("both are crowds");
		const pairs = runPairs(a, b);
		expect(pairs.every((p) => p.isAlike && p.was?.place.kind === p.run?.place.kind)).toBe(true);
		const differ = (names: boolean, single: boolean) => {
			const seen = { names, cellsBelow: single ? Number.POSITIVE_INFINITY : 0 };
			const found: number[] = [];
			for (const run of b.runs) b.unlike(run, run.count, a, 0, seen, (_, i) => found.push(i));
			return found.length;
		};
		expect(differ(false, true)).toBe(1);
		expect(differ(true, true)).toBe(2);
		// The same number of objects is allocated as before, and from afar that is all there is to see.
		expect(differ(false, false)).toBe(0);
	});
});
