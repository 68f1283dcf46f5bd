/** The levels of a cache's places, the path of an event over them, and the next object of each CPU. */
import { PLACE_KIND_WORDS } from "#abi";
import type { KmemSession } from "#wasm";
import type { Pace } from "../pace.ts";
import { known } from "../rows.ts";
import type { EventPath, LevelRow, NextObject } from "../types.ts";

/**
 * The kinds of places that a level covers are numbers, not bits. A cache has levels only from the event that creates
 * it: given `op`, the session moves past that event first.
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

/**
 * Answers for the state after this many events. The core tries each allocation on a copy of the machine, CPU by CPU, so that calls from the
 * page get their turn in between; they may move the session.
 */
export async function nextObjects(
	session: KmemSession,
	ops: number,
	cache: number,
	pace: Pace,
): Promise<NextObject[]> {
	const total = session.machine().cpus;
	const rows: NextObject[] = [];
	for (let cpu = 0; cpu < total; cpu++) {
		session.seek(ops);
		for (const row of session.nextObjects(cache, cpu)) {
			const { slab, index, cycles, level, end, isEvent } = known(row);
			rows.push({ cpu, slab, index, cycles, level, end, isEvent: isEvent === 1 });
		}
		await pace.breathe({ phase: "searching", done: cpu, total, events: 0 });
	}
	return rows;
}
