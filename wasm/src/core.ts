// core.ts - the module as the browser, a worker and node load it: kmem.h as typed functions, C text as strings,
// negative results as KmemError. No Emscripten glue, and nothing for the host to provide.
//
// Memory grows while the core works, which detaches every view on it. So views are created for one use and dropped.

import { ABI_HASH, FaultKind, Status } from "./abi.ts";

/** The functions of kmem.h. Pointers and u32 arrive as signed numbers: `>>> 0` before use. */
export interface KmemExports {
	readonly memory: WebAssembly.Memory;
	readonly __heap_base: WebAssembly.Global<"i32">;
	kmem_open(base: number, size: bigint): number;
	kmem_import_begin(s: number): number;
	kmem_import_cut(s: number): number;
	kmem_import_dry(s: number): number;
	kmem_import_by_range(s: number, fileBytes: bigint): number;
	kmem_import_range(s: number): number;
	kmem_import_chunk(s: number, bytes: number, lenBytes: number): number;
	kmem_import_end(s: number): number;
	kmem_report(s: number): number;
	kmem_import_columns(s: number, mapping: number): number;
	kmem_columns(s: number): number;
	kmem_overlay_begin(s: number): number;
	kmem_cache_params_begin(s: number): number;
	kmem_overlay_file(s: number): number;
	kmem_cache_params_text(s: number): number;
	kmem_overlay_chunk(s: number, bytes: number, lenBytes: number): number;
	kmem_overlay_end(s: number): number;
	kmem_overlay_rows(s: number, nr: number): number;
	kmem_overlay_of(s: number, cache: number): number;
	kmem_overlay_use(s: number, on: number): void;
	kmem_workload_begin(s: number, name: number, settings: number): number;
	kmem_workload_run(s: number, maxOps: number): number;
	kmem_workloads_json(s: number): number;
	kmem_shape(s: number): number;
	kmem_call_site(s: number, i: number): number;
	kmem_next_call(s: number, callSite: number, op: number, back: number): number;
	kmem_set(s: number, key: number, value: number): number;
	kmem_preset(s: number, name: number): number;
	kmem_kernel(s: number): number;
	kmem_check_settings(s: number): number;
	kmem_set_spec(s: number, spec: number): number;
	kmem_param(s: number, key: number): number;
	kmem_params_json(s: number): number;
	kmem_build(s: number, budgetBytes: bigint): number;
	kmem_build_begin(s: number, budgetBytes: bigint): number;
	kmem_build_run(s: number, maxOps: number): bigint;
	kmem_told(s: number, nr: number): number;
	kmem_told_why(s: number, row: number, i: number): number;
	kmem_measure_begin(s: number): number;
	kmem_measure_run(s: number, maxOps: number): bigint;
	kmem_measured(s: number, nr: number): number;
	kmem_build_by_clocks(s: number, budgetBytes: bigint): number;
	kmem_experiment_begin(s: number, seed: number, scale: number): number;
	kmem_experiment_run(s: number, maxOps: number): number;
	kmem_experiment(s: number): number;
	kmem_nr_ops(s: number): number;
	kmem_position(s: number): number;
	kmem_seek(s: number, n: number): number;
	kmem_run(s: number, n: number, record: number): number;
	kmem_next(s: number, granularity: number, cache: number): number;
	kmem_previous(s: number, granularity: number, cache: number): number;
	kmem_steps(s: number, op: number): number;
	kmem_step_rows(s: number): number;
	kmem_step_sentence(s: number, step: number): number;
	kmem_op(s: number, op: number): number;
	kmem_op_sentence(s: number, op: number): number;
	kmem_index(s: number, budgetBytes: bigint): number;
	kmem_index_begin(s: number, budgetBytes: bigint): number;
	kmem_index_run(s: number, maxOps: number): bigint;
	kmem_index_bytes(s: number): bigint;
	kmem_life(s: number, cache: number, slab: number, index: number): number;
	kmem_life_rows(
		s: number,
		cache: number,
		slab: number,
		index: number,
		from: number,
		back: number,
		max: number,
		nr: number,
	): number;
	kmem_incarnation(s: number, op: number): number;
	kmem_alloc_at(s: number, cache: number, slab: number, index: number, op: number): number;
	kmem_prints(s: number, op: number, n: number, nr: number): number;
	kmem_find_begin(
		s: number,
		conditions: number,
		nr: number,
		op: number,
		step: number,
		back: number,
	): number;
	kmem_find_run(s: number, maxOps: number): bigint;
	kmem_found(s: number): number;
	kmem_view(s: number, cache: number): number;
	kmem_peek(s: number, op: number, k: number, cache: number): number;
	kmem_reports(s: number, nr: number, all: number): number;
	kmem_report_text(s: number, bug: number): number;
	kmem_object(s: number, cache: number, slab: number, index: number): number;
	kmem_object_bytes(s: number, cache: number, slab: number, index: number, nr: number): number;
	kmem_cache_rows(s: number, nr: number): number;
	kmem_attributes(s: number, cache: number, nr: number): number;
	kmem_slabinfo(s: number, nr: number): number;
	kmem_slabinfo_text(s: number): number;
	kmem_zone_rows(s: number, nr: number): number;
	kmem_cpu_rows(s: number, nr: number): number;
	kmem_lock_rows(s: number, nr: number): number;
	kmem_totals(s: number): number;
	kmem_has_counter(s: number, counter: number): number;
	kmem_has_measure(s: number, measured: number): number;
	kmem_series(s: number, metric: number): number;
	kmem_nr_cpus(s: number): number;
	kmem_nr_nodes(s: number): number;
	kmem_node_of_cpu(s: number, cpu: number): number;
	kmem_machine_text(s: number): number;
	kmem_state_bytes(s: number): bigint;
	kmem_hash(s: number): bigint;
	kmem_check(s: number): number;
	kmem_order(s: number, size: number): number;
	kmem_order_tries(s: number, nr: number): number;
	kmem_export(s: number, to: number, op: number, buf: number, lenBytes: number): number;
	kmem_error(s: number): number;
	kmem_unpack_open(base: number, size: bigint): number;
	kmem_unpack_input(u: number, roomBytes: number): number;
	kmem_unpack_run(u: number, lenBytes: number, isLast: number): number;
	kmem_unpack_output(u: number): number;
	kmem_unpack_left(u: number): number;
	kmem_unpack_error(u: number): number;
	kmem_fault(s: number): number;
	kmem_abi_hash(): number;
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
