/** Every lesson against the core: its stops and links lead somewhere, its questions have answers, its numbers are right. */
import { readFileSync } from "node:fs";
import type { FunctionComponent, ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, it } from "vitest";
import { Outcome } from "#abi";
import { KmemSession, SEEDS, stepArgument, stepKind } from "#wasm";
import { loadModule } from "../../../wasm/src/node.ts";
import { Lab } from "../engine/lab.ts";
import type { QuestionKind } from "../engine/questions.ts";
import { type Played, Quiz, WORKLOAD } from "../engine/quiz.ts";
import type { Machine } from "../engine/types.ts";
import { metricsOf } from "../player/compare.ts";
import { differences } from "../player/lab.ts";
import type { Sample } from "../player/store.ts";
import { fromQuery } from "../player/url.ts";
import { AroundContext, useAround, within } from "./context.ts";
import { LESSONS, textOf } from "./library.ts";
import { machineIn, type Place, selectionIn } from "./places.ts";
import { tablesOf } from "./seed_table.tsx";
import { withValue } from "./switch.tsx";

const TRACES = new URL("../../../traces/", import.meta.url);
const SAMPLES = JSON.parse(readFileSync(new URL("index.json", TRACES), "utf8")) as Sample[];

type Props = Readonly<Record<string, unknown>> & { readonly children?: ReactNode };

/** A widget of a lesson's text, and the place that it stands at. */
interface Widget {
	readonly name: string;
	readonly stop: string;
	readonly place: Place;
	readonly props: Props;
}

const NAMES = ["Go", "Player", "Predict", "Switch", "SeedTable", "Num", "Aside"];

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
	const around = { lesson, place: { trace, machine }, register: () => () => {} };
	renderToStaticMarkup(
		<AroundContext value={around}>
			<Text components={components} />
		</AroundContext>,
	);
	return widgets;
}

function fullMachine({ trace, machine = "" }: Place): Machine {
	const own = SAMPLES.find((s) => s.file === trace)?.machine ?? {};
	const { preset, values } = machineIn(machine);
	return { preset, values: { ...own, ...values } };
}

function played(place: Place): Played {
	const { trace = "" } = place;
	const file = trace.startsWith(WORKLOAD)
		? undefined
		: new Blob([new Uint8Array(readFileSync(new URL(trace, TRACES)))]);
	return { trace, file, machine: fullMachine(place) };
}

let module: WebAssembly.Module;
let quiz: Quiz;
beforeAll(async () => {
	module = await loadModule();
	quiz = new Quiz(module);
});

/** What a claim of the text says the core has. */
async function truth({ props, place }: Widget): Promise<number> {
	const of = String(props.of);
	if (of === "differing sizes") return differingSizes(place);
	if (props.size !== undefined) return ofSize(of, Number(props.size), place);
	const session = await quiz.sessionOf(played(place));
	const { op } = place;
	if (op !== undefined && place.step !== undefined) return ofStep(session, of, op, place.step);
	const looked = session.steps(op ?? 0).rows.filter((s) => stepKind(s).name === "ANY_NODE_ZONE");
	const skipped = looked.filter(
		(s) => stepArgument(s, "outcome") === Outcome.OUTCOME_EXCLUDED,
	).length;
	if (of === "zone checks") return looked.length - skipped;
	if (of === "skipped") return skipped;
	if (of === "nodes") return session.machine().nodes;
	if (of === "ops") return session.nrOps;
	if (of === "steps") return session.steps(op ?? 0).total;
	if (of === "cpus") return session.machine().cpus;
	if (of === "page_size") return Number(session.param(of));
	session.seek(op === undefined ? session.nrOps : op + 1);
	const totals = session.totals();
	const metric = metricsOf([totals]).find((m) => m.name === of);
	if (of === "requested") return totals.requestedBytes;
	if (of === "zones a search")
		return Math.round((100 * totals.anyNodeZones) / totals.anyNodeEntered) / 100;
	const row = session.caches().find((c) => c.name === props.cache);
	if (metric && !props.cache) return metric.of(totals);
	const facts: Readonly<Record<string, number | undefined>> = {
		slabs: row?.slabs,
		live: row?.liveObjects,
		partial: row?.partial,
		min_partial: row?.minPartial,
		chain: row?.cpuPartialSlabs,
		objects: row?.objectsPerSlab,
	};
	const value = facts[of];
	if (value === undefined) throw new Error(`No fact is called ${of}.`);
	return value;
}

/** Sizes up to 64 KiB for which the rule of 2023 chooses another order than the one before it. */
async function differingSizes({ machine = "" }: Place): Promise<number> {
	const lab = await Lab.open(module);
	return differences(
		lab.orders({
			machine: machineIn(machine),
			key: "order_rule",
			rules: ["mainline", "seed-2023"],
			size: 64,
			toBytes: 65536,
		}),
	).length;
}

/** "partial" stands for nr_partial; the others are arguments as steps.def names them. */
function ofStep(session: KmemSession, of: string, op: number, step: number): number {
	const row = session.steps(op).rows[step];
	const value = row && stepArgument(row, of === "partial" ? "nr_partial" : of);
	if (value === undefined) throw new Error(`Step ${step} of op ${op} tells no ${of}.`);
	return value;
}

async function ofSize(of: string, size: number, { machine = "" }: Place): Promise<number> {
	const session = await KmemSession.open(module);
	const { preset, values } = machineIn(machine);
	session.preset(preset);
	for (const [key, value] of Object.entries(values))
		session.set(key as Parameters<KmemSession["set"]>[0], value);
	const row = session.order(size);
	const facts: Readonly<Record<string, number>> = {
		order: row.order,
		pages: 2 ** row.order,
		objects: row.objects,
		slot: row.alignedSize,
		waste: row.waste,
		min_partial: row.minPartial,
		chain: row.cpuPartialSlabs,
	};
	const value = facts[of];
	if (value === undefined) throw new Error(`No fact of a size is called ${of}.`);
	return value;
}

describe.each(LESSONS.map((l) => l.name))("lesson %s", (name) => {
	it("leads to views that there are by its plain links", () => {
		const text = readFileSync(new URL(`${name}.mdx`, import.meta.url), "utf8");
		for (const [, address = ""] of text.matchAll(/\]\(([^)]*)\)/g)) {
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

	it("has stops with names of their own, and every stop and link leads to a moment that there is", async () => {
		const stops = all("Stop").map((w) => w.stop);
		expect(new Set(stops).size).toBe(stops.length);
		expect(stops.length).toBeGreaterThanOrEqual(6);
		for (const { place, props, stop } of [...all("Stop"), ...all("Go"), ...all("Player")]) {
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

	it("asks three questions or more, and each has variants with an answer", async () => {
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
			}
		}
	});

	it("states no number that the core does not give", async () => {
		const wrong: string[] = [];
		for (const claim of all("Num")) {
			const is = await truth(claim);
			const { value, of } = claim.props;
			if (value !== is) wrong.push(`${claim.stop}: ${of} is ${is}, the text says ${value}`);
		}
		expect(wrong).toEqual([]);
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

describe("tables of the proposals", () => {
	it("are in their lessons, each of them, with figures of the proposal", async () => {
		const shown: string[] = [];
		for (const { name } of LESSONS) {
			for (const { props } of (await widgetsOf(name)).filter((w) => w.name === "SeedTable")) {
				const seed = String(props.seed);
				shown.push(seed);
				const study = await quiz.study(seed, false, () => {});
				const [tables = "", rows = ""] = [props.tables, props.rows].map((w) => String(w ?? ""));
				for (const table of tablesOf(study, tables, rows))
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

	it("are measured to the end", async () => {
		let most = 0;
		const study = await quiz.study("003", true, (done) => {
			most = Math.max(most, done);
		});
		expect(study.runsDone).toBe(study.runs);
		expect(study.figures.some((f) => f.ours && f.agrees)).toBe(true);
		expect(most).toBeGreaterThan(0.5);
	}, 60_000);
});
