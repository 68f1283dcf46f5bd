/** Finds the event that a pointer on the timeline means. */
import { Granularity } from "#abi";
import type { KmemViewer } from "#wasm";
import type { Near } from "./types.ts";

/** Returns the event itself, or the one near it that is meant. Moves the session. */
export function nearestEvent(session: KmemViewer, op: number, near: Near | undefined): number {
	if (!near) return op;
	const { cache, within } = near;
	const isOfCache = (at: number) =>
		at >= 0 && Math.abs(at - op) <= within && session.op(at).cache === cache;
	if (isOfCache(op)) return op;
	for (const find of ["previous", "next"] as const) {
		session.seek(op + 1);
		const at = session[find](Granularity.GO_EVENT, cache) - 1;
		if (at !== op && isOfCache(at)) return at;
	}
	return op;
}
