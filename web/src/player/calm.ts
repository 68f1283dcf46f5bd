/**
 * The facts as panels show them. Nobody reads sixty numbers a second, and making a panel anew costs more than drawing
 * the stage: moments that come fast reach the panels a few times a second, and the last one always. Whatever is not
 * about time going by reaches them at once.
 */
import { create } from "zustand";
import { type Facts, facts, START, store } from "./store.ts";

/** Moments further apart than this are shown each; it is less than the time between two of five a second. */
const CALM_MS = 195;
/** Moments as close as frames: of numbers that run so fast nobody reads more than a few a second. */
const RUSH_MS = 50;
const RUSHED_CALM_MS = 600;

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
let calmMs = CALM_MS;

store.subscribe((now, before) => {
	const nowMs = performance.now();
	if (now.moment !== before.moment) {
		calmMs = nowMs - momentMs < RUSH_MS ? RUSHED_CALM_MS : CALM_MS;
		momentMs = nowMs;
	}
	const waitMs = shownMs + calmMs - nowMs;
	if (waitMs <= 0 || isCalm() || !onlyMoves(now, before)) show();
	else if (timer === 0) timer = window.setTimeout(show, waitMs);
});
