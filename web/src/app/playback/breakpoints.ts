/**
 * Breakpoints: conditions to stop at, forwards and backwards. The core finds the steps; this file keeps the list,
 * runs to them, and stops a playing replay.
 */
import { STEP_KINDS, WHEN_WORDS, When } from "#abi";
import { isCancelled } from "../../base/errors.ts";
import { eventWords } from "../../base/format.ts";
import { ALL_CACHES, type Condition, type Found, type Position } from "../../engine/types.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { type Breakpoint, change, type Facts, facts, lookUp, store } from "../state/store.ts";
import { attempt, go, pause, sentenceOf } from "./player.ts";

let lastId = 0;

export function addBreakpoint(some: Omit<Breakpoint, "id" | "on">): void {
	const same = (b: Breakpoint) => JSON.stringify({ ...b, ...some }) === JSON.stringify(b);
	const { breakpoints } = facts();
	if (breakpoints.some(same)) return;
	change({ breakpoints: [...breakpoints, { ...some, id: ++lastId, on: true }], stopped: "" });
}

/** Replaces the list. */
export function setBreakpoints(all: readonly Omit<Breakpoint, "id">[]): void {
	change({ breakpoints: all.map((b) => ({ ...b, id: ++lastId })), stopped: "" });
}

export function setBreakpoint(id: number, on: boolean): void {
	const breakpoints = facts().breakpoints.map((b) => (b.id === id ? { ...b, on } : b));
	change({ breakpoints, stopped: "" });
}

export function removeBreakpoint(id: number): void {
	change({ breakpoints: facts().breakpoints.filter((b) => b.id !== id), stopped: "" });
}

/** Describes it in words: "a slab is made, in dentry". */
export function breakpointWords({ when, step, cache, thing }: Breakpoint): string {
	const kind = STEP_KINDS.find((k) => k.name === step);
	const what = when === When.WHEN_STEP ? `step ${kind?.name ?? step}` : WHEN_WORDS[when];
	if (cache === "") return what ?? "";
	const where = thing
		? `${thing.index >= 0 ? `object ${thing.index} of ` : ""}slab #${thing.serial} of ${cache}`
		: cache;
	return `${what}, in ${where}`;
}

/** Leaves out breakpoints of caches that this machine does not have. */
function conditionsOf({ breakpoints, built }: Facts): { b: Breakpoint; condition: Condition }[] {
	const number = (name: string) => built?.caches.find((c) => c.name === name)?.cache;
	return breakpoints.flatMap((b) => {
		const cache = b.cache === "" ? ALL_CACHES : number(b.cache);
		if (!b.on || cache === undefined) return [];
		const step = b.when === When.WHEN_STEP ? b.step : undefined;
		const index = b.thing && b.thing.index >= 0 ? b.thing.index : undefined;
		return [{ b, condition: { when: b.when, step, cache, slab: b.thing?.serial, index } }];
	});
}

async function look(direction: 1 | -1): Promise<{ found: Found | undefined; b?: Breakpoint }> {
	const wanted = conditionsOf(facts());
	const from = facts().moment?.position;
	if (!from || wanted.length === 0) return { found: undefined };
	const conditions = wanted.map((w) => w.condition);
	const found = await engine().find(conditions, from, direction, onProgress);
	const b = found && wanted[found.condition]?.b;
	return b ? { found, b } : { found };
}

/** Finds the first step of one kind in the whole trace; null if there is none. */
export async function firstStep(condition: Condition): Promise<Position | null> {
	const start = { op: 0, step: 0 };
	const found = await lookUp(() => engine().find([condition], start, 1, onProgress));
	return found?.position ?? null;
}

/** Goes to the next step of one kind, or back to the previous one. */
export async function findStep(condition: Condition, direction: 1 | -1): Promise<void> {
	const from = facts().moment?.position;
	if (!from) return;
	pause();
	await attempt(async () => {
		const found = await lookUp(() => engine().find([condition], from, direction, onProgress));
		if (found) go({ kind: "at", ...found.position });
		else
			change({
				error: `There is no such step ${direction > 0 ? "after" : "before"} this position.`,
			});
	});
}

/** Goes to the next breakpoint, or back to the previous one. */
export async function runTo(direction: 1 | -1): Promise<void> {
	pause();
	if (conditionsOf(facts()).length === 0) {
		change({ breaking: true, stopped: "Add a breakpoint first." });
		return;
	}
	change({ stopped: "" });
	try {
		const { found, b } = await lookUp(() => look(direction));
		const way = direction > 0 ? "after" : "before";
		if (!found) change({ stopped: `No breakpoint is reached ${way} this position.` });
		else stopAt(found, b);
	} catch (error) {
		const stopped = isCancelled(error) ? "The search was cancelled." : sentenceOf(error);
		change({ stopped });
	}
}

function stopAt({ position }: Found, b: Breakpoint | undefined): void {
	go({ kind: "at", ...position });
	const what = b ? `: ${breakpointWords(b)}` : "";
	change({ stopped: `Stopped at ${eventWords(position.op)}${what}.` });
}

/** While the trace plays: the next stop ahead, looked up when playing starts. */
let next: { found: Found; b: Breakpoint | undefined } | undefined;

function stopPlaying(f: Facts, before: Facts): void {
	if (f.playing && (!before.playing || f.breakpoints !== before.breakpoints)) void lookAhead();
	if (!f.playing) next = undefined;
	if (!next || !f.moment || f.moment === before.moment) return;
	const { op, step } = f.moment.position;
	const { found, b } = next;
	if (op < found.position.op || (op === found.position.op && step < found.position.step)) return;
	pause();
	stopAt(found, b);
}

async function lookAhead(): Promise<void> {
	next = undefined;
	if (conditionsOf(facts()).length === 0) return;
	try {
		const { found, b } = await lookUp(() => look(1));
		if (found && facts().playing) next = { found, b };
	} catch (error) {
		if (!isCancelled(error)) change({ stopped: sentenceOf(error) });
	}
}

export function startBreakpoints(): void {
	store.subscribe(stopPlaying);
}
