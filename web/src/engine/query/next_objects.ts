/** Where the next object of a cache lands on each CPU. */
import type { KmemSession } from "#wasm";
import type { Pace } from "../pace.ts";
import { known } from "../rows.ts";
import type { NextObject } from "../types.ts";

/**
 * After so many events. The core tries each allocation on a copy of the machine: CPU by CPU, so that calls from the
 * page get their turn, and may move the session meanwhile.
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
