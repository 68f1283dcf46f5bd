/** Tests that every problem in a lesson can be solved, but not with the lesson's own machine. */
import { beforeAll, describe, expect, it } from "vitest";
import { loadModule } from "../../../../../wasm/src/node.ts";
import { judge, type Target } from "../../../engine/quiz/judge.ts";
import { Quiz } from "../../../engine/quiz/quiz.ts";
import { LESSONS, withValue } from "../model/context.ts";
import { played } from "./truth.ts";

/** One solution for each, using values that the reader can choose. */
const SOLUTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	"what-a-slab-is": { min_order: "3" },
	"keep-some-empty": { min_partial: "16" },
	"dont-ask-twice": { node_search: "skip-checked", min_partial: "20" },
	"queues-or-slabs": { queue: "16" },
	"the-queues-came-back": { sheaf_capacity: "12" },
	"small-machines": { allocator: "slob-segregated" },
	"the-shape-of-waste": { min_objects: "64" },
	"when-memory-breaks": { sanity_checks: "on", poison: "on" },
	"read-your-own-trace": { max_order: "1" },
	"your-own-program": { allocator: "slab" },
};

let quiz: Quiz;
beforeAll(async () => {
	quiz = new Quiz(await loadModule());
});

async function judged(name: string, choice: Readonly<Record<string, string>>) {
	const card = LESSONS.find((l) => l.name === name);
	if (!card) throw new Error(`No lesson ${name}.`);
	const { problem } = card;
	const trace = problem.trace ?? card.trace ?? "";
	const own = problem.machine ?? card.machine ?? "";
	const machine = Object.entries(choice).reduce((m, [key, v]) => withValue(m, key, v), own);
	const at = (of: string) => quiz.sessionOf(played({ trace, machine: of }));
	return judge(await at(own), await at(machine), problem.targets);
}

describe.each(LESSONS.map((l) => l.name))("the problem of %s", (name) => {
	it("is not solved by the lesson's own machine", async () => {
		const all = await judged(name, {});
		expect(all.some((j) => !j.isMet)).toBe(true);
		for (const { own, value } of all) expect(value).toBe(own);
	});

	it("is solved by a machine that the reader can choose", async () => {
		const { problem } = LESSONS.find((l) => l.name === name) ?? {};
		const choice = SOLUTIONS[name] ?? {};
		for (const [param, value] of Object.entries(choice)) {
			expect(problem?.controls[param]?.split(" ")).toContain(value);
		}
		expect(await judged(name, choice)).toEqual(
			(problem?.targets ?? []).map(() => expect.objectContaining({ isMet: true })),
		);
	});
});

it("never counts a goal as met if the allocator lacks its counter", async () => {
	const of = (machine: string) =>
		quiz.sessionOf(played({ trace: "one-slab-after-another.slabtrace", machine }));
	const target: Target = { metric: "ALLOC_SLAB", is: "at most", bound: 2 };
	const [verdict] = judge(await of(""), await of("allocator=slab"), [target]);
	expect(verdict).toMatchObject({ own: 3, value: 0, isAbsent: true, isMet: false });
});

it("can count only after an event, and can ask for a share of the lesson's own value", async () => {
	const session = await quiz.sessionOf(played({ trace: "one-slab-after-another.slabtrace" }));
	const verdicts = judge(session, session, [
		{ metric: "ALLOC_SLAB", since: 0, is: "at most", bound: 2 },
		{ metric: "ALLOC_SLAB", is: "at least", percent: 50 },
	]);
	expect(verdicts).toMatchObject([
		{ value: 2, isMet: true },
		{ own: 3, bound: 1, isMet: true },
	]);
	expect(() => judge(session, session, [{ metric: "luck", is: "at most", bound: 1 }])).toThrow(
		/not have a metric luck/,
	);
});
