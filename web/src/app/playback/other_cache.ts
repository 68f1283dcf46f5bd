/**
 * The cache that a step concerns when it is not the one on the stage. An event may touch several caches: a reap or a
 * shrink covers all of them, and an allocation may need an object of the allocator's own caches.
 */
import { ALL_CACHES, type CacheRow, type Moment, type Step } from "../../engine/types.ts";

/** Whether the frame of a position has the places of a cache. */
export function showsCache({ cache, frame }: Pick<Moment, "cache" | "frame">, of: number): boolean {
	// One cache's slabs may serve all.
	const owner = frame.slabs.cache[0] ?? cache;
	return of === ALL_CACHES || cache === ALL_CACHES || cache === of || owner !== cache;
}

type Now = Pick<Moment, "op" | "steps" | "firstStep" | "position" | "caches">;

/** The name of the other cache; undefined if the step concerns the cache on the stage, or none. */
export function otherCache(
	{ op, steps, firstStep, position, caches }: Now,
	shown: number,
): string | undefined {
	const cache = cacheOf(steps[position.step - firstStep], op.cache);
	return cache === shown ? undefined : nameOf(caches, cache);
}

function cacheOf(step: Step | undefined, ofEvent: number): number {
	return step && step.cache !== ALL_CACHES ? step.cache : ofEvent;
}

function nameOf(caches: readonly CacheRow[], cache: number): string | undefined {
	return cache === ALL_CACHES ? undefined : caches.find((c) => c.cache === cache)?.name;
}

/**
 * The cache to name beside each step: named where the steps move to another cache, and at the first step if that is
 * not on the stage.
 */
export function cachesToName({ op, steps, caches }: Now, shown: number): (string | undefined)[] {
	let before = shown;
	return steps.map((step) => {
		const cache = cacheOf(step, op.cache);
		if (cache === before || cache === ALL_CACHES) return undefined;
		before = cache;
		return nameOf(caches, cache);
	});
}
