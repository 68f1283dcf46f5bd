/**
 * Places in a lesson: a trace, a machine, an event and a thing to look at. Going to one changes the stage; asking
 * about one does not.
 */

import type { Remote } from "comlink";
import { addressTo } from "../../../app/link/address.ts";
import { LOCAL } from "../../../app/link/fields.ts";
import { toQuery, type View, viewOf } from "../../../app/link/url.ts";
import { restore } from "../../../app/navigation/sync.ts";
import { engine } from "../../../app/platform/engine_link.ts";
import { type Hand, hire } from "../../../app/platform/helper_workers.ts";
import { ownRecording } from "../../../app/platform/page_files.ts";
import { inFull, ownMachine } from "../../../app/playback/opened.ts";
import { isOver, keepTo } from "../../../app/playback/passage.ts";
import { play } from "../../../app/playback/player.ts";
import {
	busy,
	change,
	facts,
	isInLessons,
	type Selection,
	store,
} from "../../../app/state/store.ts";
import { USUAL_PRESET } from "../../../app/trace/actions.ts";
import type { Ask, Figures, Played, Question } from "../../../engine/answers.ts";
import { MADE } from "../../../engine/generated_trace.ts";
import type { Machine } from "../../../engine/types.ts";
import type { Workbench } from "../../../engine/worker/workbench.ts";

/** Fields that are left out stay as they are. */
export interface Place {
	/** The file of a sample. */
	readonly trace?: string | undefined;
	/** The trace itself, if it is not a sample. */
	readonly text?: string | undefined;
	/** "preset=linux-4.19 min_partial=9"; "" is the trace's own machine. */
	readonly machine?: string | undefined;
	/** Counted from 0. */
	readonly op?: number | undefined;
	/** From 0; left out: the end of the event. */
	readonly step?: number | undefined;
	readonly cache?: string | undefined;
	/** SLAB or SLAB/OBJECT, by number. */
	readonly select?: string | undefined;
}

export function machineIn(words: string): Machine {
	const pairs = words
		.split(/\s+/)
		.filter((word) => word.includes("="))
		.map((word): [string, string] => {
			const at = word.indexOf("=");
			return [word.slice(0, at), word.slice(at + 1)];
		});
	const preset = pairs.find(([key]) => key === "preset")?.[1] ?? "";
	return { preset, values: Object.fromEntries(pairs.filter(([key]) => key !== "preset")) };
}

export function selectionIn(words: string): Selection | null {
	const match = /^(\d+)(?:\/(\d+))?$/.exec(words);
	return match ? { serial: Number(match[1]), index: Number(match[2] ?? -1) } : null;
}

/** Returns the machine of a place. A lesson that names no kernel means the default one, whatever recorded its trace. */
function machineAt(trace: string, words: string): Machine {
	if (trace.startsWith(LOCAL)) return onChosen(words);
	const machine = machineIn(words);
	const isUsual = machine.preset === "" && ownMachine(trace).preset !== "";
	return isUsual ? { ...machine, preset: USUAL_PRESET } : machine;
}

/** Turns a place into a view of the page; fields that it leaves out come from the screen. */
function viewAt(place: Place): View {
	const f = facts();
	const now = viewOf(f);
	const moves = place.op !== undefined;
	const trace = place.trace ?? now.trace;
	return {
		...now,
		trace,
		machine: place.machine === undefined ? now.machine : machineAt(trace, place.machine),
		op: place.op ?? now.op,
		step: moves ? (place.step ?? -1) : now.step,
		cache: place.cache ?? (place.trace && place.trace !== now.trace ? "" : now.cache),
	};
}

export function addressOf(place: Place): string {
	return addressTo(toQuery(viewAt(place)), location);
}

const goal = {
	wanted: undefined as Place | undefined,
	moving: false,
};

/** If a place is requested while the page is still on its way to another, it comes next; any in between are skipped. */
export async function goTo(place: Place): Promise<void> {
	goal.wanted = place;
	if (goal.moving) return;
	goal.moving = true;
	try {
		await busy(async () => {
			for (let next = take(); next; next = take()) await show(next);
		});
	} finally {
		goal.moving = false;
	}
}

function take(): Place | undefined {
	const place = goal.wanted;
	goal.wanted = undefined;
	return place;
}

async function show(place: Place): Promise<void> {
	change({ guide: null, playing: false, selected: null });
	await restore(viewAt(place));
	if (place.select !== undefined) change({ selected: selectionIn(place.select) });
}

/** Makes a place after the last event of a slabtrace. Its text is also its name: a different text is a different trace. */
export function scriptPlace({ cache, machine, op }: Place, text: string): Place {
	const isEvent = (line: string) =>
		/^[a-z]/.test(line) && !/^(slabtrace|machine|cache) /.test(line);
	const events = text.split("\n").filter(isEvent).length;
	return { trace: text, text, machine, cache, op: op ?? events - 1 };
}

/** Returns the trace and the full machine of a place. */
export async function playedAt({ trace = "", text, machine = "" }: Place): Promise<Played> {
	if (trace.startsWith(LOCAL)) return openNow(trace, machine);
	const ask = async () => (trace.startsWith(MADE) ? undefined : ownRecording(trace));
	const file = text === undefined ? await ask() : new Blob([text]);
	return { trace, file, machine: inFull(trace, machineAt(trace, machine)) };
}

/** Returns the reader's file as it is on the stage, with the machine chosen there. */
async function openNow(trace: string, words: string): Promise<Played> {
	const copy = await engine().stageCopy(trace);
	return { trace, copy, machine: onChosen(words) };
}

function onChosen(words: string): Machine {
	const { preset, values } = machineIn(words);
	const { machine } = facts();
	return { preset: preset || machine.preset, values: { ...machine.values, ...values } };
}

export function askAt(place: Place, ask: Ask): Promise<Question> {
	return busy(async () => engine().question(await playedAt(place), ask));
}

export function figuresAt(place: Place): Promise<Figures> {
	return withHelper(async (helper) => helper.figures(await playedAt(place), place.op, place.cache));
}

/* Plays a passage of a trace, once or repeatedly, until the visitor does something else. */

interface Passage {
	readonly from: number;
	readonly to: number;
	readonly loop: boolean;
}

let stop = () => {};

export async function playPassage(place: Place, { from, to, loop }: Passage): Promise<void> {
	stop();
	const begin = () => goTo({ ...place, op: from, step: 0 });
	await begin();
	change({ unit: "step" });
	play();
	const isWatched = () => isInLessons(facts());
	const passage = { loop, to: () => to, begin, isWatched };
	const leave = keepTo(passage);
	// A visitor who pauses in the middle may continue past its end.
	const unsubscribe = store.subscribe((f, before) => {
		if (before.playing && !f.playing && !(loop && isOver(passage))) stop();
	});
	stop = () => {
		leave();
		unsubscribe();
		stop = () => {};
	};
}

export function stopPassage(): void {
	stop();
}

/*
 * The worker of the lessons: it draws small stages and judges problems, so that the stage's own worker is free. It
 * starts with the first question and ends when it has had nothing to do for a while.
 */

/** How long its traces stay replayed. */
const IDLE_MS = 20_000;

const shift = {
	hand: undefined as Promise<Hand> | undefined,
	waiting: 0,
	last: Promise.resolve() as Promise<unknown>,
	timer: undefined as ReturnType<typeof setTimeout> | undefined,
};

function release(): void {
	void shift.hand?.then(({ release }) => release());
	shift.hand = undefined;
}

/** Runs work in the helper, one piece after another. */
export function withHelper<T>(work: (helper: Remote<Workbench>) => Promise<T>): Promise<T> {
	clearTimeout(shift.timer);
	shift.waiting++;
	const run = async () => {
		shift.hand ??= hire();
		const { helper } = await shift.hand.catch((error: unknown) => {
			shift.hand = undefined;
			throw error;
		});
		return work(helper);
	};
	const answer = busy(() => shift.last.then(run, run));
	shift.last = answer.catch(() => {});
	void shift.last.then(() => {
		shift.waiting--;
		if (shift.waiting === 0) shift.timer = setTimeout(release, IDLE_MS);
	});
	return answer;
}
