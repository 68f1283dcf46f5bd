/** Tests that a playground survives as slabtrace text and in an address, and that other text is not a playground. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OpKind } from "#abi";
import { compile, KmemSession } from "#wasm";
import {
	allocatedBy,
	codeOf,
	EMPTY,
	eventsOf,
	faultOfCache,
	fileOf,
	forkAfter,
	freedOf,
	linesOf,
	liveOf,
	nextId,
	prefilledOf,
	type Sandbox,
	sandboxOf,
	textIn,
	textOf,
} from "./sandbox_text.ts";

const BOTH: Sandbox = {
	cpus: 4,
	nodes: 2,
	after: 0,
	caches: [
		{ name: "mine", size: 192, align: 64, ctor: true },
		{ name: "yours", size: 40, align: 0, ctor: false },
	],
	acts: [
		{ kind: "alloc", id: 1, cache: "mine", bytes: 0, cpu: 0, node: -1 },
		{ kind: "alloc", id: 2, cache: "", bytes: 100, cpu: 3, node: 1 },
		{ kind: "free", id: 1, cpu: 2 },
		{ kind: "flush", cache: "mine" },
		{ kind: "shrink", cache: "yours" },
		{ kind: "reap", cpu: 3 },
		{ kind: "expire" },
		{ kind: "set", key: "min_partial", value: "7", cache: "mine" },
		{ kind: "set", key: "fail_order", value: "3", cache: "" },
		{ kind: "corrupt", how: "write", id: 2, cpu: 1, at: 100 },
		{ kind: "corrupt", how: "double-free", id: 1, cpu: 1, at: 0 },
		{ kind: "validate", cache: "yours" },
		{ kind: "flush", cache: "kmalloc-128" },
		{ kind: "tick", seconds: 2 },
	],
};

const FORK: Sandbox = {
	...forkAfter(16_424),
	caches: BOTH.caches,
	acts: [
		{ kind: "alloc", id: 16_425, cache: "", bytes: 512, cpu: 3, node: -1 },
		{ kind: "free", id: 16_001, cpu: 0 },
	],
};

const SHEAVES: Sandbox = {
	...EMPTY,
	caches: BOTH.caches,
	acts: [
		{ kind: "bulk-alloc", ids: [1, 2, 3], cache: "mine", cpu: 2 },
		{ kind: "bulk-alloc", ids: [4], cache: "mine", cpu: 0 },
		{ kind: "alloc", id: 5, cache: "", bytes: 100, cpu: 3, node: -1 },
		{ kind: "bulk-free", ids: [3, 1], cpu: 1 },
		{ kind: "rcu", id: 5, cpu: 3 },
		{ kind: "grace" },
		{ kind: "dead", cpu: 2 },
		{ kind: "bulk-free", ids: [4], cpu: 1 },
	],
};

const PREFILLED: Sandbox = {
	...EMPTY,
	caches: BOTH.caches,
	acts: [
		{ kind: "prefill", slot: 0, cache: "mine", objects: 8, cpu: 2 },
		{ kind: "prefill", slot: 15, cache: "mine", objects: 128, cpu: 2 },
		{ kind: "take", id: 1, cache: "mine", cpu: 2, slot: 0 },
		{ kind: "take", id: 2, cache: "mine", cpu: 2, slot: 15 },
		{ kind: "refill", slot: 0, cache: "mine", objects: 20, cpu: 2 },
		{ kind: "free", id: 1, cpu: 0 },
		{ kind: "return", slot: 0, cache: "mine", cpu: 2 },
	],
};

describe("a playground", () => {
	it("is a file that says how many events it has", () => {
		expect(fileOf(BOTH).split("\n")[2]).toBe("#events 15");
		expect(fileOf(BOTH)).toMatch(/\ntick 2\n#end 15\n$/);
		expect(fileOf(EMPTY)).toMatch(/\n#events 1\ntick 0\n#end 1\n$/);
	});

	it("can be restored from its text and from an address", async () => {
		for (const sandbox of [EMPTY, BOTH, SHEAVES, PREFILLED, FORK, forkAfter(1)]) {
			expect(sandboxOf(textOf(sandbox))).toEqual(sandbox);
			const code = await codeOf(textOf(sandbox));
			expect(code).toMatch(/^[\w-]+$/);
			expect(await textIn(code)).toBe(textOf(sandbox));
		}
	});

	it("is a trace that the core reads without problems, one event per action", async () => {
		const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));
		const session = await KmemSession.open(await compile(new Uint8Array(wasm)));
		session.importBegin();
		session.importChunk(new TextEncoder().encode(textOf(BOTH)));
		const report = session.importEnd();
		expect(report.problems).toEqual([]);
		session.build();
		expect(session.nrOps).toBe(BOTH.acts.length + 1);
		expect(session.machine()).toMatchObject({ cpus: 4, nodes: 2 });
	});

	it("has one event for each object of a bulk request, and one for the request itself", async () => {
		const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));
		const session = await KmemSession.open(await compile(new Uint8Array(wasm)));
		session.preset("linux-7.2");
		session.importBegin();
		session.importChunk(new TextEncoder().encode(fileOf(SHEAVES)));
		expect(session.importEnd().problems).toEqual([]);
		session.build();
		expect(eventsOf(SHEAVES.acts)).toBe(4 + 2 + 1 + 3 + 1 + 1 + 1 + 2);
		expect(session.nrOps).toBe(eventsOf(SHEAVES.acts) + 1);
		const kinds = Array.from({ length: session.nrOps - 1 }, (_, op) => session.op(op + 1).kind);
		const made = kinds.map((kind) => kind === OpKind.OP_ALLOC || kind === OpKind.OP_KMALLOC);
		expect(kinds.map((_, nr) => allocatedBy(SHEAVES, nr) !== undefined)).toEqual(made);
		expect([1, 2, 3, 5, 6].map((nr) => allocatedBy(SHEAVES, nr))).toEqual([1, 2, 3, 4, 5]);
		expect(liveOf(SHEAVES).map((l) => l.id)).toEqual([2]);
		expect(freedOf(SHEAVES)).toEqual([4, 5, 1, 3]);
		expect(nextId(SHEAVES)).toBe(6);
		expect(nextId({ ...FORK, acts: SHEAVES.acts })).toBe(FORK.after + 16);
	});

	it("prefills a sheaf, takes from it, refills it and returns it, one event per action", async () => {
		const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));
		const session = await KmemSession.open(await compile(new Uint8Array(wasm)));
		session.preset("linux-7.2");
		session.importBegin();
		session.importChunk(new TextEncoder().encode(fileOf(PREFILLED)));
		expect(session.importEnd().problems).toEqual([]);
		session.build();
		expect(session.nrOps).toBe(PREFILLED.acts.length + 1);
		expect(session.op(1).sentence).toContain(
			"CPU 2 prefills sheaf 0 of mine, to hold at least 8 objects",
		);
		expect(liveOf(PREFILLED).map((l) => [l.id, l.cache])).toEqual([[2, "mine"]]);
		expect([2, 3, 4].map((nr) => allocatedBy(PREFILLED, nr))).toEqual([1, 2, undefined]);
		expect(nextId(PREFILLED)).toBe(3);
		expect(prefilledOf(PREFILLED, "mine", 2)).toEqual([15]);
		expect(prefilledOf(PREFILLED, "mine", 1)).toEqual([]);
		expect(prefilledOf(PREFILLED, "yours", 2)).toEqual([]);
	});

	it("continues a trace as a branch, and the core refuses what does not exist", async () => {
		const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));
		const session = await KmemSession.open(await compile(new Uint8Array(wasm)));
		session.importBegin();
		session.importChunk(new TextEncoder().encode(textOf(BOTH)));
		session.importEnd();
		session.build();
		const [end, nrOps] = [session.hash(), session.nrOps];
		session.seek(4);
		const here = session.hash();
		const own: Sandbox = { ...forkAfter(4), acts: [{ kind: "free", id: 3, cpu: 0 }] };
		session.fork(4, linesOf(own));
		session.build();
		expect(session.nrOps).toBe(5);
		session.seek(4);
		expect(session.hash()).toBe(here);
		expect(session.forkObjects(10)).toEqual([2]);
		expect(() => session.fork(4, linesOf({ ...own, acts: [...own.acts, ...own.acts] }))).toThrow(
			"no object with this ID is live",
		);
		session.build();
		expect([session.hash(), session.nrOps]).toEqual([end, nrOps]);
	});

	it("lists the live objects, and gives the next number", () => {
		expect(liveOf(BOTH).map((l) => l.id)).toEqual([2]);
		expect(nextId(BOTH)).toBe(3);
		expect(nextId(EMPTY)).toBe(1);
		expect(freedOf(FORK)).toEqual([16_001]);
		expect(nextId(FORK)).toBe(16_427);
	});

	it("refuses impossible caches, each with a sentence", () => {
		const cache = { name: "new", size: 64, align: 0, ctor: false };
		expect(faultOfCache(BOTH, cache)).toBe("");
		expect(faultOfCache(BOTH, { ...cache, name: "mine" })).toContain("already");
		expect(faultOfCache(BOTH, { ...cache, name: "a b" })).toContain("name");
		expect(faultOfCache(BOTH, { ...cache, size: 0 })).toContain("bytes");
		expect(faultOfCache(BOTH, { ...cache, align: 24 })).toContain("power of two");
	});

	it("takes nothing from text that it did not write itself", async () => {
		for (const text of [
			"",
			"slabtrace 1\n",
			textOf(BOTH).replace("tick 0", "tick 1"),
			textOf(BOTH).replace("cpu=2", "cpu=x"),
			`${textOf(BOTH)}corrupt write 1 cpu=0\n`,
			`${textOf(BOTH)}set a=b c=d\n`,
			textOf(FORK).replace("16424", "0"),
			textOf(FORK).replace("16424", "99999999999"),
			`${textOf(FORK)}machine cpus=4096\n`,
			`${textOf(FORK)}${"tick 1\n".repeat(4096)}`,
		])
			expect(sandboxOf(text)).toBeUndefined();
		await fc.assert(
			fc.asyncProperty(fc.stringMatching(/^[\w-]{1,60}$/), async (code) => {
				expect(sandboxOf((await textIn(code)) ?? "")).toBeUndefined();
			}),
		);
	});

	it("does not unpack more than anybody would write by hand", async () => {
		expect(await textIn(await codeOf("a".repeat(3 << 20)))).toBeUndefined();
	});
});
