/** How full a slab is, by state, as one number: two slabs with the same number look alike from afar. */
import { Cell } from "#abi";

/** Bits for each state except free: five states of ten bits each are exact in a number. */
const BITS = 10;
const MOST = 2 ** BITS - 1;
/** Inferred objects are in use like any other; a bit above the counts makes their slabs look different. */
const WORTH = Float64Array.from(Object.values(Cell), (state) => {
	if (state === Cell.CELL_FREE) return 0;
	return state === Cell.CELL_INFERRED ? 1 : 2 ** (BITS * (state - 1));
});
const INFERRED = 2 ** 50;

/** Packs how many of n objects are in each state; undefined if they are too many for that. */
export function usageOf(cells: Uint8Array, first: number, n: number): number {
	if (n > MOST) return Number.NaN;
	let usage = 0;
	let inferred = 0;
	for (let i = first; i < first + n; i++) {
		const state = cells[i] ?? 0;
		usage += WORTH[state] ?? 0;
		if (state === Cell.CELL_INFERRED) inferred = INFERRED;
	}
	return usage + inferred;
}

/** Whether one of the objects is inferred; false if the slab has too many to count (NaN). */
export function hasInferred(usage: number | undefined): boolean {
	return usage !== undefined && usage >= INFERRED;
}
