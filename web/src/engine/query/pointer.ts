/** Finds the event that a recorded pointer means after some event, and the object that it is about. */

import { type KmemSession, NOWHERE } from "#wasm";
import { quantity } from "../../base/format.ts";

export interface PointerFound {
	readonly op: number;
	/** Name of the object's cache, "" if it is in no slab. */
	readonly cache: string;
	readonly serial: number;
	readonly index: number;
	/** More about it, "" if there is nothing more to say. */
	readonly note: string;
}

/**
 * Finds the last event up to `op` that has the pointer, or else the next one; for an address inside objects, the allocation of
 * the one that fits best. Rejects with the reason if there is none.
 */
export function eventOfPointer(session: KmemSession, pointer: string, op: number): PointerFound {
	const { lookup } = session;
	const { lives, nrAll, answer, note } = lookup.find(pointer);
	const [life] = lives;
	if (!life) throw new Error(`${pointer}: ${answer} ${note}`.trim());
	const exact = BigInt(pointer);
	const recorded = lookup.findPointer(exact, op + 1, true) ?? lookup.findPointer(exact, op + 1);
	const found = recorded ?? (life.allocOp === NOWHERE ? life.freeOp : life.allocOp);
	const others =
		nrAll > 1
			? `${quantity(nrAll, "object")} had this pointer, one after another: Look up lists them.`
			: "";
	session.seek(found + 1);
	const { cache, slab: serial, index } = session.op(found);
	const name = serial === NOWHERE ? "" : session.caches().find((c) => c.cache === cache)?.name;
	return {
		op: found,
		cache: name ?? "",
		serial,
		index,
		note: recorded === undefined ? answer : others,
	};
}
