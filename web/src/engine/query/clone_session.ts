/** Replays the trace in use on another machine, or another future of it, in a session of its own. */
import { KmemSession } from "#wasm";
import type { Fork } from "../answers.ts";
import { SLICE_OPS } from "../machine.ts";
import type { Pace } from "../pace.ts";
import { through } from "../slices.ts";

/** The fork of a session, if it has one, and the future that its clone is to have: a fork, or the recorded one. */
interface Futures {
	readonly now: Fork | undefined;
	/** Left out: the same future. */
	readonly wanted: Fork | null | undefined;
}

/**
 * A session for the same trace, built. It begins as a copy of the whole memory, so it starts as the first one does: the text
 * of a trace has neither its recorded future nor its pointers. `set` changes its machine from that of the first one.
 */
export async function cloneOf(
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
	else if (wanted === null && now) clone.leaveFork();
	set(clone);
	await through(pace, "comparing", clone.nrOps, clone.buildSlices(0, SLICE_OPS));
	return clone;
}
