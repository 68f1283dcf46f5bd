/**
 * The facts as panels show them. Nobody reads sixty numbers a second, and making a panel anew costs more than drawing
 * the stage: moments that come fast reach the panels a few times a second, and the last one always. Whatever is not
 * about time going by reaches them at once.
 */
import { create } from "zustand";
import { type Facts, facts, START, store } from "./store.ts";

/** Moments further apart than this are shown each; it is less than the time between two of five a second. */
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

/** As useFacts, for what panels show of the moment. */
export const useCalm = create<Facts>(() => START);
// What has changed before anybody looked.
useCalm.setState(facts());

let shownMs = Number.NEGATIVE_INFINITY;
let timer = 0;

/** Whether panels show what the stage shows. */
export function isCalm(): boolean {
	return useCalm.getState().moment === facts().moment;
}

function show(): void {
	window.clearTimeout(timer);
	timer = 0;
	if (!isCalm()) shownMs = performance.now();
	useCalm.setState(facts());
}

const STILL = (Object.keys(START) as (keyof Facts)[]).filter((key) => !MOVING.has(key));

function onlyMoves(now: Facts, before: Facts): boolean {
	for (const key of STILL) if (now[key] !== before[key]) return false;
	return true;
}

let momentMs = Number.NEGATIVE_INFINITY;
let isRush = false;

/** Until the panels show what the stage shows. */
function waitMs(): number {
	const nowMs = performance.now();
	if (!isRush) return shownMs + CALM_MS - nowMs;
	return Math.min(shownMs + RUSHED_CALM_MS, momentMs + REST_MS) - nowMs;
}

/** One timer at a time, however many moments come. */
function look(): void {
	const leftMs = waitMs();
	if (leftMs <= 0) show();
	else timer = window.setTimeout(look, leftMs);
}

store.subscribe((now, before) => {
	if (now.moment !== before.moment) {
		const nowMs = performance.now();
		isRush = nowMs - momentMs < RUSH_MS;
		momentMs = nowMs;
	}
	if (isCalm() || !onlyMoves(now, before) || waitMs() <= 0) show();
	else if (timer === 0) look();
});
