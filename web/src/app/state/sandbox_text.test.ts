/** A sandbox is slabtrace text that comes back the same, also through an address; other text is no sandbox. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compile, KmemSession } from "#wasm";
import {
	codeOf,
	EMPTY,
	faultOfCache,
	fileOf,
	liveOf,
	nextId,
	type Sandbox,
	sandboxOf,
	textIn,
	textOf,
} from "./sandbox_text.ts";

const BOTH: Sandbox = {
	cpus: 4,
	nodes: 2,
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
		{ kind: "tick", seconds: 2 },
	],
};

describe("a sandbox", () => {
	it("is a file that says how many events it has", () => {
		expect(fileOf(BOTH).split("\n")[2]).toBe("#events 7");
		expect(fileOf(BOTH)).toMatch(/\ntick 2\n#end 7\n$/);
		expect(fileOf(EMPTY)).toMatch(/\n#events 1\ntick 0\n#end 1\n$/);
	});

	it("comes back from its text and from an address", async () => {
		for (const sandbox of [EMPTY, BOTH]) {
			expect(sandboxOf(textOf(sandbox))).toEqual(sandbox);
			const code = await codeOf(textOf(sandbox));
			expect(code).toMatch(/^[\w-]+$/);
			expect(await textIn(code)).toBe(textOf(sandbox));
		}
	});

	it("is a recording that the core reads without a problem, an operation an act", async () => {
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

	it("knows what is live, and the next number", () => {
		expect(liveOf(BOTH).map((l) => l.id)).toEqual([2]);
		expect(nextId(BOTH)).toBe(3);
		expect(nextId(EMPTY)).toBe(1);
	});

	it("refuses caches that cannot be, each in a sentence", () => {
		const cache = { name: "new", size: 64, align: 0, ctor: false };
		expect(faultOfCache(BOTH, cache)).toBe("");
		expect(faultOfCache(BOTH, { ...cache, name: "mine" })).toContain("already");
		expect(faultOfCache(BOTH, { ...cache, name: "a b" })).toContain("name");
		expect(faultOfCache(BOTH, { ...cache, size: 0 })).toContain("bytes");
		expect(faultOfCache(BOTH, { ...cache, align: 24 })).toContain("power of two");
	});

	it("takes nothing from text that it did not write", async () => {
		for (const text of [
			"",
			"slabtrace 1\n",
			textOf(BOTH).replace("tick 0", "tick 1"),
			textOf(BOTH).replace("cpu=2", "cpu=x"),
			`${textOf(BOTH)}a 9 others cpu=0\n`,
		])
			expect(sandboxOf(text)).toBeUndefined();
		await fc.assert(
			fc.asyncProperty(fc.stringMatching(/^[\w-]{1,60}$/), async (code) => {
				expect(sandboxOf((await textIn(code)) ?? "")).toBeUndefined();
			}),
		);
	});

	it("does not unpack more than anybody does by hand", async () => {
		expect(await textIn(await codeOf("a".repeat(3 << 20)))).toBeUndefined();
	});
});
