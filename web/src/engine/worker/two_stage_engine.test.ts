// Tests that a visitor sees the same with either module, and that functions which the small one lacks are there
// when a call needs them.

import { readFileSync } from "node:fs";
import { brotliCompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { compile, KmemViewer } from "#wasm";
import SAMPLES from "../../../../traces/index.json";
import { momentOf } from "../moment.ts";
import { ALL_CACHES, type Goal, type Machine, type Unit } from "../types.ts";
import { Navigator } from "./navigator.ts";
import { type Engine, twoStageEngine } from "./two_stage_engine.ts";
import { Workbench } from "./workbench.ts";

const file = (name: string) => readFileSync(new URL(`../../../../${name}`, import.meta.url));
const WHOLE = file("wasm/dist/kmem.wasm");
const SMALL = file("wasm/dist/kmem-first.wasm");
const SAMPLE = gunzipSync(file("traces/linux-6.1-hackbench-4-nodes.ftrace.txt.gz"));
const PLAIN: Machine = { preset: "", values: { nodes: "4" } };
const quiet = () => {};

let fetched: string[];

beforeEach(() => {
	fetched = [];
	vi.stubGlobal("fetch", async (url: string) => {
		if (url === "small") return new Response(new Uint8Array(SMALL));
		fetched.push(url);
		return new Response(new Uint8Array(WHOLE));
	});
});

afterEach(() => {
	vi.unstubAllGlobals();
	vi.restoreAllMocks();
});

async function started(machine = PLAIN, blob = new Blob([SAMPLE])): Promise<Engine> {
	const engine = twoStageEngine();
	await engine.open("whole", "small");
	expect(await engine.load(blob, machine, quiet)).toHaveProperty("report");
	return engine;
}

async function whole(): Promise<Workbench> {
	const engine = new Workbench();
	await engine.open("whole");
	await engine.load(new Blob([SAMPLE]), PLAIN, quiet);
	return engine;
}

/**
 * Leaves out where texts are in the module's memory, because the whole module also keeps pointers and tasks
 * there.
 */
function withoutOffsets(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutOffsets);
	if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
	const kept = Object.entries(value).filter(([name]) => !/[a-z]At$/.test(name));
	return Object.fromEntries(kept.map(([name, inner]) => [name, withoutOffsets(inner)]));
}

const seen = async (engine: Pick<Engine, "go">, goal: Goal, cache: number) =>
	withoutOffsets(momentOf(await engine.go(goal, cache)));

it("keeps the small module small on the wire", () => {
	expect(brotliCompressSync(SMALL).length).toBeLessThanOrEqual(40_000);
	expect(WebAssembly.Module.imports(new WebAssembly.Module(SMALL))).toEqual([]);
});

it("shows every position the same way with either module", async () => {
	const engine = await started();
	const slow = await whole();
	fetched = [];
	const units: readonly Unit[] = ["step", "event", "slow", "slab"];
	const goals: Goal[] = [0, 1, 777, 19_000].map((op) => ({ kind: "at", op, step: "last" }));
	for (const unit of units)
		for (const direction of [1, -1] as const)
			for (const count of [1, 3])
				goals.push({
					kind: "move",
					from: { op: 5000, step: 0 },
					unit,
					direction,
					count,
					scope: count === 1 ? 3 : 0xffff,
				});
	// A move that takes long stops on the way, so no time passes here, however busy the machine is.
	vi.spyOn(performance, "now").mockReturnValue(0);
	for (const goal of goals)
		expect(await seen(engine, goal, 3), JSON.stringify(goal)).toEqual(await seen(slow, goal, 3));
	expect(fetched, "no more was needed").toEqual([]);
});

it.each(SAMPLES)(
	"gives the same caches, objects and sentences with either module: $file",
	async (sample) => {
		const bytes = file(`traces/${sample.file}`);
		const blob = new Blob([
			new Uint8Array(sample.file.endsWith(".gz") ? gunzipSync(bytes) : bytes),
		]);
		const machine: Machine = { preset: "", values: { ...sample.machine } };
		const engine = twoStageEngine();
		await engine.open("whole", "small");
		const first = await engine.load(blob, machine, quiet);
		const isShown = fetched.length === 0;
		const slow = new Workbench();
		await slow.open("whole");
		fetched = [];
		const second = await slow.load(blob, machine, quiet);
		if (!("report" in first && "report" in second)) throw new Error("Both read the sample.");
		for (const part of ["kinds", "problems"] as const)
			expect(withoutOffsets(first.report[part])).toEqual(withoutOffsets(second.report[part]));
		// Only the whole module counts what remains, which the first view does not show.
		const shown = ({ report }: typeof first | typeof second) =>
			report.caches.map(({ liveObjects, unseenFrees, ...cache }) => cache);
		expect(withoutOffsets(shown(first))).toEqual(withoutOffsets(shown(second)));
		const { kernel, requests, warmStart, measured, ...built } = second.built;
		expect(withoutOffsets(first.built)).toMatchObject(withoutOffsets(built) as object);
		const { nrOps } = first.built;
		for (const op of [0, Math.floor(nrOps / 7), Math.floor(nrOps / 2), nrOps - 1])
			for (const cache of [0, ALL_CACHES]) {
				const goal: Goal = { kind: "at", op, step: "last" };
				expect(await seen(engine, goal, cache), `event ${op}`).toEqual(
					await seen(slow, goal, cache),
				);
			}
		if (isShown) expect(fetched, "the small module answered").toEqual([]);
	},
);

it("switches to the whole module when something else is asked, or earlier", async () => {
	let engine = await started();
	expect(fetched).toEqual([]);
	const at500: Goal = { kind: "at", op: 500, step: "last" };
	const before = await seen(engine, at500, 0);
	const built = await engine.rebuild({ preset: "", values: { allocator: "slab" } }, quiet);
	expect(built.nrOps).toBeGreaterThan(19_000);
	expect(fetched).toEqual(["whole"]);
	await engine.rebuild(PLAIN, quiet);
	expect(await seen(engine, at500, 0)).toEqual(before);

	fetched = [];
	engine = await started();
	await engine.prepare();
	expect(fetched).toEqual(["whole"]);
	expect(await seen(engine, at500, 0)).toEqual(before);
});

it("starts with the whole module for another machine or format", async () => {
	const machines: readonly Machine[] = [
		{ preset: "linux-6.18", values: {} },
		{ preset: "linux-7.2", values: {} },
		{ preset: "", values: { cpu_slabs: "off" } },
	];
	for (const machine of machines) {
		fetched = [];
		await started(machine);
		expect(fetched).toContain("whole");
	}
	fetched = [];
	await started(PLAIN, new Blob([file("traces/two-nodes.slabtrace")]));
	expect(fetched).toEqual(["whole"]);
});

it("refuses a file of no known format with the reason, and keeps the view", async () => {
	const engine = await started();
	await expect(engine.load(new File(["nothing"], "x"), PLAIN, quiet)).rejects.toThrow();
	expect((await engine.go({ kind: "at", op: 3, step: "last" }, 0)).position.op).toBe(3);
});

it("reports a fault in the small module instead of blaming what the module lacks", async () => {
	const engine = await started();
	vi.spyOn(Navigator.prototype, "go").mockImplementation(() => {
		throw new WebAssembly.RuntimeError("unreachable");
	});
	const going = engine.go({ kind: "at", op: 3, step: "last" }, 0);
	await expect(going).rejects.toThrow(WebAssembly.RuntimeError);
	expect(fetched).toEqual([]);
});

it("does not report a call that the small module leaves out as a fault", async () => {
	const session = await KmemViewer.open(await compile(SMALL));
	expect(session.lacksFunction).toBe(false);
	session.importBegin();
	const slabtrace = new TextEncoder().encode("slabtrace 1\ncache c size=64\na 1 c cpu=0\n");
	expect(() => {
		session.importChunk(slabtrace);
		session.importEnd();
	}).toThrow(WebAssembly.RuntimeError);
	expect(session.lacksFunction).toBe(true);
});

it("reads a trace that has started only once, and lets another one replace it", async () => {
	const imports = vi.spyOn(KmemViewer.prototype, "importEnd");
	const half = SAMPLE.subarray(0, SAMPLE.lastIndexOf("\n", SAMPLE.length / 2) + 1);
	vi.stubGlobal("fetch", async (url: string) => {
		const bytes = { small: SMALL, all: SAMPLE, half }[url];
		return new Response(bytes && new Uint8Array(bytes));
	});
	const nrOps = async (engine: Engine, trace: string) => {
		const loaded = await engine.load(trace, PLAIN, quiet);
		return "built" in loaded ? loaded.built.nrOps : -1;
	};
	const engine = twoStageEngine();
	engine.begin("small", "all", PLAIN);
	await engine.open("whole", "small");
	const all = await nrOps(engine, "all");
	expect(imports).toHaveBeenCalledTimes(1);
	engine.begin("small", "all", PLAIN);
	const fewer = await nrOps(engine, "half");
	expect(fewer).toBeLessThan(all);
	const { position } = await engine.go({ kind: "at", op: all, step: 0 }, 0);
	expect(position.op).toBe(fewer - 1);
});
