// compare.ts - two traces side by side: each session gives its numbers in parts, and a comparison in a separate instance
// joins them.

import * as abi from "./abi.ts";
import {
	copyBytes,
	instantiate,
	KmemError,
	type KmemExports,
	PAGE_BYTES,
	readText,
} from "./core.ts";
import { Group } from "./group.ts";
import { readRows } from "./rows.ts";

/** Matches KMEM_COMPARE_POINTS in kmem.h. */
const POINTS = 65;
const ADDRESS_SPACE_BYTES = 2 ** 32;

/** The numbers of a session; session.side. */
export class Side extends Group {
	/** Returns the position of a point, in events done; `longest`: the longer of the two traces, in events or in time. */
	at(align: abi.Align, longest: number, point: number): number {
		return this.kmem.kmem_side_at(this.s, align, BigInt(longest), point) >>> 0;
	}

	part(part: abi.SidePart): Uint8Array<ArrayBuffer> {
		const at = this.address(this.kmem.kmem_side(this.s, part, this.scratch));
		const lenBytes = this.memory().getUint32(this.scratch, true);
		return new Uint8Array(copyBytes(this.kmem.memory, at, lenBytes));
	}
}

/** A row of two traces side by side. */
export interface Difference extends abi.Difference {
	readonly name: string;
	/** The cache of a call site; "" otherwise. */
	readonly cache: string;
	/** Its name in B, if that is a different build of the kernel; "" for the same name. */
	readonly nameInB: string;
	readonly amounts: readonly abi.DifferenceAmount[];
}

export interface Compared {
	/** Rows by table, the largest change first. */
	readonly rows: readonly Difference[];
	/** The positions in A and in B, in events done. */
	readonly at: readonly [a: readonly number[], b: readonly number[]];
	/** Each amount of the curves in A and in B, at these positions. */
	readonly curves: readonly (readonly [a: readonly number[], b: readonly number[]])[];
}

export class SideBySide {
	readonly #kmem: KmemExports;
	/** The address of its region. */
	readonly #c: number;

	private constructor(kmem: KmemExports) {
		const base = Math.ceil((kmem.__heap_base.value >>> 0) / PAGE_BYTES) * PAGE_BYTES;
		const short = Math.ceil((base - kmem.memory.buffer.byteLength) / PAGE_BYTES);
		if (short > 0) kmem.memory.grow(short);
		this.#kmem = kmem;
		this.#c = this.#got(kmem.kmem_compare_open(base, BigInt(ADDRESS_SPACE_BYTES - base)));
	}

	static async open(module: WebAssembly.Module): Promise<SideBySide> {
		return new SideBySide(await instantiate(module));
	}

	/** Takes a part of A (0) or B (1); `op` is the position of SIDE_VALUES, whose points come in order. */
	put(which: 0 | 1, part: abi.SidePart, op: number, bytes: Uint8Array): void {
		const at = this.#got(this.#kmem.kmem_compare_part(this.#c, which, part, op, bytes.length));
		new Uint8Array(this.#kmem.memory.buffer).set(bytes, at);
	}

	compared(): Compared {
		const at = this.#got(this.#kmem.kmem_compare(this.#c));
		const { memory } = this.#kmem;
		const view = new DataView(memory.buffer);
		const { rowsAt, nrRows, atAAt, atBAt, curvesAt } = abi.readDifferences(view, at);
		const textAt = (offset: number) => (offset === 0 ? "" : readText(memory, this.#c + offset));
		const rows = readRows(view, this.#c + rowsAt, nrRows, abi.DIFFERENCE_SIZE, abi.readDifference);
		const pointsAt = (offset: number) =>
			Array.from(new Uint32Array(memory.buffer, this.#c + offset, POINTS));
		const curve = (nr: number) =>
			Array.from(
				new BigUint64Array(memory.buffer, this.#c + curvesAt, POINTS * (nr + 1)),
				Number,
			).slice(-POINTS);
		const nrCurves = rows.find(({ table }) => table === abi.Compared.COMPARED_CURVES)?.nrAmounts;
		return {
			rows: rows.map((row) => ({
				...row,
				name: textAt(row.nameAt),
				cache: textAt(row.cacheAt),
				nameInB: textAt(row.nameInBAt),
				amounts: readRows(
					view,
					this.#c + row.amountsAt,
					row.nrAmounts,
					abi.DIFFERENCE_AMOUNT_SIZE,
					abi.readDifferenceAmount,
				),
			})),
			at: [pointsAt(atAAt), pointsAt(atBAt)],
			curves: Array.from({ length: nrCurves ?? 0 }, (_, i) => [curve(2 * i), curve(2 * i + 1)]),
		};
	}

	#got(address: number): number {
		if (address === 0)
			throw new KmemError(abi.Status.KMEM_ENOMEM, "Not enough memory to compare two traces.");
		return address >>> 0;
	}
}
