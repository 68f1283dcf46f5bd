/**
 * When what is read - panels, and the numbers on the stage - follows the moment that the stage shows. Nobody reads sixty numbers
 * a second, and making a panel anew costs more than drawing the slabs: moments that come fast are put into words a few times
 * a second, a rush of them once, and the last one always. Whatever is not about time going by is told at once.
 */
import type { Moment } from "../../engine/types.ts";
import { type Facts, facts, START, store } from "./store.ts";

/** Moments further apart than this are told each; it is less than the time between two of five a second. */
const CALM_MS = 195;
/** Moments as close as frames are a rush: of numbers that run so fast one reads one set a second, and the last. */
const RUSH_MS = 50;
const RUSHED_CALM_MS = 1000;
/** A rush that rests for so long is over. */
const REST_MS = 100;

/** What changes as time goes by. */
const MOVING: ReadonlySet<string> = new Set<keyof Facts>([
	"moment",
	"before",
	"pending",
	"closeUps",
	"zoom",
]);

const STILL = (Object.keys(START) as (keyof Facts)[]).filter((key) => !MOVING.has(key));

const listeners = new Set<() => void>();
let told: Moment | null = facts().moment;
let toldMs = Number.NEGATIVE_INFINITY;
let momentMs = Number.NEGATIVE_INFINITY;
let isRush = false;
let timer = 0;

/** Called whenever words are to be what the facts are now. */
export function onWords(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/** Whether words are of the moment on the stage. */
export function isTold(): boolean {
	return told === facts().moment;
}

/** Whether words wait for a rush to rest. */
export function areWordsHeld(): boolean {
	return isRush && !isTold();
}

function tell(): void {
	window.clearTimeout(timer);
	timer = 0;
	if (!isTold()) toldMs = performance.now();
	told = facts().moment;
	for (const listener of listeners) listener();
}

function waitMs(): number {
	const nowMs = performance.now();
	if (!isRush) return toldMs + CALM_MS - nowMs;
	return Math.min(toldMs + RUSHED_CALM_MS, momentMs + REST_MS) - nowMs;
}

/** One timer at a time, however many moments come. */
function look(): void {
	const leftMs = waitMs();
	if (leftMs <= 0) tell();
	else timer = window.setTimeout(look, leftMs);
}

function onlyMoves(now: Facts, before: Facts): boolean {
	for (const key of STILL) if (now[key] !== before[key]) return false;
	return true;
}

store.subscribe((now, before) => {
	if (now.moment !== before.moment) {
		const nowMs = performance.now();
		isRush = nowMs - momentMs < RUSH_MS;
		momentMs = nowMs;
	}
	if (isTold() || !onlyMoves(now, before) || waitMs() <= 0) tell();
	else if (timer === 0) look();
});
