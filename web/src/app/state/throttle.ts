/**
 * Decides when text and numbers follow the position on the stage. Nobody reads sixty numbers per second, and
 * rendering a panel costs more than drawing the slabs. So positions that change fast become text a few times a
 * second, or every second and a half during a rush, and the last one always does. Any other change becomes text at
 * once.
 */
import type { Moment } from "../../engine/types.ts";
import { type Facts, facts, START, store } from "./store.ts";

/** Positions further apart than this all become text; it is shorter than the gap between positions at five a second. */
const CALM_MS = 195;
/** Positions as close together as frames are a rush: a reader gets a set of numbers now and then, and the last one. */
const RUSH_MS = 50;
/** New text costs about three frames more than drawing: at this interval, that is fewer than one in twenty. */
const RUSHED_CALM_MS = 1500;
/** A rush is over once no position has come for this long. */
const REST_MS = 100;

/** Facts that change while the trace plays, or that follow its text. */
const MOVING: ReadonlySet<string> = new Set<keyof Facts>([
	"moment",
	"before",
	"pending",
	"closeUps",
	"zoom",
	"path",
	"levels",
	"traffic",
	"next",
	"litSteps",
]);

const STILL = (Object.keys(START) as (keyof Facts)[]).filter((key) => !MOVING.has(key));

const listeners = new Set<() => void>();
const words = {
	inText: facts().moment as Moment | null,
	textMs: Number.NEGATIVE_INFINITY,
	momentMs: Number.NEGATIVE_INFINITY,
	isRush: false,
	/** Whether the latest position came soon after the one before. A single late one does not end a rush. */
	wasClose: false,
	timer: undefined as ReturnType<typeof setTimeout> | undefined,
};

/** Calls back whenever text has to follow the facts. */
export function onWords(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/** Whether the text shows the position on the stage. */
export function isTextCurrent(): boolean {
	return words.inText === facts().moment;
}

/** Whether the text is waiting for a rush to end. */
export function areWordsHeld(): boolean {
	return words.isRush && !isTextCurrent();
}

/** Whether positions are coming as fast as frames. */
export function isRushing(): boolean {
	return words.isRush && performance.now() - words.momentMs < REST_MS;
}

function textFollows(): void {
	clearTimeout(words.timer);
	words.timer = undefined;
	if (!isTextCurrent()) words.textMs = performance.now();
	words.inText = facts().moment;
	for (const listener of listeners) listener();
	// Whatever only follows settled positions is told once more when they settle.
	if (isRushing()) words.timer = setTimeout(look, words.momentMs + REST_MS - performance.now());
}

function waitMs(): number {
	const nowMs = performance.now();
	if (!words.isRush) return words.textMs + CALM_MS - nowMs;
	return Math.min(words.textMs + RUSHED_CALM_MS, words.momentMs + REST_MS) - nowMs;
}

/** One timer at a time, however many positions come. */
function look(): void {
	const leftMs = waitMs();
	if (leftMs <= 0) textFollows();
	else words.timer = setTimeout(look, leftMs);
}

/** Whether two states of the facts differ at most in the position and what follows it. */
function onlyMoves(now: Facts, before: Facts): boolean {
	for (const key of STILL) if (now[key] !== before[key]) return false;
	return true;
}

store.subscribe((now, before) => {
	if (now.moment !== before.moment) {
		const nowMs = performance.now();
		const gapMs = nowMs - words.momentMs;
		const isOneLate = words.isRush && words.wasClose && gapMs < REST_MS;
		words.wasClose = gapMs < RUSH_MS;
		words.isRush = words.wasClose || isOneLate;
		words.momentMs = nowMs;
	}
	if (isTextCurrent() || !onlyMoves(now, before) || waitMs() <= 0) textFollows();
	else if (words.timer === undefined) look();
});
