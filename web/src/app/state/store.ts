/**
 * The facts that the page is a function of. Only facts: whatever can be worked out from them is worked out where
 * it is shown. The player changes them, components read them.
 */
import { createStore } from "zustand/vanilla";
import type { Frame } from "../../engine/frame.ts";
import type {
	Built,
	CloseUp,
	CsvHeader,
	Machine,
	Moment,
	OverlayRow,
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
	| "paste";

/** Several files that came at once: one is open, and these are kept for later. */
export interface Several {
	readonly sentences: readonly string[];
	readonly offers: readonly { readonly key: string; readonly name: string }[];
}

export interface Sample {
	readonly file: string;
	readonly title: string;
	readonly kernel: string;
	readonly what: string;
	readonly events: number;
	/** Parameters that the recorded machine had and the recording does not tell, e.g. its nodes. */
	readonly machine?: Readonly<Record<string, string>>;
}

export const TABS = [
	"explore",
	"node-search",
	"order-lab",
	"compare",
	"lessons",
	"experiments",
	"slabinfo",
] as const;
export type Tab = (typeof TABS)[number];

/** Machines that are compared with the one on the stage at once. */
export const MOST_OTHERS = 3;

/** What is asked in the order lab; "" and 0 stand for what the machine and the cache on the stage have. */
export interface OrderLab {
	readonly size: number;
	readonly rule: string;
	readonly against: string;
	readonly pageSize: string;
	readonly cpus: string;
}

/** What is open in Lessons. */
export interface LessonPlace {
	/** "" for the list of lessons. */
	readonly name: string;
	readonly stop: string;
	/** Seed of the sheet of questions that is open; -1: the lesson itself is. */
	readonly sheet: number;
}

/** What of the experiments is on screen: a seed's number, or one of ours. */
export const STUDIES = ["000", "001", "002", "003", "004", "sweep", "counters"] as const;
export type StudyName = (typeof STUDIES)[number];

/** A grid of replays as the command has it: KEY=V1,V2 or KEY=FIRST..LAST, and a number of each. */
export interface Grid {
	readonly x: string;
	readonly y: string;
	readonly metric: string;
}

export type Theme = "auto" | "light" | "dark" | "contrast";
/** A theme as it is shown; each is a block of tokens.css. */
export type Look = "light" | "dark" | "contrast-light" | "contrast-dark";

/** A slab of the cache on the stage, by its serial number, or an object of it. */
export interface Selection {
	readonly serial: number;
	/** -1: the slab itself. */
	readonly index: number;
}

/** A file that was not opened: why, and how to go on. */
export interface Refused {
	readonly name: string;
	readonly sentence: string;
	readonly ways: readonly string[];
	/** Share of the file that has room, 0 where a part does not help. */
	readonly share: number;
}

export interface Overlay {
	readonly name: string;
	readonly rows: readonly OverlayRow[];
	/** Whether the model makes its caches as they are there. */
	readonly used: boolean;
}

/** A moment to stop at. Things go by names and serial numbers, because ids change with the machine. */
export interface Breakpoint {
	readonly id: number;
	/** enum kmem_when. */
	readonly when: number;
	/** Of WHEN_STEP: which kind of decision. */
	readonly step: string;
	/** Of which cache, "" for any. */
	readonly cache: string;
	/** Of which slab or object of it; null for all. */
	readonly thing: Selection | null;
	readonly on: boolean;
}

/** The simulator stopped: in words that a sentence begins with, and whether it may yet answer. */
export interface Crash {
	readonly what: string;
	readonly silent: boolean;
}

/** A moment of the recording that has a name. */
export interface Mark {
	readonly op: number;
	/** -1: the end of the operation. */
	readonly step: number;
	/** "" while it has none. */
	readonly label: string;
}

/** How near the stage is looked at, and the middle of what is seen as a share of the stage. */
export interface Zoom {
	readonly k: number;
	readonly x: number;
	readonly y: number;
}

/** Operations from `from` up to and with `to`. */
export interface Range {
	readonly from: number;
	readonly to: number;
}

/** How the page is shown inside another one. */
export interface Embed {
	/** Operations of the passage, from 0; -1: the beginning, the end. */
	readonly from: number;
	readonly to: number;
	readonly loop: boolean;
	/** Units a second; 0: as usual. */
	readonly speed: number;
	readonly theme: Theme | "";
}

/** What the timeline can draw. */
export const SERIES = ["live", "slabs", "partial", "bytes", "waste", "slow"] as const;
export type SeriesName = (typeof SERIES)[number];

export interface Facts {
	/** Null where the page is a page of its own. */
	readonly embed: Embed | null;
	readonly samples: readonly Sample[];
	/** Recordings that the browser keeps, latest first. */
	readonly recent: readonly Recent[];
	/** A sample's file, or `local:NAME` for a file of the user's. */
	readonly trace: string;
	/** What was done by hand; null while another recording is open. */
	readonly sandbox: Sandbox | null;
	/** The same packed for the address, "" where that has no room for it. */
	readonly sandboxCode: string;
	/** Acts that were taken back, the last one first to come again. */
	readonly sandboxUndone: readonly Act[];
	/** Key of the file of the user's that is open, "" for a sample. */
	readonly fileKey: string;
	readonly report: Report | null;
	readonly built: Built | null;
	readonly machine: Machine;
	/** What is on screen, and what was there before it: the stage slides from one to the other. */
	readonly moment: Moment | null;
	readonly before: Moment | null;
	/** The cache on the stage, by name, because numbers change with the machine. */
	readonly cache: string;
	/** The cache that was chosen: on the stage again as soon as a machine has it. */
	readonly wanted: string;
	/** Step and play through the cache on the stage only. */
	readonly onlyCache: boolean;
	readonly unit: Unit;
	/** Units a second. */
	readonly speed: number;
	readonly playing: boolean;
	readonly tab: Tab;
	/** What the inspector holds on to. */
	readonly selected: Selection | null;
	/** Null: all of the stage. */
	readonly zoom: Zoom | null;
	/** In the order of the recording. */
	readonly marks: readonly Mark[];
	/** Those that the browser keeps of this recording. */
	readonly ownMarks: readonly Mark[];
	/** Whether their list is on screen. */
	readonly marking: boolean;
	/** What the last press came to, in one sentence; "" most of the time. */
	readonly said: string;
	/** The part of the recording that the timeline shows, null for all. */
	readonly range: Range | null;
	readonly series: readonly SeriesName[];
	/** Objects that fill much of the stage, as they lie in memory. */
	readonly closeUps: readonly CloseUp[];
	readonly theme: Theme;
	readonly look: Look;
	/** Letters, digits and signs without Ctrl are shortcuts. */
	readonly characterKeys: boolean;
	/** Parts of the link that this page does not know: they stay in the address. */
	readonly unknown: readonly (readonly [string, string])[];
	readonly progress: Progress | null;
	/** One sentence for an alert, "" for none. */
	readonly error: string;
	readonly crash: Crash | null;
	/** Simulators that had to be started again. */
	readonly restarts: number;
	/** A newer version of the page is here and waits for a reload. */
	readonly newVersion: boolean;
	readonly breakpoints: readonly Breakpoint[];
	/** Whether their list is on screen. */
	readonly breaking: boolean;
	/** What the last run to a breakpoint came to, in one sentence. */
	readonly stopped: string;
	/** Stays until it is dismissed, or another file is opened. */
	readonly refused: Refused | null;
	/** What became of several files that came at once. */
	readonly several: Several | null;
	/** The state of a real machine's caches that lies over the model, and the file that told it. */
	readonly overlay: Overlay | null;
	/** How long the recording on screen took to read and to replay, in milliseconds. */
	readonly took: { readonly readMs: number; readonly replayMs: number } | null;
	/** The CSV file whose columns are asked for, or were when it was opened. */
	readonly csv: CsvHeader | null;
	/** Why the recording on screen is not kept, "" for nothing to say. */
	readonly keptNote: string;
	/** True until the visitor does something: the welcome sentence is shown. */
	readonly welcome: boolean;
	/** Stop of the tour that is on screen, -1: there is none. */
	readonly tour: number;
	/** The tour was taken or declined: it is not offered again. */
	readonly toured: boolean;
	/** Requests to the engine that are not answered yet. */
	readonly pending: number;
	/** The dialog in front, if any. */
	readonly dialog: Dialog | "";
	readonly lab: OrderLab;
	readonly lesson: LessonPlace;
	/** LESSON/STOP that the stage was last sent to, or that a link had come with its own moment for. */
	readonly lessonShown: string;
	readonly study: StudyName;
	readonly grid: Grid;
	/** Machines to compare with the one on the stage, as the command's --with has them. */
	readonly versus: readonly string[];
	/** Which of them, from 1, is drawn over the stage where it differs; 0 for none. */
	readonly ghost: number;
	/** What that one has, at the moment that it is for. */
	readonly ghosts: { readonly moment: Moment; readonly frame: Frame | undefined } | null;
}

export const START: Facts = {
	embed: null,
	samples: [],
	recent: [],
	trace: "",
	sandbox: null,
	sandboxCode: "",
	sandboxUndone: [],
	fileKey: "",
	report: null,
	built: null,
	machine: { preset: "", values: {} },
	moment: null,
	before: null,
	cache: "",
	wanted: "",
	onlyCache: true,
	unit: "step",
	speed: 2,
	playing: false,
	tab: "explore",
	selected: null,
	zoom: null,
	marks: [],
	ownMarks: [],
	marking: false,
	said: "",
	range: null,
	series: ["live", "slabs", "slow"],
	closeUps: [],
	theme: "auto",
	look: "light",
	characterKeys: true,
	unknown: [],
	progress: null,
	error: "",
	crash: null,
	restarts: 0,
	newVersion: false,
	breakpoints: [],
	breaking: false,
	stopped: "",
	refused: null,
	several: null,
	overlay: null,
	took: null,
	csv: null,
	keptNote: "",
	welcome: false,
	tour: -1,
	toured: false,
	pending: 0,
	dialog: "",
	lesson: { name: "", stop: "", sheet: -1 },
	lessonShown: "",
	lab: { size: 0, rule: "", against: "", pageSize: "", cpus: "" },
	study: "000",
	grid: { x: "max_order=0..5", y: "cpus=1,2,4,8,16", metric: "slab_bytes_peak" },
	versus: ["slab"],
	ghost: 0,
	ghosts: null,
};

export const THEMES: readonly Theme[] = ["auto", "light", "dark", "contrast"];

const KEPT = "slabscope";
const HABITS = ["speed", "theme", "toured", "characterKeys"] as const;

/**
 * Speed, theme, shortcuts and having been shown around are a visitor's habits: kept in the browser, where it lets us.
 * Not part of START, which the page's HTML is made from.
 */
export function recallHabits(): void {
	try {
		const { speed, theme, toured, characterKeys } = JSON.parse(
			localStorage.getItem(KEPT) ?? "{}",
		) as Record<string, unknown>;
		change({
			speed: typeof speed === "number" && speed > 0 ? speed : START.speed,
			theme: THEMES.find((t) => t === theme) ?? START.theme,
			toured: toured === true,
			characterKeys: characterKeys !== false,
		});
	} catch {
		// Without them it begins as for everybody.
	}
}

export function habitsDiffer(a: Facts, b: Facts): boolean {
	return HABITS.some((habit) => a[habit] !== b[habit]);
}

export function keep({ speed, theme, toured, characterKeys }: Facts): void {
	try {
		localStorage.setItem(KEPT, JSON.stringify({ speed, theme, toured, characterKeys }));
	} catch {
		// A browser that keeps nothing is no reason to stop.
	}
}

export const store = createStore<Facts>(() => START);
export const facts = (): Facts => store.getState();
export const change = (some: Partial<Facts>): void => store.setState(some);

/** The page is not idle while the engine works on it. */
export async function busy<T>(work: () => Promise<T>): Promise<T> {
	change({ pending: facts().pending + 1 });
	try {
		return await work();
	} finally {
		change({ pending: facts().pending - 1 });
	}
}

/** Looking something up is over; a load that goes on beside it keeps its progress. */
export function endLookup(): void {
	const phase = facts().progress?.phase;
	if (phase === "indexing" || phase === "searching" || phase === "comparing")
		change({ progress: null });
}

export function stopKey({ name, stop }: LessonPlace): string {
	return `${name}/${stop}`;
}

/** A sandbox in which nothing has been done: what its recording begins with is no event of the visitor's. */
export const isUntouched = ({ sandbox }: Facts): boolean => sandbox?.acts.length === 0;

/** Inside another page, with nothing to show: why stays said. */
export const isEmptyFrame = ({ embed, built }: Facts): boolean => embed !== null && built === null;

/** The allocator in force. */
export function allocatorOf(built: Built | null): string {
	return built?.params.find((p) => p.key === "allocator")?.value ?? "";
}
