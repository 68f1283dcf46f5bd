/** Looks up, for tests, what the core, a proposal or a real kernel gives for a number in a lesson's text. */
import { readFileSync } from "node:fs";
import { COUNTER_NAMES, OpKind, Outcome, type ParamKey } from "#abi";
import { type Figure, KmemSession, type Quantity, type Study, stepArgument, stepKind } from "#wasm";
import type { Sample } from "../../../app/state/store.ts";
import { USUAL_PRESET } from "../../../app/trace/actions.ts";
import type { Played } from "../../../engine/answers.ts";
import { MADE } from "../../../engine/generated_trace.ts";
import { Lab } from "../../../engine/query/order_rules.ts";
import { slowEvents } from "../../../engine/quiz/judge.ts";
import type { Quiz } from "../../../engine/quiz/quiz.ts";
import type { Machine } from "../../../engine/types.ts";
import { metricsOf } from "../../compare/metrics.ts";
import { differences } from "../../order_lab/order_question.ts";
import { machineIn, type Place } from "../model/places.ts";
import type { Claim } from "../widgets.tsx";

const TRACES = new URL("../../../../../traces/", import.meta.url);
const SAMPLES = JSON.parse(readFileSync(new URL("index.json", TRACES), "utf8")) as Sample[];
/** Results of the experiments as measured here: the same natively and in wasm, as wasm/test/studies.test.ts checks. */
const STUDIES = new URL("../../../../../core/test/golden/seeds.txt", import.meta.url);
const WHOLE = "100";

function fullMachine({ trace, machine = "" }: Place): Machine {
	const own = SAMPLES.find((s) => s.file === trace);
	const { preset, values } = machineIn(machine);
	const usual = own?.preset === undefined ? "" : USUAL_PRESET;
	return { preset: preset || usual, values: { ...own?.machine, ...values } };
}

export function played(place: Place): Played {
	const { trace = "" } = place;
	const file = trace.startsWith(MADE)
		? undefined
		: new Blob([new Uint8Array(readFileSync(new URL(trace, TRACES)))]);
	return { trace, file, machine: fullMachine(place) };
}

/** "real 003: time against SLUB; current SLOB; times SLUB": the source, the experiment and the figure. */
const FIGURE = /^(proposal|real|here) (\d{3}): ([^;]+); ([^;]+); ([^;]+)$/;

/** "rows won 002: tcp_rr on localhost; unified": in how many rows of a proposal's table this column has the most. */
const WON = /^rows won (\d{3}): ([^;]+); ([^;]+)$/;

export class Truth {
	readonly #module: WebAssembly.Module;
	readonly #quiz: Quiz;
	readonly #studies = new Map<string, Study>();

	constructor(module: WebAssembly.Module, quiz: Quiz) {
		this.#module = module;
		this.#quiz = quiz;
	}

	async of(claim: Claim, place: Place): Promise<number> {
		const { of, per, since } = claim;
		const one = await this.#one(of, claim, place);
		if (since !== undefined)
			return one - (await this.#one(of, claim, { ...place, op: since, step: undefined }));
		if (per === undefined) return one;
		const isMachine = per === "" || (per.includes("=") && !FIGURE.test(per));
		const all = isMachine
			? await this.#one(of, claim, { ...place, machine: per })
			: await this.#one(per, { ...claim, size: undefined }, { ...place, step: undefined });
		return Math.round((100 * one) / all) / 100;
	}

	async #one(of: string, claim: Claim, place: Place): Promise<number> {
		const figure = FIGURE.exec(of);
		if (figure) return this.#figure(figure);
		const won = WON.exec(of);
		if (won) return this.#rowsWon(won);
		if (of === "all sizes") return (await this.#orders(place)).rules[0]?.order.length ?? 0;
		if (of === "differing sizes") return differences(await this.#orders(place)).length;
		if (claim.size !== undefined) return this.#ofSize(of, claim.size, place);
		const session = await this.#quiz.sessionOf(played(place));
		const { op, step } = place;
		if (op !== undefined && step !== undefined) return ofStep(session, of, op, step);
		return (
			ofWhole(session, of) ??
			ofOperation(session, of, op ?? 0) ??
			ofTime(session, of, op, claim.cache)
		);
	}

	async #figure([, whose = "", id = "", table, row, column]: RegExpExecArray): Promise<number> {
		const { figures } = await this.#study(id);
		const found = figures.find((f) => f.table === table && f.row === row && f.column === column);
		if (!found) throw new Error(`${id} has no figure ${table}; ${row}; ${column}.`);
		const { seed, real, unit } = found;
		const value = whose === "proposal" ? seed : whose === "real" ? real : here(id, found);
		if (!value) throw new Error(`${whose} ${id} has no ${table}; ${row}; ${column}.`);
		return (value.value / 10 ** value.decimals) * (unit === "%" ? 0.01 : 1);
	}

	async #rowsWon([, id = "", table, column]: RegExpExecArray): Promise<number> {
		const { figures } = await this.#study(id);
		const rows = new Set(figures.filter((f) => f.table === table).map((f) => f.row));
		const best = (row: string) =>
			figures
				.filter((f) => f.table === table && f.row === row)
				.toSorted((a, b) => (b.seed?.value ?? 0) - (a.seed?.value ?? 0))[0];
		return [...rows].filter((row) => best(row)?.column === column).length;
	}

	async #study(id: string): Promise<Study> {
		const known = this.#studies.get(id) ?? (await this.#quiz.study(id));
		this.#studies.set(id, known);
		return known;
	}

	/** Counts all sizes up to 64 KiB, under the 2023 rule and under the previous one. */
	async #orders({ machine = "" }: Place) {
		const lab = await Lab.open(this.#module);
		return lab.orders({
			machine: machineIn(machine),
			key: "order_rule",
			rules: ["mainline", "rfc-2023"],
			size: 64,
			toBytes: 65536,
		});
	}

	async #ofSize(of: string, size: number, { machine = "" }: Place): Promise<number> {
		const session = await KmemSession.open(this.#module);
		const { preset, values } = machineIn(machine);
		session.preset(preset);
		for (const [key, value] of Object.entries(values)) session.set(key as ParamKey, value);
		const row = session.order(size);
		const slab = 2 ** row.order * Number(session.param("page_size"));
		const facts: Readonly<Record<string, number>> = {
			order: row.order,
			pages: 2 ** row.order,
			objects: row.objects,
			slot: row.alignedSize,
			waste: row.waste,
			"share left": Math.round((100 * row.waste) / slab) / 100,
			min_partial: row.minPartial,
			chain: row.cpuPartialSlabs,
		};
		const value = facts[of];
		if (value === undefined) throw new Error(`No fact of a size is called ${of}.`);
		return value;
	}
}

/** Our figure, from the golden file's figures for the whole workload. */
function here(id: string, { table, row, column }: Figure): Quantity | undefined {
	const place = [id, WHOLE, table, row, column].join(" | ");
	const line = readFileSync(STUDIES, "utf8")
		.split("\n")
		.find((l) => l.startsWith(`${place} | `));
	const [value = "", decimals = ""] = line?.split(" | ")[5]?.split("/") ?? [];
	return decimals === "" ? undefined : { value: Number(value), decimals: Number(decimals) };
}

/** "partial" stands for nr_partial; the others are arguments as steps.def names them. */
function ofStep(session: KmemSession, of: string, op: number, step: number): number {
	const row = session.steps(op).rows[step];
	const value = row && stepArgument(row, of === "partial" ? "nr_partial" : of);
	if (value === undefined) throw new Error(`Step ${step} of op ${op} tells no ${of}.`);
	return value;
}

/** The unit that SLOB counts in. */
const UNIT_BYTES = 2;

function ofWhole(session: KmemSession, of: string): number | undefined {
	if (of === "nodes") return session.machine().nodes;
	if (of === "cpus") return session.machine().cpus;
	if (of === "ops") return session.nrOps;
	if (of === "page_size") return Number(session.param(of));
	if (of === "units of a page") return Number(session.param("page_size")) / UNIT_BYTES;
	const [, key] = /^param (\w+)$/.exec(of) ?? [];
	return key === undefined ? undefined : Number(session.param(key as ParamKey));
}

function ofOperation(session: KmemSession, of: string, op: number): number | undefined {
	const { rows, total } = session.steps(op);
	if (of === "steps") return total;
	if (of === "bytes asked for") return session.op(op).bytes;
	if (of.startsWith("steps "))
		return rows.filter((s) => stepKind(s).name === of.slice("steps ".length)).length;
	const looked = rows.filter((s) => stepKind(s).name === "ANY_NODE_ZONE");
	const skipped = looked.filter(
		(s) => stepArgument(s, "outcome") === Outcome.OUTCOME_EXCLUDED,
	).length;
	if (of === "zone checks") return looked.length - skipped;
	if (of === "skipped") return skipped;
	if (of === "zones") return session.zones().filter((z) => z.pages > 0).length;
	const [, node] = /^zones of node (\d)$/.exec(of) ?? [];
	if (node === undefined) return undefined;
	return session.zones().filter((z) => z.pages > 0 && z.node === Number(node)).length;
}

/** Compare's table leaves out numbers that no machine has. */
const COUNTERS = COUNTER_NAMES.map((name) => name.toLowerCase());

const KINDS: Readonly<Record<string, readonly number[]>> = {
	allocations: [OpKind.OP_ALLOC, OpKind.OP_KMALLOC],
	frees: [OpKind.OP_FREE],
};

/** Totals after an event, or at the end. */
function ofTime(
	session: KmemSession,
	of: string,
	op: number | undefined,
	cache: string | undefined,
): number {
	const at = op === undefined ? session.nrOps : op + 1;
	const kinds = KINDS[of];
	if (kinds) return countOps(session, at, kinds);
	session.seek(at);
	const totals = session.totals();
	const metric = metricsOf([totals]).find((m) => m.name === of);
	if (of === "requested") return totals.requestedBytes;
	if (of === "slow paths") return slowEvents(session, 0, at - 1).length;
	if (of === "zones a search")
		return Math.round((100 * totals.anyNodeZones) / totals.anyNodeEntered) / 100;
	if (cache === undefined && metric) return metric.of(totals);
	if (COUNTERS.includes(of)) return 0;
	const row = session.caches().find((c) => c.name === cache);
	const facts: Readonly<Record<string, number | undefined>> = {
		slot: row?.size,
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

function countOps(session: KmemSession, to: number, kinds: readonly number[]): number {
	let n = 0;
	for (let op = 0; op < to; op++) if (kinds.includes(session.op(op).kind)) n++;
	return n;
}
