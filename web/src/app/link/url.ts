/**
 * The view as a URL and back. Everything that is not as the page would choose by itself is in it; a key of a
 * parameter is written as the command line has it, `set.min_partial=9`. Nothing of a link is believed: each part goes
 * through its schema; what does not pass is left at its default and reported. Parts that nobody here knows are kept.
 *
 * `v` is the version of the form. In version 3 events and steps are numbered from 1, as on the page: `event`, `events`,
 * `step`, `range`, `mark`. Links without `v`, and those of versions 1 and 2, count from 0: `op`, `from`, `to` and the same
 * keys. `event` and `events` are numbered from 1 wherever they stand, and alone make a link one of version 3. A link of a
 * later version may mean anything, so nothing of it is taken.
 */
import * as v from "valibot";
import { count } from "../../base/format.ts";
import { numberOf } from "../../base/numbering.ts";
import type { Machine, Unit } from "../../engine/types.ts";
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
} from "../state/store.ts";
import * as parts from "./link_parts.ts";
import { cut, type Part, Reader, SET } from "./link_reader.ts";

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
	/** Parts that this page does not know. They stay in the address. */
	readonly unknown: readonly Part[];
	/** Nothing of the link was taken: it is of a newer page, or too long. */
	readonly isRefused: boolean;
	/** One sentence on each part that is not understood. */
	readonly faults: readonly string[];
}

export const VERSION = 3;
/** What that version counts events and steps from. */
const FIRST: parts.First = 1;

/** A file of the user's is named in the URL, but only the user has it. */
export const LOCAL = "local:";
/** The recording that is made by hand. */
export const SANDBOX = "sandbox";

const UNITS: readonly Unit[] = ["step", "event", "slow", "slab"];
const GRID = ["x", "y", "metric"] as const;
/** The letters of machines that are compared, as the page has them. */
const GHOSTS = ["none", "B", "C", "D"] as const;
/** A side of the grid that is not there. */
const NO_SIDE = "none";
/** Breakpoints, or marks: more than that nobody sets by hand. */
const MOST_LISTED = 64;
/** Longer than any link that the page makes. */
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
	put("event", view.op < 0 ? "" : String(numberOf(view.op)));
	put("step", view.step < 0 ? "" : String(numberOf(view.step)));
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
	put("range", view.range ? parts.rangeText(view.range, FIRST) : "");
	for (const b of view.breakpoints) put("break", parts.breakpointText(b));
	for (const m of view.marks) put("mark", parts.markText(m, FIRST));
	put("study", view.study === START.study ? "" : view.study);
	for (const key of GRID)
		if (view.grid[key] !== START.grid[key]) put(`grid.${key}`, view.grid[key] || NO_SIDE);
	put("preset", view.machine.preset);
	for (const [key, value] of Object.entries(view.machine.values)) put(SET + key, value);
	for (const [key, value] of view.unknown) q.append(key, value);
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
	const { loop, speed, theme } = embed;
	return [
		["embed", "1"],
		["events", parts.passageText(embed)],
		["loop", loop ? "1" : ""],
		["speed", speed > 0 ? String(speed) : ""],
		["theme", theme],
	];
}

function embedOf(r: Reader, first: parts.First): Embed | null {
	const embed: Embed = {
		...passageOf(r, first),
		loop: r.word("loop", ["0", "1"], "0") === "1",
		speed: r.one("speed", parts.speed, 0, "no number of steps a second, from 0.01 to 10000"),
		theme: r.word<Theme | "">("theme", ["", ...THEMES], ""),
	};
	return r.word("embed", ["0", "1"], "0") === "1" ? embed : null;
}

/** `events`, or else `from` and `to`. */
function passageOf(r: Reader, first: parts.First): Range {
	const from = r.one("from", parts.numbered(first), -1, beNumber(first));
	const to = r.one("to", parts.numbered(first), -1, beNumber(first));
	const events = r.one<Range | null>("events", parts.passage, null, "no events, as 11-41 is");
	if (events) return events;
	if (to >= 0 && from > to) {
		r.faults.push("The link's passage ends before it begins, so all of the recording is shown.");
		return { from: -1, to: -1 };
	}
	return { from: to >= 0 ? Math.max(0, from) : from, to };
}

const beNumber = (first: parts.First) => `not a number from ${first} on`;

function lessonEntries({ name, stop, sheet }: LessonPlace): [string, string][] {
	if (name === "") return [];
	return [
		["lesson", name],
		["stop", stop],
		["sheet", sheet >= 0 ? String(sheet) : ""],
	];
}

/** Anything that cannot be understood is left at its default and told: a link never breaks the page. */
export function fromQuery(query: string): View {
	const q = new URLSearchParams(query.length > MOST_CHARS ? "" : query);
	const refusal = query.length > MOST_CHARS ? tooLong(query) : refusalOf(q.get("v"));
	const r = new Reader(refusal === "" ? q : new URLSearchParams());
	const first = firstIn(q);
	const number = beNumber(0);
	const event = r.one("event", parts.numbered(1), -1, beNumber(1));
	const op = r.one("op", parts.numbered(first), -1, beNumber(first));
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
		op: event >= 0 ? event : op,
		step: r.one("step", parts.numbered(first), -1, beNumber(first)),
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
		marks: r.all("mark", parts.mark(first), MOST_LISTED, "no mark, as 100~name is"),
		range: r.one<Range | null>(
			"range",
			parts.range(first),
			null,
			"no part of a recording, as 10-200 is",
		),
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
		embed: embedOf(r, first),
		unknown: [],
		isRefused: refusal !== "",
		faults: r.faults,
	};
	const unknown = r.unknown(q);
	return refusal === "" ? { ...view, unknown } : { ...view, unknown, faults: [refusal] };
}

/** What a link counts events and steps from. */
function firstIn(q: URLSearchParams): parts.First {
	const version = q.get("v");
	const isNew = version === null ? q.has("event") || q.has("events") : version === String(VERSION);
	return isNew ? FIRST : 0;
}

const sideOf = (text: string) => (text === NO_SIDE ? "" : text || START.grid.y);

const FILE = v.pipe(v.string(), v.regex(/^[0-9a-f]{4,32}$/));
const CODE = v.pipe(v.string(), v.regex(/^[\w-]{1,8000}$/));

const tooLong = ({ length }: string) =>
	`The link has ${count(length)} characters and this page reads ${count(MOST_CHARS)}, so nothing of it was taken. ` +
	"Ask whoever made it to save the recording as a file, and open that.";

/** Links of all forms up to ours are read. */
function refusalOf(version: string | null): string {
	if (version === null || /^[123]$/.test(version)) return "";
	const known = `this page reads links up to version ${VERSION}`;
	if (!/^\d{1,6}$/.test(version)) return `The link's v=${cut(version)} is no version; ${known}.`;
	return `The link was made by a newer Slabscope (version ${version}) and ${known}: load the page again, or ask for the recording and the event instead.`;
}
