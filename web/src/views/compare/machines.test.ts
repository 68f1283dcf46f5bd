/** Tests machines as text, and their comparison through the engine: each as if alone, diverging where it really does. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { MEASURES } from "#wasm";
import {
	allocatorIn,
	machineOf,
	settingsIn,
	specOf,
	traceIn,
} from "../../app/state/machine_spec.ts";
import { momentOf, type PackedMoment } from "../../engine/moment.ts";
import { ALL_CACHES, type Machine } from "../../engine/types.ts";
import { Workbench } from "../../engine/worker/workbench.ts";
import { curvesFor, valueAt, valuesAt } from "./line_chart.tsx";
import { amount, differenceInWords, differingRows, metricRows } from "./metrics.ts";

const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));
const LESSON = new URL("../../../../traces/two-nodes.slabtrace", import.meta.url);
const BASE: Machine = { preset: "", values: { cpus: "4" } };
const engine = new Workbench();
const quiet = () => {};

beforeAll(async () => {
	await engine.open(`data:application/wasm;base64,${wasm.toString("base64")}`);
	await engine.load(new Blob([readFileSync(LESSON)]), BASE, quiet);
});

describe("a machine as text", () => {
	it("is an allocator with settings, whose values may contain commas", () => {
		expect(machineOf("slub,zones=2,1,min_partial=0,preset=linux-4.19", BASE)).toEqual({
			preset: "linux-4.19",
			values: { cpus: "4", allocator: "slub", zones: "2,1", min_partial: "0" },
		});
		expect(machineOf("slab", BASE).values).toEqual({ cpus: "4", allocator: "slab" });
	});

	it("can be taken apart and put together again", () => {
		const spec = "slub,zones=2,1,min_partial=0";
		expect(specOf(allocatorIn(spec), settingsIn(spec))).toBe(spec);
		expect(specOf("slab", " limit=8  batchcount=4 ")).toBe("slab,limit=8,batchcount=4");
		expect(specOf("slab", "")).toBe("slab");
		const own = specOf("slab", "limit=8", "two-nodes.slabtrace");
		expect([allocatorIn(own), settingsIn(own), traceIn(own)]).toEqual([
			"slab",
			"limit=8",
			"two-nodes.slabtrace",
		]);
		expect(machineOf(own, BASE).values).not.toHaveProperty("trace");
	});
});

describe("a comparison", () => {
	it("gives each machine the state it reaches alone, after any event", async () => {
		const others = ["slub,node_search=skip-checked", "unified"].map((s) => machineOf(s, BASE));
		const { runs } = await engine.compare(others, quiet);
		expect(runs.map((r) => /allocator=(\w+)/.exec(r.machine)?.[1] ?? "slub")).toEqual([
			"slub",
			"slub",
			"unified",
		]);
		const [a, b, c] = await engine.compareAt(20);
		if (!a || !b || !c) throw new Error("a machine is missing");
		expect(a.ops).toBe(21);
		expect(b.anyNodeZones).toBeLessThan(a.anyNodeZones);
		expect(c.anyNodeEntered).toBe(0);
		expect(metricRows([a, b, c], runs).map((m) => m.key)).toContain("zones_visited");
	});

	it("compares a counter only between machines that have it", async () => {
		const { runs } = await engine.compare([machineOf("slab", BASE)], quiet);
		const totals = await engine.compareAt(60);
		const rows = metricRows(totals, runs);
		const { differ, alone } = differingRows(rows);
		const valuesOf = (key: string) => rows.find((row) => row.key === key)?.values;
		expect(valuesOf("alloc_fastpath")).toEqual([expect.any(Number), undefined]);
		expect(valuesOf("allochit")).toEqual([undefined, expect.any(Number)]);
		expect(differ.map(({ key }) => key)).toContain("slabs");
		expect(differ.filter((row) => row.isCounter && row.values.includes(undefined))).toEqual([]);
		expect(alone).toBeGreaterThan(5);
	});

	it("shows a measure that only some allocators have, and says which machines lack it", async () => {
		const others = ["slab", "unified", "slob"].map((spec) => machineOf(spec, BASE));
		const { runs } = await engine.compare(others, quiet);
		const totals = await engine.compareAt(60);
		const rows = metricRows(totals, runs);
		const on = (key: string) =>
			rows.find((row) => row.key === key)?.values.map((value) => value !== undefined);
		for (const key of ["get_any_partial_entered", "zones_visited"])
			expect(on(key)).toEqual([true, false, false, false]);
		for (const key of ["pages_visited", "blocks_visited"])
			expect(on(key)).toEqual([false, false, false, true]);
		const keys = differingRows(rows).differ.map(({ key }) => key);
		expect(keys).toContain("get_any_partial_entered");
		expect(keys).toContain("pages_visited");
	});

	it("names each number in words, with its unit and the core's key", async () => {
		const { runs } = await engine.compare([machineOf("slab", BASE)], quiet);
		const rows = metricRows(await engine.compareAt(60), runs);
		const keys = new Set(MEASURES.map(({ key }) => key));
		for (const { key, name, unit } of rows) {
			expect(keys, key).toContain(key);
			expect(name, key).toMatch(/^[A-Z]/);
			expect(unit, key).not.toBe("");
		}
		expect(new Set(rows.map(({ over, key }) => `${over} ${key}`)).size).toBe(rows.length);
		expect(rows.find(({ key }) => key === "slab_bytes_peak")?.over).toBe("trace");
	});

	it("says how much a number differs, in its unit and in percent", () => {
		expect(differenceInWords(4096, 6144, "KiB")).toBe("−2.0 (−33\u00a0%)");
		expect(differenceInWords(1043, 390, "slabs")).toBe("+653 (+167\u00a0%)");
		expect(differenceInWords(7, 0, "slabs")).toBe("+7");
		expect(differenceInWords(7, 7, "slabs")).toBe("");
		expect(amount(4_866_048, "KiB")).toBe("4,752");
	});

	it("ends its curves at the totals", async () => {
		const { runs } = await engine.compare([machineOf("slab", BASE)], quiet);
		const last = (runs[0]?.nrOps ?? 0) - 1;
		const totals = await engine.compareAt(last);
		for (const curve of curvesFor(runs)) {
			expect(curve.machines.length).toBe(2);
			const ends = curve.machines.map((points) => valueAt(points ?? [], last));
			if (curve.exact) expect(ends, curve.name).toEqual(totals.map(curve.exact));
			expect(valuesAt(curve, last, totals)).toEqual(ends);
			expect(curve.most).toBeGreaterThanOrEqual(Math.max(...ends));
		}
	});

	it("shows the event at the same step on the other machine, and its path on both", async () => {
		await engine.compare(
			["slub", "slab"].map((spec) => machineOf(spec, BASE)),
			quiet,
		);
		const of = { other: 1, cache: "lesson", op: 20, step: "last" } as const;
		const here = await engine.go({ kind: "at", op: 20, step: "last" }, ALL_CACHES);
		const alike = await engine.otherStage(of);
		const [mine, theirs] = alike?.taken ?? [];
		expect(mine?.path.cycles).toBeGreaterThan(0);
		expect(theirs).toEqual(mine);
		expect(alike?.moment.steps).toEqual(here.steps);
		expect((await engine.otherStage({ ...of, step: 0 }))?.moment.position.step).toBe(0);
		const slab = await engine.otherStage({ ...of, other: 2, step: 99 });
		expect(slab?.moment.position.step).toBe((slab?.moment.nrSteps ?? 0) - 1);
		expect(slab?.taken[0]).toEqual(mine);
		expect(slab?.taken[1].path.cyclesOf.reduce((sum, n) => sum + n)).toBe(
			slab?.taken[1].path.cycles,
		);
		expect(slab?.taken[1].levels).not.toEqual(mine?.levels);
		expect(await engine.otherStage({ ...of, cache: "no such" })).toBeUndefined();
	});

	it("finds the next event of a cache whose cycles differ, and the one with the largest difference", async () => {
		const { runs } = await engine.compare(
			["slub", "slab"].map((spec) => machineOf(spec, BASE)),
			quiet,
		);
		const apartAt = async (op: number) => {
			const stage = await engine.otherStage({ other: 2, cache: "lesson", op, step: "last" });
			const [mine, theirs] = stage?.taken.map(({ path }) => path.cycles) ?? [];
			return Math.abs((mine ?? 0) - (theirs ?? 0));
		};
		const apart: number[] = [];
		for (let op = 0; op < (runs[0]?.nrOps ?? 0); op++) apart.push(await apartAt(op));
		const largest = Math.max(...apart);
		expect(largest).toBeGreaterThan(0);
		const of = { other: 2, cache: "lesson" };
		expect(await engine.difference(of, quiet)).toBe(apart.indexOf(largest));
		for (const after of [0, 7, 20, apart.length - 1]) {
			const next = apart.findIndex((difference, op) => op > after && difference > 0);
			expect(await engine.difference({ ...of, after }, quiet)).toBe(next < 0 ? undefined : next);
		}
		expect(await engine.difference({ other: 1, cache: "lesson" }, quiet)).toBeUndefined();
	});

	it("refuses a setting that the allocator does not have, as the command does", async () => {
		const refused = (spec: string) => engine.compare([machineOf(spec, BASE)], quiet);
		await expect(refused("slab,min_partial=3")).rejects.toThrow(
			"slab has no min_partial, which is a parameter of: slub unified",
		);
		await expect(refused("slub,min_order=3,max_order=1")).rejects.toThrow(/min_order is larger/);
		// Settings of the machine on the stage hold for all, whether an allocator has them or not.
		await engine.rebuild({ ...BASE, values: { ...BASE.values, min_partial: "3" } }, quiet);
		const base = { ...BASE, values: { ...BASE.values, min_partial: "3" } };
		const { runs } = await engine.compare([machineOf("slab", base)], quiet);
		expect(runs.length).toBe(2);
		await engine.rebuild(BASE, quiet);
	});

	it("gives all machines the caches of the machine state", async () => {
		const own = new Workbench();
		await own.open(`data:application/wasm;base64,${wasm.toString("base64")}`);
		await own.load(new Blob([readFileSync(LESSON)]), BASE, quiet);
		const state = "cache,order,slab_size,min_partial\nlesson,3,1024,9\n";
		await own.load(new Blob([state]), BASE, quiet);
		const bytes = async (spec: string) => {
			await own.compare([machineOf(spec, BASE)], quiet);
			return (await own.compareAt(60)).map((t) => t.slabBytes);
		};
		const [before, alike] = await bytes("slub");
		expect(alike).toBe(before);
		await own.applyMachineState(true, quiet);
		const [stage, other] = await bytes("slub");
		expect(stage).not.toBe(before);
		expect(other).toBe(stage);
		const [, set] = await bytes("slub,max_order=1");
		expect(set).not.toBe(stage);
		// Another state is used as the first one was.
		await own.load(new Blob([state.replace("1024", "2048")]), BASE, quiet);
		const [larger, too] = await bytes("slub");
		expect([before, stage]).not.toContain(larger);
		expect(too).toBe(larger);
	});

	it("says where machines first diverge, and why", async () => {
		const others = ["slub,node_search=skip-checked", "slub", "slab"];
		const { divergences } = await engine.compare(
			others.map((spec) => machineOf(spec, BASE)),
			quiet,
		);
		const [search, alike, slab] = divergences;
		expect(search?.reasons[1]).toContain("skipped");
		expect(alike).toBeNull();
		expect(slab?.op).toBeLessThanOrEqual(search?.op ?? 0);
		// The step is where the two sentences are.
		const { op = 0, step = 0, reasons } = search ?? {};
		const there = await engine.go({ kind: "at", op, step }, ALL_CACHES);
		expect(there.steps[step - there.firstStep]?.sentence).toBe(reasons?.[0]);
	});

	it("shows another trace at the same fraction of its events", async () => {
		const trace = "one-slab-after-another.slabtrace";
		const file = new Blob([readFileSync(new URL(`../../../../traces/${trace}`, import.meta.url))]);
		const { runs, divergences } = await engine.compare(
			[{ ...machineOf("slub", BASE), trace, file }],
			quiet,
		);
		const [mine = 0, theirs = 0] = runs.map(({ nrOps }) => nrOps);
		expect(theirs).not.toBe(mine);
		expect(runs.map((run) => run.trace)).toEqual([undefined, trace]);
		expect(divergences).toEqual([null]);
		expect((await engine.compareAt(mine - 1)).map(({ ops }) => ops)).toEqual([mine, theirs]);
		const middle = Math.floor(mine / 2);
		const of = { other: 1, op: middle, step: "last", cache: "none" } as const;
		const { position, frame } = momentOf((await engine.otherStage(of))?.moment as PackedMoment);
		expect(position.op).toBe(Math.round((middle / (mine - 1)) * (theirs - 1)));
		expect(frame.slabs.count).toBeGreaterThan(0);
	});

	it("replays the futures of a branch, which diverge at the branch or later", async () => {
		const own = new Workbench();
		await own.open(`data:application/wasm;base64,${wasm.toString("base64")}`);
		await own.load(new Blob([readFileSync(LESSON)]), BASE, quiet);
		const fork = { events: 20, lines: "k w1 64 cpu=0\nk w2 4096 cpu=2\n" };
		const with_ = (future: typeof fork | null) => ({ ...machineOf("slub", BASE), future });
		const before = await own.compare([with_(fork), with_(null)], quiet);
		const [length = 0, ofFork] = before.runs.map(({ nrOps }) => nrOps);
		expect(ofFork).toBe(22);
		expect(length).toBeGreaterThan(40);
		const [parting, same] = before.divergences;
		expect(parting?.op).toBeGreaterThanOrEqual(20);
		expect(parting?.op).toBeLessThan(22);
		expect(parting?.sentences[1]).toContain("64 bytes");
		expect(same).toBeNull();
		// An event is the same one in both futures, not that at the same share of the trace.
		expect((await own.compareAt(9)).map(({ ops }) => ops)).toEqual([10, 10, 10]);
		expect((await own.compareAt(40)).map(({ ops }) => ops)).toEqual([41, 22, 41]);
		const stage = await own.otherStage({ other: 1, op: 40, step: 0, cache: "lesson" });
		expect(stage?.moment.position.op).toBe(21);
		const hereAndThere = [...(await own.compareAt(19))];
		expect(hereAndThere[1]).toEqual(hereAndThere[0]);

		// The same pair from the other side: the fork is on the stage.
		await own.fork(fork, quiet);
		const after = await own.compare([with_(null), with_(fork)], quiet);
		expect(after.runs.map(({ nrOps }) => nrOps)).toEqual([22, length, 22]);
		expect(after.divergences[0]?.op).toBe(parting?.op);
		expect(after.divergences[0]?.reasons).toEqual(parting?.reasons.toReversed());
		expect(after.divergences[1]).toBeNull();
		expect((await own.compareAt(21)).map(({ ops }) => ops)).toEqual([22, 22, 22]);

		// SLOB has one cache for all requests by size: it serves this one.
		await own.compare([{ ...machineOf("slob", BASE), future: fork }], quiet);
		const of = { other: 1, op: 20, step: "last" } as const;
		const slob = await own.otherStage({ ...of, cache: "kmalloc-64" });
		expect(slob?.moment.op.sentence).toContain("served by slob");
		expect(slob?.moment.cache).toBe(slob?.taken[1].path.cache);
		expect(await own.otherStage({ ...of, cache: "kmalloc-4k" })).toBeUndefined();

		// A fork without events of its own ends where the recorded future goes on.
		await own.fork({ events: 20, lines: "" }, quiet);
		const [end] = (await own.compare([with_(null)], quiet)).divergences;
		expect(end?.op).toBe(20);
		expect(end?.sentences[0]).toBe("");
		expect(end?.reasons[0]).toBe("It ends after event 20.");
	});

	it("rejects an invalid machine and leaves the one on the stage alone", async () => {
		await expect(engine.compare([machineOf("slub,zzz=1", BASE)], quiet)).rejects.toThrow("zzz");
		const moment = await engine.go({ kind: "at", op: 3, step: "last" }, ALL_CACHES);
		expect(moment.position.op).toBe(3);
	});
});
