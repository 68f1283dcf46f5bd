/**
 * Objects as they are in memory. The core only describes them between events. In the middle of an event, an object
 * that the event changes is shown without the parts that may be changing.
 */
import type { KmemSession, SlabObject } from "#wasm";
import type { ObjectId, Position } from "../types.ts";

/** Bytes of a free pointer. */
const LINK_BYTES = 8;
const NOTHING = 0xffffffff;
/** A byte that the model does not track, or that may have any value. */
const UNKNOWN = 0xffff;

/** A run of bytes of a slot that hold one value. */
export interface ByteRun {
	readonly from: number;
	readonly to: number;
	/** -1: the model does not track it. */
	readonly found: number;
	/** -1: any value is valid. */
	readonly expected: number;
	/** These bytes were overwritten. */
	readonly overwritten: boolean;
}

/** One object as it is in memory. */
export type CloseUp = Readonly<ReturnType<typeof closeUpOf>>;

export function closeUps(
	session: KmemSession,
	{ op, step }: Position,
	wanted: readonly ObjectId[],
): CloseUp[] {
	const atEnd = step >= session.steps(op, 0, 0).total - 1;
	session.seek(op + 1);
	const after = wanted.map((w) => lookAt(session, w));
	if (atEnd) return after.filter((row) => row !== undefined);
	session.seek(op);
	return wanted.flatMap((w, i) => {
		const before = lookAt(session, w);
		const row = after[i] ?? before;
		if (!row) return [];
		return [JSON.stringify(before) === JSON.stringify(row) ? row : changing(row)];
	});
}

/** Returns undefined if the object does not exist. */
function lookAt(session: KmemSession, { cache, serial, index }: ObjectId): CloseUp | undefined {
	try {
		return closeUpOf(session.object(cache, serial, index), bytesOf(session, cache, serial, index));
	} catch {
		return undefined;
	}
}

/** The layout of its parts stays valid within an event. */
function changing(row: CloseUp): CloseUp {
	const unknown = { stored: "", pointer: "", secret: "", swapped: "", next: -1, requested: 0 };
	return { ...row, ...unknown, state: -1, bytes: [], allocSite: "" };
}

function bytesOf(session: KmemSession, cache: number, serial: number, index: number): ByteRun[] {
	const known = (byte: number) => (byte === UNKNOWN ? -1 : byte);
	return session.objectBytes(cache, serial, index).map((run) => ({
		from: run.start,
		to: run.end,
		found: known(run.found),
		expected: known(run.expected),
		overwritten: run.overwritten === 1,
	}));
}

function closeUpOf(row: SlabObject, bytes: readonly ByteRun[]) {
	const isFree = row.stored !== 0n || row.next !== NOTHING || row.pointer !== 0n;
	const hex = (n: bigint) => (isFree ? n.toString(16).padStart(16, "0") : "");
	const hardened = row.secret !== 0n || row.swapped !== 0n;
	return {
		cache: row.cache,
		serial: row.slab,
		index: row.index,
		/** enum kmem_cell. */
		state: row.state,
		address: row.address,
		/** Start of the slot in the slab, and its length. */
		slot: row.slot,
		slotBytes: row.slotBytes,
		/** Bytes counted from the start of the slot. */
		leftBytes: row.leftBytes,
		objectBytes: Math.min(row.objectBytes, row.slotBytes),
		rightBytes: row.rightBytes,
		/** Bytes counted from the object; linkBytes is 0 if objects hold no free pointer. */
		linkOffset: row.linkOffset,
		linkBytes: row.linkAddress > 0 ? LINK_BYTES : 0,
		tracksOffset: row.tracksOffset,
		tracksBytes: row.tracksBytes,
		paddingOffset: row.paddingOffset,
		paddingBytes: row.paddingBytes,
		/** Bytes requested, 0 if it is not allocated. */
		requested: row.requested,
		/** Index of the next free object in the slab, -1 for none. */
		next: row.next === NOTHING ? -1 : row.next,
		/** Hexadecimal, "" if it is unknown. */
		stored: hex(row.stored),
		pointer: hex(row.pointer),
		secret: hardened ? hex(row.secret) : "",
		swapped: hardened ? hex(row.swapped) : "",
		/** The slot's bytes, in order; empty if they are unknown. */
		bytes,
		allocSite: row.allocSite,
		allocCpu: row.allocCpu,
	};
}
