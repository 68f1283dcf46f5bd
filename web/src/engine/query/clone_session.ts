/** Replays the trace in use on another machine: in a session of its own, filled from the first one's text. */
import { KmemSession } from "#wasm";
import type { Pace } from "../pace.ts";

const SLICE_OPS = 50_000;

/** The session, built; `set` sets its machine before. */
export async function twinOf(
	module: WebAssembly.Module,
	of: KmemSession,
	set: (twin: KmemSession) => void,
	pace: Pace,
): Promise<KmemSession> {
	const twin = await KmemSession.open(module);
	const total = of.nrOps;
	twin.importBegin();
	for (const piece of of.export("slabtrace")) {
		twin.importChunk(piece);
		const done = Math.min(total, twin.importedOps);
		await pace.breathe({ phase: "comparing", done: done / 2, total, events: total });
	}
	twin.importEnd();
	set(twin);
	for (const left of twin.buildSlices(0, SLICE_OPS)) {
		const done = total - left / 2;
		await pace.breathe({ phase: "comparing", done, total, events: total });
	}
	return twin;
}
