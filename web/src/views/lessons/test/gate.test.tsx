/** Tests that nothing on the page gives away the answer to a question before the reader has answered it. */
import type { FunctionComponent, ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, it } from "vitest";
import { loadModule } from "../../../../../wasm/src/node.ts";
import type { Question, QuestionKind } from "../../../engine/answers.ts";
import { Quiz } from "../../../engine/quiz/quiz.ts";
import { cutAtQuestions } from "../lesson.tsx";
import { AroundContext, LESSONS, textOf, useAround, within } from "../model/context.ts";
import type { Place } from "../model/places.ts";
import { Predict } from "../predict.tsx";
import { dialsIn } from "../slider.tsx";
import { type Claim, Stop } from "../widgets.tsx";
import { played } from "./truth.ts";

type Props = Readonly<Record<string, unknown>> & { readonly children?: ReactNode };

/** A widget that is on the page before anything has been answered, in page order. */
interface Seen {
	readonly name: "Stop" | "Go" | "Player" | "Num" | "Predict" | "Slider";
	readonly stop: string;
	readonly place: Place;
	readonly props: Props;
}

const inside: FunctionComponent<Props> = ({ children }) => children;

interface Page {
	readonly html: string;
	readonly seen: readonly Seen[];
}

/** Renders the lesson before anything has been answered, with its own stops and questions. */
async function unanswered(lesson: string): Promise<Page> {
	const Text = await textOf(lesson);
	const { trace, machine = "" } = LESSONS.find((l) => l.name === lesson) ?? {};
	const seen: Seen[] = [];
	let stop = "";
	const noting = (name: Seen["name"], Shown: FunctionComponent<Props>): FunctionComponent<Props> =>
		function Noted(props) {
			const place = within(useAround().place, ownPlace(props));
			if (name === "Stop") stop = String(props.id);
			seen.push({ name, stop, place, props });
			return <Shown {...props} />;
		};
	const components = {
		Stop: noting("Stop", Stop as unknown as FunctionComponent<Props>),
		Predict,
		Go: noting("Go", inside),
		Player: noting("Player", inside),
		Num: noting("Num", ({ children, value }) => children ?? String(value)),
		Switch: () => <p>switch</p>,
		ProposalTable: () => <p>table</p>,
		// A picture of a later position gives the same away as a link to it.
		Figure: noting("Go", inside),
		Beside: noting("Player", inside),
		Slider: noting("Slider", inside),
		Toy: inside,
		Report: noting("Go", inside),
		Part: inside,
		Term: inside,
		Sample: inside,
		Yours: () => null,
		Aside: inside,
		Limits: inside,
	};
	const around = { lesson, place: { trace, machine }, register: () => () => {}, settle: () => {} };
	const html = renderToStaticMarkup(
		<AroundContext value={around}>
			<Text components={components} />
		</AroundContext>,
	);
	return { html, seen };
}

function ownPlace({ trace, machine, op, step, cache, select }: Props): Place {
	return Object.fromEntries(
		Object.entries({ trace, machine, op, step, cache, select }).filter(([, v]) => v !== undefined),
	) as Place;
}

/** Returns the text inside a stop. */
const textIn = (html: string) => html.replaceAll(/<[^>]*>/g, "").trim();

interface Asked {
	readonly stop: string;
	readonly place: Place;
	readonly props: Props;
}

/** Lists each question with its stop. */
async function questionsOf(lesson: string): Promise<Asked[]> {
	const Text = await textOf(lesson);
	const { trace, machine = "" } = LESSONS.find((l) => l.name === lesson) ?? {};
	const asked: Asked[] = [];
	const Around: FunctionComponent<Props> = (props) => {
		const around = useAround();
		const place = within(around.place, ownPlace(props));
		return (
			<AroundContext value={{ ...around, lesson: String(props.id), place }}>
				{props.children}
			</AroundContext>
		);
	};
	const Ask: FunctionComponent<Props> = (props) => {
		const { lesson: stop, place } = useAround();
		asked.push({ stop, place: within(place, ownPlace(props)), props });
		return null;
	};
	const others = [
		"Go",
		"Player",
		"Num",
		"Switch",
		"ProposalTable",
		"Aside",
		"Limits",
		"Figure",
		"Beside",
		"Slider",
		"Toy",
		"Report",
		"Part",
		"Term",
		"Sample",
		"Yours",
	];
	const components = {
		...Object.fromEntries(others.map((n) => [n, () => null])),
		Stop: Around,
		Predict: Ask,
	};
	const around = { lesson, place: { trace, machine }, register: () => () => {}, settle: () => {} };
	renderToStaticMarkup(
		<AroundContext value={around}>
			<Text components={components} />
		</AroundContext>,
	);
	return asked;
}

/** The numbers that answer a question of each kind. */
const ANSWERS: Readonly<Record<QuestionKind, readonly string[]>> = {
	zones: ["zone checks", "skipped"],
	order: ["order", "pages", "objects", "waste", "share left"],
	pages: ["pages visited", "steps NEXT_PAGE"],
	slab: ["slabs"],
	object: ["index"],
	path: ["alloc_fastpath", "alloc_slowpath", "free_fastpath", "free_slowpath"],
	keep: ["free_slab"],
};

const samePlay = (a: Place, b: Place) =>
	a.trace === b.trace && (a.machine ?? "") === (b.machine ?? "");

function givesAway(seen: Seen, { place, props }: Asked): boolean {
	const { of, size, since } = seen.props as unknown as Claim;
	if (!ANSWERS[props.kind as QuestionKind].includes(of)) return false;
	if (size !== undefined || props.size !== undefined)
		return size === props.size && (seen.place.machine ?? "") === (place.machine ?? "");
	const isAbout = props.op !== undefined && seen.place.op === props.op;
	return isAbout && since === undefined && samePlay(seen.place, place);
}

/** Whether a link or a passage leads past the position that the question is about. */
function leadsPast(
	{ name, place, props }: Seen,
	asked: Asked,
	before: Question["before"],
): boolean {
	if (!before || !samePlay(place, asked.place) || asked.props.op === undefined) return false;
	const op = name === "Player" ? (props.to as number) : place.op;
	if (name === "Slider") {
		const events = dialsIn(String(props.over)).find((dial) => dial.name === "op");
		return events?.values.includes(String(asked.props.op)) ?? false;
	}
	if (op === undefined || op !== asked.props.op) return false;
	if (before.op < op) return true;
	return place.step === undefined || place.step > before.step;
}

const SIZING = [
	"page_size",
	"cpus",
	"order_rule",
	"min_order",
	"max_order",
	"min_objects",
] as const;

/** Whether the stage beside an order question shows a cache of that size under the same rule: it says how many pages. */
async function stageGivesAway(stage: Place, { place, props }: Asked): Promise<boolean> {
	if (props.kind !== "order") return false;
	const shown = await quiz.sessionOf(played(stage));
	const size = shown.caches().find(({ name }) => name === stage.cache)?.size;
	const rules = SIZING.map((key) => shown.param(key));
	const asked = await quiz.sessionOf(played(place));
	const isSameRule = SIZING.every((key, i) => asked.param(key) === rules[i]);
	return isSameRule && size === props.size;
}

let quiz: Quiz;
beforeAll(async () => {
	quiz = new Quiz(await loadModule());
});

describe("a stop is cut below each question", () => {
	const isQuestion = ({ type }: { type: unknown }) => type === Predict;

	it("and each piece ends with its question", () => {
		const pieces = cutAtQuestions(
			[<p key="a">a</p>, <Predict key="b" kind="path" />, <p key="c">c</p>],
			isQuestion,
		);
		expect(pieces.map(({ text, question }) => [text.length, question !== null])).toEqual([
			[1, true],
			[1, false],
		]);
	});
});

describe.each(LESSONS.map((l) => l.name))("lesson %s, before anything is answered", (name) => {
	it("shows no text below a question of the same stop", async () => {
		const { html } = await unanswered(name);
		const stops = html.split(/(?=<section [^>]*data-stop=)/).slice(1);
		const asking = stops.filter((stop) => stop.includes("data-question="));
		expect(asking.length).toBeGreaterThan(0);
		for (const stop of asking) {
			const [, below = ""] = /<\/fieldset>([\s\S]*)$/.exec(stop) ?? [];
			expect(["", "The rest of this section follows your answer: give one, or show it."]).toContain(
				textIn(below),
			);
		}
	});

	it("has every question as a piece of a stop of its own, so that none escapes the cut", async () => {
		const { html } = await unanswered(name);
		const shown = html.split("data-question=").length - 1;
		const stops = new Set((await questionsOf(name)).map((q) => q.stop));
		expect(shown).toBe(stops.size);
	});

	it("never shows the order that it asks for on its stage", async () => {
		const { seen } = await unanswered(name);
		for (const asked of await questionsOf(name)) {
			const stop = seen.find((s) => s.name === "Stop" && s.stop === asked.stop);
			const gives = await stageGivesAway(stop?.place ?? {}, asked);
			expect(gives, `${asked.stop}, ${asked.props.size}`).toBe(false);
		}
	});

	it("never gives away an answer in a number or a link near the question", async () => {
		const { seen } = await unanswered(name);
		const order = seen.filter((s) => s.name === "Stop").map((s) => s.stop);
		const wrong: string[] = [];
		for (const asked of await questionsOf(name)) {
			const { kind, size, op } = asked.props as { kind: QuestionKind; size?: number; op?: number };
			const ask = { kind, seed: 0, op, size, cache: asked.place.cache };
			const { before } = await quiz.question(played(asked.place), ask);
			const here = order.indexOf(asked.stop);
			const near = seen.filter((s) => Math.abs(order.indexOf(s.stop) - here) <= 1);
			for (const s of near) {
				const gives =
					s.name === "Num"
						? givesAway(s, asked)
						: s.name !== "Stop" && s.stop === asked.stop && leadsPast(s, asked, before);
				const what = JSON.stringify({ ...s.props, children: undefined });
				if (gives) wrong.push(`${asked.stop}, ${kind}: ${s.name} in ${s.stop} ${what}`);
			}
		}
		expect(wrong).toEqual([]);
	});
});
