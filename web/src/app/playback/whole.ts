/**
 * Fetches the whole simulator without being asked once the page is idle: chapters, costs and next objects need it,
 * although the first scene does not. For a visitor who saves data, in an embedded page and without a network, it
 * waits for the first sign that somebody is there.
 */

import { onFirstSign } from "../../base/first_sign.ts";
import { awaitChange, wake } from "../../base/frame_clock.ts";
import { ALL_CACHES, type Built, type Curves } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { resource } from "../state/resource.ts";
import { change, facts, store } from "../state/store.ts";
import { startChapters } from "./chapters.ts";
import { cacheNumber, SLIDE_LIMIT } from "./player.ts";

/** A page that is never idle gets it after this long. */
const REST_WITHIN_MS = 1500;
/** The delay to use if the browser does not report when it is idle. */
const REST_MS = 300;

const wait = {
	/** The page is not idle until the whole simulator has arrived, or has failed to for now. */
	settled: () => {},
	fetching: undefined as Promise<void> | undefined,
};

/** Call when the first scene is on screen and React has its panels. */
export function fetchWholeAtRest(): void {
	onFirstSign(["pointermove", "pointerdown", "keydown"], () => void fetchWhole());
	window.addEventListener("online", () => void fetchWhole());
	if (facts().embed || savesData() || !navigator.onLine) return;
	wait.settled = awaitChange();
	atRest(() => void fetchWhole());
}

/** Resolves when it has arrived or failed to. After a failure, the visitor's next press tries again. */
function fetchWhole(): Promise<void> {
	if (!facts().isWhole) wait.fetching ??= fetchOnce();
	return wait.fetching ?? Promise.resolve();
}

async function fetchOnce(): Promise<void> {
	wait.settled();
	wait.settled = awaitChange();
	const stop = store.subscribe((now) => {
		if (now.crash) wait.settled();
	});
	try {
		const isThere = await engine().prepare();
		if (!isThere) {
			onFirstSign(["pointerdown", "keydown"], () => void fetchWhole());
			return;
		}
		change({ isWhole: true });
		startChapters();
		startCacheCurves();
	} finally {
		wait.fetching = undefined;
		stop();
		wait.settled();
	}
}

function savesData(): boolean {
	const { connection } = navigator as { connection?: { readonly saveData?: boolean } };
	return connection?.saveData === true;
}

function atRest(run: () => void): void {
	if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: REST_WITHIN_MS });
	else setTimeout(run, REST_MS);
}

/*
 * The timeline's curves of the cache on the stage, once the whole simulator is there. Those of a cache are kept as long as their trace
 * is on screen on the same machine.
 */

/** Replaying more events than this once more takes the worker longer than a second. */
const EVENTS_MOST = 5_000_000;
/** Nobody who looks through the caches should have to wait for each of them. */
const CURVES_REST_MS = 100;

function startCacheCurves(): void {
	const kept = new WeakMap<Built, Map<string, Curves>>();
	resource({
		key: ({ built, cache, embed }) =>
			built && cache !== "" && !embed && built.nrOps > 0 && built.nrOps <= EVENTS_MOST
				? { built, cache }
				: undefined,
		restMs: CURVES_REST_MS,
		known: ({ built, cache }) => kept.get(built)?.get(cache),
		ask: () => engine().cacheSeries(cacheNumber()),
		put: (curves, { built, cache }) => {
			if (!curves) return;
			const ofTrace = kept.get(built) ?? new Map<string, Curves>();
			kept.set(built, ofTrace.set(cache, curves));
			change({ cacheCurves: { built, cache, curves } });
		},
	});
}

/*
 * The work of the last second's events, while they pass too fast for a path: the engine is asked a few times a second,
 * one call at a time.
 */

const ASK_MS = 150;
const WINDOW_MS = 1000;

const asking = {
	/** The positions that were on screen in the last second. */
	passed: [] as { readonly ms: number; readonly op: number }[],
	askedMs: 0,
	inFlight: false,
};

export function startTraffic(): void {
	store.subscribe((now, before) => {
		if (now.moment !== before.moment || now.playing !== before.playing) follow();
	});
}

/** Whether events pass faster than a path can be read. */
function isFast(): boolean {
	const { playing, speed } = facts();
	return playing && speed > SLIDE_LIMIT;
}

function follow(): void {
	const { moment, traffic } = facts();
	if (!moment || !isFast()) {
		asking.passed = [];
		if (traffic) change({ traffic: null });
		return;
	}
	const ms = performance.now();
	asking.passed = asking.passed.filter((p) => ms - p.ms < WINDOW_MS);
	asking.passed.push({ ms, op: moment.position.op });
	const [first] = asking.passed;
	if (asking.inFlight || !first || ms - asking.askedMs < ASK_MS) return;
	asking.askedMs = ms;
	void ask(Math.min(first.op, moment.position.op), Math.max(first.op, moment.position.op));
}

async function ask(from: number, to: number): Promise<void> {
	asking.inFlight = true;
	const { cache, onlyCache, built } = facts();
	const number = built?.caches.find((c) => c.name === cache)?.cache ?? ALL_CACHES;
	const traffic = await engine()
		.traffic(onlyCache ? number : ALL_CACHES, from, to)
		.catch(() => undefined);
	asking.inFlight = false;
	if (isFast()) change({ traffic: traffic ?? null });
	wake();
}
