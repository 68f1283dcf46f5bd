// workload.test.ts - workloads are the same traces here as natively: golden/workloads.txt has a hash of each text.

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { KmemError, KmemSession } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

const GOLDEN = new URL("../../core/test/golden/workloads.txt", import.meta.url);
const rows = readFileSync(GOLDEN, "utf8").trim().split("\n");

let module: WebAssembly.Module;
beforeAll(async () => {
	module = await loadModule();
});

function settingsOf(words: readonly string[]): Record<string, string> {
	return Object.fromEntries(words.map((word) => word.split("=") as [string, string]));
}

/** FNV-1a, as in core/test/session/workload_test.c. */
function hashOf(chunks: Iterable<Uint8Array>): string {
	let hash = 0xcbf29ce484222325n;
	for (const chunk of chunks) {
		for (const byte of chunk) {
			hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
		}
	}
	return hash.toString(16).padStart(16, "0");
}

describe("workloads", () => {
	it("are all in the golden file", async () => {
		const names = (await KmemSession.open(module)).workloads.list().map(({ name }) => name);
		expect(rows.map((row) => row.split(" ")[1])).toEqual(names);
	});

	it.each(rows)("%s", async (row) => {
		const [hash, name = "", ...settings] = row.split(" ");
		const session = await KmemSession.open(module);
		session.workloads.make(name, settingsOf(settings));
		expect(session.report().format).toBe("workload");
		expect(hashOf(session.export("slabtrace"))).toBe(hash);
		session.build();
		session.checkLaws();
	});

	it("are made in slices that report their progress", async () => {
		const session = await KmemSession.open(module);
		const left = [...session.workloads.slices("hackbench", { loops: 5 }, 1000)];
		expect(left.length).toBeGreaterThan(5);
		expect(left.every((part) => part > 0 && part <= 1000)).toBe(true);
		expect(session.report().allocs).toBeGreaterThan(2 * 20 * 20 * 5);
	});

	it("have a shape whose parts add up", async () => {
		const session = await KmemSession.open(module);
		session.workloads.make("tcp-rr", { threads: 4, cpus: 2, nodes: 1 });
		const shape = session.workloads.shape();
		expect(shape.sizes.reduce((sum, { allocs }) => sum + allocs, 0)).toBe(shape.allocs);
		expect(shape.lifetimes.reduce((sum, frees) => sum + frees, 0)).toBe(shape.seenFrees);
	});

	it("say what is wrong with an invalid one", async () => {
		const session = await KmemSession.open(module);
		expect(() => session.workloads.make("netio", { threads: 1 })).toThrow(KmemError);
		expect(() => session.workloads.make("nothing")).toThrow(/expected netio, kernel-build/);
	});
});
