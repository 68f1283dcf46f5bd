/**
 * The history of the selection, and moves along it: to its first and last event, and to the next or previous event
 * that touched it.
 */
import { NO_EXTENT } from "../../engine/frame.ts";
import type { ObjectHistory, Thing } from "../../engine/types.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { say } from "../state/announce.ts";
import { type Facts, facts, lookUp } from "../state/store.ts";
import { attempt, cacheNumber, move, pause, seek } from "./player.ts";

/**
 * Returns the selection, or else the cache on the stage. Blocks of different sizes have no lasting number, so their slab
 * represents them.
 */
export function selectedThing({ moment, selected }: Facts): Thing {
	const cache = cacheNumber();
	if (!selected || !moment) return { cache };
	const { slabs } = moment.frame;
	const row = slabs.serial.indexOf(selected.serial);
	const numbered = row < 0 || slabs.firstExtent[row] === NO_EXTENT;
	const index = numbered && selected.index >= 0 ? selected.index : undefined;
	return { cache: slabs.cache[0] ?? cache, slab: selected.serial, index };
}

export function historyOf(thing: Thing, op: number): Promise<ObjectHistory> {
	return lookUp(() => engine().objectHistory(thing, op, onProgress));
}

/** Goes to the next event that touched the selection, or to the previous one. */
export async function touch(direction: 1 | -1): Promise<void> {
	const { moment, selected } = facts();
	if (!moment) return;
	pause();
	if (!selected) return move("event", direction, 1, cacheNumber());
	await attempt(async () => {
		const thing = selectedThing(facts());
		const { op } = moment.position;
		const to = await lookUp(() => engine().touch(thing, op, direction, onProgress));
		if (to >= 0) seek(to);
		else say(`No event ${direction === 1 ? "after" : "before"} this one touches it.`);
	});
}

/** Goes to the selected object's allocation or free; for a slab, to where it was made or discarded. */
export async function toEndOfHistory(end: "birth" | "death"): Promise<void> {
	const { moment } = facts();
	if (!moment) return;
	pause();
	await attempt(async () => {
		const thing = selectedThing(facts());
		const history = await historyOf(thing, moment.position.op);
		const op = endOfHistory(history, thing, end);
		if (op >= 0) seek(op);
		else say(noEnd(history, thing, end));
	});
}

/** Explains why the history has no such start or end. */
function noEnd(history: ObjectHistory, { index }: Thing, end: "birth" | "death"): string {
	if (index !== undefined && !history.object) return "No object was ever allocated here.";
	if (end === "death")
		return `It is never ${index === undefined ? "discarded" : "freed"} in this trace.`;
	return `It was ${index === undefined ? "made" : "allocated"} before this trace starts.`;
}

/** -1 for an end that the trace does not include. */
function endOfHistory(history: ObjectHistory, thing: Thing, end: "birth" | "death"): number {
	if (thing.index !== undefined)
		return (end === "birth" ? history.object?.allocOp : history.object?.freeOp) ?? -1;
	if (end === "birth") return history.bornOp;
	return thing.slab === undefined ? history.lastOp : history.goneOp;
}
