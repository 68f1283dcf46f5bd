/** Tests that all replays of a comparison have the same start. */
import { expect, it } from "vitest";
import { StartFrom, StartLimit } from "#abi";
import { alike, alikeWords, type ReplayStart, unlike } from "./alike.ts";

const EMPTY = { from: StartFrom.START_EMPTY, key: 1 };
const POINTERS = { from: StartFrom.START_POINTERS, key: 18 };
const FEWER = { from: StartFrom.START_POINTERS, key: 50 };
const SNAPSHOT = { from: StartFrom.START_SNAPSHOT, key: 3 };

it("finds the replay that starts from less than the best one", () => {
	expect(unlike([EMPTY, EMPTY, undefined])).toBeUndefined();
	expect(unlike([POINTERS, undefined, FEWER])).toEqual({ cannot: 2, from: POINTERS.from });
	expect(unlike([EMPTY, POINTERS])).toEqual({ cannot: 0, from: POINTERS.from });
});

it("takes away no more of the start than it has to", async () => {
	const asked: StartLimit[] = [];
	const of = (...under: (readonly ReplayStart[])[]) =>
		alike(async (limit) => {
			asked.push(limit);
			return under[limit] ?? [];
		});
	expect(await of([POINTERS, POINTERS])).toBeUndefined();
	expect(asked).toEqual([StartLimit.LIMIT_NONE]);
	const empty = await of([POINTERS, EMPTY], [EMPTY, EMPTY]);
	expect(empty?.limit).toBe(StartLimit.LIMIT_COUNTS);
	expect(empty && alikeWords(empty, "red_zone=on")).toBe(
		"All start from empty, because red_zone=on cannot start from all the slabs that the trace's pointers show.",
	);
	const counts = await of([SNAPSHOT, { ...SNAPSHOT, key: 35 }], [SNAPSHOT, SNAPSHOT]);
	expect(counts && alikeWords(counts, "max_order=0")).toContain("from the snapshot alone, because");
	const none = await of([SNAPSHOT, EMPTY], [SNAPSHOT, EMPTY]);
	expect(none?.limit).toBe(StartLimit.LIMIT_EMPTY);
	expect(none && alikeWords(none, "allocator=slob")).toContain("from the slabs of the snapshot.");
});
