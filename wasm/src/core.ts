// core.ts - the module as the browser, a worker and node load it: kmem.h as typed functions, C text as strings,
// negative results as KmemError. No Emscripten glue, and nothing for the host to provide.
//
// Memory grows while the core works, which detaches every view on it. So views are created for one use and dropped.

import { ABI_HASH, FaultKind, type KmemFunctions, Status } from "./abi.ts";

/** The exports of the module: kmem.h, and what the linker adds. */
export interface KmemExports extends KmemFunctions {
	readonly memory: WebAssembly.Memory;
	readonly __heap_base: WebAssembly.Global<"i32">;
	/** In kmem-first.wasm only: whether a function was called that is not in it. */
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

/** A call that failed: status and fault for programs, the core's sentence for a person. Only the first two decide anything. */
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

/** One instance: each session has a memory of its own. */
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

/** The NUL-terminated text at an address; "" at 0. */
export function readText(memory: WebAssembly.Memory, at: number): string {
	if (at === 0) {
		return "";
	}
	const bytes = new Uint8Array(memory.buffer);
	return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
}

/** A copy of bytes, free to be kept and transferred. */
export function copyBytes(memory: WebAssembly.Memory, at: number, lenBytes: number): ArrayBuffer {
	return memory.buffer.slice(at, at + lenBytes);
}

/** The parts of a session that its groups of functions need; see KmemViewer. */
export interface Calls {
	readonly kmem: KmemExports;
	readonly s: number;
	/** Address of the session's region. */
	readonly base: number;
	/** Address of room for arguments and for numbers that a call returns by pointer. */
	readonly scratch: number;
	check(result: number): number;
	pointer(address: number): number;
	putText(text: string, offset: number): number;
	/** Calls `run` until it returns 0, and yields what it returns before that: work still to go. */
	slices(run: () => number): Generator<number, void, void>;
}
