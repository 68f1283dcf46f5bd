/**
 * Tests a filter of the trace on the stage: moves, live objects and excerpts are counted again from the lines of a
 * lesson's trace.
 */
import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { momentOf } from "../moment.ts";
import { ALL_CACHES, type Goal } from "../types.ts";
import { Workbench } from "./workbench.ts";

const bytes = (path: string) => readFileSync(new URL(path, import.meta.url));
const LESSON = bytes("../../../../traces/two-nodes.slabtrace").toString();
const wasm = bytes("../../../../wasm/dist/kmem.wasm").toString("base64");
const engine = new Workbench();

/** Events of objects that CPU 1 allocates, or of all CPUs, counted from 0, and the live objects after each event. */
const chosen: number[] = [];
const live: number[] = [];
const mine = new Set<string>();
const EVENT = /^(?:[akf]|flush|shrink) /;
const lines = LESSON.split("\n").filter((line) => EVENT.test(line));
for (const [op, line] of lines.entries()) {
	const [kind, id = ""] = line.split(" ");
	const isAlloc = kind === "a" || kind === "k";
	const isMine = isAlloc ? line.includes("cpu=1") : kind === "f" ? mine.delete(id) : true;
	if (isMine) chosen.push(op);
	if (isMine && isAlloc) mine.add(id);
	live.push(mine.size);
}

beforeAll(async () => {
	await engine.open(`data:application/wasm;base64,${wasm}`);
	await engine.load(new Blob([LESSON]), { preset: "", values: {} }, () => {});
});

const CPU1 = [["cpu", "1"]] as const;

it("moves only through the chosen events, in both directions", async () => {
	expect(await engine.chooseEvents(CPU1)).toEqual({ events: chosen.length, before: 0 });
	expect(chosen.length).toBeGreaterThan(10);
	expect(chosen.length).toBeLessThan(lines.length);
	const walk = async (from: number, direction: 1 | -1, unit: "event" | "slow") => {
		const ops: number[] = [];
		for (let op = from; ; ) {
			const goal: Goal = {
				...{ kind: "move", unit, direction, count: 1, scope: ALL_CACHES, chosen: true },
				from: { op, step: 0 },
			};
			const moment = momentOf(await engine.go(goal, 0));
			if (moment.ended) return ops;
			op = moment.position.op;
			ops.push(op);
		}
	};
	const from = (chosen[0] ?? 0) - 1;
	expect(await walk(from, 1, "event")).toEqual(chosen);
	expect(await walk(lines.length - 1, -1, "event")).toEqual(
		chosen.filter((op) => op < lines.length - 1).toReversed(),
	);
	const slow = await walk(from, 1, "slow");
	expect(slow.length).toBeGreaterThan(0);
	expect(slow.filter((op) => !chosen.includes(op))).toEqual([]);
});

it.each([
	[0, lines.length - 1, 7],
	[0, lines.length + 9, 400],
	[20, 61, 4],
	[33, 33, 5],
])("counts the chosen events in each part of events %i to %i", async (from, to, most) => {
	await engine.chooseEvents(CPU1);
	const last = Math.min(to, lines.length - 1);
	const events = last - from + 1;
	const counts = new Array<number>(Math.min(most, events)).fill(0);
	for (const [part] of counts.entries()) {
		const [start, end] = [part, part + 1].map(
			(p) => from + Math.floor((p * events) / counts.length),
		);
		counts[part] = chosen.filter((op) => op >= (start ?? 0) && op < (end ?? 0)).length;
	}
	const answer = await engine.chosenParts(from, to, most);
	expect({ ...answer, counts: [...answer.counts] }).toEqual({ from, to: last, counts });
});

it("stops counting parts when a later count starts", async () => {
	await engine.chooseEvents(CPU1);
	const [early, late] = [engine.chosenParts(0, 9, 4), engine.chosenParts(0, lines.length, 1)];
	await expect(early).rejects.toThrow();
	expect([...(await late).counts]).toEqual([chosen.length]);
});

it("lists the chosen objects that are live", async () => {
	await engine.chooseEvents(CPU1);
	for (const op of [60, 20, 90]) {
		const { serials, indices } = await engine.chosenObjects(op + 1, 0);
		expect(serials.length).toBe(live[op]);
		expect(new Set(Array.from(serials, (s, i) => `${s}.${indices[i]}`)).size).toBe(live[op]);
	}
});

it("gives an excerpt its own conditions and leaves the stage's alone", async () => {
	await engine.chooseEvents(CPU1);
	const { events, text } = await engine.excerpt([["cpu", "0"]], true);
	const excerpt = (await text.text()).split("\n").filter((line) => EVENT.test(line));
	expect(excerpt.length).toBe(events);
	expect(excerpt.filter((line) => line.startsWith("a ") && !line.includes("cpu=0"))).toEqual([]);
	await expect(engine.excerpt([["cpu", "0-x"]], false)).rejects.toThrow(/expected CPUs such as/);
	expect((await engine.chosenObjects(61, 0)).serials.length).toBe(live[60]);
});
