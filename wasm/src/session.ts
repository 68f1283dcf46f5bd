// session.ts - one session of kmem.h as a class: a trace, a machine, and a position in time.
//
//   import ─ set parameters ─ build ─┬─ seek, steps, peek ─ view, caches, totals
//                   ▲                │
//                   └────── set ◄────┘
//
// Only copies leave: every array that is handed out is the caller's, to keep or to transfer to another thread.
// The memory of the instance holds, from the bottom: stack, data, a scratch area of ours, the session's region.

import * as abi from "./abi.ts";
import { copyBytes, instantiate, KmemError, type KmemExports, readText } from "./core.ts";
import { Measures } from "./measures.ts";
import {
	type Attribute,
	type Bug,
	type Columns,
	EXPORT_FORMATS,
	type ExportFormat,
	type Frame,
	type Machine,
	type Named,
	type Operation,
	type Order,
	type Reader,
	type Report,
	readRows,
	type Series,
	type SlabObject,
	type Steps,
	slabObject,
} from "./rows.ts";
import { Studies } from "./studies.ts";
import { type Condition, type LifePage, type Point, type Thing, Travel } from "./travel.ts";
import { Workloads } from "./workloads.ts";

/** As a cache: all of them. As a CPU, a node or a cache in a row: none, or any. */
export const ALL = 0xffff;
/** As the serial number of a slab: nowhere. */
export const NOWHERE = 0xffffffff;

const PAGE_BYTES = 65536;
/** Room for one slice of the trace's bytes: small enough to stay in the processor's cache between copy and parse. */
const SCRATCH_BYTES = 4 * PAGE_BYTES;
const ADDRESS_SPACE_BYTES = 2 ** 32;
const BUILD_SLICE_OPS = 1 << 17;

export class KmemSession {
	private readonly kmem: KmemExports;
	private readonly scratch: number;
	private readonly base: number;
	private readonly s: number;
	readonly travel: Travel;
	/** Traces that are made instead of imported, and the shape of any trace. */
	readonly workloads: Workloads;
	/** A replay for its numbers alone. */
	readonly measures: Measures;
	/** The experiments of the seeds. */
	readonly studies: Studies;

	private constructor(kmem: KmemExports) {
		this.kmem = kmem;
		this.scratch = Math.ceil((kmem.__heap_base.value >>> 0) / PAGE_BYTES) * PAGE_BYTES;
		this.base = this.scratch + SCRATCH_BYTES;
		const short = Math.ceil((this.base - kmem.memory.buffer.byteLength) / PAGE_BYTES);
		if (short > 0) {
			kmem.memory.grow(short);
		}
		this.s = kmem.kmem_open(this.base, BigInt(ADDRESS_SPACE_BYTES - this.base)) >>> 0;
		if (this.s === 0) {
			throw new KmemError(abi.Status.KMEM_ENOMEM, "There is no memory for a session.");
		}
		const calls = {
			kmem,
			s: this.s,
			base: this.base,
			scratch: this.scratch,
			check: (result: number) => this.check(result),
			pointer: (address: number) => this.pointer(address),
			memory: () => this.memory(),
			putText: (text: string, offset: number) => this.putText(text, offset),
		};
		this.travel = new Travel(calls);
		this.workloads = new Workloads(calls);
		this.measures = new Measures(calls);
		this.studies = new Studies(calls);
	}

	/** A session in an instance of its own. */
	static async open(module: WebAssembly.Module): Promise<KmemSession> {
		return new KmemSession(await instantiate(module));
	}

	/**
	 * A session to be filled with what image() returned in another one of the same module, by fillImage(). Of an
	 * image of another module nothing can be said, so the caller keeps the two together.
	 */
	static async ofImage(module: WebAssembly.Module, lenBytes: number): Promise<KmemSession> {
		const session = await KmemSession.open(module);
		const { memory } = session.kmem;
		const short = Math.ceil((lenBytes - memory.buffer.byteLength) / PAGE_BYTES);
		if (short > 0) {
			memory.grow(short);
		}
		return session;
	}

	/** Bytes of an image at their place; nothing else may be called before all of it is there. */
	fillImage(at: number, bytes: Uint8Array): void {
		new Uint8Array(this.kmem.memory.buffer).set(bytes, at);
	}

	/** A copy of all memory: smallest right after an import, before anything is set or built. */
	image(): Uint8Array<ArrayBuffer> {
		return new Uint8Array(this.kmem.memory.buffer.slice(0));
	}

	/** Operations that the import in progress has found so far. */
	get importedOps(): number {
		return abi.readReport(this.memory(), this.kmem.kmem_report(this.s) >>> 0).ops;
	}

	/** Bytes of memory that the session has grown to. */
	get memoryBytes(): number {
		return this.kmem.memory.buffer.byteLength;
	}

	importBegin(): void {
		this.check(this.kmem.kmem_import_begin(this.s));
	}

	/** Reads bytes into events and drops them: what benchmarks of reading alone time. */
	readOnly(chunks: Iterable<Uint8Array>): void {
		this.importBegin();
		this.check(this.kmem.kmem_import_dry(this.s));
		for (const chunk of chunks) {
			this.importChunk(chunk);
		}
		// Without events the core finds no trace in it, which is as it should be.
		this.kmem.kmem_import_end(this.s);
	}

	/** After importBegin, before the first chunk: what the columns of CSV tell, e.g. "ptr=addr,req=3,unit=us". */
	importColumns(mapping: string): void {
		this.check(this.kmem.kmem_import_columns(this.s, this.putText(mapping, 0)));
	}

	/** Also after a refusal: what importColumns has to say. */
	columns(): Columns {
		const at = this.pointer(this.kmem.kmem_columns(this.s));
		const view = this.memory();
		const raw = abi.readColumns(view, at);
		return {
			columns: readRows(
				view,
				this.base + raw.columnsAt,
				raw.nrColumns,
				abi.COLUMN_SIZE,
				abi.readColumn,
			).map((row) => ({
				name: this.textAt(row.nameAt),
				sample: this.textAt(row.sampleAt),
				role: row.role as abi.Role,
				given: row.given === 1,
			})),
			separator: raw.separator === 0 ? "" : String.fromCharCode(raw.separator),
			missing: Object.values(abi.Role).filter((role) => (raw.missing >> role) & 1),
		};
	}

	/** A real machine's caches, from /proc/slabinfo or /sys/kernel/slab; after it, build. */
	readOverlay(chunks: Iterable<Uint8Array>): void {
		this.check(this.kmem.kmem_overlay_begin(this.s));
		for (const chunk of chunks) {
			for (let from = 0; from < chunk.length; from += SCRATCH_BYTES) {
				const slice = chunk.subarray(from, from + SCRATCH_BYTES);
				new Uint8Array(this.kmem.memory.buffer).set(slice, this.scratch);
				this.check(this.kmem.kmem_overlay_chunk(this.s, this.scratch, slice.length));
			}
		}
		this.check(this.kmem.kmem_overlay_end(this.s));
	}

	/** From the next build on, caches are made as that machine has them. */
	useOverlay(on: boolean): void {
		this.kmem.kmem_overlay_use(this.s, Number(on));
	}

	/** The machine's caches; `cache` is the one of the model, ALL if it has none of that name. */
	overlay(): Named<abi.OverlayRow>[] {
		return this.named(
			this.table(
				(s, nr) => this.kmem.kmem_overlay_rows(s, nr),
				abi.OVERLAY_ROW_SIZE,
				abi.readOverlayRow,
			),
		);
	}

	/** Chunks may be of any size and end anywhere, also in the middle of a line. */
	importChunk(bytes: Uint8Array): void {
		for (let from = 0; from < bytes.length; from += SCRATCH_BYTES) {
			const slice = bytes.subarray(from, from + SCRATCH_BYTES);
			new Uint8Array(this.kmem.memory.buffer).set(slice, this.scratch);
			this.check(this.kmem.kmem_import_chunk(this.s, this.scratch, slice.length));
		}
	}

	importEnd(): Report {
		this.check(this.kmem.kmem_import_end(this.s));
		return this.report();
	}

	report(): Report {
		const at = this.pointer(this.kmem.kmem_report(this.s));
		const view = this.memory();
		const raw = abi.readReport(view, at);
		const rows = <Row>(rowsAt: number, nr: number, size: number, read: Reader<Row>) =>
			readRows(view, this.base + rowsAt, nr, size, read);
		return {
			...raw,
			format: this.textAt(raw.formatAt),
			kinds: this.named(rows(raw.kindsAt, raw.nrKinds, abi.KIND_ROW_SIZE, abi.readKindRow)),
			caches: this.named(
				rows(raw.cachesAt, raw.nrCaches, abi.TRACE_CACHE_ROW_SIZE, abi.readTraceCacheRow),
			),
			problems: rows(raw.problemsAt, raw.nrProblems, abi.PROBLEM_SIZE, abi.readProblem).map(
				(row) => ({
					...row,
					reason: this.textAt(row.reasonAt),
					text: this.textAt(row.textAt),
				}),
			),
		};
	}

	/** Takes effect at the next build; "" takes the value back to its default. */
	set(key: abi.ParamKey, value: string): void {
		const keyAt = this.putText(key, 0);
		const valueAt = this.putText(value, key.length * 3 + 1);
		this.check(this.kmem.kmem_set(this.s, keyAt, valueAt));
	}

	/** Every key as that kernel had it, e.g. "linux-6.1". */
	preset(name: string): void {
		this.check(this.kmem.kmem_preset(this.s, this.putText(name, 0)));
	}

	/** The value in force, as one would write it ("automatic", "seed-2008"). */
	param(key: abi.ParamKey): string {
		return this.text(this.pointer(this.kmem.kmem_param(this.s, this.putText(key, 0))));
	}

	/** JSON text: every parameter with its meaning and its value in force, and the presets. */
	paramsJson(): string {
		return this.text(this.kmem.kmem_params_json(this.s));
	}

	/** Makes the machine and runs the trace once; afterwards the position is its end. */
	build(budgetBytes = 0): void {
		for (const _ of this.buildSlices(budgetBytes)) {
			// Each slice is the work itself.
		}
	}

	/** The same in slices: yields the operations still to go, so that a host can show progress or stop. */
	*buildSlices(budgetBytes = 0, sliceOps = BUILD_SLICE_OPS): Generator<number, void, void> {
		this.check(this.kmem.kmem_build_begin(this.s, BigInt(budgetBytes)));
		for (let left = this.buildSlice(sliceOps); left > 0; left = this.buildSlice(sliceOps)) {
			yield left;
		}
	}

	get nrOps(): number {
		return this.kmem.kmem_nr_ops(this.s) >>> 0;
	}

	/** Operations done. */
	get position(): number {
		return this.kmem.kmem_position(this.s) >>> 0;
	}

	seek(ops: number): void {
		this.check(this.kmem.kmem_seek(this.s, ops));
	}

	/** Straight on from the position, with or without recording steps: what benchmarks time. */
	run(ops: number, record: boolean): void {
		this.check(this.kmem.kmem_run(this.s, ops, record ? 1 : 0));
	}

	/** Position after the next operation of that granularity. */
	next(granularity: abi.Granularity, cache = ALL): number {
		return this.kmem.kmem_next(this.s, granularity, cache) >>> 0;
	}

	previous(granularity: abi.Granularity, cache = ALL): number {
		return this.kmem.kmem_previous(this.s, granularity, cache) >>> 0;
	}

	/** The index that lives are read from, once after a build, at some 17 bytes an operation; yields about how many
	 * operations are still to go. Moves the position. */
	indexSlices(budgetBytes = 0, sliceOps?: number): Generator<number, void, void> {
		return this.travel.index(budgetBytes, sliceOps);
	}

	/** 0 while there is none. */
	get indexBytes(): number {
		return this.travel.indexBytes;
	}

	/** The life of a cache, a slab or a place for objects in numbers; needs the index. */
	life(thing: Thing): abi.Life {
		return this.travel.life(thing);
	}

	/** Every operation that touched it, in their order, page by page; moments(row.what) tells what they did to it. */
	lifeRows(thing: Thing, page: LifePage = {}): abi.LifeRow[] {
		return this.travel.rows(thing, page);
	}

	/** The object that an operation allocated or freed, from birth to death, and its neighbours in time. */
	incarnation(op: number): abi.Incarnation {
		return this.travel.incarnation(op);
	}

	/** The allocation of what is at a place up to operation op, or else first after it. */
	allocAt(cache: number, slab: number, index: number, op: number): number | undefined {
		return this.travel.allocAt(cache, slab, index, op);
	}

	/** The first step at or after a point at which a condition holds, or the last before it. In slices: yields how many
	 * operations may be to go. Works without the index, and faster with it. Moves the position. */
	findSlices(
		conditions: readonly Condition[],
		from: Point,
		back = false,
		sliceOps?: number,
	): Generator<number, abi.Found | undefined, void> {
		return this.travel.find(conditions, from, back, sliceOps);
	}

	/** The same at one go. */
	find(conditions: readonly Condition[], from: Point, back = false): abi.Found | undefined {
		return this.travel.findNow(conditions, from, back);
	}

	/** The decisions of an operation, with their sentences: `count` of them from number `first` on. */
	steps(op: number, first = 0, count = 1024): Steps {
		const total = this.check(this.kmem.kmem_steps(this.s, op));
		const start = (this.kmem.kmem_step_rows(this.s) >>> 0) + first * abi.STEP_SIZE;
		const nr = Math.max(0, Math.min(count, total - first));
		const rows = readRows(this.memory(), start, nr, abi.STEP_SIZE, abi.readStep);
		const sentence = (i: number) =>
			this.text(this.kmem.kmem_step_sentence(this.s, start + i * abi.STEP_SIZE));
		return { total, rows: rows.map((row, i) => ({ ...row, sentence: sentence(i) })) };
	}

	/** Where its object is (slab, index) is known after steps(op), and always with the index. */
	op(op: number): Operation {
		const at = this.pointer(this.kmem.kmem_op(this.s, op));
		const row = abi.readOpRow(this.memory(), at);
		const name = this.textAt(row.nameAt);
		const site = this.textAt(row.siteAt);
		return { ...row, name, site, sentence: this.text(this.kmem.kmem_op_sentence(this.s, op)) };
	}

	/** The world at the position, of one cache or of all. */
	view(cache = ALL): Frame {
		return this.frame(this.kmem.kmem_view(this.s, cache));
	}

	/** The world as it stood right after step k (from 0) of an operation. */
	peek(op: number, k: number, cache = ALL): Frame {
		return this.frame(this.kmem.kmem_peek(this.s, op, k, cache));
	}

	/** Reports of debugging up to the position: the first thousand, and how many there are. */
	reports(): { readonly all: number; readonly rows: readonly Bug[] } {
		const at = this.kmem.kmem_reports(this.s, this.scratch, this.scratch + 4) >>> 0;
		const [nr, all] = new Uint32Array(this.kmem.memory.buffer, this.scratch, 2);
		const rows = readRows(this.memory(), at, nr ?? 0, abi.BUG_SIZE, abi.readBug);
		return {
			all: all ?? 0,
			rows: rows.map((row, i) => ({
				...row,
				name: this.textAt(row.nameAt),
				allocSite: this.textAt(row.allocSiteAt),
				freeSite: this.textAt(row.freeSiteAt),
				text: this.text(this.kmem.kmem_report_text(this.s, at + i * abi.BUG_SIZE)),
			})),
		};
	}

	/** One object, by its slab's serial number and its place there. */
	object(cache: number, slab: number, index: number): SlabObject {
		const at = this.pointer(this.kmem.kmem_object(this.s, cache, slab, index));
		return slabObject(this.memory(), at, (text) => this.textAt(text));
	}

	/** The files of a cache under /sys/kernel/slab; none where the allocator's kernel has no such files. */
	attributes(cache: number): Attribute[] {
		const call = (s: number, nr: number) => this.kmem.kmem_attributes(s, cache, nr);
		return this.table(call, abi.ATTRIBUTE_ROW_SIZE, abi.readAttributeRow).map((row) => ({
			name: this.textAt(row.nameAt),
			value: this.textAt(row.valueAt),
			writable: row.writable === 1,
		}));
	}

	/** Lines of /proc/slabinfo, latest cache first; none where the allocator's kernel has no such file. */
	slabinfo(): Named<abi.SlabinfoRow>[] {
		return this.named(
			this.table(this.kmem.kmem_slabinfo, abi.SLABINFO_ROW_SIZE, abi.readSlabinfoRow),
		);
	}

	/** All of that file. */
	slabinfoText(): string {
		return this.text(this.kmem.kmem_slabinfo_text(this.s));
	}

	caches(): Named<abi.CacheRow>[] {
		return this.named(this.table(this.kmem.kmem_cache_rows, abi.CACHE_ROW_SIZE, abi.readCacheRow));
	}

	zones(): abi.ZoneRow[] {
		return this.table(this.kmem.kmem_zone_rows, abi.ZONE_ROW_SIZE, abi.readZoneRow);
	}

	/** Where virtual time went, by CPU. */
	cpus(): abi.CpuRow[] {
		return this.table(this.kmem.kmem_cpu_rows, abi.CPU_ROW_SIZE, abi.readCpuRow);
	}

	/** And by lock: those that were ever taken. */
	locks(): abi.LockRow[] {
		return this.table(this.kmem.kmem_lock_rows, abi.LOCK_ROW_SIZE, abi.readLockRow);
	}

	totals(): abi.Totals {
		const at = this.pointer(this.kmem.kmem_totals(this.s));
		return abi.readTotals(this.memory(), at);
	}

	/** The counters that the allocator in force has: indices of COUNTER_NAMES. */
	counters(): number[] {
		return abi.COUNTER_NAMES.map((_, i) => i).filter(
			(i) => this.kmem.kmem_has_counter(this.s, i) === 1,
		);
	}

	series(metric: abi.Metric): Series {
		const at = this.pointer(this.kmem.kmem_series(this.s, metric));
		const raw = abi.readSeries(this.memory(), at);
		const numbers = (from: number) =>
			Float64Array.from(
				new BigUint64Array(this.kmem.memory.buffer, this.base + from, raw.nrBuckets),
				Number,
			);
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

	/** What a keyframe of the position takes. */
	get stateBytes(): number {
		return Number(this.kmem.kmem_state_bytes(this.s));
	}

	/** Of the whole state, as `slabscope replay` prints it: 16 hexadecimal digits. */
	hash(): string {
		return BigInt.asUintN(64, this.kmem.kmem_hash(this.s)).toString(16).padStart(16, "0");
	}

	/** Throws if a law of the world or of the allocator is broken: a bug of ours. */
	checkLaws(): void {
		this.check(this.kmem.kmem_check(this.s));
	}

	/** The order rule for a slot size, with the parameters that are set. */
	order(size: number): Order {
		const at = this.pointer(this.kmem.kmem_order(this.s, size));
		const row = abi.readOrderRow(this.memory(), at);
		return {
			...row,
			tries: this.table(this.kmem.kmem_order_tries, abi.ORDER_TRY_SIZE, abi.readOrderTry),
		};
	}

	/** The trace as text, piece by piece. */
	*export(to: ExportFormat): Generator<Uint8Array<ArrayBuffer>, void, void> {
		const opAt = this.scratch;
		const bufAt = opAt + 8;
		let op = 0;
		for (;;) {
			this.memory().setUint32(opAt, op, true);
			const format = EXPORT_FORMATS.indexOf(to);
			const len = this.check(this.kmem.kmem_export(this.s, format, opAt, bufAt, SCRATCH_BYTES - 8));
			if (len === 0) {
				return;
			}
			op = this.memory().getUint32(opAt, true);
			yield new Uint8Array(copyBytes(this.kmem.memory, bufAt, len));
		}
	}

	private buildSlice(ops: number): number {
		return this.check(Number(this.kmem.kmem_build_run(this.s, ops)));
	}

	private check(result: number): number {
		if (result < 0) {
			throw new KmemError(result as abi.Status, this.text(this.kmem.kmem_error(this.s)));
		}
		return result;
	}

	/** The address that a call returned; 0 is its way of saying that it failed. */
	private pointer(address: number): number {
		if (address === 0) {
			throw new KmemError(abi.Status.KMEM_ESTATE, this.text(this.kmem.kmem_error(this.s)));
		}
		return address >>> 0;
	}

	private memory(): DataView {
		return new DataView(this.kmem.memory.buffer);
	}

	private text(address: number): string {
		return readText(this.kmem.memory, address >>> 0);
	}

	private textAt(offset: number): string {
		return offset === 0 ? "" : readText(this.kmem.memory, this.base + offset);
	}

	private named<Row extends { readonly nameAt: number }>(rows: Row[]): Named<Row>[] {
		return rows.map((row) => ({ ...row, name: this.textAt(row.nameAt) }));
	}

	/** Writes text into the scratch area, where the next call may read it. */
	private putText(text: string, offset: number): number {
		const room = new Uint8Array(
			this.kmem.memory.buffer,
			this.scratch + offset,
			SCRATCH_BYTES - offset,
		);
		const { read, written } = new TextEncoder().encodeInto(text, room.subarray(0, -1));
		if (read < text.length) {
			throw new KmemError(
				abi.Status.KMEM_EPARAM,
				`This value is longer than ${room.length} bytes.`,
			);
		}
		room[written] = 0;
		return this.scratch + offset;
	}

	/** Rows of a call that says their number through its second argument. */
	private table<Row>(
		call: (s: number, nr: number) => number,
		size: number,
		read: Reader<Row>,
	): Row[] {
		const at = call(this.s, this.scratch) >>> 0;
		const view = this.memory();
		const nr = view.getUint32(this.scratch, true);
		if (nr > 0) {
			this.pointer(at);
		}
		return readRows(view, at, nr, size, read);
	}

	private frame(address: number): Frame {
		const raw = abi.readFrame(this.memory(), this.pointer(address));
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
		};
	}
}
