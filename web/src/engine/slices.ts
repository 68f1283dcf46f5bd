/** Work in slices, of the whole module: the first view has none. */
import type { Pace } from "./pace.ts";
import type { Progress } from "./types.ts";

/**
 * Does work of so many parts in slices; each yields how many parts are left. `events`: those of the trace, if not the
 * parts. Other work may begin before its caller goes on: not for results that such work would replace.
 */
export async function through(
	pace: Pace,
	phase: Progress["phase"],
	total: number,
	slices: Iterable<number>,
	events = total,
): Promise<void> {
	for (const left of slices) await pace.breathe({ phase, done: total - left, total, events });
}
