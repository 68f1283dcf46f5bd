/** Replays the trace in use on another machine: in a session of its own, filled from the first one's text. */
import { KmemSession } from "#wasm";
import { SLICE_OPS } from "../machine.ts";
import type { Pace } from "../pace.ts";

/** The session, built; `set` sets its machine before. */
export async function twinOf(
	module: WebAssembly.Module,
	of: KmemSession,
	set: (clone: KmemSession) => void,
	pace: Pace,
): Promise<KmemSession> {
	const clone = await KmemSession.open(module);
	const total = of.nrOps;
	clone.importBegin();
	for (const piece of of.export("slabtrace")) {
		clone.importChunk(piece);
		const done = Math.min(total, clone.importedOps);
		await pace.breathe({ phase: "comparing", done: done / 2, total, events: total });
	}
	clone.importEnd();
	set(clone);
	for (const left of clone.buildSlices(0, SLICE_OPS)) {
		const done = total - left / 2;
		await pace.breathe({ phase: "comparing", done, total, events: total });
	}
	return clone;
}
