/** The commands of the page itself. Views with their own commands add them; see commands.ts. */

import { loadCode } from "../../base/load_code.ts";
import type { CopyFormat } from "../platform/copy_table.ts";
import { runTo } from "../playback/breakpoints.ts";
import { takeTour } from "../playback/guide.ts";
import { toggleMark } from "../playback/marks.ts";
import { toEndOfHistory, touch } from "../playback/object_history.ts";
import { first, last } from "../playback/player.ts";
import { askLongest } from "../playback/why.ts";
import { canFork, forkHere, openSandbox } from "../sandbox/scenes.ts";
import { say } from "../state/announce.ts";
import {
	change,
	chaptersOf,
	type Dialog,
	type Facts,
	facts,
	type SheetName,
	type Tab,
	THEMES,
	type Theme,
} from "../state/store.ts";
import { setMachine, setParam } from "../trace/actions.ts";
import { chooseFile } from "../trace/bring.ts";
import { grouped, LOOKS, MOVES, ready } from "./command_moves.ts";
import { addCommands, type Command } from "./commands.ts";

async function copyTables(format: CopyFormat): Promise<void> {
	const { copyTablesOnScreen } = await loadCode(() => import("../platform/copy_table.ts"));
	const sentence = await copyTablesOnScreen(format);
	say(sentence);
	change({ several: { sentences: [sentence], offers: [] } });
}

/** Opens a dialog, or closes it if it is already open in front. */
function showDialog(dialog: Dialog): void {
	change({ dialog: facts().dialog === dialog ? "" : dialog, sheet: "" });
}

function toggleCharacterKeys(): void {
	const characterKeys = !facts().characterKeys;
	change({ characterKeys });
	say(`Single-character keys are ${characterKeys ? "on" : "off"}.`);
}

const PLACES = grouped("Go to", ready, [
	{ id: "first", name: "Go to the first event", keys: "Home", run: first },
	{ id: "last", name: "Go to the last event", keys: "End", run: last },
	{
		id: "goto",
		name: "Go to an event, time, address or slab",
		keys: "G",
		also: "jump",
		run: () => showDialog("goto"),
	},
	{
		id: "filter",
		name: "Filter events and objects",
		also: "only cpu node cache call site task time skip dim search",
		run: () => showDialog("filter"),
	},
	{
		id: "mark",
		name: "Mark this position, or remove its mark",
		keys: "M",
		also: "bookmark flag",
		run: toggleMark,
	},
	{
		id: "marks",
		name: "Show or hide the marks",
		keys: "Shift M",
		also: "bookmarks flags list",
		run: () => change({ marking: !facts().marking }),
	},
	{
		id: "next-of-it",
		name: "Go to the next event that touches the selection, or this cache",
		keys: ".",
		repeats: true,
		run: () => void touch(1),
	},
	{
		id: "previous-of-it",
		name: "Go to the previous event that touches the selection, or this cache",
		keys: ",",
		repeats: true,
		run: () => void touch(-1),
	},
	{
		id: "birth",
		name: "Go to its allocation, or to where the slab was made",
		keys: "[",
		also: "birth born",
		run: () => void toEndOfHistory("birth"),
	},
	{
		id: "death",
		name: "Go to its free, or to where the slab was discarded",
		keys: "]",
		also: "death",
		run: () => void toEndOfHistory("death"),
	},
	{
		id: "breakpoints",
		name: "Show or hide the breakpoints",
		keys: "B",
		run: () => change({ breaking: !facts().breaking }),
	},
	{
		id: "why",
		name: "Explain the longest list: why are these slabs here?",
		also: "why card facts cause",
		run: askLongest,
	},
	{ id: "next-breakpoint", name: "Go to the next breakpoint", keys: "N", run: () => void runTo(1) },
	{
		id: "last-breakpoint",
		name: "Go back to the previous breakpoint",
		keys: "Shift N",
		run: () => void runTo(-1),
	},
]);

const VIEWS: readonly (readonly [Tab, string, string])[] = [
	["explore", "Explore", "stage levels node search zonelist"],
	["compare", "Compare", "machines side by side divergence"],
	["learn", "Learn", "lessons proposals papers"],
	["labs", "Labs", "order lab sandbox"],
];

/** The views, each with a digit as its key. */
function views(): Command[] {
	return grouped("Views", () => facts().embed === null, [
		...VIEWS.map(([tab, name, also], i) => ({
			id: `view-${tab}`,
			name,
			keys: String(i + 1),
			also,
			run: () => change({ tab }),
		})),
	]);
}

/** Opens a sheet of the header, or closes it if it is open. */
function toggleSheet(sheet: SheetName): void {
	change({ sheet: facts().sheet === sheet ? "" : sheet });
}

const SHEETS = grouped("Page", () => facts().embed === null, [
	{
		id: "sheet-trace",
		name: "Choose a trace",
		also: "sheet sample recent",
		run: () => toggleSheet("trace"),
	},
	{
		id: "sheet-cache",
		name: "Choose a cache",
		also: "sheet",
		run: () => toggleSheet("cache"),
	},
	{
		id: "sheet-machine",
		name: "Change the machine",
		also: "sheet allocator preset parameters settings",
		run: () => toggleSheet("machine"),
	},
]);

const TRACE = grouped("Trace", undefined, [
	{
		id: "open",
		name: "Open a trace",
		keys: "Ctrl O",
		inFields: true,
		also: "file import load",
		run: chooseFile,
	},
	{
		id: "paste",
		name: "Paste a trace",
		keys: "Ctrl V",
		isBrowsers: true,
		also: "clipboard text insert",
		run: () => showDialog("paste"),
	},
	{
		id: "address",
		name: "Open a web address",
		also: "url link fetch download http",
		run: () => {
			change({ asking: "" });
			showDialog("address");
		},
	},
	{
		id: "sandbox",
		name: "Open the playground: allocate and free by hand",
		also: "try experiment new",
		run: () => void openSandbox(),
	},
	{
		id: "fork",
		name: "Branch from here: continue this trace by hand",
		also: "sandbox playground what if future fork",
		when: canFork,
		run: () => void forkHere(),
	},
	{
		id: "report",
		name: "Show the import report",
		keys: "I",
		when: () => facts().report !== null,
		run: () => showDialog("report"),
	},
	{
		id: "fidelity",
		name: "Show the limits of the model",
		also: "what it leaves out fidelity accuracy trust truth races interrupts rcu",
		run: () => showDialog("fidelity"),
	},
	{
		id: "recent",
		name: "Show recent traces",
		when: () => facts().recent.length > 0,
		run: () => showDialog("recent"),
	},
]);

const switchProposal = (year: number, key: string, value: string) => () => {
	const isOn = facts().built?.params.find((p) => p.key === key)?.value === value;
	void setParam(key, isOn ? "" : value);
	say(`The ${year} proposal is ${isOn ? "off" : "on"}.`);
};
const has = (key: string) => () => facts().built?.params.some((p) => p.key === key) ?? false;

const MACHINE = grouped("Machine", ready, [
	{
		id: "seed-2008",
		name: "Switch the 2008 proposal on or off",
		also: "min_partial_rule keep empty slabs",
		when: has("min_partial_rule"),
		run: switchProposal(2008, "min_partial_rule", "rfc-2008"),
	},
	{
		id: "seed-2018",
		name: "Switch the 2018 proposal on or off",
		also: "node_search skip checked",
		when: has("node_search"),
		run: switchProposal(2018, "node_search", "skip-checked"),
	},
	{
		id: "seed-2023",
		name: "Switch the 2023 proposal on or off",
		also: "order_rule",
		when: has("order_rule"),
		run: switchProposal(2023, "order_rule", "rfc-2023"),
	},
	{
		id: "reset-machine",
		name: "Reset the machine",
		also: "default parameters",
		run: () => void setMachine({ preset: "", values: {} }),
	},
]);

const THEME_NAMES: Readonly<Record<Theme, string>> = {
	auto: "Use the system's theme",
	light: "Use the light theme",
	dark: "Use the dark theme",
	contrast: "Use the high-contrast theme",
};

const PAGE = grouped("Page", undefined, [
	{
		id: "share",
		name: "Share: copy the link to this view",
		also: "address url embed",
		when: () => ready() && facts().embed === null,
		run: () => showDialog("share"),
	},
	...(["Markdown", "CSV"] as const).map((format) => ({
		id: `copy-tables-${format.toLowerCase()}`,
		name: `Copy the tables on screen as ${format}`,
		also: "clipboard report mail spreadsheet",
		when: ready,
		run: () => void copyTables(format),
	})),
	{
		id: "export",
		name: "Export pictures, tables or a film",
		keys: "E",
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
		name: "Take the tour of this trace",
		also: "help introduction show me around first minute guide",
		when: () => chaptersOf(facts()).length > 0,
		run: takeTour,
	},
	{
		id: "palette",
		name: "Show all commands",
		keys: "Ctrl K or Ctrl Shift P",
		inFields: true,
		also: "palette",
		run: () => showDialog("palette"),
	},
	{ id: "search", name: "Search", keys: "/", also: "find", run: () => showDialog("search") },
	{
		id: "help",
		name: "Show keys and help",
		keys: "?",
		also: "keyboard shortcuts",
		run: () => showDialog("help"),
	},
	{
		id: "character-keys",
		name: "Switch single-character shortcuts on or off",
		also: "keys letters accessibility speech",
		run: toggleCharacterKeys,
	},
]);

export function registerCommands(): void {
	addCommands(...MOVES, ...PLACES, ...LOOKS, ...views(), ...TRACE, ...MACHINE, ...SHEETS, ...PAGE);
}
