/** Tests every lesson against the core: its stops and links lead somewhere, its questions have answers, its numbers are right. */
import { readFileSync } from "node:fs";
import type { FunctionComponent, ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, it } from "vitest";
import { SEEDS } from "#wasm";
import { loadModule } from "../../../../../wasm/src/node.ts";
import { registerCommands } from "../../../app/commands/command_list.ts";
import { commandOf } from "../../../app/commands/commands.ts";
import { fromQuery } from "../../../app/link/url.ts";
import type { Played, QuestionKind } from "../../../engine/answers.ts";
import { Quiz } from "../../../engine/quiz/quiz.ts";
import { isPart } from "../../../scene/layout/parts.ts";
import { metricsOf } from "../../compare/metrics.ts";
import { AroundContext, LESSONS, textOf, useAround, within, withValue } from "../model/context.ts";
import { machineIn, type Place, scriptPlace, selectionIn } from "../model/places.ts";
import {
	dialsIn,
	figureOfSize,
	figureOfTrace,
	placeWith,
	type SliderProps,
	startOf,
} from "../slider.tsx";
import { pressed, pressesIn, type ToyProps } from "../toy.tsx";
import { type Claim, tablesIn } from "../widgets.tsx";
import told from "./numbers.json";
import { means, numbersIn } from "./numbers_in_text.ts";
import { played, Truth } from "./truth.ts";

type Props = Readonly<Record<string, unknown>> & { readonly children?: ReactNode };

/** A widget in a lesson's text, and its place. */
interface Widget {
	readonly name: string;
	readonly stop: string;
	readonly place: Place;
	readonly props: Props;
}

const NAMES = [
	"Go",
	"Player",
	"Predict",
	"Switch",
	"ProposalTable",
	"Num",
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

function placeIn({ trace, machine, op, step, cache, select }: Props): Place {
	return { trace, machine, op, step, cache, select } as Place;
}

/** The text rendered without a page. */
async function widgetsOf(lesson: string): Promise<Widget[]> {
	const Text = await textOf(lesson);
	const widgets: Widget[] = [];
	const noting = (name: string): FunctionComponent<Props> =>
		function Noted(props) {
			const { lesson: stop, place } = useAround();
			widgets.push({ name, stop, place: within(place, placeIn(props)), props });
			return props.children;
		};
	const Stop: FunctionComponent<Props> = (props) => {
		const around = useAround();
		const stop = String(props.id);
		const place = within(around.place, placeIn(props));
		widgets.push({ name: "Stop", stop, place, props });
		const inside = { ...around, lesson: stop, place };
		return <AroundContext value={inside}>{props.children}</AroundContext>;
	};
	const components = { ...Object.fromEntries(NAMES.map((n) => [n, noting(n)])), Stop };
	const { trace, machine = "" } = LESSONS.find((l) => l.name === lesson) ?? {};
	const around = { lesson, place: { trace, machine }, register: () => () => {}, settle: () => {} };
	renderToStaticMarkup(
		<AroundContext value={around}>
			<Text components={components} />
		</AroundContext>,
	);
	return widgets;
}

let module: WebAssembly.Module;
let quiz: Quiz;
let truth: Truth;
beforeAll(async () => {
	module = await loadModule();
	quiz = new Quiz(module);
	truth = new Truth(module, quiz);
});

/** Numbers in prose that the core can't check, and why they are allowed. */
interface KernelCounters {
	readonly lesson: string;
	/** The number as the text writes it. */
	readonly says: string;
	readonly why: string;
}
const TOLD: readonly KernelCounters[] = told;

/** Returns the prose without the widgets' own words, with "•" for each checked number. */
async function proseOf(lesson: string): Promise<string> {
	const Text = await textOf(lesson);
	const nothing = () => null;
	const inside: FunctionComponent<Props> = ({ children }) => children;
	const components = {
		...Object.fromEntries(NAMES.map((n) => [n, inside])),
		Stop: inside,
		Num: () => "•",
		Switch: nothing,
		Slider: inside,
		ProposalTable: nothing,
		code: nothing,
		pre: nothing,
	};
	const html = renderToStaticMarkup(<Text components={components} />);
	return html
		.replaceAll(/<\/(p|li|h1|h2|td|th)>/g, "\n")
		.replaceAll(/<[^>]*>/g, "")
		.replaceAll("&#x27;", "'")
		.replaceAll("&amp;", "&");
}

/** Returns the text among a widget's children. */
function wordsIn(children: ReactNode): string {
	if (typeof children === "string") return children;
	return Array.isArray(children) ? children.map(wordsIn).join("") : "";
}

describe.each(LESSONS.map((l) => l.name))("lesson %s", (name) => {
	it("has plain links that lead to existing views", () => {
		const text = readFileSync(new URL(`../text/${name}.mdx`, import.meta.url), "utf8");
		for (const [, address = ""] of text.matchAll(/\]\(([^)]*)\)/g)) {
			if (address.startsWith("https://")) continue;
			// A source elsewhere opens in another tab, on a click.
			if (address.startsWith("https://")) continue;
			expect(address).toMatch(/^\?/);
			const { faults, lesson } = fromQuery(address.slice(1));
			expect(faults, address).toEqual([]);
			if (lesson.name !== "") expect(LESSONS.map((l) => l.name)).toContain(lesson.name);
		}
	});

	let widgets: Widget[];
	const all = (kind: string) => widgets.filter((w) => w.name === kind);
	beforeAll(async () => {
		widgets = await widgetsOf(name);
	});

	it("gives each stop its own name, and every stop and link leads to an existing event", async () => {
		const stops = all("Stop").map((w) => w.stop);
		expect(new Set(stops).size).toBe(stops.length);
		expect(stops.length).toBeGreaterThanOrEqual(6);
		for (const { place, props, stop } of [
			...all("Stop"),
			...all("Go"),
			...all("Player"),
			...all("Figure"),
			...all("Beside"),
		]) {
			const session = await quiz.sessionOf(played(place));
			const where = `${stop}: ${JSON.stringify({ ...props, children: undefined })}`;
			const { from, to } = props as { from?: number; to?: number };
			const ops = from === undefined || to === undefined ? [place.op ?? 0] : [from, to];
			for (const op of ops) expect(op, where).toBeLessThan(session.nrOps);
			expect(ops[0], where).toBeLessThanOrEqual(ops.at(-1) ?? 0);
			expect(session.steps(place.op ?? 0).total, where).toBeGreaterThan(place.step ?? -1);
			if (place.cache !== undefined)
				expect(
					session.caches().map((c) => c.name),
					where,
				).toContain(place.cache);
			if (place.select !== undefined) expect(selectionIn(place.select), where).not.toBeNull();
		}
	});

	it("asks at least three questions, and each has variants with an answer", async () => {
		const asked = all("Predict");
		expect(asked.length).toBeGreaterThanOrEqual(3);
		for (const { place, props } of asked) {
			const kind = props.kind as QuestionKind;
			const size = props.size as number | undefined;
			for (const seed of [0, 1, 2]) {
				const ask = { kind, seed, op: props.op as number | undefined, size, cache: place.cache };
				const question = await quiz.question(played(place), ask);
				expect(question.choices[question.answer]).toBeDefined();
				expect(new Set(question.choices).size).toBe(question.choices.length);
				expect(question.why.length).toBeGreaterThan(0);
				expect(question.plain).toMatch(/^[A-Z].*\.$/);
			}
		}
	});

	it("states no number that the core does not give", async () => {
		const wrong: string[] = [];
		for (const { stop, place, props } of all("Num")) {
			const claim = props as unknown as Claim;
			const is = await truth.of(claim, place);
			const says = `${stop}: ${claim.of} is ${is}`;
			if (Math.abs(claim.value - is) > 1e-9) wrong.push(`${says}, the text says ${claim.value}`);
			const words = wordsIn(props.children);
			if (words !== "" && !means(words, is)) wrong.push(`${says}, the text says “${words}”`);
		}
		expect(wrong).toEqual([]);
	});

	it("takes every number in its prose from the core, or says in numbers.json why not", async () => {
		const prose = await proseOf(name);
		const mine = TOLD.filter((t) => t.lesson === name);
		for (const { says } of mine) expect(prose).toContain(says);
		const rest = mine.reduce((text, { says }) => text.replaceAll(says, "…"), prose);
		expect(numbersIn(rest).map((n) => `${n.words}: ${n.around.replaceAll("\n", " ")}`)).toEqual([]);
	});

	it("is listed with as many questions as it asks, and plays from one of its stops", () => {
		const { questions, plays, trace } = LESSONS.find((l) => l.name === name) ?? {};
		expect(questions).toBe(all("Predict").length);
		const own = all("Stop").filter(({ place }) => place.trace === trace);
		expect(own.map(({ place }) => place.op)).toContain(plays?.from);
		expect(plays?.to).toBeGreaterThan(plays?.from ?? 0);
	});

	it("flips switches that the core has, and each makes a difference", async () => {
		for (const { place, props } of all("Switch")) {
			const figures: Record<string, number>[] = [];
			const names = String(props.figures).split(/\s*,\s*/);
			for (const value of String(props.values).split(" ")) {
				const machine = withValue(place.machine ?? "", String(props.param), value);
				const { totals } = await quiz.figures(played({ ...place, machine }));
				const metrics = metricsOf([totals]);
				figures.push(
					Object.fromEntries(
						names.map((n) => [n, metrics.find((m) => m.name === n)?.of(totals) ?? 0]),
					),
				);
			}
			for (const n of names)
				expect(
					figures.some((f) => f[n] !== 0),
					n,
				).toBe(true);
			expect(names.some((n) => figures.some((f) => f[n] !== figures[0]?.[n]))).toBe(true);
		}
	});
});

describe.each(LESSONS.map((l) => l.name))("the sliders of lesson %s", (name) => {
	it("show existing figures at both ends of their ranges, and each slider changes one", async () => {
		for (const { place, props, stop } of (await widgetsOf(name)).filter(
			(w) => w.name === "Slider",
		)) {
			const { over, at, figures, script } = props as unknown as SliderProps;
			const where = `${stop}: ${over}`;
			const dials = dialsIn(over);
			const start = startOf(dials, at);
			const names = figures.split(",").map((figure) => figure.trim());
			for (const dial of dials) {
				expect(dial.values.length, where).toBeGreaterThan(1);
				expect(dial.values, where).toContain(start[dial.name]);
				const seen = new Set<string>();
				const middle = dial.values[Math.floor(dial.values.length / 2)];
				const ends = Object.fromEntries(dials.map((d) => [d.name, d.values.at(-1) ?? ""]));
				// A figure may move only where the others are: where debugging is on, for example.
				for (const others of [start, ends]) {
					const figuresOf: string[] = [];
					for (const value of [dial.values[0], middle, dial.values.at(-1)]) {
						const values = { ...others, [dial.name]: value ?? "" };
						const shown = await shownAt(placeWith(place, values, script), values.size, names);
						for (const [i, { value }] of shown.entries())
							expect(value, `${where}, ${names[i]}`).toBeDefined();
						figuresOf.push(JSON.stringify(shown));
					}
					seen.add(String(new Set(figuresOf).size > 1));
				}
				expect(seen, `${where}: ${dial.name}`).toContain("true");
			}
		}
	});

	it("come with reports of debugging where a text shows one", async () => {
		for (const { place, stop } of (await widgetsOf(name)).filter((w) => w.name === "Report")) {
			const { reports } = await quiz.figures(played(place), place.op);
			expect(reports.at(-1), stop).toMatch(/^BUG |BUG/);
		}
	});

	it("press lines that the core reads", async () => {
		for (const { props, stop } of (await widgetsOf(name)).filter((w) => w.name === "Toy")) {
			const { start, buttons } = props as unknown as ToyProps;
			for (const { line, words } of pressesIn(buttons)) {
				const text = pressed(start, line);
				expect(text, `${stop}: ${words}`).toBeDefined();
				const place = scriptPlace({}, text ?? "");
				const session = await quiz.sessionOf(scripted(place));
				expect(session.nrOps, `${stop}: ${words}`).toBe((place.op ?? 0) + 1);
			}
		}
	});

	it("stand in figures whose parts of the stage have a name", async () => {
		for (const { props } of (await widgetsOf(name)).filter((w) => w.name === "Part"))
			expect(isPart(String(props.is)), String(props.is)).toBe(true);
	});
});

/** Returns a place as it is played, even one whose trace is given as text. */
function scripted(place: Place): Played {
	if (place.text === undefined) return played(place);
	const { trace = "", text, machine = "" } = place;
	return { trace, file: new Blob([text]), machine: machineIn(machine) };
}

/** Returns a slider's figures; undefined for an unknown name. */
async function shownAt(place: Place, size: string | undefined, names: readonly string[]) {
	if (size !== undefined) {
		const row = await quiz.ofSize(machineIn(place.machine ?? ""), Number(size));
		return names.map((figure) => figureOfSize(figure, row));
	}
	const all = await quiz.figures(scripted(place), place.op, place.cache);
	return names.map((figure) => figureOfTrace(figure, all));
}

describe("machines side by side", () => {
	it("run the same events, and both leave the fast path in the passage, at different events", async () => {
		const { Workbench } = await import("../../../engine/worker/workbench.ts");
		const bench = new Workbench();
		await bench.assist(
			new Blob([readFileSync(new URL("../../../../../wasm/dist/kmem.wasm", import.meta.url))]),
		);
		for (const { name } of LESSONS)
			for (const { place, props } of (await widgetsOf(name)).filter((w) => w.name === "Beside")) {
				const { from, to } = props as { readonly from: number; readonly to: number };
				const slow: (readonly number[])[] = [];
				for (const machine of String(props.machines).split(";")) {
					const at = { ...place, machine: machine.trim() };
					const run = await bench.passage(played(at), place.cache ?? "", from, to);
					expect(run.film.moments.map((m) => m.position.op)).toEqual(
						Array.from({ length: to - from + 1 }, (_, i) => from + i),
					);
					expect(run.cycles.at(-1)).toBeGreaterThan(0);
					const session = await quiz.sessionOf(played(at));
					session.seek(to + 1);
					const after = session.totals().cycles;
					session.seek(from);
					expect(run.cycles.at(-1)).toBe(after - session.totals().cycles);
					slow.push(run.slow);
				}
				expect(slow.map((of) => of.length > 0)).toEqual([true, true]);
				expect(slow[0]).not.toEqual(slow[1]);
			}
	});
});

describe("what goes with the lessons", () => {
	it("names keys that do what the text says", () => {
		registerCommands();
		/** A word in the sentence, and the command that its key must run. */
		const said: readonly (readonly [RegExp, string])[] = [
			[/compare/i, "view-compare"],
			[/import report/, "report"],
			[/zoom in/, "zoom-in"],
			[/next event/, "next-of-it"],
			[/breakpoint/, "breakpoints"],
		];
		const found: string[] = [];
		for (const { name } of LESSONS) {
			const text = readFileSync(new URL(`../text/${name}.mdx`, import.meta.url), "utf8");
			for (const [sentence] of text.matchAll(/[^.\n]*(?:[Pp]ress|\() ?`(?:\S)`[^.\n]*/g)) {
				const key = /`(\S)`/.exec(sentence)?.[1] ?? "";
				const [, id] = said.find(([word]) => word.test(sentence)) ?? [];
				found.push(id ?? sentence);
				expect(commandOf(id ?? "")?.keys?.split(" or "), sentence).toContain(key);
			}
		}
		expect(new Set(found)).toEqual(new Set(said.map(([, id]) => id)));
	});

	it("asks about empty slabs that are kept, and about some that are given back, in each lesson", async () => {
		for (const { name } of LESSONS) {
			const answers = new Set<number>();
			const asked = (await widgetsOf(name)).filter((w) => w.props.kind === "keep");
			for (const { place, props } of asked) {
				const ask = { kind: "keep", seed: 0, op: props.op as number } as const;
				answers.add((await quiz.question(played(place), ask)).answer);
			}
			expect(answers.size, name).toBe(asked.length > 0 ? 2 : 0);
		}
	});

	it("shows in the frame of docs/teaching.md what its title says", async () => {
		const teaching = readFileSync(
			new URL("../../../../../docs/teaching.md", import.meta.url),
			"utf8",
		);
		const [, query = "", words] =
			/src="[^"]*\?([^"]*)"\s[^>]*title="Empty slabs are kept, up to (\w+)"/.exec(teaching) ?? [];
		const { trace, machine, cache, embed, faults } = fromQuery(query);
		expect(faults).toEqual([]);
		const values = Object.entries(machine.values).map(([key, value]) => `${key}=${value}`);
		const session = await quiz.sessionOf(played({ trace, machine: values.join(" ") }));
		expect(embed?.to).toBeLessThan(session.nrOps);
		const kept = session.caches().find((c) => c.name === cache)?.minPartial ?? 0;
		expect(means(words ?? "", kept)).toBe(true);
	});
});

describe("tables of the proposals", () => {
	it("are in their lessons, each of them, with figures of the proposal", async () => {
		const shown: string[] = [];
		for (const { name } of LESSONS) {
			for (const { props } of (await widgetsOf(name)).filter((w) => w.name === "ProposalTable")) {
				const seed = String(props.proposal);
				shown.push(seed);
				const study = await quiz.study(seed);
				const [tables = "", rows = ""] = [props.tables, props.rows].map((w) => String(w ?? ""));
				for (const table of tablesIn(study, tables, rows))
					expect(table.figures.length, `${seed}: ${table.name}`).toBeGreaterThan(0);
				for (const row of rows.split(";").filter((r) => r !== ""))
					expect(
						study.figures.map((f) => f.row),
						seed,
					).toContain(row.trim());
			}
		}
		expect(shown.toSorted()).toEqual(SEEDS.map((s) => s.id).toSorted());
	});
});
