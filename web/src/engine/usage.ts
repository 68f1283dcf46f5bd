/** How full a slab is, by state, as one number: two slabs with the same number look alike from afar. */
import { Cell } from "#abi";

/** Bits for each state but the free one: five states of ten bits are exact in a number. */
const BITS = 10;
const MOST = 2 ** BITS - 1;
const WORTH = Float64Array.from(Object.values(Cell), (state) =>
	state === Cell.CELL_FREE ? 0 : 2 ** (BITS * (state - 1)),
);

/** Packs how many of n objects are in each state; undefined if they are too many for that. */
export function usageOf(cells: Uint8Array, first: number, n: number): number {
	if (n > MOST) return Number.NaN;
	let usage = 0;
	for (let i = first; i < first + n; i++) usage += WORTH[cells[i] ?? 0] ?? 0;
	return usage;
}
