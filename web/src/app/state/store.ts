/**
 * The facts from which the page is drawn. Only facts: anything that can be derived from them is derived where it is
 * shown. The player changes them, components read them.
 */

import { createStore } from "zustand/vanilla";
import { ALLOCATORS } from "#abi";
import type { Checked, FilterCondition } from "#wasm";
import { recall, remember } from "../../base/kept.ts";
import type { CloseUp } from "../../engine/query/close_up.ts";
import type { Traffic } from "../../engine/query/traffic.ts";
import type {
	Built,
	CsvHeader,
	Curves,
	EventPath,
	LevelRow,
	Machine,
	MachineStateRow,
	Moment,
	NextObject,
	Overview,
	Progress,
	Recent,
	Report,
	Unit,
} from "../../engine/types.ts";

import type { Act, Sandbox } from "./sandbox_text.ts";

export type Dialog =
	| "help"
	| "fidelity"
	| "report"
	| "recent"
	| "columns"
	| "palette"
	| "search"
	| "goto"
	| "export"
	| "share"
	| "filter"
	| "paste"
	| "address";

/** The other files, kept for later, when several were opened at once. */
export interface Several {
	readonly sentences: readonly string[];
	readonly offers: readonly { readonly key: string; readonly name: string }[];
}

/**
 * Which events of two traces belong together: those at the same share of the run, with the same number, or at the
 * same time.
 */
export const ALIGNED = ["share", "event", "time"] as const;

/** A second trace: a sample, workload:NAME?KEY=VALUE&..., or recent:KEY; "" for none. */
export interface Against {
	readonly trace: string;
	readonly align: (typeof ALIGNED)[number];
}

export interface Sample {
	readonly file: string;
	readonly title: string;
	readonly kernel: string;
	readonly what: string;
	readonly events: number;
	/** The event that a first visit opens at, from 0: the first one of its tour. */
	readonly first?: number;
	/** The preset for its kernel: the newest one that is not newer than the kernel. Left out if that is the default. */
	readonly preset?: string;
	/** Parameters of the recorded machine that the trace does not contain, e.g. its nodes. */
	readonly machine?: Readonly<Record<string, string>>;
}

/** The views, in the order of their tabs. */
export const TABS = ["explore", "compare", "learn", "labs"] as const;
export type Tab = (typeof TABS)[number];

/** The parts of the views that have several; each view opens on the first of them. */
export const PARTS = {
	compare: ["machines", "traces", "sweep"],
	learn: ["lessons", "papers"],
	labs: ["orders", "sandbox"],
} as const;
export type Parts = { readonly [View in keyof typeof PARTS]: (typeof PARTS)[View][number] };

/** The futures of a forked trace. */
export const FUTURES = ["yours", "recorded"] as const;
export type Future = (typeof FUTURES)[number];

/** The sheets that the header opens. */
export type SheetName = "trace" | "cache" | "machine" | "more";

/** How many machines can be compared with the one on the stage at once. */
export const MOST_OTHERS = 3;

/** The settings of the order lab; "" and 0 mean those of the machine and the cache on the stage. */
export interface OrderLab {
	readonly size: number;
	readonly rule: string;
	readonly against: string;
	readonly pageSize: string;
	readonly cpus: string;
}

/** The choices of Compare beside its machines. */
export interface Comparing {
	/** The machine whose stage is compared with that of A, from 1. */
	readonly other: number;
	/** Whether numbers that do not differ are shown too. */
	readonly allNumbers: boolean;
}

/** The reader's place in Lessons. */
export interface LessonPlace {
	/** "" for the list of lessons. */
	readonly name: string;
	readonly stop: string;
	/** Random seed of the open sheet of questions; -1: the lesson itself is open. */
	readonly sheet: number;
}

/** The study on screen: a proposal's, by its number, or the kernel counters. */
export const STUDIES = ["000", "001", "002", "003", "004", "counters"] as const;
export type StudyName = (typeof STUDIES)[number];

/** A grid of replays, written as for the command (KEY=V1,V2 or KEY=FIRST..LAST), and which number each cell shows. */
export interface Grid {
	readonly x: string;
	readonly y: string;
	readonly metric: string;
}

export type Theme = "auto" | "light" | "dark" | "contrast";
/** A theme that can be shown; each is a block of tokens.css. */
export type Look = "light" | "dark" | "contrast-light" | "contrast-dark";

/** A slab of the cache on the stage, by its serial number, or an object of that slab. */
export interface Selection {
	readonly serial: number;
	/** -1: the slab itself. */
	readonly index: number;
}

/** A file that was not opened: the reason, and what the visitor can do. */
export interface Refused {
	readonly name: string;
	readonly sentence: string;
	readonly ways: readonly string[];
	/** Share of the file that fits in memory, 0 if opening a part would not help. */
	readonly share: number;
}

export interface MachineState {
	readonly name: string;
	readonly rows: readonly MachineStateRow[];
	/** Whether the model gives its caches the machine's parameters. */
	readonly used: boolean;
	/** Whether the replay starts from the machine's slabs. */
	readonly warm: boolean;
	/** Other names of the model's caches, "a, b" each. */
	readonly aliases: Readonly<Record<string, string>>;
	/** Packed for links; undefined until it has been packed, "" if it does not fit. */
	readonly code?: string;
}

/** A breakpoint. It names things by name and serial number, because ids change with the machine. */
export interface Breakpoint {
	readonly id: number;
	/** enum kmem_when. */
	readonly when: number;
	/** For WHEN_STEP: the kind of step. */
	readonly step: string;
	/** The cache, "" for any. */
	readonly cache: string;
	/** The slab or object in it; null for all. */
	readonly thing: Selection | null;
	readonly on: boolean;
}

/** The simulator has stopped: the start of a sentence about it, and whether it may still answer. */
export interface Crash {
	readonly what: string;
	readonly silent: boolean;
}

/** A marked position in the trace. */
export interface Mark {
	readonly op: number;
	/** -1: the end of the event. */
	readonly step: number;
	/** "" without a name. */
	readonly label: string;
}

/** An overview of a trace on a machine. */
export interface Chapters extends Overview {
	readonly built: Built;
}

/** The tour: chapters that play one after another. See app/playback/guide.ts. */
export interface Guide {
	/** The chapter, from 0; -1: none yet. */
	readonly at: number;
	readonly isPlaying: boolean;
	/** The last chapter has ended. */
	readonly isOver: boolean;
}

/** The curves of one cache of a trace on a machine. */
interface CacheCurves {
	readonly built: Built;
	readonly cache: string;
	readonly curves: Curves;
}

/** The levels of a cache's places on a machine. */
export interface Levels {
	readonly built: Built;
	readonly cache: number;
	readonly rows: readonly LevelRow[];
	/** The cache has no figures yet: these are for all caches. */
	readonly isEarly: boolean;
}

/** The answers about a trace that the drawer has, in the order of its tabs: the first has the header's button. */
export const ANSWERS = ["doctor", "memory", "sites", "lookup", "slabinfo"] as const;
export type Answer = (typeof ANSWERS)[number];

/**
 * What rows of call sites are grouped by ("both" is call site and cache), which numbers their treemap can show, and
 * what it can be coloured by.
 */
export const SITES_BY = ["both", "site", "cache", "cpu", "node", "task"] as const;
export const SITES_MAPS = [
	"live bytes",
	"live objects",
	"allocations",
	"allocated",
	"freed on another CPU",
] as const;
export const SITES_COLOURS = ["cache", "age"] as const;

/** The question about call sites in the drawer. */
export interface SitesChoice {
	readonly by: (typeof SITES_BY)[number];
	/** "cpu3" or "node1"; "": on any CPU. */
	readonly on: string;
	/** Names or pids, "": any task. */
	readonly task: string;
	/** Words that each row must have in a name. */
	readonly filter: string;
	readonly map: (typeof SITES_MAPS)[number];
	readonly colour: (typeof SITES_COLOURS)[number];
}

/** The events that pass a filter, and the objects of a cache that pass it and are live after this many events. */
export interface Chosen {
	readonly built: Built;
	readonly filter: readonly FilterCondition[];
	readonly events: number;
	readonly ops: number;
	readonly cache: number;
	readonly objects: number;
	/** Their indices, by the serial number of their slab. */
	readonly bySlab: ReadonlyMap<number, ReadonlySet<number>>;
}

/** Where each CPU gets the next object of a cache after this many events. */
export interface NextObjects {
	readonly ops: number;
	readonly cache: number;
	readonly rows: readonly NextObject[];
}

/** Steps of an event that the page highlights, from 0. */
export interface LitSteps {
	readonly op: number;
	readonly from: number;
	readonly to: number;
}

/** The zoom of the stage, and the centre of the view as a share of the stage. */
export interface Zoom {
	readonly k: number;
	readonly x: number;
	readonly y: number;
}

/** Events from `from` up to and including `to`. */
export interface Range {
	readonly from: number;
	readonly to: number;
}

/** The settings of an embedded page. */
export interface Embed {
	/** The events of the passage, from 0; -1: the trace's start or end. */
	readonly from: number;
	readonly to: number;
	readonly loop: boolean;
	/** Units per second; 0: the default. */
	readonly speed: number;
	readonly theme: Theme | "";
}

/** The series that the timeline can draw. */
export const SERIES = ["live", "slabs", "partial", "bytes", "waste", "slow"] as const;
export type SeriesName = (typeof SERIES)[number];

/** The facts before anything is open. */
export const START = {
	/** Null if the page is not embedded. */
	embed: null as Embed | null,
	samples: [] as readonly Sample[],
	/** Traces that the browser keeps, latest first. */
	recent: [] as readonly Recent[],
	/** A sample's file, or `local:NAME` for the visitor's file. */
	trace: "",
	/** The actions done by hand: the trace itself, or a fork of it. Null if there are none. */
	sandbox: null as Sandbox | null,
	/** Which future of a forked trace is on screen. */
	future: "yours" as Future,
	/** Why the latest action was refused, in one sentence; "" if it was done. */
	sandboxRefused: "",
	/** The packed playground for the address, "" if it does not fit. */
	sandboxCode: "",
	/** Undone actions, the last one first to be redone. */
	sandboxUndone: [] as readonly Act[],
	/** Key of the visitor's open file, "" for a sample. */
	fileKey: "",
	report: null as Report | null,
	built: null as Built | null,
	/** Null until the chapters are found. */
	chapters: null as Chapters | null,
	/** The path of the event on screen, or of the last one that stayed there for a while. */
	path: null as EventPath | null,
	/** The levels that the path runs over. */
	levels: null as Levels | null,
	/** The work of the last second's events, while they pass too fast for a path. */
	traffic: null as Traffic | null,
	/** The steps under the pointer, in the list of steps, on the path or in the bar of cycles. */
	litSteps: null as LitSteps | null,
	/** The part of the stage that words of a lesson point at, as scene/layout/parts.ts names it; "" for none. */
	litPart: "",
	/** The parts of the stage under the pointer, the innermost first, in a lesson. */
	partsUnder: [] as readonly string[],
	/** Where the next object of a cache lands on each CPU; null while that is unknown. */
	next: null as NextObjects | null,
	/** Focus mode: the stage alone, for a projector. */
	focused: false,
	machine: { preset: "", values: {} } as Machine,
	/** Whether the replay of the visitor's file starts without the slabs that its pointers reveal. */
	cold: false,
	/** The state of the kernel that recorded the trace: its file, and whether the replay starts from it, or could. */
	startState: null as {
		readonly name: string;
		readonly used: boolean;
		readonly canBegin: boolean;
	} | null,
	/** How far the model agrees with the kernel that recorded the trace, for the build that was checked. */
	agreement: null as { readonly built: Built; readonly checked: Checked } | null,
	/** The position on screen, and the one before: the stage slides from one to the other. */
	moment: null as Moment | null,
	before: null as Moment | null,
	/** The cache on the stage, by name because numbers change with the machine. */
	cache: "",
	/** The chosen cache: it returns to the stage as soon as a machine has it. */
	wanted: "",
	/** Whether stepping and playing only visit the events of the cache on the stage. */
	onlyCache: true,
	/** Moves go only to events that pass all of these, and other objects are dimmed; empty: every event. */
	filter: [] as readonly FilterCondition[],
	/** The events and objects that pass the filter; null while these are unknown. */
	chosen: null as Chosen | null,
	unit: "step" as Unit,
	/** Units per second. */
	speed: 2,
	playing: false,
	tab: "explore" as Tab,
	/** The part of each view that is shown with it. */
	parts: { compare: "machines", learn: "lessons", labs: "orders" } as Parts,
	/** The answer about the trace in the drawer over the view, "" while that is closed. */
	answer: "" as Answer | "",
	sites: {
		by: "both",
		on: "",
		task: "",
		filter: "",
		map: "live bytes",
		colour: "cache",
	} as SitesChoice,
	/** The open sheet of the header, if any. */
	sheet: "" as SheetName | "",
	/** The selection in the inspector. */
	selected: null as Selection | null,
	/** The subject of the Why card (engine/subject.ts), "" while it is closed. */
	why: "",
	/** Null: the whole stage. */
	zoom: null as Zoom | null,
	/** Sorted by position. */
	marks: [] as readonly Mark[],
	/** The marks that the browser keeps for this trace. */
	ownMarks: [] as readonly Mark[],
	/** Whether their list is on screen. */
	marking: false,
	/** The result of the last press, in one sentence; usually "". */
	said: "",
	/** The part of the trace that the timeline shows, null for all. */
	range: null as Range | null,
	series: ["live", "slabs", "slow"] as readonly SeriesName[],
	/** Curves of a cache, null until some are found: read them through curvesShown (range.ts). */
	cacheCurves: null as CacheCurves | null,
	/** Objects in close-up, as they are in memory. */
	closeUps: [] as readonly CloseUp[],
	theme: "auto" as Theme,
	look: "light" as Look,
	/** Screen pixels per CSS pixel in each direction: canvases follow it. */
	pixelRatio: 1,
	/** Whether letters, digits and signs without Ctrl are shortcuts. */
	characterKeys: true,
	/** Parts of the link that this page does not know: they stay in the address. */
	unknown: [] as readonly (readonly [string, string])[],
	progress: null as Progress | null,
	/** One sentence for an alert, "" for none. */
	error: "",
	crash: null as Crash | null,
	/** How often the simulator was restarted. */
	restarts: 0,
	/** Whether a newer version of the page is waiting for a reload. */
	newVersion: false,
	breakpoints: [] as readonly Breakpoint[],
	/** Whether their list is on screen. */
	breaking: false,
	/** The result of the last run to a breakpoint, in one sentence. */
	stopped: "",
	/** Stays until it is dismissed, or another file is opened. */
	refused: null as Refused | null,
	/** What became of each of several files opened at once. */
	several: null as Several | null,
	/** The machine state that is shown with the model, and the name of its file. */
	machineState: null as MachineState | null,
	/**
	 * Name of the machine state from before the trace, "" if there is none. The one that is shown is then from after
	 * the trace.
	 */
	stateBefore: "",
	/** How long the trace on screen took to read and to replay, in milliseconds. */
	took: null as { readonly readMs: number; readonly replayMs: number } | null,
	/** The CSV file whose columns the visitor is, or was, asked about. */
	csv: null as CsvHeader | null,
	/** Why the trace on screen is not kept; "" if it is. */
	keptNote: "",
	/** The tour; null if it is not on screen. */
	guide: null as Guide | null,
	/** Whether the visitor chose to explore freely: the tour then never starts by itself again. */
	explored: false,
	/** How many calls to the engine have no answer yet. */
	pending: 0,
	/** Whether the whole simulator has loaded; see app/playback/whole.ts. */
	isWhole: false,
	/** The dialog in front, if any. */
	dialog: "" as Dialog | "",
	/** The address that the visitor is asked to allow, "" for none. */
	asking: "",
	/** The web address that a trace came from. */
	fetched: null as { readonly trace: string; readonly url: string } | null,
	/** Other origins that may send messages to this page; see app/navigation/messages.ts. */
	allowed: [] as readonly string[],
	lab: { size: 0, rule: "", against: "", pageSize: "", cpus: "" } as OrderLab,
	lesson: { name: "", stop: "", sheet: -1 } as LessonPlace,
	/** The question of the lesson's stop that a link leads to, from 1; 0 for none. */
	question: 0,
	/** The LESSON/STOP that the stage last went to, or whose position a link replaced with its own. */
	lessonShown: "",
	study: "000" as StudyName,
	grid: { x: "max_order=0..5", y: "cpus=1,2,4,8,16", metric: "slab_bytes_peak" } as Grid,
	/** Machines to compare with the one on the stage, written as for the command's --with. */
	versus: ["slab"] as readonly string[],
	comparing: { other: 1, allNumbers: false } as Comparing,
	/** The trace to compare with the one on the stage. */
	against: { trace: "", align: "share" } as Against,
};

export type Facts = Readonly<typeof START>;

export const THEMES: readonly Theme[] = ["auto", "light", "dark", "contrast"];

const KEPT = "slabscope";
const HABITS = ["speed", "theme", "explored", "characterKeys"] as const;

/**
 * The browser remembers a visitor's habits if it can: speed, theme, shortcuts, whether they explore freely. They are
 * not part of START, because the page's HTML is made from that.
 */
export function recallHabits(): void {
	const kept = (recall(KEPT) ?? {}) as Record<string, unknown>;
	const { speed, theme, explored, characterKeys } = kept;
	change({
		speed: typeof speed === "number" && speed > 0 ? speed : START.speed,
		theme: THEMES.find((t) => t === theme) ?? START.theme,
		explored: explored === true,
		characterKeys: characterKeys !== false,
	});
}

export function habitsDiffer(a: Facts, b: Facts): boolean {
	return HABITS.some((habit) => a[habit] !== b[habit]);
}

export function keep({ speed, theme, explored, characterKeys }: Facts): void {
	remember(KEPT, { speed, theme, explored, characterKeys });
}

/** All facts except the position, which changes up to sixty times a second. */
export type StillFacts = Omit<Facts, "moment" | "before">;

export const store = createStore<Facts>(() => START);
export const facts = (): Facts => store.getState();
/** A spread copies a hundred facts four times as fast as the store's own Object.assign. */
export const change = (some: Partial<Facts>): void => store.setState({ ...facts(), ...some }, true);

/** The page is not idle while the engine works on it. */
export async function busy<T>(work: () => Promise<T>): Promise<T> {
	change({ pending: facts().pending + 1 });
	try {
		return await work();
	} finally {
		change({ pending: facts().pending - 1 });
	}
}

/** Does the same for a lookup in the trace, which reports progress; a load at the same time keeps its own. */
export async function lookUp<T>(ask: () => Promise<T>): Promise<T> {
	try {
		return await busy(ask);
	} finally {
		const phase = facts().progress?.phase;
		if (phase === "indexing" || phase === "searching" || phase === "comparing")
			change({ progress: null });
	}
}

export function stopKey({ name, stop }: LessonPlace): string {
	return `${name}/${stop}`;
}

/** Whether this is a playground without actions that is not a fork: its first event is not the visitor's. */
export const isUntouched = ({ sandbox }: StillFacts): boolean =>
	sandbox?.after === 0 && sandbox.acts.length === 0;

/** Whether the page has just been loaded, with nothing on its stage yet. */
export const isOpeningFirst = ({ built, error }: StillFacts): boolean =>
	built === null && error === "";

/** Whether a lesson's own stage is on screen, instead of Explore's. */
export const isInLessons = ({ tab, parts }: StillFacts): boolean =>
	tab === "learn" && parts.learn === "lessons";

/** Returns the changes that show a part of a view. */
export function partOf<View extends keyof Parts>(
	view: View,
	part: Parts[View],
): Pick<Facts, "tab" | "parts"> {
	return { tab: view, parts: { ...facts().parts, [view]: part } };
}

/** Whether this is an embedded page with nothing to show: its reason stays on screen. */
export const isEmptyFrame = ({ embed, built }: StillFacts): boolean =>
	embed !== null && built === null;

const NO_CHAPTERS: Chapters["all"] = [];

/** Returns the trace's chapters on this machine: a different machine has them at different events. */
export function chaptersOf({ chapters, built }: StillFacts): Chapters["all"] {
	return chapters && chapters.built === built ? chapters.all : NO_CHAPTERS;
}

/** Returns the allocator in use. */
export function allocatorOf(built: Built | null): string {
	return built?.params.find((p) => p.key === "allocator")?.value ?? "";
}

/** The allocator of a machine that names none: the first row of the core's table. */
export const [USUAL_ALLOCATOR = ""] = Object.keys(ALLOCATORS);

/** Returns its name on the page. */
export function allocatorName(allocator: string): string {
	return Object.entries(ALLOCATORS).find(([key]) => key === allocator)?.[1] ?? allocator;
}
