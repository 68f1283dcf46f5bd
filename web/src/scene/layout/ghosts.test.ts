/** Ghosts: what another machine has otherwise, as boxes and in words. */
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../../test/fixtures/frame_text.ts";
import { differencesInWords, type Ghosts, ghostsOf } from "./ghosts.ts";
import { layout } from "./layout.ts";
import { makePlan } from "./plan.ts";
import { shapeOf } from "./shape.ts";

const SIZE = { width: 800, height: 600, nodeOfCpu: [0], nrNodes: 1 };

function between(here: string, there: string): Ghosts {
	const [mine, theirs] = [frameFromText(here), frameFromText(there)];
	const plan = makePlan(shapeOf(mine.places, SIZE));
	const source = { cache: undefined, frame: mine, zones: [], step: undefined, pageBytes: 4096 };
	return ghostsOf(layout(plan, source), plan, mine, theirs, "B");
}

const kinds = ({ boxes }: Ghosts) => boxes.map((b) => `${b.kind} ${b.serial}`).sort();
const NOTHING = { onlyHere: 0, onlyThere: 0, elsewhere: 0, objects: 0, unseen: 0 };

describe("ghosts", () => {
	it("are none where the machines have the same", () => {
		const text = "cpu0: 1:aacc\npartial0: 2:a... 3:aa..";
		const { boxes, differences, sentences } = between(text, text);
		expect(boxes).toEqual([]);
		expect(sentences).toEqual([]);
		expect(differences).toEqual(NOTHING);
		expect(differencesInWords(differences, "B")).toBe("");
	});

	it("tell slabs that one of them has from slabs that stand elsewhere", () => {
		const ghosts = between(
			"cpu0: 1:aa..\npartial0: 2:a... 3:aa..",
			"cpu0: 3:aa..\npartial0: 1:aa.. 4:a...",
		);
		expect(kinds(ghosts)).toEqual(
			["elsewhere 1", "elsewhere 3", "missing 2", "there 1", "there 3", "there 4"].sort(),
		);
		expect(ghosts.differences).toEqual({ ...NOTHING, onlyHere: 1, onlyThere: 1, elsewhere: 2 });
		expect(ghosts.sentences).toContain("Slab 2: node 0, partial list here, not on B.");
		expect(ghosts.sentences).toContain("Slab 4: node 0, partial list on B, not here.");
	});

	it("tell objects in use on one of them from others, whoever else may have the free ones", () => {
		const ghosts = between("cpu0: 1:aacc", "cpu0: 1:a...");
		expect(kinds(ghosts)).toEqual(["object 1", "objects 1"]);
		expect(differencesInWords(ghosts.differences, "B")).toBe(
			"1 object allocated on one machine only",
		);
	});

	it("count what stands in places that the stage does not have", () => {
		const ghosts = between("cpu0: 1:aa..\npartial0: 2:a...", "cpu0: 1:aa..\nfree0: 2:a...");
		expect(kinds(ghosts)).toEqual(["elsewhere 2"]);
		expect(ghosts.differences.unseen).toBe(1);
	});
});
