/**
 * The timeline's curves of the cache on the stage, once the whole simulator is there. Those of a cache are kept as long as their trace
 * is on screen on the same machine.
 */
import type { Built, Curves } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { resource } from "../state/resource.ts";
import { change } from "../state/store.ts";
import { cacheNumber } from "./player.ts";

/** One more replay of more events takes the worker longer than a second. */
const EVENTS_MOST = 5_000_000;
/** Somebody who looks through the caches does not wait for each of them. */
const REST_MS = 100;

export function startCacheCurves(): void {
	const kept = new WeakMap<Built, Map<string, Curves>>();
	resource({
		key: ({ built, cache, embed }) =>
			built && cache !== "" && !embed && built.nrOps > 0 && built.nrOps <= EVENTS_MOST
				? { built, cache }
				: undefined,
		restMs: REST_MS,
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
