/** The commands of the page itself. Rooms with commands of their own add them; see commands.ts. */
import { openSandbox, setMachine, setParam, startTour } from "./actions.ts";
import { runTo } from "./breakpoints.ts";
import { addCommands, type Command, type Group } from "./commands.ts";
import { stageKeys } from "./keys.ts";
import { toEndOfLife, touch } from "./life.ts";
import { toggleMark } from "./marks.ts";
import { first, last, press, toggle } from "./player.ts";
import { SERIES_LOOKS, toggleSeries, zoomRange } from "./range.ts";
import { faster } from "./rate.ts";
import {
	change,
	type Dialog,
	type Facts,
	facts,
	TABS,
	type Tab,
	THEMES,
	type Theme,
} from "./store.ts";

const ready = () => facts().moment !== null;
const exploring = () => ready() && facts().tab === "explore";
const click = (selector: string) => document.querySelector<HTMLElement>(selector)?.click();

type Some = Omit<Command, "group">;

function grouped(group: Group, when: (() => boolean) | undefined, some: readonly Some[]) {
	return some.map((c): Command => ({ ...(when ? { when } : {}), ...c, group }));
}

/** Opens a dialog, or closes it if it is the one in front. */
export function showDialog(dialog: Dialog): void {
	change({ dialog: facts().dialog === dialog ? "" : dialog });
}

const MOVES = grouped("Play and step", ready, [
	{ id: "play", name: "Play or pause", keys: "Space", codes: ["Space"], run: toggle },
	{
		id: "next-event",
		name: "Next event",
		keys: "→",
		codes: ["ArrowRight"],
		repeats: true,
		run: () => press("event", 1),
	},
	{
		id: "previous-event",
		name: "Previous event",
		keys: "←",
		codes: ["ArrowLeft"],
		repeats: true,
		run: () => press("event", -1),
	},
	{
		id: "next-step",
		name: "Next step",
		keys: "Shift →",
		codes: ["ArrowRight"],
		shift: true,
		repeats: true,
		run: () => press("step", 1),
	},
	{
		id: "previous-step",
		name: "Previous step",
		keys: "Shift ←",
		codes: ["ArrowLeft"],
		shift: true,
		repeats: true,
		run: () => press("step", -1),
	},
	{
		id: "faster",
		name: "Faster",
		keys: "↑",
		codes: ["ArrowUp"],
		repeats: true,
		run: () => change({ speed: faster(facts().speed, 1) }),
	},
	{
		id: "slower",
		name: "Slower",
		keys: "↓",
		codes: ["ArrowDown"],
		repeats: true,
		run: () => change({ speed: faster(facts().speed, -1) }),
	},
	{
		id: "only-cache",
		name: "Only this cache, or all",
		also: "scope filter caches",
		run: () => change({ onlyCache: !facts().onlyCache }),
	},
	...(["step", "event", "slow", "slab"] as const).map((unit) => ({
		id: `by-${unit}`,
		name: `Play by ${unit === "slow" ? "slow path" : unit}`,
		also: "granularity",
		run: () => change({ unit }),
	})),
]);

const PLACES = grouped("Go to", ready, [
	{ id: "first", name: "First event", keys: "Home", codes: ["Home"], run: first },
	{ id: "last", name: "Last event", keys: "End", codes: ["End"], run: last },
	{
		id: "goto",
		name: "Go to an event, time, address or slab",
		keys: "G",
		chars: ["g"],
		also: "jump",
		run: () => showDialog("goto"),
	},
	{
		id: "mark",
		name: "Mark this moment, or take the mark away",
		keys: "M",
		chars: ["m"],
		also: "bookmark flag",
		run: toggleMark,
	},
	{
		id: "marks",
		name: "Marks",
		keys: "Shift M",
		chars: ["m"],
		shift: true,
		also: "bookmarks flags list",
		run: () => change({ marking: !facts().marking }),
	},
	{
		id: "next-of-it",
		name: "Next event of what is selected, or of this cache",
		keys: ".",
		chars: ["."],
		repeats: true,
		run: () => void touch(1),
	},
	{
		id: "previous-of-it",
		name: "Previous event of what is selected, or of this cache",
		keys: ",",
		chars: [","],
		repeats: true,
		run: () => void touch(-1),
	},
	{
		id: "birth",
		name: "Its allocation; of a slab, its making",
		keys: "[",
		chars: ["["],
		also: "birth born",
		run: () => void toEndOfLife("birth"),
	},
	{
		id: "death",
		name: "Its free; of a slab, its end",
		keys: "]",
		chars: ["]"],
		also: "death",
		run: () => void toEndOfLife("death"),
	},
	{
		id: "breakpoints",
		name: "Breakpoints",
		keys: "B",
		chars: ["b"],
		run: () => change({ breaking: !facts().breaking }),
	},
	{
		id: "next-breakpoint",
		name: "On to the next breakpoint",
		keys: "N",
		chars: ["n"],
		run: () => void runTo(1),
	},
	{
		id: "last-breakpoint",
		name: "Back to the last breakpoint",
		keys: "Shift N",
		chars: ["n"],
		shift: true,
		run: () => void runTo(-1),
	},
]);

const LOOKS = grouped("Look", exploring, [
	{
		id: "zoom-in",
		name: "Zoom in",
		keys: "W or +",
		codes: ["KeyW", "Equal", "NumpadAdd"],
		chars: ["+"],
		repeats: true,
		run: () => stageKeys.zoom(1.4),
	},
	{
		id: "zoom-out",
		name: "Zoom out",
		keys: "S or −",
		codes: ["KeyS", "Minus", "NumpadSubtract"],
		chars: ["-"],
		repeats: true,
		run: () => stageKeys.zoom(1 / 1.4),
	},
	{
		id: "look-left",
		name: "Look left",
		keys: "A",
		codes: ["KeyA"],
		repeats: true,
		run: () => stageKeys.pan(80, 0),
	},
	{
		id: "look-right",
		name: "Look right",
		keys: "D",
		codes: ["KeyD"],
		repeats: true,
		run: () => stageKeys.pan(-80, 0),
	},
	{
		id: "fit",
		name: "Fit the stage",
		keys: "0",
		codes: ["Digit0", "Numpad0"],
		run: () => stageKeys.fit(),
	},
	{
		id: "focus",
		name: "Look at the slab held on to",
		keys: "F",
		chars: ["f"],
		run: () => stageKeys.focus(),
	},
	{
		id: "timeline-in",
		name: "Timeline: a closer look around this event",
		keys: "Shift W",
		codes: ["KeyW"],
		shift: true,
		also: "zoom brush",
		when: ready,
		repeats: true,
		run: () => zoomRange(1 / 2),
	},
	{
		id: "timeline-out",
		name: "Timeline: more around it",
		keys: "Shift S",
		codes: ["KeyS"],
		shift: true,
		also: "zoom out",
		when: ready,
		repeats: true,
		run: () => zoomRange(2),
	},
	{
		id: "timeline-all",
		name: "Timeline: all of the recording",
		keys: "Shift 0",
		codes: ["Digit0"],
		shift: true,
		when: () => facts().range !== null,
		run: () => change({ range: null }),
	},
	...SERIES_LOOKS.map(({ name, words }) => ({
		id: `series-${name}`,
		name: `Timeline: ${words}, shown or not`,
		also: "series curve",
		when: ready,
		run: () => toggleSeries(name),
	})),
	{
		id: "let-go",
		name: "Let go, close",
		keys: "Esc",
		codes: ["Escape"],
		when: () => true,
		run: () => change({ dialog: "", selected: null, error: "", refused: null }),
	},
]);

/** The views that there may be, with the number of their key. */
const VIEWS: readonly (readonly [string, string, number])[] = [
	["explore", "Explore", 1],
	["node-search", "Node search", 2],
	["order-lab", "Order lab", 3],
	["compare", "Compare", 4],
	["lessons", "Lessons", 5],
	["experiments", "Experiments", 6],
	["slabinfo", "Slabinfo", 7],
];

function views(): Command[] {
	const there = VIEWS.filter(([tab]) => (TABS as readonly string[]).includes(tab));
	return grouped(
		"Views",
		() => facts().embed === null,
		there.map(([tab, name, digit]) => ({
			id: `view-${tab}`,
			name,
			keys: String(digit),
			codes: [`Digit${digit}`],
			run: () => change({ tab: tab as Tab }),
		})),
	);
}

const RECORDING = grouped("Recording", undefined, [
	{
		id: "open",
		name: "Open a trace",
		keys: "Ctrl O",
		chars: ["o"],
		ctrl: true,
		inFields: true,
		also: "file import load",
		run: () => click("[data-open-trace]"),
	},
	{
		id: "sandbox",
		name: "Sandbox: allocate and free by hand",
		also: "try experiment new",
		run: () => void openSandbox(),
	},
	{
		id: "report",
		name: "Import report",
		keys: "I",
		chars: ["i"],
		when: () => facts().report !== null,
		run: () => showDialog("report"),
	},
	{
		id: "recent",
		name: "Recent recordings",
		when: () => facts().recent.length > 0,
		run: () => showDialog("recent"),
	},
]);

const seed = (key: string, value: string) => () => {
	const now = facts().built?.params.find((p) => p.key === key)?.value;
	void setParam(key, now === value ? "" : value);
};
const has = (key: string) => () => facts().built?.params.some((p) => p.key === key) ?? false;

const MACHINE = grouped("Machine", ready, [
	{
		id: "seed-2008",
		name: "The 2008 seed, on or off",
		also: "min_partial_rule keep empty slabs",
		when: has("min_partial_rule"),
		run: seed("min_partial_rule", "seed-2008"),
	},
	{
		id: "seed-2018",
		name: "The 2018 seed, on or off",
		also: "node_search skip checked",
		when: has("node_search"),
		run: seed("node_search", "skip-checked"),
	},
	{
		id: "seed-2023",
		name: "The 2023 seed, on or off",
		also: "order_rule",
		when: has("order_rule"),
		run: seed("order_rule", "seed-2023"),
	},
	{
		id: "reset-machine",
		name: "Reset the machine",
		also: "default parameters",
		run: () => void setMachine({ preset: "", values: {} }),
	},
]);

const THEME_NAMES: Readonly<Record<Theme, string>> = {
	auto: "Theme of the system",
	light: "Theme light",
	dark: "Theme dark",
	contrast: "Theme of high contrast",
};

const PAGE = grouped("Page", undefined, [
	{
		id: "share",
		name: "Share: copy the link to this view",
		also: "address url embed",
		when: () => ready() && facts().embed === null,
		run: () => showDialog("share"),
	},
	{
		id: "export",
		name: "Export pictures, tables, a film",
		keys: "E",
		chars: ["e"],
		also: "save download svg png csv json webm",
		when: ready,
		run: () => showDialog("export"),
	},
	...THEMES.map((theme) => ({
		id: `theme-${theme}`,
		name: THEME_NAMES[theme],
		also: "colours mode",
		run: () => change({ theme } satisfies Partial<Facts>),
	})),
	{
		id: "tour",
		name: "Tour of the page",
		also: "help introduction show me around",
		run: startTour,
	},
	{
		id: "palette",
		name: "Commands",
		keys: "Ctrl Shift P",
		chars: ["p"],
		ctrl: true,
		inFields: true,
		shift: true,
		also: "palette",
		run: () => showDialog("palette"),
	},
	{
		id: "search",
		name: "Search",
		keys: "/",
		chars: ["/"],
		also: "find",
		run: () => showDialog("search"),
	},
	{ id: "help", name: "Keys and help", keys: "?", chars: ["?"], run: () => showDialog("help") },
]);

export function registerCommands(): void {
	addCommands(...MOVES, ...PLACES, ...LOOKS, ...views(), ...RECORDING, ...MACHINE, ...PAGE);
}
