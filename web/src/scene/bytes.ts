/** Describes the bytes of an object's slot: what each one is used for, also in words. */
import { CELL_WORDS } from "#abi";
import { address, quantity } from "../base/format.ts";
import { NONE } from "../engine/frame.ts";
import { CELL, isInUse } from "../engine/place_kinds.ts";
import type { ByteRun, CloseUp } from "../engine/query/close_up.ts";

/** The uses of bytes. */
export type Use =
	| "object"
	| "asked"
	| "spare"
	| "free"
	| "red"
	| "rounding"
	| "link"
	| "tracks"
	| "padding"
	| "rest";

/** Bytes from, to of the slot, one after another without gaps. */
export interface Part {
	readonly use: Use;
	readonly from: number;
	readonly to: number;
}

export const USE_WORDS: Readonly<Record<Use, string>> = {
	object: "object",
	asked: "requested",
	spare: "internal fragmentation",
	free: "free",
	red: "red zone",
	rounding: "rounding up",
	link: "free pointer",
	tracks: "who allocated and freed it",
	padding: "padding",
	rest: "unused up to the next object",
};
export const OVERWRITTEN_WORDS = "overwritten";

export function partsOf(o: CloseUp): Part[] {
	const uses = new Array<Use>(o.slotBytes).fill("rest");
	const start = o.leftBytes;
	const fill = (use: Use, from: number, bytes: number) => {
		uses.fill(use, Math.max(0, from), Math.max(0, Math.min(o.slotBytes, from + bytes)));
	};
	fill("red", 0, start);
	fill(plainUse(o), start, o.objectBytes);
	if (o.requested > 0 && o.requested < o.objectBytes)
		fill("spare", start + o.requested, o.objectBytes - o.requested);
	fill(start > 0 ? "red" : "rounding", start + o.objectBytes, o.rightBytes);
	fill("tracks", start + o.tracksOffset, o.tracksBytes);
	fill("padding", start + o.paddingOffset, o.paddingBytes);
	const isOutside = o.linkOffset >= o.objectBytes;
	if (o.stored !== "" || isOutside) fill("link", start + o.linkOffset, o.linkBytes);
	return runsOf(uses);
}

function plainUse({ state, requested }: CloseUp): Use {
	if (isInUse(state)) return requested > 0 ? "asked" : "object";
	return state < 0 ? "object" : "free";
}

function runsOf(uses: readonly Use[]): Part[] {
	const parts: Part[] = [];
	for (let from = 0; from < uses.length; ) {
		const use = uses[from] ?? "rest";
		let to = from;
		while (to < uses.length && uses[to] === use) to++;
		parts.push({ use, from, to });
		from = to;
	}
	return parts;
}

/** Returns the value of a byte in the slot, in hexadecimal, or "" if it's unknown. */
export function byteAt(o: CloseUp, at: number): string {
	return hex(o.bytes.find(({ from, to }) => from <= at && at < to)?.found ?? -1);
}

/** Bytes from, to of the slot that were overwritten. */
export interface Overwritten {
	readonly from: number;
	readonly to: number;
	/** The value as text: each byte, or one byte if all are equal. */
	readonly found: string;
	/** "" if any value is valid. */
	readonly expected: string;
}

export function overwrittenIn(o: CloseUp): Overwritten[] {
	const spans: ByteRun[][] = [];
	for (const run of o.bytes) {
		if (!run.overwritten) continue;
		const last = spans.at(-1);
		const isKnown = (r: ByteRun | undefined) => r !== undefined && r.expected >= 0;
		if (last?.at(-1)?.to === run.from && isKnown(last.at(-1)) === isKnown(run)) last.push(run);
		else spans.push([run]);
	}
	return spans.map((runs) => ({
		from: runs[0]?.from ?? 0,
		to: runs.at(-1)?.to ?? 0,
		found: listed(runs, (r) => r.found),
		expected: listed(runs, (r) => r.expected),
	}));
}

function listed(runs: readonly ByteRun[], byte: (run: ByteRun) => number): string {
	const first = runs[0];
	if (!first) return "";
	if (runs.every((r) => byte(r) === byte(first))) return hex(byte(first));
	return runs.flatMap((r) => Array(r.to - r.from).fill(hex(byte(r)))).join(" ");
}

const hex = (byte: number) => (byte < 0 ? "" : byte.toString(16).padStart(2, "0"));

/** Returns one sentence for each run of overwritten bytes. */
export function damageWords(o: CloseUp): string[] {
	return overwrittenIn(o).map(({ from, to, found, expected }) => {
		const where = to - from === 1 ? `byte ${from}` : `bytes ${from} to ${to - 1}`;
		const hold = to - from === 1 ? "holds" : "hold";
		const instead = expected === "" ? "" : `, expected ${expected}`;
		return `${where} overwritten: ${hold} ${found}${instead}`;
	});
}

/** Says in one sentence who allocated the object, or which one is next on the freelist. */
export function stateWords(o: CloseUp): string {
	if (o.state < 0) return "changing in this event";
	if (o.state === CELL.ALLOCATED) {
		const asked =
			o.requested > 0 ? `, ${o.requested} of ${quantity(o.objectBytes, "byte")} requested` : "";
		return `allocated${o.allocCpu === NONE ? "" : ` by CPU ${o.allocCpu}`}${asked}`;
	}
	if (o.stored === "" || o.state === CELL.INFERRED) return CELL_WORDS[o.state] ?? "free";
	if (o.next >= 0) return `free, next on the freelist: object ${o.next}`;
	const isEnd = /^0*$/.test(o.pointer);
	return isEnd
		? "free, last on its freelist"
		: "free, its pointer does not lead to an object of this slab";
}

/** Describes the stored free pointer and how to decode it. */
export function linkWords(o: CloseUp): string[] {
	if (o.stored === "" || o.state === CELL.INFERRED) return [];
	const stored = `free pointer at +${o.leftBytes + o.linkOffset}: 0x${o.stored}`;
	if (o.secret === "") return [stored];
	return [
		stored,
		`= 0x${o.pointer} next`,
		`^ 0x${o.secret} secret`,
		`^ 0x${o.swapped} address, bytes reversed`,
	];
}

/** Returns the whole description, for readers who cannot see the picture. */
export function bytesInWords(o: CloseUp): string {
	const parts = partsOf(o).map(
		({ use, from, to }) => `bytes ${from} to ${to - 1} ${USE_WORDS[use]}`,
	);
	const words = [
		`at ${address(o.address)}`,
		stateWords(o),
		...parts,
		linkWords(o).join(" "),
		...damageWords(o),
	];
	return words.filter((w) => w !== "").join("; ");
}
