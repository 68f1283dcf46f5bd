/**
 * Tests that the answers to questions come from the core: they are worked out again here, in another way, from
 * what it says about the event.
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { When } from "#abi";
import { type KmemSession, stepArgument, stepKind } from "#wasm";
import { loadModule } from "../../../../wasm/src/node.ts";
import type { Ask, Played, Question, QuestionKind } from "../answers.ts";
import { Quiz } from "./quiz.ts";

const FILE = new URL(
	"../../../../traces/linux-6.1-hackbench-4-nodes.ftrace.txt.gz",
	import.meta.url,
);
const BURSTS = new URL("../../../../traces/bursts-of-buffers.slabtrace", import.meta.url);
const of = (values: Record<string, string>): Played => ({
	trace: "hackbench",
	file: new Blob([new Uint8Array(readFileSync(FILE))]),
	machine: { preset: "", values: { nodes: "4", ...values } },
});
const SEEDS = Array.from({ length: 25 }, (_, i) => i);

let quiz: Quiz;
beforeAll(async () => {
	quiz = new Quiz(await loadModule());
});

async function asked(kind: QuestionKind, values: Record<string, string> = {}) {
	const session = await quiz.sessionOf(of(values));
	const questions: Question[] = [];
	for (const seed of SEEDS) questions.push(await quiz.question(of(values), { kind, seed }));
	return { session, questions };
}

function steps(session: KmemSession, { after }: Question) {
	return session.steps(after?.op ?? 0).rows;
}

describe("a question", () => {
	it("about a slab names the one that the object is in afterwards", async () => {
		const { session, questions } = await asked("slab");
		for (const q of questions) {
			const rows = steps(session, q);
			const { slab } = session.op(q.after?.op ?? 0);
			const isNew = rows.some((s) => stepKind(s).name === "ALLOC_SLAB");
			const words = isNew ? "a new slab" : `slab ${slab}:`;
			expect(q.choices[q.answer]).toMatch(new RegExp(`^${words}`));
			expect(q.plain).toMatch(isNew ? /a new slab was made/ : new RegExp(`lab ${slab}\\b`));
		}
		expect(new Set(questions.map((q) => q.choices[q.answer] === "a new slab")).size).toBe(2);
	});

	it("about a slab gives the order of the slabs on a list", async () => {
		const bursts: Played = {
			trace: "bursts",
			file: new Blob([new Uint8Array(readFileSync(BURSTS))]),
			machine: { preset: "", values: { min_partial_rule: "static" } },
		};
		const q = await quiz.question(bursts, { kind: "slab", seed: 0, op: 248 });
		const first = /head first: (\d+),/.exec(q.given.join(" "))?.[1];
		expect(first).toBeDefined();
		expect(q.choices[q.answer]).toMatch(new RegExp(`^slab ${first}:`));
	});

	it("about the next object answers with the one that the event takes, which is free", async () => {
		const { session, questions } = await asked("object");
		for (const q of questions) {
			const taken = steps(session, q).find((s) => stepArgument(s, "index") !== undefined);
			const index = taken && stepArgument(taken, "index");
			expect(q.choices[q.answer]).toMatch(new RegExp(`^object ${index}, (never|which .* freed)`));
			expect(q.reasons.filter((why) => why === "")).toHaveLength(1);
		}
		expect(new Set(questions.map((q) => /freed last/.test(q.plain))).size).toBe(2);
	});

	it("about the path agrees with breakpoints", async () => {
		const { session, questions } = await asked("path");
		for (const q of questions) {
			const op = q.after?.op ?? 0;
			const slow = session.find([{ when: When.WHEN_SLOW_PATH }], { op, step: 0 })?.op === op;
			expect(q.answer).toBe(slow ? 1 : 0);
			expect(/had to look|goes to the slab freelist/.test(q.plain)).toBe(slow);
		}
		expect(new Set(questions.map((q) => q.answer)).size).toBe(2);
	});

	it.each(["all", "skip-checked"])(
		"about zones counts those that were looked at, searching %s",
		async (how) => {
			const { session, questions } = await asked("zones", { node_search: how });
			for (const q of questions) {
				const zones = steps(session, q).filter(
					(s) => stepKind(s).name === "ANY_NODE_ZONE" && !/skipped/.test(s.sentence),
				);
				expect(q.choices[q.answer]).toBe(String(zones.length));
			}
		},
	);

	it("about an empty slab answers as min_partial says", async () => {
		const bursts: Played = {
			trace: "bursts",
			file: new Blob([new Uint8Array(readFileSync(BURSTS))]),
			machine: { preset: "", values: {} },
		};
		const session = await quiz.sessionOf(bursts);
		const questions = await Promise.all(
			SEEDS.map((seed) => quiz.question(bursts, { kind: "keep", seed })),
		);
		for (const q of questions) {
			const row = steps(session, q)[q.after?.step ?? 0];
			const [left = 0, right = 0] = row
				? [stepArgument(row, "left"), stepArgument(row, "right")]
				: [];
			expect(q.answer).toBe(left < right ? 0 : 1);
			expect(q.given.join(" ")).not.toMatch(/So the slab is/);
			expect(q.plain).toContain(left < right ? `fewer than the ${right}` : `no more than ${right}`);
		}
		expect(new Set(questions.map((q) => q.answer)).size).toBe(2);
	});

	it("about SLOB's search counts the pages it looked at", async () => {
		const { session, questions } = await asked("pages", { allocator: "slob" });
		for (const q of questions) {
			const op = q.after?.op ?? 0;
			session.seek(op);
			const before = session.totals().pagesVisited;
			session.seek(op + 1);
			expect(q.choices[q.answer]).toBe(String(session.totals().pagesVisited - before));
		}
	});

	it("about an order answers as the order lab does", async () => {
		const machine = { preset: "", values: { page_size: "65536", cpus: "16" } };
		const ask: Ask = { kind: "order", seed: 0, size: 2264 };
		const q = await quiz.question({ trace: "", machine }, ask);
		expect(q.answer).toBe(0);
		const finer = { ...machine, values: { ...machine.values, order_rule: "rfc-2023" } };
		expect((await quiz.question({ trace: "", machine: finer }, ask)).answer).toBe(1);
		expect(q.why.at(-1)).toContain("2,264 bytes in slots of 2,264");
	});

	it("is the same for the same random seed, and differs for another", async () => {
		const ask = (seed: number) => quiz.question(of({}), { kind: "slab", seed, op: 5 });
		expect(await ask(3)).toEqual(await ask(3));
		expect(await ask(3)).not.toEqual(await ask(4));
	});

	it("has a reason for each wrong choice, and none for the right one", async () => {
		const lesson: Played = {
			trace: "one-slab-after-another.slabtrace",
			file: new Blob([
				new Uint8Array(
					readFileSync(
						new URL("../../../../traces/one-slab-after-another.slabtrace", import.meta.url),
					),
				),
			]),
			machine: { preset: "", values: {} },
		};
		for (const kind of ["slab", "path", "zones"] as const)
			for (const seed of SEEDS) {
				const q = await quiz.question(of({}), { kind, seed });
				expect(q.reasons).toHaveLength(q.choices.length);
				for (const [i, reason] of q.reasons.entries())
					expect(reason).toMatch(i === q.answer ? /^$/ : /^[A-Z].*\.$/s);
			}
		const other = await quiz.question(lesson, { kind: "slab", seed: 0, op: 27 });
		expect(other.slabs).toEqual([0, 1]);
		expect(other.reasons).toEqual([
			"Slab 0 is at CPU 0, per-CPU partial list: no other CPU allocates from it.",
			"Slab 1 is at CPU 0, cpu slab: no other CPU allocates from it.",
			"",
		]);
		const full = await quiz.question(lesson, { kind: "slab", seed: 0, op: 16 });
		expect(full.reasons[0]).toBe("Slab 0 has no free objects.");
		const order: Ask = { kind: "order", seed: 0, size: 700 };
		const sizes = await quiz.question({ trace: "", machine: { preset: "", values: {} } }, order);
		expect(sizes.reasons.map((reason) => reason === "")).toEqual(
			sizes.choices.map((_, o) => o === sizes.answer),
		);
		const large = await quiz.question(
			{ trace: "", machine: { preset: "", values: { cpus: "2" } } },
			{ ...order, size: 1400 },
		);
		expect(large.reasons[2]).toMatch(/^A slab of order 2 holds 11 objects, fewer than the 12 /);
	});

	it("about a free to another node does not blame a full queue", async () => {
		const url = new URL("../../../../traces/two-nodes.slabtrace", import.meta.url);
		const of = (preset: string, values: Record<string, string>): Played => ({
			trace: `two-nodes ${preset}`,
			file: new Blob([new Uint8Array(readFileSync(url))]),
			machine: { preset, values },
		});
		const ask: Ask = { kind: "path", seed: 0, op: 44 };
		const sheaves = await quiz.question(of("linux-7.2", {}), ask);
		expect(sheaves.plain).toMatch(/goes to its slab, because no sheaf may take it/);
		const queues = await quiz.question(of("linux-6.1", { allocator: "unified" }), ask);
		expect(queues.plain).toMatch(/CPU 3 put it in a queue for that node/);
	});

	it("names the barn when a full sheaf serves, and never a sheaf that is absent", async () => {
		const bursts: Played = {
			trace: "bursts",
			file: new Blob([new Uint8Array(readFileSync(BURSTS))]),
			machine: { preset: "linux-7.2", values: {} },
		};
		const session = await quiz.sessionOf(bursts);
		const [first] = session.steps(480).rows;
		expect(first && stepKind(first).name).toBe("BARN_GET");
		const slab = await quiz.question(bursts, { kind: "slab", seed: 0, op: 480 });
		expect(slab.plain).toMatch(
			/took a full sheaf from the barn; the last object in it belonged to slab 1/,
		);
		const wrong = slab.reasons.filter((reason) => reason.includes("first full sheaf of the barn"));
		expect(wrong).toHaveLength(slab.choices.length - 2);
		const path = await quiz.question(bursts, { kind: "path", seed: 0, op: 480 });
		expect(path.given.filter((line) => line.includes("sheaf"))).toEqual([
			"CPU 0, main sheaf: 0 of 4.",
			"CPU 0, spare sheaf: 0 of 4.",
		]);
	});

	it("that cannot be asked says why", async () => {
		const ask = quiz.question(of({ nodes: "1" }), { kind: "keep", seed: 0, op: 1 });
		await expect(ask).rejects.toThrow(/event 2 of hackbench/);
	});
});
