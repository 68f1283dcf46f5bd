/** The events that left the fast path, by the core's count. */
import { When } from "#abi";
import type { KmemSession } from "#wasm";

/** Those from `from` to `to`, in order. */
export function slowEvents(session: KmemSession, from: number, to: number): number[] {
	const slow: number[] = [];
	const last = Math.min(to, session.nrOps - 1);
	for (let op = from; op <= last; ) {
		const found = session.find([{ when: When.WHEN_SLOW_PATH }], { op, step: 0 });
		if (!found || found.op > last) break;
		slow.push(found.op);
		op = found.op + 1;
	}
	return slow;
}
