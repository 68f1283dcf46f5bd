/**
 * Tests work in slices: a helper measures an experiment, and call sites are counted. Also tests what replays start
 * from, here and elsewhere.
 */
import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { StartFrom, StartLimit } from "../../../../wasm/src/abi.ts";
import { KmemError, KmemSession, Status } from "../../../../wasm/src/index.ts";
import { loadModule } from "../../../../wasm/src/node.ts";
import { MemoryFolder } from "../../../test/fixtures/memory_folder.ts";
import { alike } from "../alike.ts";
import { NO_PACE } from "../pace.ts";
import { sitesOf } from "../query/sites.ts";
import { RecentStore } from "../recent/recent_store.ts";
import type { Machine } from "../types.ts";
import { Workbench } from "./workbench.ts";

const PLAIN: Machine = { preset: "", values: {} };
const quiet = () => {};
const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));

it("measures an experiment and reports its progress", async () => {
	const helper = new Workbench();
	await helper.assist(new Blob([wasm]));
	const done: number[] = [];
	const study = await helper.reproduce("003", (progress) => done.push(progress.done));
	expect(study.runsDone).toBe(study.runs);
	expect(study.figures.some((f) => f.ours && f.agrees)).toBe(true);
	expect(done).toEqual(done.toSorted((a, b) => a - b));
	expect(done.at(-1)).toBeGreaterThan(500);
});

/** What slabinfo says about the trace's caches: twenty slabs, none of them free. */
const STATE =
	"slabinfo - version: 2.1\nfilp 300 320 256 16 1 : tunables 0 0 0 : slabdata 20 20 0\n";

it("replays on other machines from the same start as the stage", async () => {
	const stage = new Workbench();
	await stage.open(new Blob([wasm]));
	const machine = { preset: "", values: { cpus: "4" } };
	const trace = "slabtrace 1\ncache f size=256 name=filp\na 1 f cpu=0\na 2 f cpu=1\nf 1 cpu=2\n";
	await stage.load(new Blob([trace]), machine, quiet);
	await stage.load(new Blob([STATE]), machine, quiet);
	const { built } = await stage.beginWarm(true, quiet);
	expect(built.warmSlabs).toBe(20);
	const helper = new Workbench();
	await helper.assist(new Blob([wasm]));
	const source = { name: "t", stage: await stage.stageCopy("t") };
	const slabsOn = async (of: Machine) =>
		(await helper.measure(source, of, quiet)).find(({ key }) => key === "slabs")?.value;
	const { runs } = await stage.compare([machine], quiet);
	expect(runs).toHaveLength(2);
	const [mine, twin] = await stage.compareAt(2);
	expect(twin).toEqual(mine);
	expect(await slabsOn(machine)).toBe(mine?.slabs);
	// A different machine is measured from the same start.
	expect(await slabsOn({ preset: "", values: { cpus: "2", min_partial: "0" } })).toBeGreaterThan(
		15,
	);
	await stage.beginWarm(false, quiet);
	await stage.compare([machine], quiet);
	expect((await stage.compareAt(2))[1]?.slabs).toBeLessThan(5);
});

it("starts from the machine's slabs with a second snapshot too: its own, or those from before the trace", async () => {
	const stage = new Workbench();
	await stage.open(new Blob([wasm]));
	const trace = "slabtrace 1\ncache f size=256 name=filp\na 1 f cpu=0\nf 1 cpu=0\n";
	const snapshot = (slabs: number) =>
		new Blob([
			STATE.replace("300 320", `${slabs * 15} ${slabs * 16}`).replace("20 20", `${slabs} ${slabs}`),
		]);
	const drop = async (slabs: number) => {
		const answer = await stage.load(snapshot(slabs), PLAIN, quiet);
		if (!("machineState" in answer)) throw new Error("a machine state is expected");
		return answer;
	};
	await stage.load(new Blob([trace]), PLAIN, quiet);
	expect(await drop(20)).toMatchObject({ used: false, warm: false, built: { warmSlabs: 0 } });
	await stage.applyMachineState(true, quiet);
	await stage.beginWarm(true, quiet);
	expect(await drop(7)).toMatchObject({ used: true, warm: true, built: { warmSlabs: 7 } });
	await stage.stateIsBefore();
	expect(await drop(9)).toMatchObject({ used: true, warm: true, built: { warmSlabs: 7 } });
	const [filp] = await stage.growth();
	expect(filp).toMatchObject({ modelSlabsBefore: 7, slabsBefore: 7, slabsAfter: 9, why: "" });
	const { runs } = await stage.compare([{ ...PLAIN, trace: "workload:netio" }], quiet);
	expect(runs).toHaveLength(2);
	expect(await stage.removeMachineStates(quiet)).toMatchObject({ built: { warmSlabs: 0 } });
	expect(await drop(9)).toMatchObject({ used: false, warm: false, built: { warmSlabs: 0 } });
	// Slabs that no machine has room for: the snapshot is shown, and the replay says why it starts without them.
	await stage.beginWarm(true, quiet);
	const much = await drop(2 ** 24);
	expect(much).toMatchObject({ warm: false, built: { warmSlabs: 0 } });
	expect(much.said).toMatch(/^the snapshot's slabs do not fit/);
});

it("counts call sites again if other work took their memory", async () => {
	const session = await KmemSession.open(await loadModule());
	session.workloads.make("netio", { scale: 0.02, cpus: 4, nodes: 2 });
	session.build();
	const whole = await sitesOf(session, { by: 3 }, NO_PACE);
	const sum = (of: "allocations" | "frees" | "liveObjects") =>
		whole.rows.reduce((n, row) => n + row[of], 0);
	expect(sum("frees")).toBeGreaterThan(500);
	expect(sum("allocations")).toBe(sum("frees") + sum("liveObjects"));
	expect(sum("liveObjects")).toBe(session.report().liveAtEnd);
	const slices = vi.spyOn(session.sites, "slices").mockImplementationOnce(function* () {
		yield 1;
		throw new KmemError(Status.KMEM_ESTATE, "another query took their memory");
	});
	expect(await sitesOf(session, { by: 3 }, NO_PACE)).toEqual(whole);
	expect(slices).toHaveBeenCalledTimes(2);
	await expect(sitesOf(session, { by: 0 }, NO_PACE)).rejects.toThrow("expected one or more of");
	expect(slices).toHaveBeenCalledTimes(3);
});

/** Two objects of an old slab are free, and one in use is freed; a slab at 0x3000 is new. */
const OLD = 0x1000;
const line = (i: number, what: string, slab: number, index: number) =>
	`task-1 [000] ..... 1.${String(i).padStart(6, "0")}: kmem_cache_${what}: call_site=f+0x1/0x2 ` +
	`ptr=ffff8881${(slab + index * 256).toString(16).padStart(8, "0")}` +
	`${what === "free" ? "" : " bytes_req=256 bytes_alloc=256 gfp_flags=GFP_KERNEL node=-1 accounted=false"} name=filp\n`;
const TRACE = [
	["free", OLD, 9],
	["alloc", OLD, 9],
	["alloc", OLD, 5],
	["alloc", OLD, 2],
	["alloc", 0x3000, 0],
	["alloc", 0x3000, 1],
	["free", OLD, 5],
]
	.map(([what, slab, index], i) => line(i + 1, String(what), Number(slab), Number(index)))
	.join("");
const upload = () => new File([TRACE], "mine.txt");

async function opened(input: Blob, isCold = false, store?: RecentStore) {
	const bench = new Workbench(store && { store });
	await bench.open(new Blob([wasm]));
	const loaded = await bench.load(input, PLAIN, quiet, "", isCold);
	if (!("built" in loaded) || !("report" in loaded)) throw new Error("not opened");
	return { bench, built: loaded.built, key: loaded.key };
}

it("starts a file from the slabs that its pointers show, but a sample, or a file on request, from empty", async () => {
	const { bench, built } = await opened(upload());
	expect(built.warmSlabs).toBe(1);
	expect(built.warmStart).toContain("1 slab of 1 cache inferred from the trace's pointers");
	// The first event frees an object of that slab.
	const first = await bench.go({ kind: "at", op: 0, step: "last" }, 0);
	expect(first.frame).toBeDefined();
	const cold = await bench.inferStart(false, quiet);
	expect([cold.warmSlabs, cold.warmStart]).toEqual([0, expect.stringMatching(/^Start from empty/)]);
	expect((await bench.inferStart(true, quiet)).warmStart).toBe(built.warmStart);
	// Another machine starts this way too.
	const { warmSlabs } = await bench.rebuild({ preset: "linux-6.12", values: {} }, quiet);
	expect(warmSlabs).toBe(1);
	expect((await opened(upload(), true)).built.warmSlabs).toBe(0);
	expect((await opened(new Blob([TRACE]))).built.warmSlabs).toBe(0);
});

it("replays on other machines from that start, with another future too", async () => {
	const { bench } = await opened(upload());
	await bench.compare([PLAIN], quiet);
	const [mine, twin] = await bench.compareAt(6);
	expect(twin).toEqual(mine);
	for (const on of [true, false]) {
		const helper = new Workbench();
		await helper.assist(new Blob([wasm]));
		await bench.inferStart(on, quiet);
		const source = { name: "t", stage: await bench.stageCopy("t") };
		expect(source.stage.start.infers).toBe(on);
		const figures = await helper.measure(source, PLAIN, quiet);
		await bench.compare([], quiet);
		const [now] = await bench.compareAt(6);
		expect(figures.find(({ key }) => key === "slabs")?.value).toBe(now?.slabs);
	}
	await bench.inferStart(true, quiet);
	const before = await bench.text();
	// The fork's events have the numbers of recorded events, which the start is inferred from.
	const forked = await bench.fork({ events: 4, lines: "f 2 cpu=0\nf 4 cpu=0\n" }, quiet);
	expect([forked.nrOps, forked.warmSlabs]).toEqual([6, 1]);
	expect((await bench.fork(undefined, quiet)).warmSlabs).toBe(1);
	expect(await (await bench.text()).text()).toBe(await before.text());
});

it("says what a replay starts from on each machine, and respects a limit on it", async () => {
	const { bench } = await opened(upload());
	const helper = new Workbench();
	await helper.assist(new Blob([wasm]));
	const source = { name: "t", stage: await bench.stageCopy("t") };
	const checked = { preset: "", values: { ...PLAIN.values, sanity_checks: "on" } };
	const startOn = (machine: Machine, limit: StartLimit = StartLimit.LIMIT_NONE) =>
		helper.startOf(source, machine, limit);
	expect((await startOn(PLAIN)).from).toBe(StartFrom.START_POINTERS);
	expect((await startOn(checked)).from).toBe(StartFrom.START_EMPTY);
	const how = await alike(async (limit) => [
		await startOn(PLAIN, limit),
		await startOn(checked, limit),
	]);
	expect(how).toMatchObject({ cannot: 1, limit: StartLimit.LIMIT_COUNTS });
	const slabs = async (limit: StartLimit) =>
		(await helper.measure(source, PLAIN, quiet, limit)).find(({ key }) => key === "slabs")?.value;
	const withPointers = await slabs(StartLimit.LIMIT_NONE);
	await bench.inferStart(false, quiet);
	await bench.compare([], quiet);
	expect(await slabs(StartLimit.LIMIT_COUNTS)).toBe((await bench.compareAt(6))[0]?.slabs);
	expect(await slabs(StartLimit.LIMIT_COUNTS)).not.toBe(withPointers);
});

it("starts the same way again from what the browser keeps", async () => {
	const estimate = async () => ({ quota: 1e12, usage: 0 });
	vi.stubGlobal("navigator", { storage: { estimate } });
	const store = new RecentStore(new MemoryFolder().asRoot());
	const { bench, built, key } = await opened(upload(), true, store);
	expect([await bench.kept(), built.warmSlabs]).toEqual(["", 0]);
	const slabs = async (isCold: boolean) => {
		const again = await bench.loadRecent(key, PLAIN, quiet, isCold);
		return "built" in again && again.built.warmSlabs;
	};
	expect([await slabs(false), await slabs(true)]).toEqual([1, 0]);
	vi.unstubAllGlobals();
});

/** Events as Linux 5.10 writes them, which name no cache; all objects but the last share one cache. */
const OF_5_10 = ["dup_mm", "mm_alloc", "dup_mm", "strange"]
	.map((site, i) => {
		const bytes = site === "strange" ? 200 : 1088;
		const at = (0x1000 * (i + 1)).toString(16).padStart(8, "0");
		return `t-1 [000] .... 1.00000${i}: kmem_cache_alloc: call_site=${site}+0x1 ptr=ffff8881${at} bytes_req=${bytes} bytes_alloc=${bytes} gfp_flags=GFP_KERNEL\n`;
	})
	.join("");

/** A machine with one cache of that size. */
const sized = (name: string, slabs: number) =>
	new Blob([
		`slabinfo - version: 2.1\n${name} ${slabs * 15} ${slabs * 15} 1088 15 4 : tunables 0 0 0 : slabdata ${slabs} ${slabs} 0\n`,
	]);

it("names caches from a snapshot that comes after the trace, changes nothing else, and forgets the names with it", async () => {
	vi.stubGlobal("navigator", { storage: { estimate: async () => ({ quota: 1e12, usage: 0 }) } });
	const store = new RecentStore(new MemoryFolder().asRoot());
	const { bench, key } = await opened(new File([OF_5_10], "5.10.txt"), false, store);
	expect(await bench.kept()).toBe("");
	const machine = { preset: "linux-5.10", values: { cpus: "3" } };
	await bench.rebuild(machine, quiet);
	const drop = async (state: Blob) => {
		const answer = await bench.load(state, machine, quiet);
		if (!("machineState" in answer)) throw new Error("a machine state is expected");
		const names = answer.built.caches.map(({ name }) => name);
		return { ...answer, names, reported: answer.readAgain?.caches.map(({ name }) => name) };
	};
	const named = await drop(sized("mm_struct", 2));
	expect(named.names).toEqual(["mm_struct", "size-200"]);
	expect(named.reported).toEqual(named.names);
	expect(named).toMatchObject({ used: false, warm: false, built: { nrCpus: 3, nrOps: 4 } });
	await bench.beginWarm(true, quiet);
	await bench.stateIsBefore();
	// The machine before the trace names its caches first.
	const later = await drop(sized("other", 7));
	expect(later.names).toEqual(named.names);
	expect(later).toMatchObject({ warm: true, built: { warmSlabs: 2, nrCpus: 3 } });
	const { built } = await bench.removeMachineStates(quiet);
	expect(built.caches.map(({ name }) => name)).toEqual(["size-1088", "size-200"]);
	expect(built).toMatchObject({ warmSlabs: 0, nrCpus: 3 });
	// The browser's own copy has no names either; it gets them the same way.
	const again = await bench.loadRecent(key, machine, quiet);
	expect("built" in again && again.built.caches[0]?.name).toBe("size-1088");
	expect((await drop(sized("mm_struct", 2))).names).toEqual(named.names);
	vi.unstubAllGlobals();
});

/** Five caches of a Linux 6.1 machine with 8 CPUs. */
const run = (kind: string) => {
	const name = `compile-8cpus.${kind}.gz`;
	const bytes = readFileSync(new URL(`../../../../core/test/reality/${name}`, import.meta.url));
	return new File([bytes], name);
};

it("starts from the kernel state that was recorded with the trace, as does a copy; a bad state changes nothing", async () => {
	const { bench, built } = await opened(run("trace"));
	expect(built.warmStart).toContain("inferred from the trace's pointers");
	const bad = new File(["V 1 start 0\nX"], "bad.state");
	await expect(bench.beginWithState(bad, quiet)).rejects.toThrow(/^bad\.state: .*line 2/);
	const same = await bench.rebuild(PLAIN, quiet);
	expect([same.warmStart, same.warmSlabs]).toEqual([built.warmStart, built.warmSlabs]);
	const start = run("start.state");
	const { built: kernels } = await bench.beginWithState(start, quiet);
	expect(kernels.warmStart).toMatch(/^Start from kernel state: \d+ caches start with /);
	expect([kernels.nrCpus, kernels.nrNodes]).toEqual([8, 4]);
	const stage = await bench.stageCopy("t");
	expect(stage.start).toMatchObject({ isKernels: true, infers: true });
	const helper = new Workbench();
	await helper.assist(new Blob([wasm]));
	const done: number[] = [];
	const states = { start, stop: undefined };
	const checked = await helper.checkRun(stage, states, (progress) => done.push(progress.done));
	expect([checked.right, checked.allocations]).toEqual([1687, 1687]);
	expect(done.length).toBeGreaterThan(0);
	expect(done).toEqual(done.toSorted((a, b) => a - b));
	// Another machine starts this way too, and choosing another start ends it.
	const other = await bench.rebuild({ preset: "", values: { min_partial: "9" } }, quiet);
	expect(other.warmStart).toBe(kernels.warmStart);
	await bench.rebuild(PLAIN, quiet);
	expect((await bench.inferStart(true, quiet)).warmStart).toBe(built.warmStart);
	expect((await bench.inferStart(false, quiet)).warmSlabs).toBe(0);
});
