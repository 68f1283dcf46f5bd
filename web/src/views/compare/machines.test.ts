/** Machines as text, and their comparison through the engine: each as if alone, and parting where it really does. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { ALL_CACHES, type Machine } from "../../engine/types.ts";
import { SessionEngine } from "../../engine/worker/session_engine.ts";
import { allocatorIn, differing, machineOf, metricsOf, settingsIn, specOf } from "./machines.ts";

const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));
const LESSON = new URL("../../../../traces/two-nodes.slabtrace", import.meta.url);
const BASE: Machine = { preset: "", values: { cpus: "4" } };
const engine = new SessionEngine();
const quiet = () => {};

beforeAll(async () => {
	await engine.open(`data:application/wasm;base64,${wasm.toString("base64")}`);
	await engine.load(new Blob([readFileSync(LESSON)]), BASE, quiet);
});

describe("a machine as text", () => {
	it("is an allocator and settings, whose values may have commas", () => {
		expect(machineOf("slub,zones=2,1,min_partial=0,preset=linux-4.19", BASE)).toEqual({
			preset: "linux-4.19",
			values: { cpus: "4", allocator: "slub", zones: "2,1", min_partial: "0" },
		});
		expect(machineOf("slab", BASE).values).toEqual({ cpus: "4", allocator: "slab" });
	});

	it("comes apart and together again", () => {
		const spec = "slub,zones=2,1,min_partial=0";
		expect(specOf(allocatorIn(spec), settingsIn(spec))).toBe(spec);
		expect(specOf("slab", " limit=8  batchcount=4 ")).toBe("slab,limit=8,batchcount=4");
		expect(specOf("slab", "")).toBe("slab");
	});
});

describe("a comparison", () => {
	it("has what each machine comes to alone, after any operation", async () => {
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
		expect(metricsOf([a, b, c], runs).map((m) => m.name)).toContain("zones checked");
	});

	it("compares a counter only on machines that have it", async () => {
		const { runs } = await engine.compare([machineOf("slab", BASE)], quiet);
		const totals = await engine.compareAt(60);
		const metrics = metricsOf(totals, runs);
		const { differ, alone } = differing(metrics, totals);
		const named = (name: string) => metrics.find((m) => m.name === name);
		expect(named("alloc_fastpath")?.isOn?.(0)).toBe(true);
		expect(named("alloc_fastpath")?.isOn?.(1)).toBe(false);
		expect(named("allochit")?.isOn?.(1)).toBe(true);
		expect(differ.map((m) => m.name)).toContain("slabs");
		expect(differ.filter((m) => m.isOn && m.measure === undefined)).toEqual([]);
		expect(alone).toBeGreaterThan(5);
	});

	it("shows a measure that only some allocators have, and on which machines it is missing", async () => {
		const others = ["slab", "unified", "slob"].map((spec) => machineOf(spec, BASE));
		const { runs } = await engine.compare(others, quiet);
		const totals = await engine.compareAt(60);
		const metrics = metricsOf(totals, runs);
		const on = (name: string) =>
			[0, 1, 2, 3].map((nr) => metrics.find((m) => m.name === name)?.isOn?.(nr));
		for (const name of ["any-node searches", "zones checked"])
			expect(on(name)).toEqual([true, false, false, false]);
		for (const name of ["pages visited", "blocks visited"])
			expect(on(name)).toEqual([false, false, false, true]);
		const { differ } = differing(metrics, totals);
		expect(differ.map((m) => m.name)).toContain("any-node searches");
		expect(differ.map((m) => m.name)).toContain("pages visited");
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

	it("makes the caches of all machines as the machine state has them", async () => {
		const own = new SessionEngine();
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
		// Another state is laid over the model first; it is not what caches are made of yet.
		await own.load(new Blob([state.replace("1024", "2048")]), BASE, quiet);
		expect(await bytes("slub")).toEqual([before, before]);
	});

	it("says where they part, and why", async () => {
		const { divergence } = await engine.compare(
			[machineOf("slub,node_search=skip-checked", BASE)],
			quiet,
		);
		expect(divergence).toMatchObject({ other: 1 });
		expect(divergence?.reasons[1]).toContain("skipped");
		const alike = await engine.compare([machineOf("slub", BASE)], quiet);
		expect(alike.divergence).toBeNull();
	});

	it("rejects what cannot be, and the stage's machine stays", async () => {
		await expect(engine.compare([machineOf("slub,zzz=1", BASE)], quiet)).rejects.toThrow("zzz");
		const moment = await engine.go({ kind: "at", op: 3, step: "last" }, ALL_CACHES);
		expect(moment.position.op).toBe(3);
	});
});
