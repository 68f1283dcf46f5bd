/**
 * The facts from which the page is drawn. Only facts: anything that can be derived from them is derived where it is
 * shown. The player changes them, components read them.
 */
import { createStore } from "zustand/vanilla";
import type { Frame } from "../../engine/frame.ts";
import type {
	Built,
	CloseUp,
	CsvHeader,
	Machine,
	MachineStateRow,
	Moment,
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

/** Several files that were opened at once: one is open, these are kept for later. */
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
	/** Parameters of the recorded machine that the trace does not contain, e.g. its nodes. */
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

/** The settings of the order lab; "" and 0 stand for those of the machine and the cache on the stage. */
export interface OrderLab {
	readonly size: number;
	readonly rule: string;
	readonly against: string;
	readonly pageSize: string;
	readonly cpus: string;
}

/** The place in Lessons. */
export interface LessonPlace {
	/** "" for the list of lessons. */
	readonly name: string;
	readonly stop: string;
	/** Random seed of the open sheet of questions; -1: the lesson itself is open. */
	readonly sheet: number;
}

/** The experiment on screen: a proposal's, by its number, or one of the others. */
export const STUDIES = ["000", "001", "002", "003", "004", "sweep", "counters"] as const;
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

export interface Facts {
	/** Null if the page is not embedded. */
	readonly embed: Embed | null;
	readonly samples: readonly Sample[];
	/** Traces that the browser keeps, latest first. */
	readonly recent: readonly Recent[];
	/** A sample's file, or `local:NAME` for the visitor's file. */
	readonly trace: string;
	/** The actions done by hand; null while another trace is open. */
	readonly sandbox: Sandbox | null;
	/** The packed sandbox for the address, "" if it does not fit. */
	readonly sandboxCode: string;
	/** Undone actions, the last one first to be redone. */
	readonly sandboxUndone: readonly Act[];
	/** Key of the visitor's open file, "" for a sample. */
	readonly fileKey: string;
	readonly report: Report | null;
	readonly built: Built | null;
	readonly machine: Machine;
	/** The position on screen, and the one before: the stage slides from one to the other. */
	readonly moment: Moment | null;
	readonly before: Moment | null;
	/** The cache on the stage, by name, because numbers change with the machine. */
	readonly cache: string;
	/** The chosen cache: it returns to the stage as soon as a machine has it. */
	readonly wanted: string;
	/** Step and play through events of the cache on the stage only. */
	readonly onlyCache: boolean;
	readonly unit: Unit;
	/** Units per second. */
	readonly speed: number;
	readonly playing: boolean;
	readonly tab: Tab;
	/** The selection in the inspector. */
	readonly selected: Selection | null;
	/** Null: the whole stage. */
	readonly zoom: Zoom | null;
	/** Sorted by position. */
	readonly marks: readonly Mark[];
	/** The marks that the browser keeps for this trace. */
	readonly ownMarks: readonly Mark[];
	/** Whether their list is on screen. */
	readonly marking: boolean;
	/** The result of the last press, in one sentence; "" most of the time. */
	readonly said: string;
	/** The part of the trace that the timeline shows, null for all. */
	readonly range: Range | null;
	readonly series: readonly SeriesName[];
	/** Objects in close-up, as they lie in memory. */
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
	/** How often the simulator was restarted. */
	readonly restarts: number;
	/** A newer version of the page is available and waits for a reload. */
	readonly newVersion: boolean;
	readonly breakpoints: readonly Breakpoint[];
	/** Whether their list is on screen. */
	readonly breaking: boolean;
	/** The result of the last run to a breakpoint, in one sentence. */
	readonly stopped: string;
	/** Stays until it is dismissed, or another file is opened. */
	readonly refused: Refused | null;
	/** The result for each of several files opened at once. */
	readonly several: Several | null;
	/** The machine state that is shown with the model, and the name of its file. */
	readonly machineState: MachineState | null;
	/** How long the trace on screen took to read and to replay, in milliseconds. */
	readonly took: { readonly readMs: number; readonly replayMs: number } | null;
	/** The CSV file whose columns the visitor is, or was, asked about. */
	readonly csv: CsvHeader | null;
	/** Why the trace on screen is not kept; "" if it is. */
	readonly keptNote: string;
	/** True until the visitor does something: the welcome is shown. */
	readonly welcome: boolean;
	/** Stop of the tour that is on screen, -1: there is none. */
	readonly tour: number;
	/** The tour was taken or declined: it is not offered again. */
	readonly toured: boolean;
	/** Number of calls to the engine without an answer yet. */
	readonly pending: number;
	/** The dialog in front, if any. */
	readonly dialog: Dialog | "";
	readonly lab: OrderLab;
	readonly lesson: LessonPlace;
	/** LESSON/STOP to which the stage last went, or whose position a link replaced with its own. */
	readonly lessonShown: string;
	readonly study: StudyName;
	readonly grid: Grid;
	/** Machines to compare with the one on the stage, written as for the command's --with. */
	readonly versus: readonly string[];
	/** The number of the machine, from 1, that is drawn over the stage where it differs; 0 for none. */
	readonly ghost: number;
	/** That machine's frame, and the position that it belongs to. */
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
	machineState: null,
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
 * The browser keeps a visitor's habits, if it can: speed, theme, shortcuts, whether the tour was offered. They are
 * not part of START, from which the page's HTML is made.
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
		// A browser without storage forgets this; nothing else breaks.
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

/** Ends a lookup; a load beside it keeps its progress. */
export function endLookup(): void {
	const phase = facts().progress?.phase;
	if (phase === "indexing" || phase === "searching" || phase === "comparing")
		change({ progress: null });
}

export function stopKey({ name, stop }: LessonPlace): string {
	return `${name}/${stop}`;
}

/** A sandbox without actions: its first event is not the visitor's. */
export const isUntouched = ({ sandbox }: Facts): boolean => sandbox?.acts.length === 0;

/** An embedded page with nothing to show: its reason stays on screen. */
export const isEmptyFrame = ({ embed, built }: Facts): boolean => embed !== null && built === null;

/** The allocator in use. */
export function allocatorOf(built: Built | null): string {
	return built?.params.find((p) => p.key === "allocator")?.value ?? "";
}
