/** The levels of a cache's places, and the path of an event over them. */
import { PLACE_KIND_WORDS } from "#abi";
import type { KmemSession } from "#wasm";
import type { EventPath, LevelRow } from "../types.ts";

/**
 * The kinds of places that a level covers are numbers, not bits. A cache has levels from the event on that creates it:
 * with `op` the session moves behind that event first.
 */
export function levelsOf(session: KmemSession, cache: number, op?: number): LevelRow[] {
	if (op !== undefined) session.path(op);
	return session.levels(cache).map(({ places, ...level }) => ({
		...level,
		kinds: PLACE_KIND_WORDS.flatMap((_, kind) =>
			Math.floor(places / 2 ** kind) % 2 === 1 ? [kind] : [],
		),
	}));
}

export function pathOf(session: KmemSession, op: number): EventPath {
	const { cache, cycles, fastCycles, cyclesOf, levels, vain, end, steps } = session.path(op);
	return {
		op,
		cache,
		cycles,
		fastCycles,
		cyclesOf,
		levels,
		vain,
		end,
		steps,
		...session.caption(op),
	};
}
