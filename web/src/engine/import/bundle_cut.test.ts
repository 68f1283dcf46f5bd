/** Tests that a trace that fits goes into a bundle whole, and that a longer one is cut around the event, with a text that says where. */
import { expect, it } from "vitest";
import { conditionsOf, cutAround, cutWords, WHOLE_MOST } from "./bundle_cut.ts";

it("keeps a trace whole if it fits", () => {
	for (const nrOps of [1, 60_000, WHOLE_MOST])
		for (const op of [0, nrOps - 1]) {
			const cut = cutAround(op, nrOps);
			expect(cut.part).toBe("all");
			expect(conditionsOf(cut)).toEqual([]);
		}
	expect(cutWords(cutAround(5, 60_000))).toBe("all 60,000 events");
});

it("cuts a longer one and says where", () => {
	const beginning = cutAround(49_999, 3_000_000);
	expect(beginning.part).toBe("beginning");
	expect(cutWords(beginning)).toBe("events 1 to 52,000 of 3,000,000");
	expect(conditionsOf(beginning)).toEqual([["to-event", "52000"]]);
	const middle = cutAround(1_999_999, 3_000_000);
	expect(middle.part).toBe("middle");
	expect(cutWords(middle)).toBe("events 1,980,000 to 2,002,000 of 3,000,000");
	expect(cutWords(cutAround(2_999_999, 3_000_000))).toBe(
		"events 2,980,000 to 3,000,000 of 3,000,000",
	);
});
