/** The changes from the trace on the stage to the second one: the call to the worker, and the words of its answer. */
import { engine, onProgress } from "../../../app/platform/engine_link.ts";
import { ownRecording } from "../../../app/platform/page_files.ts";
import { inFull } from "../../../app/playback/opened.ts";
import { facts, lookUp } from "../../../app/state/store.ts";
import { isCancelled } from "../../../base/errors.ts";
import { bytes, count } from "../../../base/format.ts";
import { numberOf } from "../../../base/numbering.ts";
import type { Change, Step, TableName, TwoTraces } from "../../../engine/query/two_traces.ts";
import type { Sorting } from "../../../ui/table/data_table.tsx";

/** Null if it was cancelled. The second trace has the settings of the machine on the stage. */
export async function changesTo(trace: string): Promise<TwoTraces | null> {
	const { machine, samples } = facts();
	const isSample = samples.some(({ file }) => file === trace);
	const file = isSample ? await ownRecording(trace) : undefined;
	const other = { ...inFull(trace, machine), trace, file };
	try {
		return await lookUp(() => engine().changes(other, onProgress));
	} catch (error) {
		if (isCancelled(error)) return null;
		throw error;
	}
}

/** The figures as people read them. */
const WORDS: Readonly<Record<string, string>> = {
	slab_bytes: "bytes in slabs",
	requested_bytes: "bytes requested",
	waste_bytes: "bytes in no request",
	live_objects: "live objects",
	slabs: "slabs",
	partial: "partial slabs on nodes",
	cycles: "model cycles",
	live_bytes: "live bytes",
	allocations: "allocations",
	bytes_requested: "bytes requested over the run",
	bytes_allocated: "bytes allocated over the run",
	bytes: "bytes",
	value: "number",
	waste_rounding: "live objects: slot minus request",
	waste_tail: "tail waste of slabs",
	waste_free: "free objects",
	in_use_before_bytes: "objects in use before the trace",
	pages_in_use: "page frames in use",
	pages_peak: "page frames, peak",
	large_bytes: "kmalloc beyond the largest class",
	lock_wait_cycles: "model cycles waiting for locks",
};

export function figureWords(figure: string): string {
	return WORDS[figure] ?? figure;
}

const isBytes = (figure: string) => /bytes|^waste_(rounding|tail|free)$/.test(figure);

export function amountOf(n: number, figure: string): string {
	return isBytes(figure) ? bytes(n) : count(n);
}

export function changeWords(n: number, figure: string): string {
	const sign = n > 0 ? "+" : n < 0 ? "−" : "";
	return `${sign}${amountOf(Math.abs(n), figure)}`;
}

/** "events 11 to 41", "none" for no event. */
export function rangeWords([from, end]: Step["a"]): string {
	if (from === end) return "none";
	const [first, last] = [count(numberOf(from)), count(end)];
	return first === last ? `event ${first}` : `events ${first} to ${last}`;
}

/** Sorted by a column; rows that are alike in it keep the order of the answer. The size of a change counts, not its sign. */
export function sortedBy(
	rows: readonly Change[],
	figure: number,
	{ by, up }: Sorting,
): readonly Change[] {
	const number = ({ figures }: Change) => {
		const { a = 0, b = 0, change = 0 } = figures[figure] ?? {};
		return by === "A" ? a : by === "B" ? b : Math.abs(change);
	};
	const compared = (x: Change, y: Change) =>
		by === "name" ? x.name.localeCompare(y.name) : number(x) - number(y);
	return rows.toSorted((x, y) => (up ? compared(x, y) : compared(y, x)));
}

export function hasChanged({ kind }: Change): boolean {
	return kind !== "same";
}

/** "3 appeared, 1 vanished, 20 grew". */
export function summaryOf(rows: readonly Change[]): string {
	const kinds = ["appeared", "vanished", "grew", "shrank", "same"] as const;
	const parts = kinds
		.map((kind) => [rows.filter((row) => row.kind === kind).length, kind] as const)
		.filter(([nr]) => nr > 0);
	return parts.map(([nr, kind]) => `${count(nr)} ${kind}`).join(", ");
}

export const TITLES: Readonly<Record<TableName, string>> = {
	caches: "Caches",
	sites: "Call sites",
	waste: "Bytes in slabs",
	totals: "Totals",
	counters: "Counters",
};
