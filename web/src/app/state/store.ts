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

/** Several files that were opened at once: one is open, these are kept for later. */
export interface Several {
	readonly sentences: readonly string[];
	readonly offers: readonly { readonly key: string; readonly name: string }[];
}

/** Which events of two traces belong together: at the same share of the run, of the same number, at the same time. */
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
	/** The event on which a first visit opens, from 0: the first one of its tour. */
	readonly first?: number;
	/** The preset of its kernel: the newest that is not newer. Left out where that is the default. */
	readonly preset?: string;
	/** Parameters of the recorded machine that the trace does not contain, e.g. its nodes. */
	readonly machine?: Readonly<Record<string, string>>;
}

/** The views, in the order of their tabs. */
export const TABS = ["explore", "compare", "learn", "labs"] as const;
export type Tab = (typeof TABS)[number];

/** The parts of the views that have several; the first of each is shown at first. */
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

/** Machines that are compared with the one on the stage at once. */
export const MOST_OTHERS = 3;

/** The settings of the order lab; "" and 0 stand for those of the machine and the cache on the stage. */
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
	/** Also numbers that do not differ. */
	readonly allNumbers: boolean;
}

/** The place in Lessons. */
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

/** A grid of replays, written as for the command: KEY=V1,V2 or KEY=FIRST..LAST, and the number in each cell. */
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

/** A file that was not opened: the reason, and the ways to continue. */
export interface Refused {
	readonly name: string;
	readonly sentence: string;
	readonly ways: readonly string[];
	/** Share of the file that fits in memory, 0 if a part does not help. */
	readonly share: number;
}

export interface MachineState {
	readonly name: string;
	readonly rows: readonly MachineStateRow[];
	/** Whether the model gives its caches the machine's parameters. */
	readonly used: boolean;
	/** Whether the replay begins with the machine's slabs. */
	readonly warm: boolean;
	/** Other names of the model's caches, "a, b" each. */
	readonly aliases: Readonly<Record<string, string>>;
	/** Packed for links; undefined until it is, "" if it does not fit. */
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

/** The simulator stopped: the beginning of a sentence about it, and whether it may still answer. */
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

/** The overview of a trace on a machine. */
export interface Chapters extends Overview {
	readonly built: Built;
}

/** The first minute: chapters that play one after the other. See app/playback/guide.ts. */
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
	/** The cache has none yet: these are those of all caches. */
	readonly isEarly: boolean;
}

/** The answers about a trace that the drawer has, in the order of its tabs: the first has the header's button. */
export const ANSWERS = ["doctor", "memory", "sites", "lookup", "slabinfo"] as const;
export type Answer = (typeof ANSWERS)[number];

/** Rows of call sites keep these apart, "both" is call site and cache; their treemap can show these numbers, in colours of these. */
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
	/** Words that each row has in a name. */
	readonly filter: string;
	readonly map: (typeof SITES_MAPS)[number];
	readonly colour: (typeof SITES_COLOURS)[number];
}

/** Events that pass a filter, and objects of a cache that do and live after so many events. */
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

/** Where the next object of a cache lands on each CPU after so many events. */
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
	/** Events of the passage, from 0; -1: the beginning, the end. */
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
	/** The actions done by hand: the trace itself, or a fork of it. Null without any. */
	sandbox: null as Sandbox | null,
	/** The future of a forked trace on screen. */
	future: "yours" as Future,
	/** Why the latest action was refused, in one sentence; "" if it was done. */
	sandboxRefused: "",
	/** The packed sandbox for the address, "" if it does not fit. */
	sandboxCode: "",
	/** Undone actions, the last one first to be redone. */
	sandboxUndone: [] as readonly Act[],
	/** Key of the visitor's open file, "" for a sample. */
	fileKey: "",
	report: null as Report | null,
	built: null as Built | null,
	/** Null until they are found. */
	chapters: null as Chapters | null,
	/** The path of the event on screen, or of the last event that rested there. */
	path: null as EventPath | null,
	/** Those that the path runs over. */
	levels: null as Levels | null,
	/** The work of the last second's events, while they pass too fast for a path. */
	traffic: null as Traffic | null,
	/** Pointed at, in the list of steps, on the path or in the bar of cycles. */
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
	/** The replay of the visitor's file begins with none of the slabs that its pointers show. */
	cold: false,
	/** The state of the kernel that recorded the trace: its file, and whether the replay begins with it, or can. */
	startState: null as {
		readonly name: string;
		readonly used: boolean;
		readonly canBegin: boolean;
	} | null,
	/** The model against the kernel that recorded the trace, for the build that was checked. */
	agreement: null as { readonly built: Built; readonly checked: Checked } | null,
	/** The position on screen, and the one before: the stage slides from one to the other. */
	moment: null as Moment | null,
	before: null as Moment | null,
	/** The cache on the stage, by name, because numbers change with the machine. */
	cache: "",
	/** The chosen cache: it returns to the stage as soon as a machine has it. */
	wanted: "",
	/** Step and play through events of the cache on the stage only. */
	onlyCache: true,
	/** Moves go to events that pass all of these only, and other objects are dimmed; none: every event. */
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
	/** The result of the last press, in one sentence; "" most of the time. */
	said: "",
	/** The part of the trace that the timeline shows, null for all. */
	range: null as Range | null,
	series: ["live", "slabs", "slow"] as readonly SeriesName[],
	/** Curves of a cache, null until some are found: read them through curvesShown (range.ts). */
	cacheCurves: null as CacheCurves | null,
	/** Objects in close-up, as they lie in memory. */
	closeUps: [] as readonly CloseUp[],
	theme: "auto" as Theme,
	look: "light" as Look,
	/** Pixels of the screen to a CSS pixel, each way: canvases follow it. */
	pixelRatio: 1,
	/** Letters, digits and signs without Ctrl are shortcuts. */
	characterKeys: true,
	/** Parts of the link that this page does not know: they stay in the address. */
	unknown: [] as readonly (readonly [string, string])[],
	progress: null as Progress | null,
	/** One sentence for an alert, "" for none. */
	error: "",
	crash: null as Crash | null,
	/** How often the simulator was restarted. */
	restarts: 0,
	/** A newer version of the page is available and waits for a reload. */
	newVersion: false,
	breakpoints: [] as readonly Breakpoint[],
	/** Whether their list is on screen. */
	breaking: false,
	/** The result of the last run to a breakpoint, in one sentence. */
	stopped: "",
	/** Stays until it is dismissed, or another file is opened. */
	refused: null as Refused | null,
	/** The result for each of several files opened at once. */
	several: null as Several | null,
	/** The machine state that is shown with the model, and the name of its file. */
	machineState: null as MachineState | null,
	/** Name of the machine state from before the trace, "" without one: the one that is shown is then from after it. */
	stateBefore: "",
	/** How long the trace on screen took to read and to replay, in milliseconds. */
	took: null as { readonly readMs: number; readonly replayMs: number } | null,
	/** The CSV file whose columns the visitor is, or was, asked about. */
	csv: null as CsvHeader | null,
	/** Why the trace on screen is not kept; "" if it is. */
	keptNote: "",
	/** The first minute; null if it is not on screen. */
	guide: null as Guide | null,
	/** The visitor explores freely: the first minute does not begin by itself again. */
	explored: false,
	/** Number of calls to the engine without an answer yet. */
	pending: 0,
	/** The whole simulator is there; see app/playback/whole.ts. */
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
	/** LESSON/STOP to which the stage last went, or whose position a link replaced with its own. */
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
 * The browser keeps a visitor's habits, if it can: speed, theme, shortcuts, whether they explore freely. They are
 * not part of START, from which the page's HTML is made.
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

/** The facts beside the position, which changes up to sixty times per second. */
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

/** The same for a lookup in the trace, which reports progress; a load beside it keeps its own. */
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

/** A sandbox without actions, which is not a fork: its first event is not the visitor's. */
export const isUntouched = ({ sandbox }: StillFacts): boolean =>
	sandbox?.after === 0 && sandbox.acts.length === 0;

/** The page has just been loaded, and nothing is on its stage yet. */
export const isOpeningFirst = ({ built, error }: StillFacts): boolean =>
	built === null && error === "";

/** A lesson has a stage of its own, in place of Explore's. */
export const isInLessons = ({ tab, parts }: StillFacts): boolean =>
	tab === "learn" && parts.learn === "lessons";

/** The changes that lead to a part of a view. */
export function partOf<View extends keyof Parts>(
	view: View,
	part: Parts[View],
): Pick<Facts, "tab" | "parts"> {
	return { tab: view, parts: { ...facts().parts, [view]: part } };
}

/** An embedded page with nothing to show: its reason stays on screen. */
export const isEmptyFrame = ({ embed, built }: StillFacts): boolean =>
	embed !== null && built === null;

const NO_CHAPTERS: Chapters["all"] = [];

/** Chapters of the trace and the machine on screen: those of another machine are at other events. */
export function chaptersOf({ chapters, built }: StillFacts): Chapters["all"] {
	return chapters && chapters.built === built ? chapters.all : NO_CHAPTERS;
}

/** The allocator in use. */
export function allocatorOf(built: Built | null): string {
	return built?.params.find((p) => p.key === "allocator")?.value ?? "";
}

/** The allocator of a machine that names none: the first row of the core's table. */
export const [USUAL_ALLOCATOR = ""] = Object.keys(ALLOCATORS);

/** Its name on the page. */
export function allocatorName(allocator: string): string {
	return Object.entries(ALLOCATORS).find(([key]) => key === allocator)?.[1] ?? allocator;
}
