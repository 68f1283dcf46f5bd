/** Tests walks by keyboard: every place, slab and object can be reached, and a walker stays with a slab that moves. */
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../../test/fixtures/frame_text.ts";
import { CELL } from "../../engine/place_kinds.ts";
import { inWords } from "../describe.ts";
import { glyphOf, glyphParts } from "../glyph.ts";
import { layout } from "./layout.ts";
import { makePlan } from "./plan.ts";
import { shapeOf } from "./shape.ts";
import { follow, pathTo, rectOf, type Stop, sameStop, startOf, type Turn, turn } from "./walk.ts";

const FRAME = frameFromText(`
	cpu0: 3:aac.
	chain0: 1:a..a 2:....
	partial0: 5:a... 6:aa..
	full0:
	array0/12: 5.2 5.3 6.1
	alien0>1/12: 9.0
`);

const words = (stop: Stop) => pathTo(FRAME, stop).map((w) => w.name);
const after = (from: Stop, ...turns: Turn[]) => turns.reduce((s, t) => turn(FRAME, s, t), from);
const TURNS: readonly Turn[] = [
	"next",
	"previous",
	"first",
	"last",
	"farther",
	"back",
	"in",
	"out",
];
const START = startOf(FRAME, null);

describe("a walk through the stage", () => {
	it("starts at the first place that holds anything, or at the selection", () => {
		expect(words(START)).toEqual(["CPU 0, cpu slab, 1 slab"]);
		expect(words(startOf(FRAME, { serial: 6, index: -1 }))[1]).toBe("slab 6, 2 of 4 allocated");
		const object = startOf(FRAME, { serial: 6, index: 1 });
		expect(words(object)[2]).toBe("object 1, allocated");
		expect(startOf(FRAME, null, object)).toEqual(object);
	});

	it("says and shows what a warm start inferred", () => {
		const warm = frameFromText("partial0: 5:aii. 6:ii..");
		const at = pathTo(warm, startOf(warm, { serial: 5, index: 1 })).map((w) => w.name);
		expect(at[1]).toBe("slab 5, 3 of 4 allocated (2 inferred)");
		expect(at[2]).toBe("object 1, inferred: in use before the trace");
		expect(inWords(warm)[0]?.holds).toContain("slab 6: 2 of 4 allocated (2 inferred)");
		const rolesOf = (counts: number[]) =>
			glyphParts(glyphOf(counts, 4), 8, 8, 1).map((p) => p.role);
		const counts = Array.from({ length: 7 }, () => 0);
		counts[CELL.ALLOCATED] = 4;
		expect(rolesOf(counts)).toEqual(["full"]);
		counts[CELL.ALLOCATED] = 3;
		counts[CELL.INFERRED] = 1;
		expect(rolesOf(counts)).toEqual(["full", "notch"]);
	});

	it("goes into places and slabs, out of them, and from one to the next", () => {
		const chain = after(START, "next");
		expect(words(chain)[0]).toContain("2 slabs");
		expect(words(after(chain, "in", "next"))[1]).toBe("slab 2, 0 of 4 allocated");
		const last = after(chain, "in", "in", "last");
		expect(words(last)).toHaveLength(3);
		expect(pathTo(FRAME, last).at(-1)).toMatchObject({ level: 3, position: 4, of: 4 });
		expect(sameStop(after(last, "next"), last)).toBe(true);
		expect(sameStop(after(last, "in"), last)).toBe(true);
		expect(sameStop(after(last, "out", "out"), chain)).toBe(true);
		expect(sameStop(after(chain, "out"), chain)).toBe(true);
	});

	it("goes through objects that are kept one by one, starting with the next", () => {
		const array = after(START, "next", "next", "next", "next");
		expect(words(array)[0]).toContain("3 objects");
		expect(words(after(array, "in"))[1]).toBe("object 1 of slab 6");
		expect(words(after(array, "in", "last"))[1]).toBe("object 2 of slab 5");
		expect(words(after(array, "in", "out"))).toEqual(words(array));
	});

	it("says that a place is empty, and goes no further into it", () => {
		const full = after(START, "next", "next", "next");
		expect(words(full)[0]).toMatch(/full slabs, empty$/);
		expect(sameStop(after(full, "in"), full)).toBe(true);
	});

	it("follows a slab that moves, and stays where one was that is gone", () => {
		const object = after(START, "next", "in", "in");
		const moved = frameFromText("cpu0:\n chain0: 2:....\n partial0: 1:a..a\n full0:");
		expect(follow(moved, object)).toEqual({ ...object, place: 2 });
		const gone = frameFromText("cpu0:\n chain0: 2:....");
		expect(follow(gone, object)).toEqual({ place: 1, slab: null, object: null });
	});

	it("is always at something on the stage, with a unique name", () => {
		const shape = { width: 900, height: 600, nodeOfCpu: [0], nrNodes: 2 };
		const plan = makePlan(shapeOf(FRAME.places, shape));
		const source = { cache: undefined, frame: FRAME, zones: [], step: undefined, pageBytes: 4096 };
		const scene = layout(plan, source);
		const seen = new Map<string, Stop>();
		const queue = [START];
		for (let stop = queue.pop(); stop; stop = queue.pop()) {
			const { key = "" } = pathTo(FRAME, stop).at(-1) ?? {};
			expect(sameStop(seen.get(key) ?? stop, stop)).toBe(true);
			if (seen.has(key)) continue;
			seen.set(key, stop);
			const box = rectOf(scene, plan, FRAME, stop);
			expect((box?.w ?? 0) * (box?.h ?? 0)).toBeGreaterThan(0);
			for (const to of TURNS) queue.push(turn(FRAME, stop, to));
		}
		// 6 places, 5 slabs of 4 objects, 4 objects kept one by one.
		expect(seen.size).toBe(6 + 5 + 20 + 4);
	});
});
