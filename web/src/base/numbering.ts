/**
 * Events and steps are numbered from 1 wherever a person reads or types them: on the page, in its address, in the
 * files it saves. The core, the code and `op` in JSON count from 0. Only these two functions convert between them.
 */
import { count } from "./format.ts";

export function numberOf(index: number): number {
	return index + 1;
}

export function indexOf(number: number): number {
	return number - 1;
}

/** "event 1,234". */
export function eventWords(op: number): string {
	return `event ${count(numberOf(op))}`;
}

/** "events 11 to 41", or "event 11" of one. */
export function eventsWords(from: number, to: number): string {
	if (from === to) return eventWords(from);
	return `events ${count(numberOf(from))} to ${count(numberOf(to))}`;
}
