/**
 * "Go to": reads the text that names a position or a thing, and goes there. Numbers are as on the page: the first
 * event and the first step are 1.
 */

import { address, count, time } from "../../base/format.ts";
import { indexOf, numberOf } from "../../base/numbering.ts";
import type { Thing } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { historyOf } from "../playback/object_history.ts";
import { attempt, go, pause, seek } from "../playback/player.ts";
import { say } from "../state/announce.ts";
import { busy, change, facts } from "../state/store.ts";
import { chooseCache } from "../trace/actions.ts";

export type Goal =
	/** From 0; step -1 is the end. */
	| { readonly kind: "event"; readonly op: number; readonly step: number }
	/** On the trace's clock: nanoseconds, or ticks. */
	| { readonly kind: "time"; readonly at: number }
	/** In the simulated machine. */
	| { readonly kind: "address"; readonly address: number }
	/** As the trace recorded it, "0x…". */
	| { readonly kind: "pointer"; readonly pointer: string }
	| {
			readonly kind: "slab";
			/** "" for the cache on the stage. */
			readonly cache: string;
			readonly serial: number;
			/** -1: the slab itself. */
			readonly index: number;
	  };

/** The facts of a trace that decide how a time or a pointer is read. */
export interface Clock {
	readonly timeIsNs: boolean;
	readonly timeFirst: number;
	readonly hashed: boolean;
}

const NS: Readonly<Record<string, number>> = { s: 1e9, ms: 1e6, us: 1e3, µs: 1e3, ns: 1 };

/** All goals that a text can mean, the likeliest first. */
export function goalsIn(text: string, clock: Clock): Goal[] {
	const trimmed = text.trim();
	const pointer = pointerIn(trimmed);
	const bytes = [addressIn(trimmed), pointer];
	// A hash has 32 bits, an address of the simulated machine is shown with more digits.
	if (clock.hashed && (pointer?.pointer.length ?? 0) <= "0x12345678".length) bytes.reverse();
	return [eventIn(trimmed), timeIn(trimmed, clock), ...bytes, slabIn(trimmed)].filter(
		(goal) => goal !== undefined,
	);
}

function eventIn(text: string): Goal | undefined {
	// Files in JSON call it op, and count from 0.
	const op = /^op[ =]?(\d{1,10})$/i.exec(text);
	if (op && Number(op[1]) < 2 ** 32) return { kind: "event", op: Number(op[1]), step: -1 };
	const found = /^(?:event )?(\d[\d,_ ]*)(?:\s*\/\s*(\d{1,9}))?$/i.exec(text);
	const event = Number((found?.[1] ?? "").replace(/[,_ ]/g, ""));
	if (!found || event < 1 || event > 2 ** 32) return undefined;
	const step = Number(found[2] ?? 0);
	return { kind: "event", op: indexOf(event), step: indexOf(step) };
}

function timeIn(text: string, { timeIsNs, timeFirst }: Clock): Goal | undefined {
	if (!timeIsNs) {
		const tick = /^(\+?)(?:tick |t=)(\d{1,15})$/i.exec(text);
		return tick ? { kind: "time", at: Number(tick[2]) + (tick[1] ? timeFirst : 0) } : undefined;
	}
	const found = /^(\+?)\s*(\d{1,10}(?:\.\d{1,9})?)\s*(s|ms|us|µs|ns)?$/.exec(text);
	if (!found || !(found[1] || found[3] || found[2]?.includes("."))) return undefined;
	const ns = Math.round(Number(found[2]) * (NS[found[3] ?? "s"] ?? 1));
	return { kind: "time", at: ns + (found[1] ? timeFirst : 0) };
}

function addressIn(text: string): Goal | undefined {
	const found = /^(?:0x([0-9a-f]{1,13})|(?=.*[a-f])([0-9a-f]{8,13}))$/i.exec(text);
	const at = Number.parseInt(found?.[1] ?? found?.[2] ?? "", 16);
	return Number.isSafeInteger(at) ? { kind: "address", address: at } : undefined;
}

/** Traces write pointers with 16 digits, or with 0x; fewer digits alone are rather a number, unless one is a letter. */
function pointerIn(text: string) {
	const found =
		/^(?:ptr=)?(?:0x([0-9a-f]{1,16})|([0-9a-f]{16})|(?=.*[a-f])([0-9a-f]{8,15}))$/i.exec(text);
	const digits = found?.[1] ?? found?.[2] ?? found?.[3];
	if (digits === undefined || /^0*$/.test(digits)) return undefined;
	return { kind: "pointer" as const, pointer: `0x${digits.replace(/^0+/, "").toLowerCase()}` };
}

function slabIn(text: string): Goal | undefined {
	const found = /^(?:(?:slab\s*)?#|slab |(.+?)\s*#)\s*(\d{1,9})(?:\s*[/.]\s*(\d{1,6}))?$/i.exec(
		text,
	);
	if (!found) return undefined;
	const cache = (found[1] ?? "").replace(/^slab$/i, "");
	return { kind: "slab", cache, serial: Number(found[2]), index: Number(found[3] ?? -1) };
}

/** The goal's name as the list shows it, and a hint. */
export function goalWords(goal: Goal): { readonly name: string; readonly hint: string } {
	const { built, report, cache } = facts();
	switch (goal.kind) {
		case "event": {
			const nrOps = built?.nrOps ?? 0;
			const step = goal.step >= 0 ? `, step ${count(numberOf(goal.step))}` : "";
			const hint = goal.op < nrOps ? `of ${count(nrOps)}` : `past the end: goes to ${count(nrOps)}`;
			return { name: `Event ${count(numberOf(goal.op))}${step}`, hint };
		}
		case "time": {
			const since = goal.at - (report?.timeFirst ?? 0);
			const isNs = report?.timeIsNs ?? true;
			return {
				name: `Time ${time(goal.at, isNs)}`,
				hint: since >= 0 ? `+${time(since, isNs)} since the first event` : "before the first event",
			};
		}
		case "address":
			return {
				name: `Address ${address(goal.address)}`,
				hint: "go to the object that is there now",
			};
		case "pointer":
			return { name: `Pointer ${goal.pointer}`, hint: "go to the event and the object it was" };
		case "slab": {
			const slab = `slab #${goal.serial} of ${goal.cache || cache}`;
			if (goal.index < 0) return { name: `S${slab.slice(1)}`, hint: "" };
			return { name: `Object ${goal.index} of ${slab}`, hint: "" };
		}
	}
}

/** Goes to a goal, or reports in one sentence why it cannot. */
export async function goTo(goal: Goal): Promise<void> {
	pause();
	await attempt(async () => {
		const { built, moment } = facts();
		if (!built || !moment) return;
		if (goal.kind === "event") {
			const op = Math.min(goal.op, built.nrOps - 1);
			go({ kind: "at", op, step: goal.step >= 0 ? goal.step : "last" });
		} else if (goal.kind === "time") {
			seek(await busy(() => engine().opAtTime(goal.at)));
		} else if (goal.kind === "address") {
			await toAddress(goal.address);
		} else if (goal.kind === "pointer") {
			await toPointer(goal.pointer, moment.position.op);
		} else await toSlab(goal.cache, goal.serial, goal.index);
	});
}

async function toAddress(at: number): Promise<void> {
	const { moment, built } = facts();
	if (!moment || !built) return;
	const found = await busy(() => engine().objectAt(moment.position, at));
	const cache = built.caches.find((c) => c.cache === found?.cache)?.name;
	if (!found || cache === undefined)
		throw new Error(`No slab holds the address ${address(at)} after this event.`);
	await toSlab(cache, found.serial, found.index);
}

/** The inspector then shows the object's life. */
async function toPointer(pointer: string, near: number): Promise<void> {
	const found = await busy(() => engine().eventOfPointer(pointer, near));
	if (found.cache !== "" && found.cache !== facts().cache) chooseCache(found.cache);
	seek(found.op);
	const { serial, index } = found;
	change({ selected: found.cache === "" ? null : { serial, index } });
	if (found.note !== "") say(found.note);
}

/** If the slab does not exist now, goes to where it was made. */
export async function toSlab(name: string, serial: number, index: number): Promise<void> {
	const { built, cache, moment } = facts();
	const row = built?.caches.find((c) => c.name === (name || cache));
	if (!row || !moment) throw new Error(`This trace has no cache ${name}.`);
	const isShown = row.name === cache && moment.frame.slabs.serial.includes(serial);
	if (!isShown) {
		const thing: Thing = { cache: row.cache, slab: serial };
		const { op } = moment.position;
		const history = await historyOf(thing, op).catch(() => undefined);
		// A warm start makes slabs before the first event.
		const isWarm = (facts().built?.warmSlabs ?? 0) > 0;
		if (!history || (history.bornOp < 0 && !isWarm))
			throw new Error(`${row.name} never has a slab #${serial} in this trace.`);
		const isThere = history.bornOp <= op && (history.goneOp < 0 || history.goneOp > op);
		if (row.name !== cache) chooseCache(row.name);
		if (!isThere) seek(Math.max(0, history.bornOp));
	}
	change({ selected: { serial, index } });
}
