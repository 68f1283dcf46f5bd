/**
 * The view as a URL and back. Everything that is not as the page would choose by itself is in it; a key of a
 * parameter is written as the command line has it, `set.min_partial=9`.
 */
import type { Machine, Unit } from "../engine/types.ts";
import { type LessonPlace, MOST_OTHERS, type OrderLab, START, TABS, type Tab } from "./store.ts";

export interface View {
	readonly trace: string;
	readonly op: number;
	/** -1: the end of the operation. */
	readonly step: number;
	readonly cache: string;
	readonly onlyCache: boolean;
	readonly unit: Unit;
	readonly tab: Tab;
	readonly machine: Machine;
	readonly lab: OrderLab;
	readonly lesson: LessonPlace;
	readonly versus: readonly string[];
	/** One sentence on each parameter that is not understood. */
	readonly faults: readonly string[];
}

/** A file of the user's is named in the URL, but only the user has it. */
export const LOCAL = "local:";

const UNITS: readonly Unit[] = ["step", "event", "slow", "slab"];
const SET = "set.";

export function toQuery(view: View): string {
	const q = new URLSearchParams();
	if (view.trace !== "") q.set("trace", view.trace);
	if (view.op >= 0) q.set("op", String(view.op));
	if (view.step >= 0) q.set("step", String(view.step));
	if (view.cache !== "") q.set("cache", view.cache);
	if (!view.onlyCache) q.set("caches", "all");
	if (view.unit !== "step") q.set("by", view.unit);
	if (view.tab !== "explore") q.set("tab", view.tab);
	for (const [key, value] of labEntries(view.lab)) q.set(key, value);
	for (const [key, value] of lessonEntries(view.lesson)) q.set(key, value);
	if (view.versus.join() !== START.versus.join())
		for (const spec of view.versus) q.append("with", spec);
	if (view.machine.preset !== "") q.set("preset", view.machine.preset);
	for (const [key, value] of Object.entries(view.machine.values)) q.set(SET + key, value);
	return q.toString();
}

/** Anything that cannot be understood is left at its default and told: a link never breaks the page. */
export function fromQuery(query: string): View {
	const q = new URLSearchParams(query);
	const set = [...q].filter(([key, value]) => key.startsWith(SET) && value !== "");
	const values = Object.fromEntries(set.map(([key, value]) => [key.slice(SET.length), value]));
	return {
		trace: q.get("trace") ?? "",
		op: whole(q.get("op")),
		step: whole(q.get("step")),
		cache: q.get("cache") ?? "",
		onlyCache: q.get("caches") !== "all",
		unit: UNITS.find((u) => u === q.get("by")) ?? "step",
		tab: TABS.find((t) => t === q.get("tab")) ?? "explore",
		machine: { preset: q.get("preset") ?? "", values },
		lab: {
			size: Math.max(0, whole(q.get("lab.size"))),
			rule: q.get("lab.rule") ?? "",
			against: q.get("lab.against") ?? "",
			pageSize: q.get("lab.page_size") ?? "",
			cpus: q.get("lab.cpus") ?? "",
		},
		lesson: {
			name: q.get("lesson") ?? "",
			stop: q.get("stop") ?? "",
			sheet: whole(q.get("sheet")),
		},
		versus: q.has("with") ? q.getAll("with").slice(0, MOST_OTHERS) : START.versus,
		faults: misread(q),
	};
}

function labEntries(lab: OrderLab): [string, string][] {
	const all: [string, string][] = [
		["lab.size", lab.size > 0 ? String(lab.size) : ""],
		["lab.rule", lab.rule],
		["lab.against", lab.against],
		["lab.page_size", lab.pageSize],
		["lab.cpus", lab.cpus],
	];
	return all.filter(([, value]) => value !== "");
}

function lessonEntries({ name, stop, sheet }: LessonPlace): [string, string][] {
	const all: [string, string][] = [
		["lesson", name],
		["stop", stop],
		["sheet", sheet >= 0 ? String(sheet) : ""],
	];
	return name === "" ? [] : all.filter(([, value]) => value !== "");
}

function misread(q: URLSearchParams): string[] {
	const faults: string[] = [];
	const oneOf = (name: string, values: readonly string[]) => {
		const value = q.get(name);
		if (value !== null && !values.includes(value))
			faults.push(`The link's ${name}=${value} is none of ${values.join(", ")}.`);
	};
	for (const name of ["op", "step", "sheet"])
		if (q.has(name) && whole(q.get(name)) < 0)
			faults.push(`The link's ${name}=${q.get(name)} is not a number from 0 on.`);
	oneOf("by", UNITS);
	oneOf("tab", TABS);
	oneOf("caches", ["all"]);
	return faults;
}

interface Known {
	/** The recording that is open now. */
	readonly open: string;
	readonly caches: readonly { readonly name: string }[];
	readonly nrOps: number;
}

/** What a link asks for and this page cannot show, and what is shown instead; "" when nothing. */
export function faultsOf(view: View, { open, caches, nrOps }: Known): string {
	const { trace, cache, op } = view;
	const faults = [...view.faults];
	const here = trace === "" || trace === open;
	if (!here && trace.startsWith(LOCAL)) {
		faults.push(
			`${trace.slice(LOCAL.length)} is a file of yours and is not kept here: open it again.`,
		);
	} else if (!here) {
		faults.push(`There is no recording ${trace} here: choose one from the list.`);
	}
	if (here && cache !== "" && !caches.some((c) => c.name === cache))
		faults.push(`There is no cache ${cache} in this recording: choose one above the stage.`);
	if (here && op >= nrOps)
		faults.push(
			`The link's op=${op} is past the end: the last of this recording is op=${nrOps - 1}.`,
		);
	return faults.join(" ");
}

function whole(text: string | null): number {
	return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : -1;
}
