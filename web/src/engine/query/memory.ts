/**
 * Questions about memory: where it goes after an event, where objects are freed, and which parameter changes would
 * help.
 */
import type { FreeMatrix, KmemSession, MemoryPartRow, Savings } from "#wasm";
import type { Pace } from "../pace.ts";

const SLICE_OPS = 1 << 16;
const BEST_SHOWN = 10;
const ALL = 0xffff;

export interface MemoryAnswer {
	/** How many events are done. */
	readonly ops: number;
	readonly rows: readonly MemoryPartRow[];
	/** Sentences about the largest parts and the largest caches. */
	readonly sentences: string;
	/** The caches' names, by their numbers. */
	readonly names: readonly string[];
}

export interface Frees {
	readonly byCpu: FreeMatrix;
	readonly byNode: FreeMatrix;
}

/** The numbers of a replay, in the order of MEASURES; undefined if the machine was not valid or not replayed. */
export type Numbers = readonly number[] | undefined;

export function memoryAfter(session: KmemSession, ops: number): MemoryAnswer {
	session.seek(ops);
	return {
		ops,
		rows: session.doctor.parts(),
		sentences: session.doctor.sentences(),
		names: session.caches().map((c) => c.name),
	};
}

/** One pass over the trace, in slices. */
export async function freesOf(
	session: KmemSession,
	cache: number | undefined,
	pace: Pace,
): Promise<Frees> {
	const total = session.nrOps;
	for (const left of session.doctor.matrixSlices(cache ?? ALL, SLICE_OPS))
		await pace.breathe({ phase: "indexing", done: total - left, total, events: total });
	return { byCpu: session.doctor.matrix(0), byNode: session.doctor.matrix(1) };
}

/** Returns the best of these results, which are in the order of changesToTry(). */
export function savingsOf(
	session: KmemSession,
	base: Numbers,
	results: readonly Numbers[],
): Savings {
	const changes = session.doctor.changes();
	if (changes.length !== results.length)
		throw new Error(
			"The machine has changed since these suggestions were measured: measure them again.",
		);
	session.doctor.result(undefined, base);
	for (const [nr, values] of results.entries()) session.doctor.result(nr, values);
	return session.doctor.savings(BEST_SHOWN);
}
