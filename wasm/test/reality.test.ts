// reality.test.ts - the check against a real kernel's run, and a replay that starts from its state: the command and the
// module give the same figures, from text and from JSON.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Checked, KmemSession } from "../src/index.ts";
import { openSession } from "../src/node.ts";

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const KINDS = ["trace", "start.state", "stop.state"] as const;
const filesOf = (run: string) => KINDS.map((kind) => path(`core/test/reality/${run}.${kind}.gz`));
const COMPILE = filesOf("compile-8cpus");
const [TRACE, START, STOP] = COMPILE;
const bytesOf = (name: string | undefined) => new Uint8Array(gunzipSync(readFileSync(name ?? "")));

function slabscope(...args: readonly (string | undefined)[]) {
	const words = args.map((word) => word ?? "");
	const output = execFileSync(path("core/build/slabscope"), [...words, "--json"], {
		encoding: "utf8",
		stdio: ["ignore", "pipe", "ignore"],
	});
	return JSON.parse(output);
}

async function sessionWithRun(trace?: Uint8Array, files = COMPILE): Promise<KmemSession> {
	const [events, start, stop] = files;
	const session = await openSession();
	const { reality } = session;
	for (const [edge, name] of [
		["start", start],
		["stop", stop],
	] as const) {
		reality.stateBegin(edge);
		reality.stateChunk(bytesOf(name));
		reality.stateEnd();
	}
	session.importBegin();
	session.lookup.keep({ pointers: true, tasks: true, effects: true });
	session.importChunk(trace ?? bytesOf(events));
	session.importEnd();
	return session;
}

/** The part of a result that both print. */
function shared({ by_cache: caches, ...rest }: Checked) {
	const { events, allocations, right, resynchronised, moves, counters, stop_lists: lists } = rest;
	const { controls, left_out: leftOut, caches: close, moved } = rest;
	const { right_in_recorded_order: recorded } = rest;
	return {
		...{
			events,
			allocations,
			right,
			resynchronised,
			moves,
			counters,
			lists,
			controls,
			leftOut,
			close,
			moved,
			recorded,
		},
		caches: caches.map(({ lists: _, lists_equal: __, counters: ___, ...cache }) => cache),
	};
}

describe("a real kernel's run", () => {
	it("gets the same result from the command and from the module, in slices of any size", async () => {
		const { reality } = await sessionWithRun();
		const given = ["check", TRACE, "--start", START, "--stop", STOP];
		expect(shared(reality.check(10))).toEqual(shared(slabscope(...given)));
		const left = [...reality.checkSlices(false, 1000)];
		expect(shared(reality.checked(10))).toEqual(shared(slabscope(...given)));
		expect(left.length).toBeGreaterThan(20);
		expect(left).toEqual(left.toSorted((a, b) => b - a));
		expect([left[0], left.at(-1)].map((n) => (n ?? 0) > 0 && (n ?? 0) < 1000)).toEqual([
			true,
			true,
		]);
	});

	it("gets the same result with the kernel's notes on each event, in whatever order they give", async () => {
		const files = filesOf("files72-2cpus");
		const [trace, start, stop] = files;
		const { reality } = await sessionWithRun(undefined, files);
		const given = ["check", trace, "--start", start, "--stop", stop, "--infer-order"];
		const checked = shared(reality.check(10, true));
		expect(checked).toEqual(shared(slabscope(...given)));
		expect(checked.right).toBeGreaterThan(0);
	});

	it("gets the same result under SLAB, with its negative controls", async () => {
		const [a, b] = ["ffff888100001", "ffff888100002"];
		const state = [
			"V 1 start",
			"C thing size=1024 object_size=1024 order=0 num=4 limit=4 batchcount=2 shared=0",
			"T thing allochit=0 allocmiss=0 freehit=0 freemiss=0 grown=2",
			`P thing 0 avail=1 limit=4 batchcount=2 touched=1 entries=${a}800`,
			`N thing 0 free_limit=8 free_touched=0 shared_limit=-1 alien= partial=${a}000 empty=`,
			`L thing ${a}000 nid=0 order=0 objects=4 inuse=3`,
			`L thing ${b}000 nid=0 order=0 objects=4 inuse=4`,
			"E complete\n",
		].join("\n");
		const lines = [`${b}400`, `${b}800`, `${a}000`].map(
			(ptr, i) =>
				`cat-1 [000] ..... ${i}.000001: kmem_cache_free: call_site=f+0x1/0x2 ptr=${ptr} name=thing\n`,
		);
		const again = [`${a}000`, `${b}800`].map(
			(ptr, i) =>
				`cat-1 [000] ..... ${3 + i}.000001: kmem_cache_alloc: call_site=f+0x1/0x2 ptr=${ptr} ` +
				"bytes_req=1024 bytes_alloc=1024 gfp_flags=GFP_KERNEL node=-1 accounted=false name=thing\n",
		);
		const folder = mkdtempSync(join(tmpdir(), "reality-"));
		const [trace, start] = [join(folder, "slab.trace"), join(folder, "slab.state")];
		writeFileSync(trace, [...lines, ...again].join(""));
		writeFileSync(start, state);
		const session = await openSession();
		session.reality.stateBegin("start");
		session.reality.stateChunk(new TextEncoder().encode(state));
		session.reality.stateEnd();
		session.importBegin();
		session.lookup.keep({ pointers: true, tasks: true, effects: true });
		session.importChunk(readFileSync(trace));
		session.importEnd();
		const checked = session.reality.check(10);
		expect(shared(checked)).toEqual(shared(slabscope("check", trace, "--start", start)));
		expect([checked.allocations, checked.right, checked.right_by_slab]).toEqual([2, 2, 0]);
		expect(session.reality.startNamesObjects).toBe(false);
		expect(() => session.reality.beginWithState(true)).toThrow(/no replay can start from it/);
		expect((await sessionWithRun()).reality.startNamesObjects).toBe(true);
		expect(checked.controls.map(({ setting }) => setting)).toEqual([
			"limit + 1",
			"batchcount + 1",
			"slabs to the head after a free",
		]);
		rmSync(folder, { recursive: true });
	});

	it("gets the same inferred order for an event whose line came late", async () => {
		const lines = new TextDecoder().decode(bytesOf(TRACE)).trim().split("\n");
		const head = lines.findIndex((line) => !line.startsWith("#"));
		const [from, to] = [head + 2936, head + 2975];
		const time = (line = "") => / \d+\.\d+: /.exec(line)?.[0] ?? "";
		const [late = ""] = lines.splice(from, 1);
		lines.splice(to, 0, late.replace(time(late), time(lines[to - 1])));
		const folder = mkdtempSync(join(tmpdir(), "slabscope-reality-"));
		const path = join(folder, "late.txt");
		writeFileSync(path, `${lines.join("\n")}\n`);
		const native = slabscope("check", path, "--start", START, "--stop", STOP, "--infer-order");
		rmSync(folder, { recursive: true });
		expect([native.moves, native.moved[0].cache]).toEqual([1, "pid"]);
		expect(native.right_in_recorded_order).toBeLessThan(native.right);
		const { reality } = await sessionWithRun(new TextEncoder().encode(`${lines.join("\n")}\n`));
		for (const _ of reality.checkSlices(true, 100));
		expect(shared(reality.checked(10))).toEqual(shared(native));
		expect(() => reality.checked(0)).toThrow("expected 1 to 1024 parts");
	});

	it("is checked to the end, or again from the start", async () => {
		const session = await sessionWithRun();
		const { reality } = session;
		const slices = reality.checkSlices(true, 100);
		slices.next();
		session.build();
		expect(() => slices.next()).toThrow("no check has started, or it was interrupted");
		expect(() => reality.checked(10)).toThrow("the model has not been checked");
		expect(reality.check(10).right).toBe(1687);
	});

	it("lets a replay start from its state and reach the same states", async () => {
		const session = await sessionWithRun();
		session.reality.beginWithState(true);
		session.build();
		const native = slabscope("replay", TRACE, "--start", START);
		expect(session.hash()).toBe(native.state_hash);
		session.reality.beginWithState(false);
		session.build();
		const cold = slabscope("replay", TRACE, "--cold");
		expect(session.hash()).toBe(cold.state_hash);
	});
});
