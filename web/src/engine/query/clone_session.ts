/** Replays the trace in use on another machine, in a session of its own. */
import { KmemSession } from "#wasm";
import type { Fork } from "../answers.ts";
import { SLICE_OPS } from "../machine.ts";
import type { Pace } from "../pace.ts";

/** The session, filled from the first one's text and built; `set` sets its machine before. */
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

/** The fork of a session, if it has one, and the future that its clone is to have: a fork, or the recorded one. */
interface Futures {
	readonly now: Fork | undefined;
	readonly wanted: Fork | null;
}

/**
 * A session with another future of the same trace, built. It begins as a copy of the whole memory: the text of a forked trace
 * does not have the recorded future. `set` changes its machine from that of the first one.
 */
export async function futureOf(
	module: WebAssembly.Module,
	of: KmemSession,
	{ now, wanted }: Futures,
	set: (clone: KmemSession) => void,
	pace: Pace,
): Promise<KmemSession> {
	const image = of.image();
	const clone = await KmemSession.ofImage(module, image.length);
	clone.fillImage(0, image);
	if (wanted) clone.fork(wanted.events, wanted.lines);
	else if (now) clone.leaveFork();
	set(clone);
	const total = clone.nrOps;
	for (const left of clone.buildSlices(0, SLICE_OPS))
		await pace.breathe({ phase: "comparing", done: total - left, total, events: total });
	return clone;
}
