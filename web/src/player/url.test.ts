/** The view travels in the URL and comes back the same; a broken link never breaks the page. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TABS } from "./store.ts";
import { faultsOf, fromQuery, toQuery, type View } from "./url.ts";

const view: fc.Arbitrary<View> = fc.record({
	trace: fc.string(),
	op: fc.integer({ min: -1, max: 1e9 }),
	step: fc.integer({ min: -1, max: 1e6 }),
	cache: fc.string(),
	onlyCache: fc.boolean(),
	unit: fc.constantFrom("step", "event", "slow", "slab"),
	tab: fc.constantFrom(...TABS),
	lab: fc.record({
		size: fc.nat(100_000),
		rule: fc.constantFrom("", "linux-6.7"),
		against: fc.constantFrom("", "seed-2023"),
		pageSize: fc.constantFrom("", "65536"),
		cpus: fc.constantFrom("", "160"),
	}),
	lesson: fc.constantFrom(
		{ name: "", stop: "", sheet: -1 },
		{ name: "what-a-slab-is", stop: "full", sheet: -1 },
		{ name: "what-a-slab-is", stop: "", sheet: 7 },
	),
	machine: fc.record({
		preset: fc.constantFrom("", "linux-6.1", "linux-2.6.26"),
		values: fc.dictionary(fc.stringMatching(/^[a-z_]{1,20}$/), fc.string({ minLength: 1 })),
	}),
	versus: fc.uniqueArray(fc.constantFrom("slab", "slub,min_partial=0", "slub,zones=2,1,nodes=2"), {
		minLength: 1,
		maxLength: 3,
	}),
	faults: fc.constant([]),
});

describe("the URL", () => {
	it("restores every view", () => {
		fc.assert(
			fc.property(view, (v) => {
				expect(fromQuery(toQuery(v))).toEqual({
					...v,
					machine: { ...v.machine, values: { ...v.machine.values } },
				});
			}),
		);
	});

	it("reads nonsense as the default view and says so", () => {
		const { faults, ...nonsense } = fromQuery("?op=-3&step=x&by=mile&tab=moon");
		expect({ ...nonsense, faults: [] }).toEqual(fromQuery(""));
		expect(faults).toHaveLength(4);
		expect(faults[0]).toContain("op=-3");
	});
	it("tells what a recording does not have, each in a sentence", () => {
		const known = { open: "mine", caches: [{ name: "dentry" }], nrOps: 10 };
		expect(faultsOf(fromQuery("?cache=dentry&op=9"), known)).toBe("");
		expect(faultsOf(fromQuery("?cache=zzz"), known)).toContain("no cache zzz");
		expect(faultsOf(fromQuery("?op=10"), known)).toContain("op=9");
		expect(faultsOf(fromQuery("?trace=gone&cache=zzz"), known)).toBe(
			"There is no recording gone here: choose one from the list.",
		);
	});

	it("writes parameters as the command line has them", () => {
		const query = toQuery({
			...fromQuery(""),
			machine: { preset: "", values: { min_partial: "9" } },
		});
		expect(query).toBe("set.min_partial=9");
	});
});
