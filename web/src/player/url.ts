/**
 * The view as a URL and back. Everything that is not as the page would choose by itself is in it; a key of a
 * parameter is written as the command line has it, `set.min_partial=9`. Nothing of a link is believed: each part goes
 * through its schema, and what does not pass is left at its default and told.
 *
 * `v` is the version of the form. A link without it is of the first form, which reads as it always did. A link of a
 * later form than ours may mean anything, so nothing of it is taken.
 */
import * as v from "valibot";
import { type Fault, FaultKind } from "#wasm";
import type { Machine, Unit } from "../engine/types.ts";
import * as parts from "./link_parts.ts";
import {
	type Breakpoint,
	type Embed,
	type Grid,
	type LessonPlace,
	type Mark,
	MOST_OTHERS,
	type OrderLab,
	type Range,
	SERIES,
	type Selection,
	type SeriesName,
	START,
	STUDIES,
	type StudyName,
	TABS,
	type Tab,
	THEMES,
	type Theme,
	type Zoom,
} from "./store.ts";

/** What a link can hold. A room with something to keep adds a field here, a line to toQuery and one to fromQuery. */
export interface View {
	readonly trace: string;
	/** The first digits of a file's key: of two files by one name this one. "" for a sample. */
	readonly file: string;
	/** The acts of the sandbox, packed; see sandbox_text.ts. */
	readonly sandbox: string;
	readonly op: number;
	/** -1: the end of the operation. */
	readonly step: number;
	readonly cache: string;
	readonly onlyCache: boolean;
	readonly selected: Selection | null;
	readonly zoom: Zoom | null;
	readonly unit: Unit;
	readonly tab: Tab;
	readonly machine: Machine;
	readonly lab: OrderLab;
	readonly lesson: LessonPlace;
	readonly versus: readonly string[];
	/** Which of them, from 1, is drawn over the stage; 0 for none. */
	readonly ghost: number;
	readonly breakpoints: readonly Omit<Breakpoint, "id">[];
	readonly marks: readonly Mark[];
	/** The part of the recording that the timeline shows, null for all. */
	readonly range: Range | null;
	readonly series: readonly SeriesName[];
	readonly study: StudyName;
	readonly grid: Grid;
	readonly embed: Embed | null;
	/** One sentence on each part that is not understood. */
	readonly faults: readonly string[];
}

export const VERSION = 2;

/** A file of the user's is named in the URL, but only the user has it. */
export const LOCAL = "local:";
/** The recording that is made by hand. */
export const SANDBOX = "sandbox";

const UNITS: readonly Unit[] = ["step", "event", "slow", "slab"];
const SET = "set.";
const GRID = ["x", "y", "metric"] as const;
/** The letters of machines that are compared, as the page has them. */
const GHOSTS = ["none", "B", "C", "D"] as const;
/** A side of the grid that is not there. */
const NO_SIDE = "none";
const SETTING = /^set\.[a-z][a-z0-9_]{0,39}$/;
const MOST_SETTINGS = 64;
/** Breakpoints, or marks: more than that nobody sets by hand. */
const MOST_LISTED = 64;
/** More than browsers pass on. */
const MOST_CHARS = 64 << 10;

export function toQuery(view: View): string {
	const q = new URLSearchParams({ v: String(VERSION) });
	const put = (key: string, value: string) => {
		if (value !== "") q.append(key, value);
	};
	for (const [key, value] of embedEntries(view.embed)) put(key, value);
	put("trace", view.trace);
	put("file", view.file);
	put("sandbox", view.trace === SANDBOX ? view.sandbox : "");
	put("op", view.op < 0 ? "" : String(view.op));
	put("step", view.step < 0 ? "" : String(view.step));
	put("cache", view.cache);
	put("caches", view.onlyCache ? "" : "all");
	put("sel", view.selected ? parts.selectionText(view.selected) : "");
	put("zoom", view.zoom ? parts.zoomText(view.zoom) : "");
	put("by", view.unit === "step" ? "" : view.unit);
	put("tab", view.tab === "explore" ? "" : view.tab);
	for (const [key, value] of labEntries(view.lab)) put(key, value);
	for (const [key, value] of lessonEntries(view.lesson)) put(key, value);
	const alike = (a: readonly string[], b: readonly string[]) => a.join("\n") === b.join("\n");
	if (!alike(view.versus, START.versus)) for (const spec of view.versus) put("with", spec);
	put("ghost", view.ghost > 0 ? (GHOSTS[view.ghost] ?? "") : "");
	if (!alike(view.series, START.series)) put("series", view.series.join());
	put("range", view.range ? parts.rangeText(view.range) : "");
	for (const b of view.breakpoints) put("break", parts.breakpointText(b));
	for (const m of view.marks) put("mark", parts.markText(m));
	put("study", view.study === START.study ? "" : view.study);
	for (const key of GRID)
		if (view.grid[key] !== START.grid[key]) put(`grid.${key}`, view.grid[key] || NO_SIDE);
	put("preset", view.machine.preset);
	for (const [key, value] of Object.entries(view.machine.values)) put(SET + key, value);
	return q.toString();
}

function labEntries(lab: OrderLab): [string, string][] {
	return [
		["lab.size", lab.size > 0 ? String(lab.size) : ""],
		["lab.rule", lab.rule],
		["lab.against", lab.against],
		["lab.page_size", lab.pageSize],
		["lab.cpus", lab.cpus],
	];
}

function embedEntries(embed: Embed | null): [string, string][] {
	if (!embed) return [];
	const { from, to, loop, speed, theme } = embed;
	return [
		["embed", "1"],
		["from", from < 0 ? "" : String(from)],
		["to", to < 0 ? "" : String(to)],
		["loop", loop ? "1" : ""],
		["speed", speed > 0 ? String(speed) : ""],
		["theme", theme],
	];
}

function embedOf(r: Reader): Embed | null {
	const number = "not a number from 0 on";
	const embed: Embed = {
		from: r.one("from", parts.whole, -1, number),
		to: r.one("to", parts.whole, -1, number),
		loop: r.word("loop", ["0", "1"], "0") === "1",
		speed: r.one("speed", parts.speed, 0, "no number of steps a second, from 0.01 to 10000"),
		theme: r.word<Theme | "">("theme", ["", ...THEMES], ""),
	};
	return r.word("embed", ["0", "1"], "0") === "1" ? embed : null;
}

function lessonEntries({ name, stop, sheet }: LessonPlace): [string, string][] {
	if (name === "") return [];
	return [
		["lesson", name],
		["stop", stop],
		["sheet", sheet >= 0 ? String(sheet) : ""],
	];
}

/** Reads the parts of a link one by one, and notes what cannot be read. */
class Reader {
	readonly #q: URLSearchParams;
	readonly faults: string[] = [];

	constructor(q: URLSearchParams) {
		this.#q = q;
	}

	one<T>(key: string, schema: v.GenericSchema<string, T>, otherwise: T, be: string): T {
		const value = this.#q.get(key);
		return value === null ? otherwise : (this.#parse(key, value, schema, be) ?? otherwise);
	}

	all<T>(key: string, schema: v.GenericSchema<string, T>, most: number, be: string): T[] {
		const values = this.#q.getAll(key);
		if (values.length > most)
			this.faults.push(`The link has ${values.length} of ${key}; the first ${most} are taken.`);
		const read = values.slice(0, most).map((value) => this.#parse(key, value, schema, be));
		return read.filter((value) => value !== undefined);
	}

	word<T extends string>(key: string, words: readonly T[], otherwise: T): T {
		return this.one(key, parts.oneOf(words), otherwise, `none of ${words.join(", ")}`);
	}

	text(key: string, most: number): string {
		return this.one(key, parts.text(most), "", `longer than ${most} characters, or no text`);
	}

	/** Settings of the machine; the core says what is wrong with their values. */
	settings(): Record<string, string> {
		const keys = [...new Set(this.#q.keys())].filter((key) => key.startsWith(SET));
		for (const key of keys.filter((key) => !SETTING.test(key)))
			this.faults.push(`The link's ${cut(key)} is no name of a parameter.`);
		const known = keys.filter((key) => SETTING.test(key)).slice(0, MOST_SETTINGS);
		const read = known.map((key) => [key.slice(SET.length), this.text(key, 400)] as const);
		return Object.fromEntries(read.filter(([, value]) => value !== ""));
	}

	#parse<T>(key: string, value: string, schema: v.GenericSchema<string, T>, be: string) {
		const read = v.safeParse(schema, value);
		if (read.success) return read.output;
		this.faults.push(`The link's ${key}=${cut(value)} is ${be}.`);
		return undefined;
	}
}

const cut = (value: string) => (value.length > 40 ? `${value.slice(0, 40)}…` : value);

/** Anything that cannot be understood is left at its default and told: a link never breaks the page. */
export function fromQuery(query: string): View {
	const q = new URLSearchParams(query.length > MOST_CHARS ? "" : query);
	const refusal = query.length > MOST_CHARS ? TOO_LONG : refusalOf(q.get("v"));
	const r = new Reader(refusal === "" ? q : new URLSearchParams());
	const number = "not a number from 0 on";
	const lesson: LessonPlace = {
		name: r.text("lesson", 64),
		stop: r.text("stop", 64),
		sheet: r.one("sheet", parts.whole, -1, number),
	};
	const versus = r.all("with", parts.text(400), MOST_OTHERS, "too long").filter(Boolean);
	const view: View = {
		trace: r.text("trace", 256),
		file: r.one("file", FILE, "", "not the key of a file"),
		sandbox: r.one("sandbox", CODE, "", "no sandbox"),
		op: r.one("op", parts.whole, -1, number),
		step: r.one("step", parts.whole, -1, number),
		cache: r.text("cache", 128),
		onlyCache: r.word("caches", ["all", "one"], "one") === "one",
		selected: r.one<Selection | null>("sel", parts.selection, null, "no slab, as 12 or 12.5 is"),
		zoom: r.one<Zoom | null>("zoom", parts.zoom, null, "no view, as 2.5,0.4,0.3 is"),
		unit: r.word("by", UNITS, "step"),
		tab: r.word("tab", TABS, "explore"),
		machine: { preset: r.text("preset", 64), values: r.settings() },
		lab: {
			size: r.one("lab.size", parts.whole, 0, number),
			rule: r.text("lab.rule", 64),
			against: r.text("lab.against", 64),
			pageSize: r.text("lab.page_size", 16),
			cpus: r.text("lab.cpus", 16),
		},
		lesson: lesson.name === "" ? START.lesson : lesson,
		versus: versus.length > 0 ? versus : START.versus,
		ghost: GHOSTS.indexOf(r.word("ghost", GHOSTS, "none")),
		breakpoints: r.all("break", parts.breakpoint, MOST_LISTED, "no moment to stop at"),
		marks: r.all("mark", parts.mark, MOST_LISTED, "no mark, as 100~name is"),
		range: r.one<Range | null>("range", parts.range, null, "no part of a recording, as 10-200 is"),
		series: r.one<readonly SeriesName[]>(
			"series",
			parts.some(SERIES),
			START.series,
			`not some of ${SERIES.join(", ")}`,
		),
		study: r.word("study", STUDIES, START.study),
		grid: {
			x: r.text("grid.x", 400) || START.grid.x,
			y: sideOf(r.text("grid.y", 400)),
			metric: r.text("grid.metric", 40) || START.grid.metric,
		},
		embed: embedOf(r),
		faults: r.faults,
	};
	return refusal === "" ? view : { ...view, faults: [refusal] };
}

const sideOf = (text: string) => (text === NO_SIDE ? "" : text || START.grid.y);

const FILE = v.pipe(v.string(), v.regex(/^[0-9a-f]{4,32}$/));
const CODE = v.pipe(v.string(), v.regex(/^[\w-]{1,8000}$/));
const TOO_LONG = "The link is longer than any that this page makes, so nothing of it was taken.";

/** Links of all forms up to ours are read. */
function refusalOf(version: string | null): string {
	if (version === null || /^[12]$/.test(version)) return "";
	const known = `this page reads links up to version ${VERSION}`;
	if (!/^\d{1,6}$/.test(version)) return `The link's v=${cut(version)} is no version; ${known}.`;
	return `The link was made by a newer Slabscope (version ${version}) and ${known}: load the page again, or ask for the recording and the event instead.`;
}

interface Known {
	/** The recording that is open now. */
	readonly open: string;
	readonly caches: readonly { readonly name: string }[];
	readonly nrOps: number;
}

/** What a link asks for and this page cannot show, and what is shown instead; "" when nothing. */
export function faultsOf(view: View, { open, caches, nrOps }: Known): string {
	const { trace, cache, op, selected, embed } = view;
	const faults = [...view.faults];
	const here = trace === "" || trace === open;
	if (!here && trace.startsWith(LOCAL)) {
		const way = embed
			? ""
			: ": it is on the machine of whoever made the link. Open it here to go to the link's view";
		faults.push(`The file ${trace.slice(LOCAL.length)} is not kept in this browser${way}.`);
	} else if (!here) {
		faults.push(`There is no recording ${trace} here${embed ? "" : ": choose one from the list"}.`);
	}
	if (here && cache !== "" && !caches.some((c) => c.name === cache)) {
		const also = selected ? `, and so no sel=${parts.selectionText(selected)}` : "";
		faults.push(`There is no cache ${cache} in this recording${also}: choose one above the stage.`);
	}
	if (here && op >= nrOps)
		faults.push(
			`The link's op=${op} is past the end: the last of this recording is op=${nrOps - 1}.`,
		);
	return faults.join(" ");
}

/** The machine that a link without one means. */
export const USUAL: Machine = { preset: "", values: {} };

/** The machine without the part that the core found at fault; the usual one if it named none, or nothing else is left. */
export function withoutFaulty({ preset, values }: Machine, fault: Fault | undefined): Machine {
	if (!fault) return USUAL;
	const isPreset = fault.kind === FaultKind.FAULT_PRESET;
	// Of two that exclude each other the link may have set only one.
	const key = fault.key in values ? fault.key : fault.other;
	const left = Object.entries(values).filter(([k]) => isPreset || k !== key);
	const isNamed = isPreset || left.length < Object.keys(values).length;
	const kept = isPreset ? "" : preset;
	return isNamed && (kept !== "" || left.length > 0)
		? { preset: kept, values: Object.fromEntries(left) }
		: USUAL;
}
