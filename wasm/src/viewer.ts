// viewer.ts - the part of a kmem.h session that a first view needs: import, build, go to any position, read the
// state. The small module has all of it (first_view.mjs); session.ts has the rest.
//
//   import ─ set parameters ─ build ─┬─ seek, steps, peek ─ view, caches
//                   ▲                │
//                   └────── set ◄────┘
//
// Every result is a copy: the caller may keep an array or transfer it to another thread. The memory of the instance
// contains, from the bottom: stack, data, our scratch area, the session's region.

import * as abi from "./abi.ts";
import {
	copyBytes,
	instantiate,
	KmemError,
	type KmemExports,
	PAGE_BYTES,
	Region,
	SCRATCH_BYTES,
} from "./core.ts";
import {
	type Frame,
	type Machine,
	type Named,
	type NamedRows,
	type Operation,
	type Report,
	readRows,
	type Series,
	type Steps,
} from "./rows.ts";

/** As a cache argument, stands for all. In a row, stands for no CPU, node or cache, or for any. */
export const ALL = 0xffff;

const ADDRESS_SPACE_BYTES = 2 ** 32;
const BUILD_SLICE_OPS = 1 << 17;

export class KmemViewer extends Region {
	protected constructor(kmem: KmemExports) {
		const scratch = Math.ceil((kmem.__heap_base.value >>> 0) / PAGE_BYTES) * PAGE_BYTES;
		const base = scratch + SCRATCH_BYTES;
		const short = Math.ceil((base - kmem.memory.buffer.byteLength) / PAGE_BYTES);
		if (short > 0) {
			kmem.memory.grow(short);
		}
		const s = kmem.kmem_open(base, BigInt(ADDRESS_SPACE_BYTES - base)) >>> 0;
		if (s === 0) {
			throw new KmemError(abi.Status.KMEM_ENOMEM, "Not enough memory for a session.");
		}
		super({ kmem, s, base, scratch, failure: (code) => this.failure(code) });
	}

	/** Makes a session in a separate instance. */
	static async open(module: WebAssembly.Module): Promise<KmemViewer> {
		return new KmemViewer(await instantiate(module));
	}

	/** Returns how many events the import in progress has found so far. */
	get importedOps(): number {
		return abi.readReport(this.memory(), this.kmem.kmem_report(this.s) >>> 0).ops;
	}

	/** Returns how many bytes of memory the session has grown to. */
	get memoryBytes(): number {
		return this.kmem.memory.buffer.byteLength;
	}

	/** Whether a function was called that only the whole module has: if so, the trap that followed isn't a fault. */
	get lacksFunction(): boolean {
		return this.kmem.kmem_lacks_function?.() === 1;
	}

	importBegin(): void {
		this.ok(this.kmem.kmem_import_begin(this.s));
	}

	/** Chunks may have any size and end anywhere, even in the middle of a line. */
	importChunk(bytes: Uint8Array): void {
		this.putBytes(bytes, this.kmem.kmem_import_chunk);
	}

	importEnd(): Report {
		this.ok(this.kmem.kmem_import_end(this.s));
		return this.report();
	}

	report(): Report {
		const at = this.address(this.kmem.kmem_report(this.s));
		const raw = abi.readReport(this.memory(), at);
		const kinds = this.rowsAt(raw.kindsAt, raw.nrKinds, abi.KIND_ROW_SIZE, abi.readKindRow);
		const { cachesAt, nrCaches, problemsAt, nrProblems } = raw;
		return {
			...raw,
			format: this.textAt(raw.formatAt),
			kinds: this.named(kinds),
			caches: this.named(
				this.rowsAt(cachesAt, nrCaches, abi.TRACE_CACHE_ROW_SIZE, abi.readTraceCacheRow),
			),
			problems: this.rowsAt(problemsAt, nrProblems, abi.PROBLEM_SIZE, abi.readProblem).map(
				(row) => ({
					...row,
					reason: this.textAt(row.reasonAt),
					text: this.textAt(row.textAt),
				}),
			),
		};
	}

	/** Takes effect at the next build; "" restores the default. */
	set(key: abi.ParamKey, value: string): void {
		const keyAt = this.putText(key, 0);
		const valueAt = this.putText(value, key.length * 3 + 1);
		this.ok(this.kmem.kmem_set(this.s, keyAt, valueAt));
	}

	/** Sets every key to its value in that kernel, e.g. "linux-6.1". */
	preset(name: string): void {
		this.ok(this.kmem.kmem_preset(this.s, this.putText(name, 0)));
	}

	/** JSON text: every parameter with its meaning and its value in use, and the presets. */
	paramsJson(): string {
		return this.text(this.kmem.kmem_params_json(this.s));
	}

	/** JSON text: the names of parameters, and every cost with its value in use. */
	paramNamesJson(): string {
		return this.text(this.kmem.kmem_param_names_json(this.s));
	}

	/** Builds the machine and replays the trace once, which leaves the position at its end. */
	build(budgetBytes = 0): void {
		for (const _ of this.buildSlices(budgetBytes)) {
			// Each slice is the work itself.
		}
	}

	/** Does the same in slices: yields the events still to go, so that a host can show progress or stop. */
	*buildSlices(budgetBytes = 0, sliceOps = BUILD_SLICE_OPS): Generator<number, void, void> {
		this.beginJob(abi.Job.JOB_BUILD, budgetBytes);
		yield* this.jobSlices(abi.Job.JOB_BUILD, sliceOps);
	}

	get nrOps(): number {
		return this.kmem.kmem_nr_ops(this.s) >>> 0;
	}

	seek(ops: number): void {
		this.ok(this.kmem.kmem_seek(this.s, ops));
	}

	/** Returns the position after the next unit of that granularity. */
	next(granularity: abi.Granularity, cache = ALL): number {
		return this.kmem.kmem_next(this.s, granularity, cache) >>> 0;
	}

	previous(granularity: abi.Granularity, cache = ALL): number {
		return this.kmem.kmem_previous(this.s, granularity, cache) >>> 0;
	}

	/** Returns the steps of an event, with their sentences: `count` of them from number `first` on. */
	steps(op: number, first = 0, count = 1024): Steps {
		const total = this.ok(this.kmem.kmem_steps(this.s, op));
		const start = (this.kmem.kmem_step_rows(this.s) >>> 0) + first * abi.STEP_SIZE;
		const nr = Math.max(0, Math.min(count, total - first));
		const rows = readRows(this.memory(), start, nr, abi.STEP_SIZE, abi.readStep);
		const sentence = (i: number) =>
			this.text(this.kmem.kmem_step_sentence(this.s, start + i * abi.STEP_SIZE));
		return { total, rows: rows.map((row, i) => ({ ...row, sentence: sentence(i) })) };
	}

	/** Returns an event. The place of its object (slab, index) is known after steps(op), and always with the index. */
	op(op: number): Operation {
		const at = this.address(this.kmem.kmem_op(this.s, op));
		const row = abi.readOpRow(this.memory(), at);
		const name = this.textAt(row.nameAt);
		const site = this.textAt(row.siteAt);
		return { ...row, name, site, sentence: this.text(this.kmem.kmem_op_sentence(this.s, op)) };
	}

	/** Returns the world at the position, for one cache or for all. */
	view(cache = ALL): Frame {
		return this.frame(this.kmem.kmem_view(this.s, cache));
	}

	/** Returns the world right after step k (from 0) of an event. */
	peek(op: number, k: number, cache = ALL): Frame {
		return this.frame(this.kmem.kmem_peek(this.s, op, k, cache));
	}

	caches(): Named<abi.CacheRow>[] {
		return this.named(this.table(this.kmem.kmem_cache_rows, abi.CACHE_ROW_SIZE, abi.readCacheRow));
	}

	/** Returns the same as raw rows, CACHE_ROW_SIZE bytes each. */
	cacheTable(): NamedRows {
		const names = this.caches().map(({ name }) => name);
		const [at = 0] = this.table(this.kmem.kmem_cache_rows, abi.CACHE_ROW_SIZE, (_, from) => from);
		return { names, rows: copyBytes(this.kmem.memory, at, names.length * abi.CACHE_ROW_SIZE) };
	}

	zones(): abi.ZoneRow[] {
		return this.table(this.kmem.kmem_zone_rows, abi.ZONE_ROW_SIZE, abi.readZoneRow);
	}

	/** Returns the counters that the allocator in use has: indices of COUNTER_NAMES. */
	counters(): number[] {
		return abi.COUNTER_NAMES.map((_, i) => i).filter(
			(i) => this.kmem.kmem_has_counter(this.s, i) === 1,
		);
	}

	series(metric: abi.Metric): Series {
		return this.seriesAt(this.kmem.kmem_series(this.s, metric));
	}

	protected seriesAt(pointer: number): Series {
		const raw = abi.readSeries(this.memory(), this.address(pointer));
		const numbers = (from: number) => this.numbers(this.base + from, raw.nrBuckets);
		return { opsPerBucket: raw.opsPerBucket, min: numbers(raw.minAt), max: numbers(raw.maxAt) };
	}

	machine(): Machine {
		const cpus = this.kmem.kmem_nr_cpus(this.s) >>> 0;
		return {
			cpus,
			nodes: this.kmem.kmem_nr_nodes(this.s) >>> 0,
			nodeOfCpu: Array.from(
				{ length: cpus },
				(_, cpu) => this.kmem.kmem_node_of_cpu(this.s, cpu) >>> 0,
			),
			text: this.text(this.kmem.kmem_machine_text(this.s)),
		};
	}

	/** Returns the error of the call that just failed. `code`: the call's status, if it returns one. */
	protected failure(code?: abi.Status): KmemError {
		const sentence = this.text(this.kmem.kmem_error(this.s));
		return new KmemError(code ?? abi.Status.KMEM_ESTATE, sentence);
	}

	/**
	 * Reads numbers of 64 bits. The page starts by reading thousands of them, and a bigint for each takes several times as long.
	 */
	private numbers(at: number, count: number): Float64Array<ArrayBuffer> {
		const halves = new Uint32Array(this.kmem.memory.buffer, at, 2 * count);
		const numbers = new Float64Array(count);
		for (let i = 0; i < count; i++)
			numbers[i] = (halves[2 * i] ?? 0) + (halves[2 * i + 1] ?? 0) * 2 ** 32;
		return numbers;
	}

	protected frame(address: number): Frame {
		const raw = abi.readFrame(this.memory(), this.address(address));
		const copy = (at: number, lenBytes: number) =>
			copyBytes(this.kmem.memory, this.base + at, lenBytes);
		return {
			op: raw.op,
			step: raw.step,
			places: copy(raw.placesAt, raw.nrPlaces * abi.PLACE_SIZE),
			slabs: copy(raw.slabsAt, raw.nrSlabs * abi.SLAB_ROW_SIZE),
			cells: new Uint8Array(copy(raw.cellsAt, raw.nrCells)),
			entries: copy(raw.entriesAt, raw.nrEntries * abi.ENTRY_SIZE),
			extents: copy(raw.extentsAt, raw.nrExtents * abi.EXTENT_SIZE),
			anyNodeEntered: raw.anyNodeEntered,
			anyNodeZones: raw.anyNodeZones,
		};
	}
}
