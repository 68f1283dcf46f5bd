/**
 * The commands that keys call: one table feeds the listener and the help. Keys are taken by position on the
 * keyboard (event.code) and are left alone inside controls that use them.
 */
import { runTo } from "./breakpoints.ts";
import { toEndOfLife, touch } from "./life.ts";
import { first, last, press, toggle } from "./player.ts";
import { faster } from "./rate.ts";
import { change, facts } from "./store.ts";

export interface Command {
	readonly what: string;
	/** As shown in the help. */
	readonly keys: string;
	readonly codes: readonly string[];
	readonly shift?: boolean;
	readonly ctrl?: boolean;
	readonly run: () => void;
}

/** What the stage does on a key; the stage fills it in when it is there. */
export const stageKeys = {
	zoom: (_by: number) => {},
	pan: (_x: number, _y: number) => {},
	fit: () => {},
	focus: () => {},
};

const click = (selector: string) => document.querySelector<HTMLElement>(selector)?.click();

export const COMMANDS: readonly Command[] = [
	{ what: "Play or pause", keys: "Space", codes: ["Space"], run: toggle },
	{ what: "Next event", keys: "→", codes: ["ArrowRight"], run: () => press("event", 1) },
	{ what: "Previous event", keys: "←", codes: ["ArrowLeft"], run: () => press("event", -1) },
	{
		what: "Next step",
		keys: "Shift →",
		codes: ["ArrowRight"],
		shift: true,
		run: () => press("step", 1),
	},
	{
		what: "Previous step",
		keys: "Shift ←",
		codes: ["ArrowLeft"],
		shift: true,
		run: () => press("step", -1),
	},
	{
		what: "Next event of what is selected, or of this cache",
		keys: ".",
		codes: ["Period"],
		run: () => void touch(1),
	},
	{
		what: "Previous event of what is selected, or of this cache",
		keys: ",",
		codes: ["Comma"],
		run: () => void touch(-1),
	},
	{
		what: "Its allocation; of a slab, its making",
		keys: "[",
		codes: ["BracketLeft"],
		run: () => void toEndOfLife("birth"),
	},
	{
		what: "Its free; of a slab, its end",
		keys: "]",
		codes: ["BracketRight"],
		run: () => void toEndOfLife("death"),
	},
	{
		what: "Breakpoints",
		keys: "B",
		codes: ["KeyB"],
		run: () => change({ breaking: !facts().breaking }),
	},
	{ what: "On to the next breakpoint", keys: "N", codes: ["KeyN"], run: () => void runTo(1) },
	{
		what: "Back to the last breakpoint",
		keys: "Shift N",
		codes: ["KeyN"],
		shift: true,
		run: () => void runTo(-1),
	},
	{
		what: "Faster",
		keys: "↑",
		codes: ["ArrowUp"],
		run: () => change({ speed: faster(facts().speed, 1) }),
	},
	{
		what: "Slower",
		keys: "↓",
		codes: ["ArrowDown"],
		run: () => change({ speed: faster(facts().speed, -1) }),
	},
	{ what: "First event", keys: "Home", codes: ["Home"], run: first },
	{ what: "Last event", keys: "End", codes: ["End"], run: last },
	{
		what: "Zoom in",
		keys: "W or +",
		codes: ["KeyW", "Equal", "NumpadAdd"],
		run: () => stageKeys.zoom(1.4),
	},
	{
		what: "Zoom out",
		keys: "S or −",
		codes: ["KeyS", "Minus", "NumpadSubtract"],
		run: () => stageKeys.zoom(1 / 1.4),
	},
	{ what: "Look left", keys: "A", codes: ["KeyA"], run: () => stageKeys.pan(80, 0) },
	{ what: "Look right", keys: "D", codes: ["KeyD"], run: () => stageKeys.pan(-80, 0) },
	{ what: "Fit the stage", keys: "0", codes: ["Digit0", "Numpad0"], run: () => stageKeys.fit() },
	{ what: "Look at the slab held on to", keys: "F", codes: ["KeyF"], run: () => stageKeys.focus() },
	{ what: "Explore", keys: "1", codes: ["Digit1"], run: () => change({ tab: "explore" }) },
	{ what: "Node search", keys: "2", codes: ["Digit2"], run: () => change({ tab: "node-search" }) },
	{ what: "Order lab", keys: "3", codes: ["Digit3"], run: () => change({ tab: "order-lab" }) },
	{ what: "Compare", keys: "4", codes: ["Digit4"], run: () => change({ tab: "compare" }) },
	{ what: "Slabinfo", keys: "7", codes: ["Digit7"], run: () => change({ tab: "slabinfo" }) },
	{
		what: "Open a trace",
		keys: "Ctrl O",
		codes: ["KeyO"],
		ctrl: true,
		run: () => click("[data-open-trace]"),
	},
	{
		what: "Import report",
		keys: "I",
		codes: ["KeyI"],
		run: () => change({ dialog: facts().report ? "report" : "" }),
	},
	{
		what: "This help",
		keys: "?",
		codes: ["Slash"],
		shift: true,
		run: () => change({ dialog: facts().dialog === "help" ? "" : "help" }),
	},
	{
		what: "Let go, close",
		keys: "Esc",
		codes: ["Escape"],
		run: () => change({ dialog: "", selected: null, error: "", refused: null }),
	},
];

/** The command that an event asks for, if it is ours to take. */
export function commandFor(event: KeyboardEvent): Command | undefined {
	if (event.altKey || event.metaKey) return undefined;
	return COMMANDS.find(
		(c) =>
			c.codes.includes(event.code) &&
			(c.shift ?? false) === event.shiftKey &&
			(c.ctrl ?? false) === event.ctrlKey &&
			!usesKey(event.target, event.code),
	);
}

const MOVES = /^(Arrow|Home|End|Page)/;

/** Whether the control that has the focus, or a dialog in front, means something else by this key. */
function usesKey(target: EventTarget | null, code: string): boolean {
	if (document.querySelector("dialog[open]") !== null) return true;
	if (!(target instanceof HTMLElement) || code === "Escape") return false;
	if (target.closest("input[type=range]") !== null) return MOVES.test(code);
	if (target.closest("input, select, textarea, [contenteditable]") !== null) return true;
	if (code === "Space") return target.closest("button, a, summary, [role=tab]") !== null;
	return target.closest("[role=slider], [role=tab]") !== null && MOVES.test(code);
}

export function listenToKeys(): void {
	window.addEventListener("keydown", (event) => {
		const command = commandFor(event);
		if (!command) return;
		event.preventDefault();
		command.run();
	});
}
