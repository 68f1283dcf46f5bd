/**
 * Compares the Why card's answers, and the moves of a slab, with what views of the same core show, under every
 * allocator.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { momentOf } from "../moment.ts";
import { placeSubject } from "../subject.ts";
import { ALL_CACHES, type Machine } from "../types.ts";
import { SessionEngine } from "./session_engine.ts";

const isLong = process.env.LONG === "1";
const quiet = () => {};
const file = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url));
const HACKBENCH = new Blob([
	new Uint8Array(gunzipSync(file("traces/linux-6.1-hackbench-4-nodes.ftrace.txt.gz"))),
]);
const wasm = file("wasm/dist/kmem.wasm").toString("base64");

async function opened(machine: Machine, trace = HACKBENCH): Promise<SessionEngine> {
	const engine = new SessionEngine();
	await engine.open(`data:application/wasm;base64,${wasm}`);
	await engine.load(trace, { ...machine, values: { nodes: "4", ...machine.values } }, quiet);
	return engine;
}

const at = async (engine: SessionEngine, op: number, cache: number) =>
	momentOf(await engine.go({ kind: "at", op, step: "last" }, cache));

const MACHINES: Readonly<Record<string, Machine>> = {
	slub: { preset: "", values: {} },
	slab: { preset: "", values: { allocator: "slab" } },
	slob: { preset: "", values: { allocator: "slob" } },
	unified: { preset: "", values: { allocator: "unified" } },
	sheaves: { preset: "linux-6.18", values: { sheaf_capacity: "32" } },
	"sheaves without cpu slabs": { preset: "linux-7.2", values: {} },
};

describe("why", () => {
	it("explains 56 slabs on a list that nobody takes from", async () => {
		const engine = await opened(MACHINES.slub as Machine);
		const { caches } = await at(engine, 16_804, ALL_CACHES);
		const cache = caches.findIndex((c) => c.name === "kmalloc-cg-512");
		const why = await engine.why("1/partial", 16_805, cache, quiet);
		expect(why).toMatchObject({ title: "Why are 56 slabs here?", things: 56, ops: 16_805 });
		expect(why.facts.join(" ")).toMatch(/CPU 4 of node 2, in 14 drains since event 16,631/);
		expect(why.facts.join(" ")).toMatch(/since event 16,342\..*95 % of their objects/);
		expect(why.events.length).toBe(14);
		expect(why.whatIf).toEqual({ key: "cpu_partial", value: "0" });
		expect(why.nextOf).toEqual({ node: 1 });
		expect(why.lengths.at(-1)).toBe(56);
		expect(Math.max(...why.lengths)).toBe(56);
		expect(why.lengths[0]).toBe(0);
		const [first = 0] = why.events;
		const moves = await engine.moves({ cache, slab: 0 }, [first]);
		expect(moves).toEqual(["CPU 4's per-CPU partial list → node 1's partial list"]);
	});

	for (const [name, machine] of Object.entries(MACHINES))
		it(`explains every place on the stage, CPUs, nodes and pages: ${name}`, async () => {
			const engine = await opened(machine);
			const { caches } = await at(engine, 9000, ALL_CACHES);
			const busiest = caches.toSorted((a, b) => b.slabs - a.slabs)[0]?.cache ?? 0;
			const { frame } = await at(engine, 9000, busiest);
			const all = frame.places.filter((p) => placeSubject(p) !== "");
			expect(all.length).toBeGreaterThan(2);
			// The first and the last of each kind represent those between them.
			const places = all.filter(
				({ kind }, i) => all[i - 1]?.kind !== kind || all[i + 1]?.kind !== kind || isLong,
			);
			for (const place of places) {
				const subject = placeSubject(place);
				const why = await engine.why(subject, 9001, busiest, quiet);
				expect(why.things, subject).toBe(place.nrEntries > 0 ? place.nrEntries : place.nrSlabs);
				expect(why.lengths.at(-1), subject).toBe(why.things);
				expect(why.facts.length, subject).toBeGreaterThan(0);
				expect(Math.max(0, ...why.events), subject).toBeLessThan(9001);
			}
			for (const subject of ["cpu3", "node1", "1/pages"]) {
				const why = await engine.why(subject, 9001, busiest, quiet);
				expect(why.facts.length, subject).toBeGreaterThanOrEqual(3);
				expect(why.facts.length, subject).toBeLessThanOrEqual(5);
				expect(why.title).toMatch(/\?$/);
			}
		});

	it("refuses in one sentence to explain what the machine does not have", async () => {
		const engine = await opened(MACHINES.slub as Machine);
		for (const subject of ["cpu99", "node9", "9/pages", "7/partial", "1/barn", "1/<b>"])
			await expect(engine.why(subject, 100, 0, quiet), subject).rejects.toThrow(/\w/);
	});
});
