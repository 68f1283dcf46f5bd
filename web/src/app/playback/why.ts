/**
 * The question "why?" about a list, a CPU, a node or its pages: opening and closing its card, the core's answer, the
 * events that it names, and one setting to try.
 */
import type { Place } from "../../engine/frame.ts";
import type { WhyAnswer } from "../../engine/query/why.ts";
import { placeSubject, subjectOf, type WhyOf } from "../../engine/subject.ts";
import type { Moment, NextObject, Thing } from "../../engine/types.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { busy, change, facts, lookUp } from "../state/store.ts";
import { known } from "./opened.ts";
import { cacheNumber, pause, seek } from "./player.ts";

/** Somebody asked, so the card takes the focus; a card that a link opens does not. */
let isAsked = false;

export function takeAsked(): boolean {
	const was = isAsked;
	isAsked = false;
	return was;
}

/** Opens the card, with that cache on the stage. */
export function askWhy(of: WhyOf, cache?: string): void {
	const { built } = facts();
	const why = subjectOf(of);
	if (why === "") return;
	isAsked = true;
	// The core answers for a position once it settles.
	pause();
	const name = cache !== undefined && built ? known(built, cache) : undefined;
	change({
		why,
		selected: null,
		...(name === undefined ? {} : { cache: name, wanted: name }),
	});
}

/** Opens the card of the list on the stage with the most slabs or objects. */
export function askLongest(): void {
	const places = facts().moment?.frame.places ?? [];
	const length = ({ nrSlabs, nrEntries }: Place) => nrSlabs + nrEntries;
	const [longest] = places
		.filter((p) => placeSubject(p) !== "")
		.toSorted((a, b) => length(b) - length(a));
	if (longest) askWhy(longest);
}

export function closeWhy(): void {
	change({ why: "" });
}

/** The core only answers between events; within an event, the answer is the one from before it. */
export function opsAt({ position: { op, step }, nrSteps }: Moment): number {
	return step >= nrSteps - 1 ? op + 1 : op;
}

export function answerWhy(why: string, moment: Moment): Promise<WhyAnswer> {
	return lookUp(() => engine().why(why, opsAt(moment), moment.cache, onProgress));
}

/** Says where the CPUs that the answer is about get their next objects. */
export async function nextHere({ nextOf, ops }: WhyAnswer): Promise<readonly NextObject[]> {
	const { built } = facts();
	if (!nextOf || !built) return [];
	const rows = await busy(() => engine().nextObjects(ops, cacheNumber()));
	const isHere = ({ cpu }: NextObject) =>
		"cpu" in nextOf ? cpu === nextOf.cpu : built.nodeOfCpu[cpu] === nextOf.node;
	return (rows ?? []).filter(isHere);
}

export function goToEvent(op: number): void {
	pause();
	seek(op);
}

/** Says in words where each event moved a thing from and to. */
export function movesOf(thing: Thing, ops: readonly number[]): Promise<readonly string[]> {
	return busy(() => engine().moves(thing, ops));
}
