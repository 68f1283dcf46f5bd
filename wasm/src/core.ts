// core.ts - the module as the browser, a worker and node load it: kmem.h as typed functions, C text as strings,
// negative results as KmemError. There is no Emscripten glue, and nothing for the host to provide. A session and each
// group of its functions is a Region: arguments in, rows and texts out.
//
// Memory grows while the core works, which detaches all views of it. So each view is created for one use and then dropped.

import { ABI_HASH, FaultKind, type Job, type KmemFunctions, Status } from "./abi.ts";
import { type Named, type Reader, readRows } from "./rows.ts";

/** The module's exports: kmem.h, and what the linker adds. */
export interface KmemExports extends KmemFunctions {
	readonly memory: WebAssembly.Memory;
	readonly __heap_base: WebAssembly.Global<"i32">;
	/** Only in kmem-first.wasm: whether a function was called that it lacks. */
	kmem_lacks_function?(): number;
}

/** The cause of a refusal, for programs. */
export interface Fault {
	readonly kind: FaultKind;
	/** The parameter, preset or workload at fault; "" if there is none to name. */
	readonly key: string;
	/** The parameter that `key` is in conflict with, or "". */
	readonly other: string;
}

const NO_FAULT: Fault = { kind: FaultKind.FAULT_NONE, key: "", other: "" };

/** A call that failed: status and fault for programs, the core's sentence for a person. Code should only test the first two. */
export class KmemError extends Error {
	override readonly name = "KmemError";
	readonly code: Status;
	readonly fault: Fault;

	constructor(code: Status, message: string, fault = NO_FAULT) {
		super(message);
		this.code = code;
		this.fault = fault;
	}
}

/** Compiles the module, once for any number of sessions; the result can be posted to workers. */
export function compile(bytes: BufferSource): Promise<WebAssembly.Module> {
	return WebAssembly.compile(bytes as ArrayBuffer);
}

/** One instance: each session has its own memory. */
export async function instantiate(module: WebAssembly.Module): Promise<KmemExports> {
	const instance = await WebAssembly.instantiate(module, {});
	const exports = instance.exports as unknown as KmemExports;
	const hash = exports.kmem_abi_hash() >>> 0;
	if (hash !== ABI_HASH) {
		throw new KmemError(
			Status.KMEM_ESTATE,
			`kmem.wasm was built from other definitions (${hash.toString(16)}) than this code ` +
				`(${ABI_HASH.toString(16)}): run "node wasm/build.mjs" and reload the page.`,
		);
	}
	return exports;
}

const decoder = new TextDecoder();

/** Reads the NUL-terminated text at an address; "" at 0. */
export function readText(memory: WebAssembly.Memory, at: number): string {
	if (at === 0) {
		return "";
	}
	const bytes = new Uint8Array(memory.buffer);
	return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
}

/** Returns a copy of bytes, which the caller may keep or transfer. */
export function copyBytes(memory: WebAssembly.Memory, at: number, lenBytes: number): ArrayBuffer {
	return memory.buffer.slice(at, at + lenBytes);
}

export const PAGE_BYTES = 65536;
/** Room for one slice of the trace's bytes: small enough to stay in the processor's cache between copy and parse. */
export const SCRATCH_BYTES = 4 * PAGE_BYTES;

/** At the end of that room: the arguments of a job. */
const ARGS_BYTES = 64;

/** A call that returns the address of rows, and passes their number back through its second argument. */
export type TableCall = (s: number, nr: number) => number;

interface Parts {
	readonly kmem: KmemExports;
	readonly s: number;
	/** The address of the session's region. */
	readonly base: number;
	/** The address of room for arguments and for numbers that a call returns by pointer. */
	readonly scratch: number;
	/** Returns the error of the call that just failed. `code`: the call's status, if it returns one. */
	failure(code?: Status): KmemError;
}

export abstract class Region {
	protected readonly kmem: KmemExports;
	protected readonly s: number;
	protected readonly base: number;
	protected readonly scratch: number;
	readonly #parts: Parts;

	protected constructor(parts: Parts) {
		({ kmem: this.kmem, s: this.s, base: this.base, scratch: this.scratch } = parts);
		this.#parts = parts;
	}

	/** Gives the parts of a session to another class. */
	protected static partsOf(session: Region): Parts {
		return session.#parts;
	}

	/** Starts a job with the words of its struct in kmem.h. */
	protected beginJob(job: Job, ...words: number[]): void {
		const at = this.scratch + SCRATCH_BYTES - ARGS_BYTES;
		new Uint32Array(this.kmem.memory.buffer, at, ARGS_BYTES / 4).fill(0).set(words);
		this.ok(this.kmem.kmem_begin(this.s, job, at));
	}

	/** Continues a job, and after each slice yields how much is left. */
	protected *jobSlices(job: Job, sliceOps: number): Generator<number, void, void> {
		const next = () => this.ok(Number(this.kmem.kmem_work(this.s, job, sliceOps)));
		for (let left = next(); left > 0; left = next()) {
			yield left;
		}
	}

	protected ok(result: number): number {
		if (result < 0) {
			throw this.#parts.failure(result as Status);
		}
		return result;
	}

	/** Returns the address that a call returned; throws for 0, which stands for failure. */
	protected address(result: number): number {
		if (result === 0) {
			throw this.#parts.failure();
		}
		return result >>> 0;
	}

	protected memory(): DataView {
		return new DataView(this.kmem.memory.buffer);
	}

	protected text(address: number): string {
		return readText(this.kmem.memory, address >>> 0);
	}

	protected textAt(offset: number): string {
		return offset === 0 ? "" : this.text(this.base + offset);
	}

	protected named<Row extends { readonly nameAt: number }>(rows: Row[]): Named<Row>[] {
		return rows.map((row) => ({ ...row, name: this.textAt(row.nameAt) }));
	}

	/** Writes text into the scratch area, where the next call may read it. */
	protected putText(text: string, offset: number): number {
		const room = new Uint8Array(
			this.kmem.memory.buffer,
			this.scratch + offset,
			SCRATCH_BYTES - ARGS_BYTES - offset,
		);
		const { read, written } = new TextEncoder().encodeInto(text, room.subarray(0, -1));
		if (read < text.length) {
			throw new KmemError(Status.KMEM_EPARAM, `This value is longer than ${room.length} bytes.`);
		}
		room[written] = 0;
		return this.scratch + offset;
	}

	/** Copies bytes into the scratch area, as many as fit at a time, for a call that reads them there. */
	protected putBytes(
		bytes: Uint8Array,
		take: (s: number, at: number, len: number) => number,
	): void {
		for (let from = 0; from < bytes.length; from += SCRATCH_BYTES) {
			const slice = bytes.subarray(from, from + SCRATCH_BYTES);
			new Uint8Array(this.kmem.memory.buffer).set(slice, this.scratch);
			this.ok(take(this.s, this.scratch, slice.length));
		}
	}

	/** Reads rows at an offset in the region. */
	protected rowsAt<Row>(offset: number, nr: number, size: number, read: Reader<Row>): Row[] {
		return readRows(this.memory(), this.base + offset, nr, size, read);
	}

	/** Reads the rows of a call that passes their number back through its second argument; it may return 0 for none. */
	protected table<Row>(call: TableCall, size: number, read: Reader<Row>): Row[] {
		const at = call(this.s, this.scratch) >>> 0;
		const nr = this.memory().getUint32(this.scratch, true);
		if (nr > 0) {
			this.address(at);
		}
		return readRows(this.memory(), at, nr, size, read);
	}
}
