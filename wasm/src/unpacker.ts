// unpacker.ts - gzip and zstd as a stream, unpacked by the core in its own instance: its memory holds the window of
// the packed data, at most 170 MiB, and is gone with the unpacker. Sessions never see it.
//
//   for (;;) {
//     take the rest of a packed piece with put(), then unpack() until it returns undefined
//   }
//
// Buffers: put() copies the bytes that it takes, so a piece is the caller's again once all of it has been taken.
// unpack() returns a view on the unpacker's memory, valid until the next call of either.

import { Status } from "./abi.ts";
import { instantiate, KmemError, type KmemExports, PAGE_BYTES, readText } from "./core.ts";

const ADDRESS_SPACE_BYTES = 2 ** 32;

export class Unpacker {
	readonly #kmem: KmemExports;
	/** Room for one result of the core. */
	readonly #scratch: number;
	readonly #u: number;
	#isLast = false;

	private constructor(kmem: KmemExports) {
		this.#kmem = kmem;
		this.#scratch = Math.ceil((kmem.__heap_base.value >>> 0) / PAGE_BYTES) * PAGE_BYTES;
		const base = this.#scratch + PAGE_BYTES;
		const short = Math.ceil((base - kmem.memory.buffer.byteLength) / PAGE_BYTES);
		if (short > 0) kmem.memory.grow(short);
		this.#u = kmem.kmem_unpack_open(base, BigInt(ADDRESS_SPACE_BYTES - base)) >>> 0;
		if (this.#u === 0)
			throw new KmemError(Status.KMEM_ENOMEM, "Not enough memory to unpack a file.");
	}

	/** `module` is the whole one: the first-view module can't unpack. */
	static async open(module: WebAssembly.Module): Promise<Unpacker> {
		return new Unpacker(await instantiate(module));
	}

	/** How many packed bytes were put in and are not used yet. */
	get leftBytes(): number {
		return this.#kmem.kmem_unpack_left(this.#u) >>> 0;
	}

	/** Copies as many packed bytes as there is room for, and returns how many. */
	put(bytes: Uint8Array): number {
		const to = this.#kmem.kmem_unpack_input(this.#u, this.#scratch) >>> 0;
		const { buffer } = this.#kmem.memory;
		const room = new DataView(buffer).getUint32(this.#scratch, true);
		const taken = bytes.subarray(0, room);
		new Uint8Array(buffer).set(taken, to);
		this.#put = taken.length;
		return taken.length;
	}
	/** How many bytes the core has not received yet. */
	#put = 0;

	/** Says that no more will be put in. */
	end(): void {
		this.#isLast = true;
	}

	/**
	 * Returns the next unpacked bytes, less than half a MiB; undefined if more input is needed or, after end(), there are no
	 * more.
	 */
	unpack(): Uint8Array | undefined {
		const { kmem_unpack_run, kmem_unpack_output, kmem_unpack_error, memory } = this.#kmem;
		const got = kmem_unpack_run(this.#u, this.#put, Number(this.#isLast));
		this.#put = 0;
		if (got < 0)
			throw new KmemError(got as Status, readText(memory, kmem_unpack_error(this.#u) >>> 0));
		if (got === 0) return undefined;
		return new Uint8Array(memory.buffer, kmem_unpack_output(this.#u) >>> 0, got);
	}

	/** Yields everything that packed pieces unpack to, piece by piece; more pieces may follow until end(). */
	*all(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
		for (const piece of pieces) {
			for (let at = 0; at < piece.length; ) {
				at += this.put(piece.subarray(at));
				yield* this.#rest();
			}
		}
		if (this.#isLast) yield* this.#rest();
	}

	*#rest(): Generator<Uint8Array, void, void> {
		for (let bytes = this.unpack(); bytes; bytes = this.unpack()) yield bytes;
	}
}
