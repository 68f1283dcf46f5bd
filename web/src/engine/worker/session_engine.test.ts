/**
 * Tests the engine on this thread, with the real core: the same positions in both directions, and nothing lost to bad input.
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { compile, FaultKind, KmemSession } from "#wasm";
import { Cancelled } from "../../base/errors.ts";
import { frameOf } from "../frame.ts";
import { momentOf } from "../moment.ts";
import { ALL_CACHES, type Goal, type Machine, type Moment, type Unit } from "../types.ts";
import { Workbench } from "./workbench.ts";

const PLAIN: Machine = { preset: "", values: {} };
const quiet = () => {};

function file(path: string): Blob {
	return new Blob([new Uint8Array(readFileSync(new URL(path, import.meta.url)))]);
}

const LESSON = file("../../../../traces/two-nodes.slabtrace");
const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));
const engine = new Workbench();

/** Sends it to the page and unpacks it, as the page does. */
async function go(goal: Goal, cache: number): Promise<Moment> {
	return momentOf(await engine.go(goal, cache));
}

function by(unit: Unit, from: Moment, direction: 1 | -1): Goal {
	return { kind: "move", from: from.position, unit, direction, count: 1, scope: ALL_CACHES };
}

/** Goes from a position to the end, one unit at a time. */
async function walk(unit: Unit, start: Moment, direction: 1 | -1): Promise<Moment[]> {
	const moments = [start];
	for (let at = start; ; ) {
		const next = await go(by(unit, at, direction), 0);
		if (next.ended) return moments;
		moments.push(next);
		at = next;
	}
}

beforeAll(async () => {
	await engine.open(`data:application/wasm;base64,${wasm.toString("base64")}`);
	await engine.load(LESSON, PLAIN, quiet);
});

describe("moving", () => {
	it("by steps shows every step of every event, forwards and backwards", async () => {
		const start = await go({ kind: "at", op: 0, step: 0 }, 0);
		const there = await walk("step", start, 1);
		const last = there.at(-1);
		if (!last) throw new Error("there are no steps");
		const back = (await walk("step", last, -1)).toReversed();
		expect(there.length).toBeGreaterThan(200);
		const plain = (m: Moment) => ({
			at: m.position,
			frame: m.frame,
			steps: m.steps,
			caches: m.caches,
		});
		expect(back.map(plain)).toEqual(there.map(plain));
		// The levels of an event in a cache other than the stage's have the same slabs.
		for (const { position, frame } of there.filter((_, i) => i % 40 === 0)) {
			const packed = await engine.cacheFrame(position, 0);
			expect(packed && frameOf(packed)).toEqual(frame);
		}
	});

	it("by events stops at the end of each", async () => {
		const start = await go({ kind: "at", op: 0, step: "last" }, 0);
		const ops = (await walk("event", start, 1)).map((m) => m.position.op);
		expect(ops).toEqual(ops.map((_, i) => i));
	});

	it("far past either end stops at that end", async () => {
		const moment = await go({ kind: "at", op: 1e9, step: 1e9 }, 0);
		expect(moment.position).toEqual({ op: moment.op.op, step: moment.nrSteps - 1 });
	});
});

it("goes back to an event of the cache if none follows", async () => {
	const end = await go({ kind: "at", op: 1_000_000, step: "last" }, 0);
	const last = await go({ ...by("slow", end, -1), orNearest: true } as Goal, 0);
	const found = await go({ ...by("slow", end, 1), orNearest: true } as Goal, 0);
	expect(found.position).toEqual(last.position);
	expect(found.position.op).toBeLessThan(end.position.op);
	expect(found.ended).toBe(false);
});

describe("bad input", () => {
	it("is refused with a sentence, and the trace before it stays in use", async () => {
		const before = await go({ kind: "at", op: 60, step: 0 }, 0);
		await expect(engine.load(new Blob(["no trace at all\n"]), PLAIN, quiet)).rejects.toThrow(
			/\w+ \w+/,
		);
		const nothing = new Blob(["# tracer: nop\n#\n"]);
		await expect(engine.load(nothing, PLAIN, quiet)).rejects.toThrow(/Were tracing and/);
		await expect(engine.rebuild({ preset: "", values: { nodes: "many" } }, quiet)).rejects.toThrow(
			"nodes",
		);
		await expect(engine.rebuild({ preset: "", values: { magic: "1" } }, quiet)).rejects.toThrow(
			"magic",
		);
		await expect(engine.rebuild({ preset: "linux-0.1", values: {} }, quiet)).rejects.toThrow(
			"linux-0.1",
		);
		await expect(
			engine.rebuild({ preset: "", values: { magic: "1" } }, quiet),
		).rejects.toMatchObject({ fault: { kind: FaultKind.FAULT_KEY, key: "magic" } });
		expect(await go({ kind: "at", op: 60, step: 0 }, 0)).toEqual(before);
	});
});

describe("a file that does not fit in memory", () => {
	const few = new Workbench({ gives: () => false });

	it("is refused before it is read, with two ways out", async () => {
		await few.open(`data:application/wasm;base64,${wasm.toString("base64")}`);
		const line = "a 1 c cpu=0\nf 1 cpu=0\n".repeat(200_000);
		const text = ["slabtrace 1\ncache c size=64\n", ...Array.from({ length: 60 }, () => line)];
		let read = 0;
		const answer = await few.load(new Blob(text), PLAIN, (p) => {
			read = Math.max(read, p.done / p.total);
		});
		if (!("refusal" in answer)) throw new Error("it was not refused");
		expect(answer.refusal.sentence).toMatch(/million events.* [MG]iB of memory/);
		expect(answer.refusal.ways).toHaveLength(2);
		expect(read).toBeLessThan(0.2);
	});
});

describe("an image", () => {
	it("restores the imported trace in the same module", async () => {
		const module = await compile(wasm);
		const first = await KmemSession.open(module);
		first.importBegin();
		first.importChunk(new Uint8Array(await LESSON.arrayBuffer()));
		first.importEnd();
		const image = first.image();
		first.build();
		const second = await KmemSession.ofImage(module, image.length);
		second.fillImage(0, image);
		second.build();
		expect(second.hash()).toBe(first.hash());
		expect(second.report()).toEqual(first.report());
	});
});

describe("another machine", () => {
	it("replays the same events, and going back gives the first result again", async () => {
		const first = await engine.rebuild(PLAIN, quiet);
		const other = await engine.rebuild(
			{ preset: "linux-2.6.26", values: { min_partial: "9" } },
			quiet,
		);
		expect(other.nrOps).toBe(first.nrOps);
		expect(other.caches[0]?.minPartial).toBe(9);
		expect(await engine.rebuild(PLAIN, quiet)).toEqual(first);
	});
});

it("shows at a glance what the story shows at the end of an event, without moving the story", async () => {
	await engine.load(LESSON, PLAIN, quiet);
	const curves = await engine.cacheSeries(0);
	for (const op of [3, 44, 90]) {
		const seen = await engine.glance(op, 0);
		const moment = await go({ kind: "at", op, step: "last" }, 0);
		const row = moment.caches[0];
		expect(seen).toEqual({
			op,
			event: op,
			sentence: moment.op.sentence,
			time: moment.op.time,
			live: row?.liveObjects,
			slabs: row?.slabs,
			partial: row?.partial,
		});
		expect(curves?.liveObjects.max[op]).toBe(row?.liveObjects);
	}
});

it("goes to the nearest event of a cache, unless that is too far, and prefers an earlier one", async () => {
	const own = new Workbench();
	await own.open(`data:application/wasm;base64,${wasm.toString("base64")}`);
	const caches = ["b", "a", "b", "b", "a", "b"];
	const lines = caches.map((cache, i) => `a ${i} ${cache} cpu=0`);
	const head = ["slabtrace 1", "machine cpus=1", "cache a size=64", "cache b size=512"];
	await own.load(new File([[...head, ...lines, ""].join("\n")], "two"), PLAIN, quiet);
	const cacheOf = async (op: number) =>
		momentOf(await own.go({ kind: "at", op, step: 0 }, ALL_CACHES)).op.cache;
	const cache = await cacheOf(1);
	const near = { cache, within: 1 };
	const found = caches.map(async (_, op) => {
		const { position } = await own.go({ kind: "at", op, step: 0, near }, ALL_CACHES);
		expect((await own.glance(op, cache, near))?.event).toBe(position.op);
		return position.op;
	});
	expect(await Promise.all(found)).toEqual([1, 1, 1, 4, 4, 4]);
});

it("gives the curves of the cache asked for last", async () => {
	await engine.load(LESSON, PLAIN, quiet);
	const [first, last] = await Promise.allSettled([engine.cacheSeries(7), engine.cacheSeries(0)]);
	expect(last.status === "fulfilled" && last.value?.liveObjects.max.some((n) => n > 0)).toBe(true);
	if (first.status === "fulfilled")
		expect(first.value?.liveObjects.max.every((n) => n === 0)).toBe(true);
});

describe("a branch", () => {
	it("that is cancelled leaves the previous future in place and rejects as cancelled", async () => {
		const own = new Workbench();
		await own.open(`data:application/wasm;base64,${wasm.toString("base64")}`);
		// Long enough for several slices of the replay.
		await own.loadMade("workload:netio?seed=1&scale=3", PLAIN, quiet);
		const kept = await own.fork({ events: 100_000, lines: "k w1 64 cpu=0\n" }, quiet);
		expect(kept.nrOps).toBe(100_001);
		const totals = async () =>
			momentOf(await own.go({ kind: "at", op: 100_000, step: "last" }, ALL_CACHES));
		const before = await totals();
		const forking = own.fork({ events: 120_000, lines: "" }, quiet);
		own.cancel();
		await expect(forking).rejects.toThrow(Cancelled);
		expect(await totals()).toEqual(before);
		const leaving = own.fork(undefined, quiet);
		own.cancel();
		await expect(leaving).rejects.toThrow(Cancelled);
		expect(await totals()).toEqual(before);
		expect((await own.fork({ events: 100_000, lines: "" }, quiet)).nrOps).toBe(100_000);
		expect((await own.fork(undefined, quiet)).nrOps).toBeGreaterThan(200_000);
	});
});

describe("a kernel's symbols", () => {
	const line = (time: number, rest: string) => `x-1 [000] ..... 1.00000${time}: ${rest}\n`;
	const trace = new Blob([
		line(
			1,
			"kmalloc: call_site=ffffffff81000110 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8 gfp_flags=GFP_KERNEL",
		),
		line(2, "kfree: call_site=ffffffff81000210 ptr=ffff888000001000"),
	]);
	const symbols =
		"ffffffff81000100 T first\nffffffff81000200 t second\nffffffff81000300 T _etext\n";
	const fileOf = (text: string) => new File([text], "kallsyms");

	it("name the call sites, unless they do not match", async () => {
		const own = new Workbench();
		await own.open(`data:application/wasm;base64,${wasm.toString("base64")}`);
		await expect(own.load(fileOf(symbols), PLAIN, quiet)).rejects.toThrow("once the trace is open");
		await own.load(trace, PLAIN, quiet);
		expect(await own.kindOf(fileOf(symbols))).toBe("symbols");
		const moved = fileOf(symbols.replaceAll("ffffffff8", "ffffffff9"));
		await expect(own.load(moved, PLAIN, quiet)).rejects.toThrow(
			/do not fit the trace: only 0 of its 2/,
		);
		expect(await own.callSites()).toEqual(["ffffffff81000110", "ffffffff81000210"]);
		const answer = await own.load(fileOf(symbols), PLAIN, quiet);
		expect(answer).toMatchObject({ named: 2, built: { nrOps: 2 } });
		expect(await own.callSites()).toEqual(["first+0x10/0x100", "second+0x10/0x100"]);
		expect((await own.go({ kind: "at", op: 1, step: "last" }, 0)).position.op).toBe(1);
	});
});
