/** A view survives the trip through a URL; a broken, old, new or hostile link never breaks the page. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STEP_KINDS, WHEN_NAMES, When } from "#abi";
import { FaultKind, FILTER_KEYS } from "#wasm";
import { NOTHING } from "../../engine/machine.ts";
import {
	ALIGNED,
	ANSWERS,
	PARTS,
	SERIES,
	SITES_BY,
	SITES_COLOURS,
	SITES_MAPS,
	START,
	STUDIES,
	TABS,
} from "../state/store.ts";
import {
	faultsOf,
	fromQuery,
	toQuery,
	unknownWords,
	VERSION,
	type View,
	withoutFaulty,
} from "./url.ts";

const plain = (maxLength: number) => fc.stringMatching(/^[^\p{Cc}]*$/u, { maxLength });
const selection = fc.record({ serial: fc.nat(1e8), index: fc.integer({ min: -1, max: 99_999 }) });
const cache = fc.constantFrom("", "dentry", "kmalloc-64", "a, b:c/d");
const steps = STEP_KINDS.map((kind) => kind.name);
const moments = WHEN_NAMES.map((_, i) => i).filter((i) => i !== When.WHEN_STEP);
const breakpoint = fc
	.record({
		cache,
		thing: fc.option(selection),
		on: fc.boolean(),
		what: fc.oneof(
			fc.record({ when: fc.constantFrom(...moments), step: fc.constant("") }),
			fc.record({ when: fc.constant(When.WHEN_STEP), step: fc.constantFrom(...steps) }),
		),
	})
	.map(({ what, ...more }) => ({ ...more, ...what }));

const view: fc.Arbitrary<View> = fc.record({
	trace: plain(80),
	url: fc.constantFrom("", "https://example.org/a.txt?b=1", "/traces/two-nodes.slabtrace"),
	allowed: fc.constantFrom<readonly string[]>([], ["https://example.org", "http://localhost:81"]),
	file: fc.constantFrom("", "0123456789"),
	sandbox: fc.constant(""),
	future: fc.constantFrom("yours", "recorded"),
	op: fc.integer({ min: -1, max: 1e9 }),
	step: fc.integer({ min: -1, max: 1e6 }),
	cache: plain(40),
	onlyCache: fc.boolean(),
	focused: fc.boolean(),
	selected: fc.option(selection),
	why: fc.constantFrom("", "1/partial", "cpu4/slab", "cpu4", "node0", "1/pages", "1/alien/3"),
	zoom: fc.option(
		fc.record({
			k: fc.integer({ min: 1, max: 4000 }).map((k) => k / 1 + 0.25),
			x: fc.integer({ min: -1000, max: 2000 }).map((x) => x / 1000),
			y: fc.integer({ min: -1000, max: 2000 }).map((y) => y / 1000),
		}),
	),
	unit: fc.constantFrom("step", "event", "slow", "slab"),
	tab: fc.constantFrom(...TABS),
	parts: fc.record({
		compare: fc.constantFrom(...PARTS.compare),
		learn: fc.constantFrom(...PARTS.learn),
		labs: fc.constantFrom(...PARTS.labs),
	}),
	filter: fc
		.subarray([...FILTER_KEYS])
		.chain((keys) =>
			fc.tuple(...keys.map((key) => fc.tuple(fc.constant(key), plain(40).filter(Boolean)))),
		),
	state: fc.constantFrom(
		{ code: "", used: false, warm: false },
		{ code: "S0xK", used: true, warm: false },
	),
	cold: fc.boolean(),
	start: plain(40),
	answer: fc.constantFrom("" as const, ...ANSWERS),
	sites: fc.record({
		by: fc.constantFrom(...SITES_BY),
		on: fc.constantFrom("", "cpu3", "node12"),
		task: plain(40),
		filter: plain(40),
		map: fc.constantFrom(...SITES_MAPS),
		colour: fc.constantFrom(...SITES_COLOURS),
	}),
	lab: fc.record({
		size: fc.nat(100_000),
		rule: fc.constantFrom("", "linux-6.7"),
		against: fc.constantFrom("", "rfc-2023"),
		pageSize: fc.constantFrom("", "65536"),
		cpus: fc.constantFrom("", "160"),
	}),
	lesson: fc.constantFrom(
		{ name: "", stop: "", sheet: -1 },
		{ name: "what-a-slab-is", stop: "full", sheet: -1 },
		{ name: "what-a-slab-is", stop: "", sheet: 7 },
	),
	question: fc.constantFrom(0, 2),
	machine: fc.record({
		preset: fc.constantFrom("", "linux-6.1", "linux-2.6.26"),
		values: fc.dictionary(
			fc.stringMatching(/^[a-z][a-z_]{0,20}$/),
			plain(60).filter((value) => value !== ""),
		),
	}),
	against: fc.record({ trace: plain(80), align: fc.constantFrom(...ALIGNED) }),
	versus: fc.uniqueArray(fc.constantFrom("slab", "slub,min_partial=0", "slub,zones=2,1,nodes=2"), {
		minLength: 1,
		maxLength: 3,
	}),
	breakpoints: fc.array(breakpoint, { maxLength: 4 }),
	marks: fc.array(
		fc.record({
			op: fc.nat(1e9),
			step: fc.integer({ min: -1, max: 1e6 }),
			label: plain(30),
		}),
		{ maxLength: 4 },
	),
	range: fc.option(
		fc.record({ from: fc.nat(1e6), more: fc.integer({ min: 1, max: 1e6 }) }).map((r) => ({
			from: r.from,
			to: r.from + r.more,
		})),
	),
	series: fc.subarray([...SERIES], { minLength: 1 }),
	study: fc.constantFrom(...STUDIES),
	comparing: fc.record({
		other: fc.constantFrom(1, 2, 3),
		allNumbers: fc.boolean(),
	}),
	grid: fc.record({
		x: fc.constantFrom("max_order=0..5", "zones=2,2;1,1"),
		y: fc.constantFrom("", "cpus=1,2,4"),
		metric: fc.constantFrom("cycles", "slab_bytes_peak"),
	}),
	embed: fc.option(
		fc
			.record({
				passage: fc.oneof(
					fc.constant({ from: -1, to: -1 }),
					fc.nat(1e6).map((from) => ({ from, to: -1 })),
					fc.tuple(fc.nat(1e6), fc.nat(1e6)).map(([from, more]) => ({ from, to: from + more })),
				),
				loop: fc.boolean(),
				speed: fc.constantFrom(0, 0.01, 2.5, 10_000),
				theme: fc.constantFrom("", "dark", "light"),
			})
			.map(({ passage, ...more }) => ({ ...passage, ...more })),
	),
	unknown: fc.array(fc.tuple(fc.constantFrom("utm", "colour", "Z.9"), plain(40)), { maxLength: 3 }),
	isRefused: fc.constant(false),
	faults: fc.constant([]),
});

/** Returns what the visitor is told, and what is left of the view. */
const misread = (query: string) => {
	const { faults, isRefused: _, ...rest } = fromQuery(query);
	expect({ ...rest, isRefused: false, faults: [] }).toEqual(fromQuery(""));
	return faults;
};

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

	it("reads nonsense as the default view, and says so", () => {
		const faults = misread(
			"?op=-3&step=x&by=mile&tab=moon&sel=1.2.3&zoom=1&range=9-3&mark=x&break=never&series=love",
		);
		expect(faults).toHaveLength(10);
		expect(faults[0]).toContain("op=-3");
	});

	it("says in a sentence each what the trace does not have", () => {
		const known = { open: "mine", caches: [{ name: "dentry" }], nrOps: 10 };
		expect(faultsOf(fromQuery("?cache=dentry&op=9"), known)).toBe("");
		expect(faultsOf(fromQuery("?cache=zzz"), known)).toContain("no cache zzz");
		expect(faultsOf(fromQuery("?op=10"), known)).toContain(
			"event 11 is past the end: this trace ends at event 10",
		);
		expect(faultsOf(fromQuery("?trace=gone&cache=zzz"), known)).toBe(
			"This page has no trace gone: choose one from the list.",
		);
		expect(faultsOf(fromQuery("?embed=1&trace=gone"), known)).toBe("This page has no trace gone.");
		expect(faultsOf(fromQuery("?cache=zzz&sel=9.9"), known)).toContain("no sel=9.9");
		const start = fromQuery("?start=begin.state");
		expect(faultsOf(start, known)).toContain("state in begin.state: drop that file here");
		expect(faultsOf(start, { ...known, startState: { name: "begin.state" } })).toBe("");
	});

	it("keeps the valid part of a machine", () => {
		const machine = { preset: "foo", values: { cpus: "9999", nodes: "2" } };
		const fault = (kind: FaultKind, key: string, other = "") => ({ kind, key, other });
		const once = withoutFaulty(machine, fault(FaultKind.FAULT_PRESET, "foo"));
		expect(once).toEqual({ preset: "", values: machine.values });
		const twice = withoutFaulty(once, fault(FaultKind.FAULT_VALUE, "cpus"));
		expect(twice).toEqual({ preset: "", values: { nodes: "2" } });
		expect(withoutFaulty(twice, fault(FaultKind.FAULT_NONE, ""))).toBe(NOTHING);
		expect(withoutFaulty(twice, undefined)).toBe(NOTHING);
		const unknown = fault(FaultKind.FAULT_KEY, "x");
		expect(withoutFaulty({ preset: "", values: { x: "1" } }, unknown)).toBe(NOTHING);
		const orders = fault(FaultKind.FAULT_CONFLICT, "min_order", "max_order");
		const low = { preset: "", values: { max_order: "0", nodes: "2" } };
		expect(withoutFaulty(low, orders)).toEqual({ preset: "", values: { nodes: "2" } });
	});

	it("writes parameters as the command line does", () => {
		const query = toQuery({
			...fromQuery(""),
			machine: { preset: "", values: { min_partial: "9" } },
		});
		expect(query).toBe(`v=${VERSION}&set.min_partial=9`);
	});
});

describe("older links", () => {
	it("without a version still mean what they meant", () => {
		const old = fromQuery(
			"?trace=two-nodes.slabtrace&op=60&step=0&cache=c0&caches=all&by=event&tab=compare" +
				"&lab.size=192&lab.rule=linux-6.7&lab.cpus=160&with=slab&with=slub%2Cmin_partial%3D0" +
				"&preset=linux-6.1&set.cpu_partial_lists=off",
		);
		expect(old).toEqual({
			...fromQuery(""),
			trace: "two-nodes.slabtrace",
			op: 60,
			step: 0,
			cache: "c0",
			onlyCache: false,
			unit: "event",
			tab: "compare",
			lab: { size: 192, rule: "linux-6.7", against: "", pageSize: "", cpus: "160" },
			versus: ["slab", "slub,min_partial=0"],
			machine: { preset: "linux-6.1", values: { cpu_partial_lists: "off" } },
		});
		expect(fromQuery("?trace=local%3Amine.txt&op=3")).toMatchObject({
			trace: "local:mine.txt",
			file: "",
			faults: [],
		});
		expect(fromQuery("?v=1&op=60")).toEqual(fromQuery("?op=60"));
	});

	it("to a view that has moved lead to where it is now, with all their other fields", () => {
		const other = "trace=two-nodes.slabtrace&event=61&cache=c0&with=slab&set.nodes=2";
		const moved = (query: string) => fromQuery(`?v=3&${other}&${query}`);
		const { parts } = START;
		const places: readonly (readonly [string, Partial<View>])[] = [
			["tab=node-search", { tab: "explore", parts }],
			["tab=order-lab&lab.size=192", { tab: "labs", parts, lab: { ...START.lab, size: 192 } }],
			["tab=lessons", { tab: "learn", parts }],
			[
				"tab=lessons&lesson=what-a-slab-is&stop=full",
				{ tab: "learn", parts, lesson: { name: "what-a-slab-is", stop: "full", sheet: -1 } },
			],
			["tab=experiments", { tab: "learn", parts: { ...parts, learn: "papers" } }],
			[
				"tab=experiments&study=002",
				{ tab: "learn", parts: { ...parts, learn: "papers" }, study: "002" },
			],
			[
				"tab=experiments&study=sweep&grid.y=none",
				{
					tab: "compare",
					parts: { ...parts, compare: "sweep" },
					study: "000",
					grid: { ...START.grid, y: "" },
				},
			],
			["tab=slabinfo", { tab: "explore", parts, answer: "slabinfo" }],
			["slabinfo=1", { tab: "explore", parts, answer: "slabinfo" }],
			["tab=compare&compare=kernels", { tab: "compare", parts: { ...parts, compare: "sweep" } }],
			["tab=compare&compare=reality", { tab: "explore", parts }],
			["study=sweep", { tab: "explore", parts: { ...parts, compare: "sweep" } }],
		];
		for (const [query, place] of places) {
			const read = moved(query);
			expect(read, query).toMatchObject({
				trace: "two-nodes.slabtrace",
				op: 60,
				cache: "c0",
				versus: ["slab"],
				machine: { preset: "", values: { nodes: "2" } },
				faults: [],
				...place,
			});
			expect(fromQuery(`?${toQuery(read)}`), query).toEqual(read);
		}
	});

	it("name the current views and their parts", () => {
		const today = (query: string) => toQuery(fromQuery(`?${query}`));
		expect(today("tab=experiments&study=sweep")).toBe("v=3&tab=compare&compare=sweep");
		expect(today("tab=lessons")).toBe("v=3&tab=learn");
		expect(today("tab=experiments")).toBe("v=3&tab=learn&learn=papers");
		expect(today("tab=order-lab")).toBe("v=3&tab=labs");
		expect(today("tab=labs&labs=sandbox")).toBe("v=3&tab=labs&labs=sandbox");
		expect(today("tab=slabinfo")).toBe("v=3&answer=slabinfo");
		expect(today("tab=node-search")).toBe("v=3");
		expect(misread("tab=slubinfo")[0]).toContain("tab=slubinfo");
	});

	it("from before version 3 count events and steps from 0, and become links that count from 1", () => {
		const old = fromQuery("?v=2&op=16&step=2&range=10-200&mark=100.3~here&mark=7");
		expect(old).toMatchObject({ op: 16, step: 2, range: { from: 10, to: 200 }, faults: [] });
		expect(old.marks).toEqual([
			{ op: 100, step: 3, label: "here" },
			{ op: 7, step: -1, label: "" },
		]);
		const today = new URLSearchParams(toQuery(old));
		expect([...today]).toEqual([
			["v", "3"],
			["event", "17"],
			["step", "3"],
			["range", "11-201"],
			["mark", "101.4~here"],
			["mark", "8"],
		]);
		expect(fromQuery(`?${today}`)).toEqual(old);
	});

	it("count the event in `event` from 1, whatever else they contain", () => {
		for (const query of ["?event=11", "?v=3&event=11", "?v=2&event=11", "?op=3&event=11"])
			expect(fromQuery(query)).toMatchObject({ op: 10, faults: [] });
		expect(fromQuery("?event=11&step=1")).toMatchObject({ op: 10, step: 0 });
		expect(misread("?event=0")[0]).toContain("event=0");
		expect(misread("?v=3&mark=0")[0]).toContain("mark=0");
		expect(misread("?v=3&range=0-9")[0]).toContain("range=0-9");
	});

	it("count a passage from 1 in `events`, and from 0 in the old `from` and `to`", () => {
		const passage = (query: string) => {
			const { embed, faults } = fromQuery(query);
			expect(faults).toEqual([]);
			return [embed?.from, embed?.to];
		};
		expect(passage("?embed=1&events=11-41")).toEqual([10, 40]);
		expect(passage("?embed=1&events=11-")).toEqual([10, -1]);
		expect(passage("?embed=1&from=10&to=40")).toEqual([10, 40]);
		expect(passage("?v=2&embed=1&from=10")).toEqual([10, -1]);
		expect(passage("?embed=1&to=40")).toEqual([0, 40]);
		expect(passage("?v=3&embed=1&from=11&to=41")).toEqual([10, 40]);
		for (const wrong of ["events=0-3", "events=9-3", "events=4", "from=9&to=3"])
			expect(fromQuery(`?embed=1&${wrong}`)).toMatchObject({
				embed: { from: -1, to: -1 },
				faults: [expect.stringMatching(/events|passage/)],
			});
	});

	it("contain the choices of Compare, and which future of a branch is on the stage", () => {
		const view = fromQuery(
			"?with=slab&with=slob&compare.other=C&compare.stages=beside&compare.numbers=all&future=recorded",
		);
		expect(view.comparing).toEqual({ other: 2, allNumbers: true });
		expect(view.future).toBe("recorded");
		expect(view.faults).toEqual([]);
		expect(fromQuery(toQuery(view))).toEqual(view);
		expect(toQuery(fromQuery("?with=slob"))).not.toContain("compare");
		expect(misread("?compare.other=A&compare.stages=3&future=mine")).toHaveLength(2);
	});

	it("keep what this page does not know, and report it", () => {
		const view = fromQuery("?v=3&event=2&colour=red&colour=blue&set.x=1&utm_source=a%26b");
		expect(view.unknown).toEqual([
			["colour", "red"],
			["colour", "blue"],
			["utm_source", "a&b"],
		]);
		expect(unknownWords(view)).toContain("colour=red, colour=blue, utm_source=a&b");
		expect(toQuery(view)).toContain("colour=red&colour=blue&utm_source=a%26b");
		expect(unknownWords(fromQuery("?event=2"))).toBe("");
		expect(unknownWords(fromQuery("?allocator=slab"))).toContain("set.allocator=…");
		expect(unknownWords(fromQuery("?utm_source=1"))).not.toContain("set.");
		const newer = fromQuery("?v=4&event=2&shape=round");
		expect(newer).toMatchObject({ op: -1, isRefused: true, unknown: [["shape", "round"]] });
		const many = fromQuery(`?${Array.from({ length: 40 }, (_, i) => `k${i}=1`).join("&")}`);
		expect(many.unknown).toHaveLength(32);
		expect(many.faults[0]).toContain("8 more");
	});

	it("in a later form are refused in one sentence, and nothing is taken from them", () => {
		const [fault, ...more] = misread(`?v=${VERSION + 1}&op=5&tab=compare&set.cpus=3`);
		expect(fault).toContain("newer Slabscope");
		expect(more).toEqual([]);
		expect(misread("?v=zwei&op=5")[0]).toContain("v=zwei");
	});
});

describe("hostile links", () => {
	it("of any kind give a view that can be shown, and nothing more", () => {
		const key = fc.constantFrom(
			...[
				"v",
				"trace",
				"file",
				"op",
				"step",
				"cache",
				"caches",
				"sel",
				"zoom",
				"by",
				"tab",
				"with",
			],
			...[
				"stop",
				"mark",
				"range",
				"series",
				"preset",
				"set.cpus",
				"set.__proto__",
				"lab.size",
				"x",
			],
		);
		fc.assert(
			fc.property(fc.array(fc.tuple(key, fc.string({ maxLength: 200 }))), (pairs) => {
				const { faults, isRefused: _, ...rest } = fromQuery(new URLSearchParams(pairs).toString());
				const read: View = { ...rest, isRefused: false, faults: [] };
				expect(fromQuery(toQuery(read))).toEqual(read);
				for (const fault of faults) expect(fault.length).toBeLessThan(300);
			}),
			{
				numRuns: 2000,
				// The first of two equal keys counts.
				examples: [
					[
						[
							["set.cpus", ""],
							["set.cpus", " "],
						],
					],
				],
			},
		);
	});

	it("are cut to fit", () => {
		expect(misread(`?trace=${"x".repeat(70_000)}`)[0]).toContain("65,536");
		const many = fromQuery(`?${"mark=5&".repeat(200)}`);
		expect(many.marks).toHaveLength(64);
		expect(many.faults[0]).toContain("200");
		expect(misread("?set.__proto__=1&set.constructor(=2")).toHaveLength(2);
		expect(misread("?trace=a%00b")).toHaveLength(1);
		expect(misread("?allow=*")).toHaveLength(1);
		expect(misread("?allow=https://example.org/")).toHaveLength(1);
		expect(misread("?allow=javascript:1")).toHaveLength(1);
	});
});
