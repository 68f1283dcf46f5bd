/** The commands that play, step and look. An embedded page has these too. */

import { count } from "../../base/format.ts";
import { faster, press, toggle, UNIT_WORDS } from "../playback/player.ts";
import { say } from "../state/announce.ts";
import { SERIES_LOOKS, toggleSeries, zoomRange } from "../state/range.ts";
import { stageKeys } from "../state/stage_keys.ts";
import { change, facts, isEmptyFrame } from "../state/store.ts";
import type { Command, Group } from "./commands.ts";

export const ready = () => facts().moment !== null;
const exploring = () => ready() && facts().tab === "explore";

type Some = Omit<Command, "group">;

export function grouped(group: Group, when: (() => boolean) | undefined, some: readonly Some[]) {
	return some.map((c): Command => ({ ...(when ? { when } : {}), ...c, group }));
}

function scope(): void {
	const onlyCache = !facts().onlyCache;
	change({ onlyCache });
	say(
		onlyCache
			? `Showing only the events of ${facts().cache}.`
			: "Showing the events of all caches.",
	);
}

function pace(direction: 1 | -1): void {
	const speed = faster(facts().speed, direction);
	change({ speed });
	say(`Speed: ${speed >= 1 ? count(speed) : speed} per second.`);
}

export const MOVES = grouped("Play and step", ready, [
	{ id: "play", name: "Play or pause", keys: "Space", run: toggle },
	{
		id: "forward",
		name: "Go forward by the unit chosen beside Play",
		keys: "→",
		also: "next granularity step event slow path slab",
		repeats: true,
		run: () => press(facts().unit, 1),
	},
	{
		id: "back",
		name: "Go back by the unit chosen beside Play",
		keys: "←",
		also: "previous granularity step event slow path slab",
		repeats: true,
		run: () => press(facts().unit, -1),
	},
	{ id: "next-event", name: "Go to the next event", run: () => press("event", 1) },
	{ id: "previous-event", name: "Go to the previous event", run: () => press("event", -1) },
	{
		id: "next-step",
		name: "Go to the next step",
		keys: "Shift →",
		repeats: true,
		run: () => press("step", 1),
	},
	{
		id: "previous-step",
		name: "Go to the previous step",
		keys: "Shift ←",
		repeats: true,
		run: () => press("step", -1),
	},
	{ id: "faster", name: "Play faster", keys: "↑", repeats: true, run: () => pace(1) },
	{ id: "slower", name: "Play slower", keys: "↓", repeats: true, run: () => pace(-1) },
	{
		id: "only-cache",
		name: "Show only this cache's events, or all events",
		also: "scope filter caches",
		run: scope,
	},
	...(["step", "event", "slow", "slab"] as const).map((unit) => ({
		id: `by-${unit}`,
		name: `Play, and use the arrow keys, by ${UNIT_WORDS[unit]}`,
		also: "granularity",
		run: () => change({ unit }),
	})),
]);

/** Closes an open panel first; the selection stays until the command runs again. */
function clearOrClose(): void {
	const { dialog, sheet, answer, breaking, marking, why, focused } = facts();
	stageKeys.hush();
	if (dialog === "" && sheet !== "") change({ sheet: "" });
	else if (dialog === "" && answer !== "") change({ answer: "" });
	else if (dialog === "" && (breaking || marking)) change({ breaking: false, marking: false });
	else if (dialog === "" && why !== "") change({ why: "" });
	else if (dialog === "" && focused) change({ focused: false });
	else
		change({
			dialog: "",
			selected: null,
			refused: null,
			...(isEmptyFrame(facts()) ? {} : { error: "" }),
		});
}

export const LOOKS = grouped("Look", exploring, [
	{
		id: "zoom-in",
		name: "Zoom in",
		keys: "W or +",
		codes: ["Equal", "NumpadAdd"],
		repeats: true,
		run: () => stageKeys.zoom(1.4),
	},
	{
		id: "zoom-out",
		name: "Zoom out",
		keys: "S or −",
		codes: ["Minus", "NumpadSubtract"],
		repeats: true,
		run: () => stageKeys.zoom(1 / 1.4),
	},
	{ id: "look-left", name: "Pan left", keys: "A", repeats: true, run: () => stageKeys.pan(80, 0) },
	{
		id: "look-right",
		name: "Pan right",
		keys: "D",
		repeats: true,
		run: () => stageKeys.pan(-80, 0),
	},
	{ id: "fit", name: "Fit the stage", keys: "0", codes: ["Numpad0"], run: () => stageKeys.fit() },
	{
		id: "focus",
		name: "Look at the selected slab",
		keys: "F",
		run: () => {
			if (facts().selected) stageKeys.focus();
			else say("Nothing is selected: click a slab or an object, or walk to one with the keyboard.");
		},
	},
	{
		id: "projector",
		name: "Focus mode, for a projector: only the stage, one sentence and the buttons",
		keys: "P",
		also: "present presentation teach large screen",
		run: () => change({ focused: !facts().focused }),
	},
	{
		id: "walk",
		name: "Walk through the stage by keyboard",
		also: "focus slab object place list select accessibility",
		run: () => stageKeys.walk(),
	},
	{
		id: "timeline-in",
		name: "Timeline: zoom in around this event",
		keys: "Shift W",
		also: "zoom brush",
		when: ready,
		repeats: true,
		run: () => zoomRange(1 / 2),
	},
	{
		id: "timeline-out",
		name: "Timeline: zoom out",
		keys: "Shift S",
		also: "zoom out",
		when: ready,
		repeats: true,
		run: () => zoomRange(2),
	},
	{
		id: "timeline-all",
		name: "Timeline: show the whole trace",
		keys: "Shift 0",
		when: () => facts().range !== null,
		run: () => change({ range: null }),
	},
	...SERIES_LOOKS.map(({ name, words }) => ({
		id: `series-${name}`,
		name: `Timeline: show or hide ${words}`,
		also: "series curve",
		when: ready,
		run: () => toggleSeries(name),
	})),
	{
		id: "let-go",
		name: "Close what is open, or clear the selection",
		keys: "Esc",
		when: () => true,
		run: clearOrClose,
	},
]);
