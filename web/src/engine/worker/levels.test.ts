/** Tests the levels on the real core: under every allocator, each place that a stage shows is on one of them. */
import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { momentOf } from "../moment.ts";
import { KIND, PAGES_RANK, rankOf } from "../place_kinds.ts";
import { Workbench } from "./workbench.ts";

const quiet = () => {};
const bytesOf = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url));
const LESSON = new Blob([new Uint8Array(bytesOf("traces/two-nodes.slabtrace"))]);
const engine = new Workbench();

beforeAll(async () => {
	const wasm = bytesOf("wasm/dist/kmem.wasm").toString("base64");
	await engine.open(`data:application/wasm;base64,${wasm}`);
});

/** Slabs in transit, and those that are on no list, are on no level. */
const ON_NO_LEVEL: readonly number[] = [KIND.PLACE_TRANSIT, KIND.PLACE_LOOSE];

it.each([
	["slub", ""],
	["slub", "linux-6.18"],
	["slub", "linux-7.2"],
	["slab", ""],
	["unified", ""],
	["slob", ""],
	["slob-segregated", ""],
])("puts every place on a level: %s %s", async (allocator, preset) => {
	await engine.load(LESSON, { preset, values: { allocator } }, quiet);
	const { frame, cache } = momentOf(await engine.go({ kind: "at", op: 60, step: "last" }, 0));
	const levels = (await engine.levels(cache)) ?? [];
	const covered = new Set(levels.flatMap((level) => level.kinds));
	const kinds = new Set(frame.places.map((place) => place.kind));
	expect([...kinds].filter((kind) => !covered.has(kind) && !ON_NO_LEVEL.includes(kind))).toEqual(
		[],
	);
	expect(levels.at(-1)?.kinds).toEqual([]);
	expect(levels.slice(0, -1).every((level) => level.kinds.length > 0)).toBe(true);
	// The rows that the page plans before it knows the core's levels subdivide them and never mix two of them.
	for (const a of levels)
		for (const b of levels) {
			const share = a.kinds.some((kind) => b.kinds.some((other) => rankOf(kind) === rankOf(other)));
			if (share) expect(a.row).toBe(b.row);
		}
	for (const { kinds } of levels.slice(0, -1)) {
		const ranks = [...new Set(kinds.map(rankOf))].sort((a, b) => a - b);
		expect(ranks.at(-1)).toBeLessThan(PAGES_RANK);
		expect((ranks.at(-1) ?? 0) - (ranks[0] ?? 0)).toBe(ranks.length - 1);
	}
});

it("has levels for the event that creates a cache, wherever the session is", async () => {
	await engine.load(LESSON, { preset: "linux-7.2", values: {} }, quiet);
	const path = await engine.eventPath(0);
	await engine.go({ kind: "at", op: 0, step: 0 }, 0);
	expect(await engine.levels(path?.cache ?? 0, 0)).toHaveLength(7);
});

it("has shares that add up once the trace has an index", async () => {
	await engine.load(LESSON, { preset: "", values: {} }, quiet);
	const { cache } = momentOf(await engine.go({ kind: "at", op: 60, step: "last" }, 0));
	const share = async () => (await engine.levels(cache))?.reduce((sum, s) => sum + s.share, 0);
	expect(await share()).toBe(0);
	await engine.overview();
	expect(await share()).toBe(10_000);
});

it("has the level, the cost and the answer of every step of an event", async () => {
	await engine.load(LESSON, { preset: "", values: {} }, quiet);
	for (let op = 0; op < 60; op++) {
		const { nrSteps } = momentOf(await engine.go({ kind: "at", op, step: 0 }, 0));
		const path = await engine.eventPath(op);
		expect(path?.levels).toHaveLength(nrSteps);
		expect(path?.vain).toHaveLength(nrSteps);
		expect(path?.cyclesOf.reduce((sum, cycles) => sum + cycles, 0)).toBe(path?.cycles);
	}
});
