/**
 * The slabs of the event's cache where the map shows another cache: the stairs have them too. The engine is asked once
 * the path is known, and so not while events pass faster than anybody can read.
 */
import { frameOf } from "../../engine/frame.ts";
import { ALL_CACHES, type Moment } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { busy, change, facts, store } from "../state/store.ts";
import { pathOf } from "./event_path.ts";

let asked: { readonly moment: Moment | null; readonly cache: number } = { moment: null, cache: 0 };

export function startEventCache(): void {
	store.subscribe((now, before) => {
		if (now.path !== before.path || now.moment !== before.moment || now.shows !== before.shows)
			follow();
	});
}

/** Whether the map has the places of this cache. */
export function showsCache(moment: Moment, cache: number): boolean {
	// One cache's slabs may serve all.
	const owner = moment.frame.slabs.cache[0] ?? moment.cache;
	return moment.cache === cache || moment.cache === ALL_CACHES || owner !== moment.cache;
}

function follow(): void {
	const { moment, shows } = facts();
	const cache = pathOf(facts(), moment)?.cache;
	if (!moment || cache === undefined || shows === "map" || showsCache(moment, cache)) return;
	if (asked.moment === moment && asked.cache === cache) return;
	asked = { moment, cache };
	void ask(moment, cache);
}

async function ask(moment: Moment, cache: number): Promise<void> {
	const packed = await busy(() => engine().cacheFrame(moment.position, cache)).catch(
		() => undefined,
	);
	if (packed && facts().moment === moment)
		change({ stairsFrame: { moment, cache, frame: frameOf(packed) } });
}
