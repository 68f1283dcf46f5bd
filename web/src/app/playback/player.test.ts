/** Tests that requests from dragging never queue up, and that no press is lost. */
import { describe, expect, it } from "vitest";
import { ALL_CACHES } from "../../engine/types.ts";
import { withRequest } from "./player.ts";

const next = { kind: "move", unit: "event", direction: 1, count: 1, scope: ALL_CACHES } as const;
const back = { ...next, direction: -1 } as const;
const point = { kind: "at", op: 5, step: "last" } as const;

describe("waiting requests", () => {
	it("add up when they are moves of the same kind", () => {
		expect(withRequest(withRequest([], next), next)).toEqual([{ ...next, count: 2 }]);
	});

	it("keep their order when they are not", () => {
		expect(withRequest(withRequest([], next), back)).toEqual([next, back]);
		expect(withRequest([point], next)).toEqual([point, next]);
	});

	it("are dropped when a jump to a point arrives", () => {
		expect(withRequest([next, back], point)).toEqual([point]);
	});
});
