/**
 * Asks for the timeline's curves of the cache on the stage, in the background, once the whole simulator is there. Curves
 * of a cache are kept as long as their trace is on screen on the same machine.
 */
import { awaitChange } from "../../base/frame_clock.ts";
import type { Built, Curves } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { change, type Facts, facts, store } from "../state/store.ts";
import { cacheNumber } from "./player.ts";

/** One more replay of more events takes the worker longer than a second. */
const EVENTS_MOST = 5_000_000;
/** Somebody who looks through the caches does not wait for each of them. */
const REST_MS = 100;

const kept = new WeakMap<Built, Map<string, Curves>>();
let timer = 0;
let settled = () => {};

export function startCacheCurves(): void {
	store.subscribe((now, before) => {
		if (now.crash && !before.crash) settled();
		if (now.built !== before.built || now.cache !== before.cache) ask(now);
	});
	ask(facts());
}

function ask({ built, cache, embed }: Facts): void {
	window.clearTimeout(timer);
	settled();
	if (!built || cache === "" || embed || built.nrOps === 0 || built.nrOps > EVENTS_MOST) return;
	const curves = kept.get(built)?.get(cache);
	if (curves) {
		change({ cacheCurves: { built, cache, curves } });
		return;
	}
	const answered = awaitChange();
	settled = answered;
	timer = window.setTimeout(() => void find(built, cache).finally(answered), REST_MS);
}

async function find(built: Built, cache: string): Promise<void> {
	try {
		const curves = await engine().cacheSeries(cacheNumber());
		if (!curves || facts().built !== built) return;
		const ofTrace = kept.get(built) ?? new Map<string, Curves>();
		kept.set(built, ofTrace.set(cache, curves));
		if (facts().cache === cache) change({ cacheCurves: { built, cache, curves } });
	} catch {
		// Another cache, trace or machine is asked for: the timeline shows all caches until its curves are there.
	}
}
