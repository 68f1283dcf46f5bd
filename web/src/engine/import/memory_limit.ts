/**
 * Whether a recording has room, told from its first megabytes: operations per byte so far, times what an operation
 * takes, against what the browser gives. So a file that is too large is refused after seconds, not at its end.
 */

import { bytesInWords, countInWords } from "../../base/words.ts";
import type { Refusal } from "../answers.ts";

/** The most that an operation takes while it is read, everything included. */
const OP_BYTES = 16;
/** Keyframes, as the core bounds them when nobody else does. */
const KEYFRAME_BYTES = 25;
const KEYFRAMES_MOST_BYTES = 256 << 20;
/** The machine that replays, and what the module itself needs. */
const MACHINE_BYTES = 64 << 20;
const WASM_PAGE_BYTES = 65536;
/** The core names places by 32-bit numbers. */
const SPACE_BYTES = 2 ** 32 - 2 * WASM_PAGE_BYTES;
/** Less than this nobody is refused, so nobody is asked. */
const FREE_BYTES = 512 << 20;
/** Before that many bytes of the file a forecast is a guess. */
const SURE_AFTER_BYTES = 4 << 20;

/** Lines differ in length: of what should have room this much is offered. */
const SAFE_SHARE = 0.9;

export interface Sofar {
	/** Operations found in the bytes that are read. */
	readonly ops: number;
	readonly doneBytes: number;
	readonly totalBytes: number;
}

function needBytes(ops: number): number {
	return ops * OP_BYTES + Math.min(ops * KEYFRAME_BYTES, KEYFRAMES_MOST_BYTES) + MACHINE_BYTES;
}

/** How many operations have room in so many bytes. */
function opsIn(bytes: number): number {
	const left = Math.max(0, bytes - MACHINE_BYTES);
	const few = left / (OP_BYTES + KEYFRAME_BYTES);
	return Math.floor(
		few * KEYFRAME_BYTES <= KEYFRAMES_MOST_BYTES ? few : (left - KEYFRAMES_MOST_BYTES) / OP_BYTES,
	);
}

/** Asks the browser for so much memory and gives it back at once. */
export function browserGives(bytes: number): boolean {
	const pages = Math.ceil(bytes / WASM_PAGE_BYTES);
	try {
		return new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer.byteLength > 0;
	} catch {
		return false;
	}
}

/** At most what is asked for; less where the browser has less to give. */
function roomFor(bytes: number, gives: (bytes: number) => boolean): number {
	if (bytes <= FREE_BYTES) return bytes;
	const most = Math.min(bytes, SPACE_BYTES);
	const steps = [1, 3 / 4, 1 / 2, 3 / 8, 1 / 4];
	return most * (steps.find((share) => gives(most * share)) ?? FREE_BYTES / most);
}

/** The refusal of a file that will not have room, undefined for all others. */
export function foresee(
	{ ops, doneBytes, totalBytes }: Sofar,
	gives: (bytes: number) => boolean = browserGives,
): Refusal | undefined {
	const perByte = ops / Math.max(1, doneBytes);
	const isSure = doneBytes >= Math.min(SURE_AFTER_BYTES, totalBytes);
	// What is there already is no guess, however few bytes of a packed file it came from.
	const expected = isSure ? Math.ceil(perByte * totalBytes) : ops;
	const need = needBytes(expected);
	const room = roomFor(need, gives);
	if (need <= room) return undefined;
	return {
		sentence:
			`Its first ${bytesInWords(doneBytes)} suggest ${isSure ? "about" : "more than"} ` +
			`${countInWords(expected)} events. They need ${bytesInWords(need)} of memory; ` +
			`this browser has ${bytesInWords(room)}.`,
		ways: waysOut(room),
		share: Math.min(1, (SAFE_SHARE * opsIn(room)) / Math.max(1, perByte * totalBytes)),
	};
}

/** The core's own word that memory is full, for what no forecast sees: binary files, or a browser that gives less later. */
export function filledUp(message: string, { doneBytes, totalBytes }: Sofar): Refusal {
	const share = (SAFE_SHARE * doneBytes) / Math.max(1, totalBytes);
	return { sentence: message, ways: waysOut(0), share };
}

function waysOut(room: number): string[] {
	return [
		"Cut the trace by time, or to the caches that matter: open its beginning below, or keep a range of its lines with head, tail or grep.",
		room < SPACE_BYTES * 0.99
			? "Or use the native command, which can use up to 4 GiB of this computer's memory: slabscope replay FILE."
			: "The native command, slabscope replay FILE, has the same limit of 4 GiB.",
	];
}
