/** Locates things: the event at a time, the object at an address. */
import type { KmemSession } from "#wasm";
import { partsOf } from "../frame.ts";
import { packFrame } from "../rows.ts";
import { ALL_CACHES, type ObjectId, type Position } from "../types.ts";

/** Finds the last event that had started by then; for a time before the trace, the first one. */
export function opAtTime(session: KmemSession, time: number): number {
	let [low, high] = [0, session.nrOps - 1];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (session.op(middle).time <= time) low = middle;
		else high = middle - 1;
	}
	return low;
}

/** Finds the object, or at least the slab (index -1), whose bytes include an address after an event. */
export function objectAt(
	session: KmemSession,
	{ op }: Position,
	address: number,
): ObjectId | undefined {
	session.seek(op + 1);
	const pageBytes = Number(session.param("page_size"));
	const { slabs } = partsOf(packFrame(session.view(ALL_CACHES)));
	const row = slabs.address.findIndex((from, i) => {
		const lenBytes = pageBytes * 2 ** (slabs.order[i] ?? 0);
		return address >= from && address < from + lenBytes;
	});
	if (row < 0) return undefined;
	const [cache, serial] = [slabs.cache[row] ?? 0, slabs.serial[row] ?? 0];
	for (let index = 0; index < (slabs.objects[row] ?? 0); index++) {
		try {
			const { slot, slotBytes } = session.object(cache, serial, index);
			const start = (slabs.address[row] ?? 0) + slot;
			if (address >= start && address < start + slotBytes) return { cache, serial, index };
		} catch {
			break;
		}
	}
	return { cache, serial, index: -1 };
}
