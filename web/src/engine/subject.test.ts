/** Tests that the names of subjects in links and in --list survive a round trip, and that a hostile one names nothing. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { About, PLACE_KIND_WORDS, PlaceKind } from "#abi";
import { NONE, type Place } from "./frame.ts";
import { isSubject, placeSubject, readSubject, subjectOf } from "./subject.ts";

const place = (some: Partial<Place>) =>
	({ kind: 0, cpu: NONE, node: NONE, target: NONE, bytes: 0, ...some }) as Place;

describe("a subject", () => {
	it("is a list, a CPU, a node or its pages", () => {
		expect(readSubject("1/partial")).toMatchObject({
			about: About.ABOUT_PLACE,
			node: 1,
			cpu: NONE,
		});
		expect(readSubject("node1/partial")).toEqual(readSubject("1/partial"));
		expect(readSubject("cpu4/partial")?.kinds).toEqual([PlaceKind.PLACE_CPU_PARTIAL]);
		expect(readSubject("cpu4")).toMatchObject({ about: About.ABOUT_CPU, cpu: 4 });
		expect(readSubject("node1")).toMatchObject({ about: About.ABOUT_NODE, node: 1 });
		expect(readSubject("1/pages")).toMatchObject({ about: About.ABOUT_PAGES, node: 1 });
		expect(readSubject("1/alien/3")).toMatchObject({ node: 1, which: 3 });
		expect(readSubject("partial")).toMatchObject({ node: NONE, cpu: NONE });
	});

	it("is never anything else", () => {
		const hostile = ["", "/", "1", "cpu", "node", "1/", "/1", "1/nothing", "cpu1/pages", "pages/1"];
		const more = [
			"cpu99999",
			"1/partial/x",
			"-1/partial",
			"1/partial\n",
			"1/__proto__",
			"1//partial",
		];
		for (const text of [...hostile, ...more]) expect(readSubject(text), text).toBeUndefined();
		fc.assert(fc.property(fc.string({ maxLength: 40 }), (text) => void readSubject(text)));
	});

	it("names each place that a stage can show, and no other", () => {
		PLACE_KIND_WORDS.forEach((words, kind) => {
			if (kind === PlaceKind.PLACE_TRANSIT) return;
			const owners = [place({ kind, node: 1 }), place({ kind, cpu: 4, node: 1 })];
			const named = owners.filter((p) => placeSubject(p) !== "");
			expect(named.length, words).toBe(1);
			for (const own of named) {
				const subject = readSubject(placeSubject(own));
				expect(subject && isSubject(subject, own), words).toBe(true);
				expect(subject && isSubject(subject, { ...own, cpu: 5, node: 2 })).toBe(false);
			}
		});
		const alien = place({ kind: PlaceKind.PLACE_ALIEN_ARRAY, node: 1, target: 3 });
		expect(placeSubject(alien)).toBe("1/alien/3");
		expect(subjectOf({ kind: "cpu", cpu: 4 })).toBe("cpu4");
		expect(subjectOf({ kind: "pages", node: 0 })).toBe("0/pages");
	});
});
