/**
 * The codec of links: one row per field of a view, in the order of the address. A row says how to read the field, how to
 * write it and where the page keeps it; View, the address, the view on screen and the browser's history all follow from the rows.
 */
import * as v from "valibot";
import { FILTER_KEYS, type FilterCondition } from "#wasm";
import { numberOf } from "../../base/format.ts";
import type { Unit } from "../../engine/types.ts";
import {
	type Against,
	ALIGNED,
	ANSWERS,
	type Answer,
	type Comparing,
	type Embed,
	type Facts,
	FUTURES,
	type Future,
	type LessonPlace,
	MOST_OTHERS,
	PARTS,
	type Parts,
	type Range,
	SERIES,
	type SeriesName,
	SITES_BY,
	SITES_COLOURS,
	SITES_MAPS,
	type SitesChoice,
	START,
	STUDIES,
	TABS,
	THEMES,
	type Theme,
} from "../state/store.ts";
import * as parts from "./link_parts.ts";
import { type Part, type Reader, SET } from "./link_reader.ts";

/** Today's links count events and steps from this number. */
export const FIRST: parts.First = 1;

/** The URL names one of the user's files, which only the user has. */
export const LOCAL = "local:";
/** Stands for the trace made by hand. */
export const SANDBOX = "sandbox";

const UNITS: readonly Unit[] = ["step", "event", "slow", "slab"];
/** The value of focus mode, also in older links. */
const FOCUS = ["focus", "stairs"];
/** Parts of older links that no longer mean anything. */
const RETIRED = ["ghost", "compare.stages"];
/** Letters for the compared machines, as the page shows them. */
const OTHERS = ["B", "C", "D"] as const;
/** Stands for a side that the grid does not have. */
const NO_SIDE = "none";
/** The most breakpoints, or marks, in a link: nobody sets more by hand. */
const MOST_LISTED = 64;
/** The most origins that one link may allow. */
const MOST_ALLOWED = 8;
/** The digits of a file's key that depend only on its content (engine/recent/recent_store.ts). */
const FILE_DIGITS = 10;

interface Field<T> {
	/**
	 * An invalid value keeps its default and is reported. `first`: the number from which the link counts events and
	 * steps.
	 */
	readonly read: (r: Reader, first: parts.First) => T;
	/** Parts of the address; one whose value is empty is left out. */
	readonly write: (value: T) => readonly Part[];
	/** Reads it from the page's facts. */
	readonly of: (f: Facts) => T;
	/** A change makes a new entry in the browser's history. */
	readonly chapter?: (value: T) => unknown;
	/** The fact of the same name is set as soon as a link is opened, before its trace is. */
	readonly atOnce?: true;
}

const field = <T>(row: Field<T>) => row;
const same = <T>(value: T) => value;

/** Makes a field of plain text. */
const text = (key: string, most: number, of: (f: Facts) => string) =>
	field<string>({ read: (r) => r.text(key, most), write: (t) => [[key, t]], of, chapter: same });

/** Makes a field that is one of several words. The address omits the usual one. */
const word = <T extends string>(
	key: string,
	words: readonly T[],
	usual: T,
	of: (f: Facts) => T,
): Field<T> => ({
	read: (r) => r.word(key, words, usual),
	write: (chosen) => [[key, chosen === usual ? "" : chosen]],
	of,
});

const numberFrom = (first: parts.First) => `a number from ${first}`;

/** Makes a field for an event or a step; -1 if the link has none. */
const indexIn = (r: Reader, key: string, first: parts.First) =>
	r.one(key, parts.numbered(first), -1, numberFrom(first));

const numberText = (index: number) => (index < 0 ? "" : String(numberOf(index)));
const alike = (a: readonly string[], b: readonly string[]) => a.join("\n") === b.join("\n");

export const FIELDS = {
	/** How the page is shown inside another one; null if it stands alone. */
	embed: field<Embed | null>({ read: readEmbed, write: writeEmbed, of: () => null }),
	trace: text("trace", 256, (f) => f.trace),
	/** The web address of the trace. */
	url: field<string>({
		read: (r) => r.text("url", 1000),
		write: (url) => [["url", url]],
		of: ({ fetched, trace }) => (fetched?.trace === trace ? fetched.url : ""),
		chapter: same,
	}),
	/** Origins whose pages may send messages to this one. */
	allowed: field<readonly string[]>({
		read: (r) =>
			r.all("allow", parts.origin, MOST_ALLOWED, "an origin, such as https://example.org"),
		write: (origins) => origins.map((origin) => ["allow", origin]),
		of: (f) => f.allowed,
		atOnce: true,
	}),
	/** The first digits of a file's key, which tell two files with the same name apart. "" for a sample. */
	file: field<string>({
		read: (r) => r.one("file", FILE, "", "the key of a file"),
		write: (file) => [["file", file]],
		of: (f) => f.fileKey.slice(0, FILE_DIGITS),
		chapter: same,
	}),
	/** The sandbox, or the fork of the trace, packed; see sandbox_text.ts. */
	sandbox: field<string>({
		read: (r) => r.one("sandbox", CODE, "", "a packed playground"),
		write: (code) => [["sandbox", code]],
		of: (f) => f.sandboxCode,
	}),
	/** Which future of a forked trace is on the stage. */
	future: word<Future>("future", FUTURES, START.future, (f) =>
		f.sandbox?.after ? f.future : START.future,
	),
	/** An event by its index; -1: where there is something to see. */
	op: field<number>({
		read: (r, first) => {
			const event = indexIn(r, "event", FIRST);
			const op = indexIn(r, "op", first);
			return event >= 0 ? event : op;
		},
		write: (op) => [["event", numberText(op)]],
		of: (f) => f.moment?.position.op ?? -1,
	}),
	/** -1: the end of the event. */
	step: field<number>({
		read: (r, first) => indexIn(r, "step", first),
		write: (step) => [["step", numberText(step)]],
		of: ({ moment }) => {
			if (!moment) return -1;
			return moment.position.step < moment.nrSteps - 1 ? moment.position.step : -1;
		},
	}),
	cache: text("cache", 128, (f) => f.cache),
	onlyCache: field<boolean>({
		read: (r) => r.word("caches", ["all", "one"], "one") === "one",
		write: (only) => [["caches", only ? "" : "all"]],
		of: (f) => f.onlyCache,
		atOnce: true,
	}),
	/** A property is written filter.cpu=0-3, using the name of the command's option. */
	filter: field<readonly FilterCondition[]>({
		read: (r) =>
			FILTER_KEYS.flatMap((key) => {
				const value = r.text(`filter.${key}`, 400);
				return value === "" ? [] : [[key, value] as const];
			}),
		write: (all) => all.map(([key, value]) => [`filter.${key}`, value]),
		of: (f) => f.filter,
		atOnce: true,
	}),
	/** The machine state that is shown, packed, and how it is used. */
	state: field<{ readonly code: string; readonly used: boolean; readonly warm: boolean }>({
		read: (r) => {
			const code = r.one("state", CODE, "", "a packed machine state");
			const is = (key: string) => r.word(key, ["0", "1"], "0") === "1" && code !== "";
			return { code, used: is("state.use"), warm: is("state.warm") };
		},
		write: ({ code, used, warm }) => [
			["state", code],
			["state.use", code !== "" && used ? "1" : ""],
			["state.warm", code !== "" && warm ? "1" : ""],
		],
		of: ({ machineState: state }) =>
			state?.code
				? { code: state.code, used: state.used, warm: state.warm }
				: { code: "", used: false, warm: false },
	}),
	/** Whether the replay of a file starts empty, rather than from the slabs that its pointers reveal. */
	cold: field<boolean>({
		read: (r) => r.word("cold", ["0", "1"], "0") === "1",
		write: (cold) => [["cold", cold ? "1" : ""]],
		of: (f) => f.cold,
		chapter: same,
	}),
	/** The file of the kernel state that the replay starts from: only the visitor has it. */
	start: text("start", 256, ({ startState }) => (startState?.used ? startState.name : "")),
	selected: field<Facts["selected"]>({
		read: (r) => r.one("sel", parts.selection, null, "a slab or an object, such as 12 or 12.5"),
		write: (selected) => [["sel", selected ? parts.selectionText(selected) : ""]],
		of: (f) => f.selected,
	}),
	/** The subject of an open Why card: a list, a CPU, a node or its pages, named as for the command's --list. */
	why: field<string>({
		read: (r) => r.one("why", parts.subject, "", "a list, a CPU or a node, such as 1/partial"),
		write: (why) => [["why", why]],
		of: (f) => f.why,
	}),
	zoom: field<Facts["zoom"]>({
		read: (r) => r.one("zoom", parts.zoom, null, "a zoom and a centre, such as 2.5,0.4,0.3"),
		write: (zoom) => [["zoom", zoom ? parts.zoomText(zoom) : ""]],
		of: (f) => f.zoom,
	}),
	/** Older links call it "stairs". */
	focused: field<boolean>({
		read: (r) => {
			for (const key of RETIRED) r.text(key, 20);
			return FOCUS.includes(r.text("show", 20));
		},
		write: (focused) => [["show", focused ? "focus" : ""]],
		of: (f) => f.focused,
		atOnce: true,
	}),
	unit: { ...word("by", UNITS, START.unit, (f) => f.unit), atOnce: true },
	tab: { ...word("tab", TABS, START.tab, (f) => f.tab), chapter: same, atOnce: true },
	parts: field<Parts>({
		read: (r) => ({
			compare: r.word("compare", PARTS.compare, START.parts.compare),
			learn: r.word("learn", PARTS.learn, START.parts.learn),
			labs: r.word("labs", PARTS.labs, START.parts.labs),
		}),
		write: (parts) =>
			(["compare", "learn", "labs"] as const).map((view) => [
				view,
				parts[view] === START.parts[view] ? "" : parts[view],
			]),
		of: (f) => f.parts,
		chapter: same,
		atOnce: true,
	}),
	/** The answer about the trace that the drawer shows. */
	answer: {
		...word<Answer | "">("answer", ["", ...ANSWERS], "", (f) => f.answer),
		chapter: same,
		atOnce: true,
	},
	/** The question about call sites in the drawer. */
	sites: field<SitesChoice>({
		read: (r) => ({
			by: r.word("sites.by", SITES_BY, START.sites.by),
			on: r.one("sites.on", PLACE, "", "a CPU or a node, such as cpu3 or node1"),
			task: r.text("sites.task", 128),
			filter: r.text("sites.filter", 128),
			map: r.word("sites.map", SITES_MAPS, START.sites.map),
			colour: r.word("sites.colour", SITES_COLOURS, START.sites.colour),
		}),
		write: ({ by, on, task, filter, map, colour }) => [
			["sites.by", by === START.sites.by ? "" : by],
			["sites.on", on],
			["sites.task", task],
			["sites.filter", filter],
			["sites.map", map === START.sites.map ? "" : map],
			["sites.colour", colour === START.sites.colour ? "" : colour],
		],
		of: (f) => f.sites,
		atOnce: true,
	}),
	lab: field<Facts["lab"]>({
		read: (r) => ({
			size: r.one("lab.size", parts.whole, 0, numberFrom(0)),
			rule: r.text("lab.rule", 64),
			against: r.text("lab.against", 64),
			pageSize: r.text("lab.page_size", 16),
			cpus: r.text("lab.cpus", 16),
		}),
		write: (lab) => [
			["lab.size", lab.size > 0 ? String(lab.size) : ""],
			["lab.rule", lab.rule],
			["lab.against", lab.against],
			["lab.page_size", lab.pageSize],
			["lab.cpus", lab.cpus],
		],
		of: (f) => f.lab,
		chapter: same,
		atOnce: true,
	}),
	lesson: field<LessonPlace>({
		read: (r) => {
			const lesson = {
				name: r.text("lesson", 64),
				stop: r.text("stop", 64),
				sheet: r.one("sheet", parts.whole, -1, numberFrom(0)),
			};
			return lesson.name === "" ? START.lesson : lesson;
		},
		write: ({ name, stop, sheet }) =>
			name === ""
				? []
				: [
						["lesson", name],
						["stop", stop],
						["sheet", sheet >= 0 ? String(sheet) : ""],
					],
		of: (f) => f.lesson,
		chapter: ({ name, sheet }) => [name, sheet],
		atOnce: true,
	}),
	/** The number of a question in the lesson's stop, from 1; 0 for none. */
	question: field<number>({
		read: (r) => r.one("q", parts.whole, 0, numberFrom(1)),
		write: (question) => [["q", question > 0 ? String(question) : ""]],
		of: (f) => (f.lesson.name === "" ? 0 : f.question),
		atOnce: true,
	}),
	versus: field<readonly string[]>({
		read: (r) => {
			const specs = r.all("with", parts.text(400), MOST_OTHERS, "at most 400 characters");
			const given = specs.filter(Boolean);
			return given.length > 0 ? given : START.versus;
		},
		write: (versus) => (alike(versus, START.versus) ? [] : versus.map((spec) => ["with", spec])),
		of: (f) => f.versus,
		chapter: same,
		atOnce: true,
	}),
	comparing: field<Comparing>({
		read: (r) => ({
			other: OTHERS.indexOf(r.word("compare.other", OTHERS, "B")) + 1,
			allNumbers: r.word("compare.numbers", ["all", "differing"], "differing") === "all",
		}),
		write: ({ other, allNumbers }) => [
			["compare.other", other > 1 ? (OTHERS[other - 1] ?? "") : ""],
			["compare.numbers", allNumbers ? "all" : ""],
		],
		// A machine that was removed is no longer chosen.
		of: ({ comparing, versus }) => ({
			...comparing,
			other: Math.min(comparing.other, versus.length),
		}),
		atOnce: true,
	}),
	/** The second trace, and which events of the two belong together. */
	against: field<Against>({
		read: (r) => ({
			trace: r.text("against", 256),
			align: r.word("align", ALIGNED, START.against.align),
		}),
		write: ({ trace, align }) => [
			["against", trace],
			["align", align === START.against.align ? "" : align],
		],
		of: (f) => f.against,
		chapter: ({ trace }) => trace,
		atOnce: true,
	}),
	series: field<readonly SeriesName[]>({
		read: (r) =>
			r.one("series", parts.some(SERIES), START.series, `one or more of ${SERIES.join(", ")}`),
		write: (series) => [["series", alike(series, START.series) ? "" : series.join()]],
		of: (f) => f.series,
	}),
	/** The part of the trace that the timeline shows, null for all. */
	range: field<Range | null>({
		read: (r, first) => r.one("range", parts.range(first), null, "two events, such as 10-200"),
		write: (range) => [["range", range ? parts.rangeText(range, FIRST) : ""]],
		of: (f) => f.range,
	}),
	breakpoints: field<readonly parts.Stop[]>({
		read: (r) => r.all("break", parts.breakpoint, MOST_LISTED, "a breakpoint, such as new-slab"),
		write: (all) => all.map((one) => ["break", parts.breakpointText(one)]),
		of: (f) => f.breakpoints,
	}),
	marks: field<Facts["marks"]>({
		read: (r, first) => r.all("mark", parts.mark(first), MOST_LISTED, "a mark, such as 100~name"),
		write: (all) => all.map((one) => ["mark", parts.markText(one, FIRST)]),
		of: (f) => f.marks,
	}),
	study: { ...word("study", STUDIES, START.study, (f) => f.study), chapter: same, atOnce: true },
	grid: field<Facts["grid"]>({
		read: (r) => {
			const y = r.text("grid.y", 400);
			return {
				x: r.text("grid.x", 400) || START.grid.x,
				y: y === NO_SIDE ? "" : y || START.grid.y,
				metric: r.text("grid.metric", 40) || START.grid.metric,
			};
		},
		write: (grid) =>
			(["x", "y", "metric"] as const).map((key) => [
				`grid.${key}`,
				grid[key] === START.grid[key] ? "" : grid[key] || NO_SIDE,
			]),
		of: (f) => f.grid,
		chapter: same,
		atOnce: true,
	}),
	/** A parameter's key is written as on the command line, `set.min_partial=9`. */
	machine: field<Facts["machine"]>({
		read: (r) => ({ preset: r.text("preset", 64), values: r.settings() }),
		write: ({ preset, values }) => [
			["preset", preset],
			...Object.entries(values).map(([key, value]) => [SET + key, value] as const),
		],
		of: (f) => f.machine,
		chapter: same,
	}),
};

/** A CPU or a node. */
const PLACE = v.pipe(v.string(), v.regex(/^(?:cpu|node)\d{1,4}$/));
const FILE = v.pipe(v.string(), v.regex(/^[0-9a-f]{4,32}$/));
const CODE = v.pipe(v.string(), v.regex(/^[\w-]{1,8000}$/));

function readEmbed(r: Reader, first: parts.First): Embed | null {
	const embed: Embed = {
		...readPassage(r, first),
		loop: r.word("loop", ["0", "1"], "0") === "1",
		speed: r.one("speed", parts.speed, 0, "steps per second, from 0.01 to 10000"),
		theme: r.word<Theme | "">("theme", ["", ...THEMES], ""),
	};
	return r.word("embed", ["0", "1"], "0") === "1" ? embed : null;
}

/** `events`, or else `from` and `to`. */
function readPassage(r: Reader, first: parts.First): Range {
	const from = indexIn(r, "from", first);
	const to = indexIn(r, "to", first);
	const events = r.one<Range | null>("events", parts.passage, null, "two events, such as 11-41");
	if (events) return events;
	if (to >= 0 && from > to) {
		r.faults.push("The passage in the link ends before it starts, so you see the whole trace.");
		return { from: -1, to: -1 };
	}
	return { from: to >= 0 ? Math.max(0, from) : from, to };
}

function writeEmbed(embed: Embed | null): readonly Part[] {
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
