/**
 * Forecasts from a trace's first megabytes whether it fits in memory: events per byte so far, times the memory of an
 * event, against the memory that the browser allows. So a file that is too large is refused within seconds rather
 * than at its end.
 */

import { bytesInWords, countInWords } from "../../base/words.ts";
import type { Refusal } from "../answers.ts";

/** The most bytes that an event takes while it is read, everything included. */
const OP_BYTES = 16;
/** Keyframes, within the core's own limit. */
const KEYFRAME_BYTES = 25;
const KEYFRAMES_MOST_BYTES = 256 << 20;
/** The machine that replays, and what the module itself needs. */
const MACHINE_BYTES = 64 << 20;
const WASM_PAGE_BYTES = 65536;
/** The core addresses memory by 32-bit numbers. */
const SPACE_BYTES = 2 ** 32 - 2 * WASM_PAGE_BYTES;
/** This little memory is always allowed, so the browser is not asked. */
const FREE_BYTES = 512 << 20;
/** With fewer bytes of the file than this, a forecast would be a guess. */
const SURE_AFTER_BYTES = 4 << 20;

/** Lines differ in length, so only this share of what should fit is offered. */
const SAFE_SHARE = 0.9;

export interface Sofar {
	/** Events found in the bytes read so far. */
	readonly ops: number;
	readonly doneBytes: number;
	readonly totalBytes: number;
}

function needBytes(ops: number): number {
	return ops * OP_BYTES + Math.min(ops * KEYFRAME_BYTES, KEYFRAMES_MOST_BYTES) + MACHINE_BYTES;
}

/** Returns how many events fit in this many bytes. */
function opsIn(bytes: number): number {
	const left = Math.max(0, bytes - MACHINE_BYTES);
	const few = left / (OP_BYTES + KEYFRAME_BYTES);
	return Math.floor(
		few * KEYFRAME_BYTES <= KEYFRAMES_MOST_BYTES ? few : (left - KEYFRAMES_MOST_BYTES) / OP_BYTES,
	);
}

/** Allocates this much memory and frees it at once. */
export function browserGives(bytes: number): boolean {
	const pages = Math.ceil(bytes / WASM_PAGE_BYTES);
	try {
		return new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer.byteLength > 0;
	} catch {
		return false;
	}
}

/** At most `bytes`; less if the browser allows less. */
function roomFor(bytes: number, gives: (bytes: number) => boolean): number {
	if (bytes <= FREE_BYTES) return bytes;
	const most = Math.min(bytes, SPACE_BYTES);
	const steps = [1, 3 / 4, 1 / 2, 3 / 8, 1 / 4];
	return most * (steps.find((share) => gives(most * share)) ?? FREE_BYTES / most);
}

/** A file from the network is in memory as a whole before its events are; a dropped one stays on the disk. */
const FETCHED_MOST_BYTES = 1 << 30;

/** How many bytes a server may send: its answer might never end. */
export function mostToFetch(gives: (bytes: number) => boolean = browserGives): number {
	return roomFor(FETCHED_MOST_BYTES, gives);
}

export function tooLong(server: string, most: number): string {
	return (
		`${server} sends more than ${bytesInWords(most)}, which is too much for this page to hold: ` +
		"download the file and drop it here."
	);
}

/** Reads the body of an answer; stops and throws a sentence as soon as it is longer than `most`. */
export async function wholeOf(response: Response, server: string, most: number): Promise<Blob> {
	const reader = response.body?.getReader();
	const parts: Uint8Array<ArrayBuffer>[] = [];
	let bytes = 0;
	for (;;) {
		const { value } = (await reader?.read()) ?? {};
		if (!value) return new Blob(parts);
		bytes += value.length;
		parts.push(value);
		if (bytes <= most) continue;
		void reader?.cancel().catch(() => {});
		throw new Error(tooLong(server, most));
	}
}

/** Returns the refusal of a file that will not fit, undefined for any other. */
export function foresee(
	{ ops, doneBytes, totalBytes }: Sofar,
	gives: (bytes: number) => boolean = browserGives,
): Refusal | undefined {
	const perByte = ops / Math.max(1, doneBytes);
	const isSure = doneBytes >= Math.min(SURE_AFTER_BYTES, totalBytes);
	// Events that have already been found are certain, however few bytes of a packed file they came from.
	const expected = isSure ? Math.ceil(perByte * totalBytes) : ops;
	const need = needBytes(expected);
	const room = roomFor(need, gives);
	if (need <= room) return undefined;
	return {
		sentence:
			`Its first ${bytesInWords(doneBytes)} suggest ${isSure ? "about" : "more than"} ` +
			`${countInWords(expected)} events, which need ${bytesInWords(need)} of memory; ` +
			`this browser has ${bytesInWords(room)}.`,
		ways: waysOut(room),
		share: Math.min(1, (SAFE_SHARE * opsIn(room)) / Math.max(1, perByte * totalBytes)),
	};
}

/**
 * Returns the refusal when the core reports that memory is full, for cases that no forecast covers: binary files, or a
 * browser that allows less later.
 */
export function filledUp(message: string, { doneBytes, totalBytes }: Sofar): Refusal {
	const share = (SAFE_SHARE * doneBytes) / Math.max(1, totalBytes);
	return { sentence: message, ways: waysOut(0), share };
}

function waysOut(room: number): string[] {
	return [
		"Cut the trace by time, or to the caches that matter: open its start below, or keep a range of its lines with head, tail or grep.",
		room < SPACE_BYTES * 0.99
			? "Or use the native command, which can use up to 4 GiB of this computer's memory: slabscope replay FILE."
			: "The native command, slabscope replay FILE, has the same limit of 4 GiB.",
	];
}
