/** Two machines at one position: how many slabs differ, and in which places. */
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../../test/fixtures/frame_text.ts";
import { PLACE } from "../../engine/place_kinds.ts";
import { layout } from "./layout.ts";
import { boxesOf, pairDifference } from "./pair.ts";
import { makePlan } from "./plan.ts";
import { shapeOf } from "./shape.ts";

const between = (here: string, there: string) =>
	pairDifference(frameFromText(here), frameFromText(there));

describe("two machines", () => {
	it("do not differ if slabs, places and allocated objects are equal", () => {
		const text = "cpu0: 1:aacc\npartial0: 2:a... 3:aa..";
		expect(between(text, text)).toEqual({ slabs: 0, places: [] });
	});

	it("differ by a slab that only one has, one that is elsewhere, and one with another object", () => {
		const { slabs, places } = between(
			"cpu0: 1:aa..\npartial0: 2:a... 3:aa.. 4:aaa.",
			"cpu0: 1:aaa.\npartial0: 4:aaa.\nfree0: 2:a...",
		);
		expect(slabs).toBe(3);
		const held = places.map(({ name, here, there }) => [name, here, there]);
		expect(held).toContainEqual(["node 0, partial list", 3, 1]);
		expect(held).toContainEqual(["CPU 0, cpu slab", 1, 1]);
		expect(held.find(([name]) => String(name).includes("free"))).toEqual([
			expect.stringContaining("free"),
			undefined,
			1,
		]);
	});

	it("are marked on the boxes of their places, and nowhere else", () => {
		const here = frameFromText("cpu0: 1:aa..\npartial0: 2:a... 3:aa..");
		const there = frameFromText("cpu0: 1:aa..\npartial0: 2:a...");
		const size = { width: 800, height: 600, nodeOfCpu: [0], nrNodes: 1 };
		const source = { cache: undefined, frame: here, zones: [], step: undefined, pageBytes: 4096 };
		const scene = layout(makePlan(shapeOf(here.places, size)), source);
		const boxes = boxesOf(scene, pairDifference(here, there).places);
		expect(boxes.map((box) => scene.panels.find((panel) => panel === box)?.key)).toEqual([
			`list:0/${PLACE.NODE_PARTIAL}`,
		]);
	});
});
