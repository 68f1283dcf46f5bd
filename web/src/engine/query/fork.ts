/** Forks the trace of a session: its first events, then lines of a slabtrace. */
import type { KmemSession } from "#wasm";
import type { Fork, ForkObject } from "../answers.ts";
import { replay } from "../machine.ts";
import { NO_PACE, type Pace } from "../pace.ts";

/** Replaces one fork by another, or by the recorded future. If that fails, the session stays as it was. */
export async function changeFork(
	session: KmemSession,
	before: Fork | undefined,
	after: Fork | undefined,
	pace: Pace,
): Promise<void> {
	let now = before;
	try {
		set(session, now, after);
		now = after;
		await replay(session, pace);
	} catch (error) {
		// After a refused line the trace is as it was recorded.
		set(session, now === after ? after : undefined, before);
		await replay(session, NO_PACE);
		throw error;
	}
}

function set(session: KmemSession, before: Fork | undefined, after: Fork | undefined): void {
	if (after) session.fork(after.events, after.lines);
	else if (before) session.leaveFork();
}

/** The latest objects that are live at the fork, each with the event that allocated it. */
export function forkObjects(session: KmemSession, most: number): ForkObject[] {
	return session.forkObjects(most).map((op) => ({ op, sentence: session.op(op).sentence }));
}
