// session.ts - one session of kmem.h as a class: a trace, a machine, and a position. viewer.ts has the functions of a
// first view, travel.ts histories and searches; other groups have objects (workloads, measures, studies).

import * as abi from "./abi.ts";
import { Side } from "./compare.ts";
import {
	copyBytes,
	instantiate,
	KmemError,
	type KmemExports,
	PAGE_BYTES,
	SCRATCH_BYTES,
} from "./core.ts";
import { Filter } from "./filter.ts";
import { Lookup } from "./lookup.ts";
import { MachineCaches } from "./machine.ts";
import { Measures } from "./measures.ts";
import { Memory, Tracks } from "./memory.ts";
import { Reality } from "./reality.ts";
import {
	type Attribute,
	type Bug,
	type Columns,
	EXPORT_FORMATS,
	type ExportFormat,
	type Kernel,
	type Named,
	type Order,
	readRows,
	type SlabObject,
	slabObject,
} from "./rows.ts";
import { CallSites } from "./sites.ts";
import { Studies } from "./studies.ts";
import { KmemTravel } from "./travel.ts";
import { Workloads } from "./workloads.ts";

/** Match KMEM_EXPORT_CHOSEN and KMEM_EXPORT_ANONYMOUS in kmem.h. */
const EXPORT_CHOSEN = 0x100;
const EXPORT_ANONYMOUS = 0x200;

/** Parts of an exported trace. */
export interface ExportPart {
	/** Only what the filter chose. */
	readonly chosen?: boolean | undefined;
	/** Pseudonyms in place of call sites and tasks. */
	readonly anonymous?: boolean | undefined;
}

/** Stands for no slab, in place of a serial number: KMEM_NONE32 in kmem.h. */
export const NOWHERE = 0xffffffff;

export class KmemSession extends KmemTravel {
	/** Generated traces, and the shape of any trace. */
	readonly workloads: Workloads;
	/** Questions about the caches of a real machine. */
	readonly realMachine: MachineCaches;
	/** Replays that only compute numbers. */
	readonly measures: Measures;
	/** The experiments of the proposals. */
	readonly studies: Studies;
	/** Recorded pointers and tasks, and reports of the kernel. */
	readonly lookup: Lookup;
	/** Where memory goes, and which changes would help. */
	readonly doctor: Memory;
	/** Allocations of each call site, and the objects that are left. */
	readonly sites: CallSites;
	/** Memory over time, for Perfetto. */
	readonly tracks: Tracks;
	/** Chooses events. */
	readonly filter: Filter;
	/** The model against the run of a real kernel. */
	readonly reality: Reality;
	/** Its numbers, for a comparison with another trace. */
	readonly side: Side;

	protected constructor(kmem: KmemExports) {
		super(kmem);
		this.workloads = new Workloads(this);
		this.realMachine = new MachineCaches(this);
		this.measures = new Measures(this);
		this.studies = new Studies(this);
		this.lookup = new Lookup(this);
		this.doctor = new Memory(this);
		this.sites = new CallSites(this);
		this.tracks = new Tracks(this);
		this.filter = new Filter(this);
		this.reality = new Reality(this);
		this.side = new Side(this);
	}

	/** Adds the cause of a refusal, which the small module does not have. */
	protected override failure(code?: abi.Status): KmemError {
		const at = this.kmem.kmem_fault(this.s) >>> 0;
		const raw = abi.readFault(this.memory(), at);
		const plain = super.failure(code);
		// A call that records no fault leaves the one of an earlier call.
		if (raw.status === abi.Status.KMEM_OK || (code !== undefined && raw.status !== code))
			return plain;
		return new KmemError(raw.status as abi.Status, plain.message, {
			kind: raw.kind as abi.FaultKind,
			key: this.textAt(raw.keyAt),
			other: this.textAt(raw.otherAt),
		});
	}

	/** Makes a session in a separate instance. */
	static override async open(module: WebAssembly.Module): Promise<KmemSession> {
		return new KmemSession(await instantiate(module));
	}

	/**
	 * Makes a session to be filled by fillImage() with the image() of another session of the same module. An image does not
	 * name its module, so the caller keeps the two together.
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

	/** Stores bytes of an image; no other call is allowed before the image is complete. */
	fillImage(at: number, bytes: Uint8Array): void {
		new Uint8Array(this.kmem.memory.buffer).set(bytes, at);
	}

	/** Returns a copy of all memory: smallest right after an import, before anything is set or built. */
	image(): Uint8Array<ArrayBuffer> {
		return new Uint8Array(this.kmem.memory.buffer.slice(0));
	}

	/**
	 * After importBegin, for a host that can read its file at any offset: from now on importChunk() receives the
	 * bytes at importRange(), in one piece of at most SCRATCH_BYTES, until that range is empty.
	 */
	importByRange(fileBytes: number): void {
		this.ok(this.kmem.kmem_import_by_range(this.s, BigInt(fileBytes)));
	}

	importRange(): abi.Range {
		const at = this.address(this.kmem.kmem_import_range(this.s));
		return abi.readRange(this.memory(), at);
	}

	/** Reads bytes into events and drops them, for benchmarks of reading alone. */
	readOnly(chunks: Iterable<Uint8Array>): void {
		this.importBegin();
		this.ok(this.kmem.kmem_import_dry(this.s));
		for (const chunk of chunks) {
			this.importChunk(chunk);
		}
		// Without events the core finds no trace in it, which is as it should be.
		this.kmem.kmem_import_end(this.s);
	}

	/** After importBegin, before the first chunk: the roles of CSV columns, e.g. "ptr=addr,req=3,unit=us". */
	importColumns(mapping: string): void {
		this.ok(this.kmem.kmem_import_columns(this.s, this.putText(mapping, 0)));
	}

	/** Returns the roles that importColumns still needs; valid after a refusal too. */
	columns(): Columns {
		const at = this.address(this.kmem.kmem_columns(this.s));
		const raw = abi.readColumns(this.memory(), at);
		return {
			columns: this.rowsAt(raw.columnsAt, raw.nrColumns, abi.COLUMN_SIZE, abi.readColumn).map(
				(row) => ({
					name: this.textAt(row.nameAt),
					sample: this.textAt(row.sampleAt),
					role: row.role as abi.Role,
					given: row.given === 1,
				}),
			),
			separator: raw.separator === 0 ? "" : String.fromCharCode(raw.separator),
			missing: Object.values(abi.Role).filter((role) => (raw.missing >> role) & 1),
		};
	}

	/** Reads a machine state from /proc/slabinfo or /sys/kernel/slab; build() applies it. */
	readMachineState(chunks: Iterable<Uint8Array>): void {
		this.ok(this.kmem.kmem_machine_state_begin(this.s));
		for (const chunk of chunks) this.putBytes(chunk, this.kmem.kmem_machine_state_chunk);
		this.ok(this.kmem.kmem_machine_state_end(this.s));
	}

	/** From the next build on, a replay starts from the slabs of the machine state, or from none. */
	beginWarm(on: boolean): void {
		this.kmem.kmem_warm_use(this.s, Number(on));
	}

	/** From the next build on, a replay of a trace with real pointers starts from the slabs that they show, or from none. */
	inferStart(on: boolean): void {
		this.kmem.kmem_infer_use(this.s, Number(on));
	}

	/** Returns the start of the last build, and so the mark of memory figures that depend on it. */
	start(): { readonly startFrom: abi.StartFrom; readonly from: abi.From } {
		const { kmem, s } = this;
		return {
			startFrom: kmem.kmem_start_from(s) as abi.StartFrom,
			from: kmem.kmem_from(s) as abi.From,
		};
	}

	/** Returns a number that is equal for machines with the same start, and larger if more objects are left out. */
	startKey(): number {
		return this.kmem.kmem_start_key(this.s);
	}

	/** Limits what the next builds start from. */
	limitStart(limit: abi.StartLimit): void {
		this.kmem.kmem_start_limit(this.s, limit);
	}

	/** Describes the start in one sentence. */
	warmStart(): string {
		return this.text(this.kmem.kmem_warm_text(this.s));
	}

	/** Returns how many slabs the last build started from; 0 if it started empty. */
	warmSlabs(): number {
		// The call may grow the memory, and a view of before is empty then.
		const at = this.address(this.kmem.kmem_warm(this.s));
		return abi.readWarm(this.memory(), at).slabs;
	}

	/** Describes the machine state in use, in one sentence; "" if caches have their own parameters. */
	cacheParams(): string {
		return this.text(this.kmem.kmem_cache_params_text(this.s));
	}

	/** Says which kernel is modelled, and why. */
	kernel(): Kernel {
		const at = this.address(this.kmem.kmem_kernel(this.s));
		const row = abi.readKernel(this.memory(), at);
		return {
			preset: this.textAt(row.presetAt),
			recorded: row.recordedAt === 0 ? "" : this.textAt(row.recordedAt),
			words: this.textAt(row.wordsAt),
			choice: row.chosenBy as abi.KernelChoice,
		};
	}

	/**
	 * Throws if settings contradict each other, as far as that is known: without a trace, it checks only the
	 * settings.
	 */
	checkSettings(): void {
		this.ok(this.kmem.kmem_check_settings(this.s));
	}

	/**
	 * Sets a machine from one line, ALLOCATOR[,KEY=VALUE...]; throws the command's sentence if the command would
	 * refuse it.
	 */
	setSpec(spec: string): void {
		this.ok(this.kmem.kmem_set_spec(this.s, this.putText(spec, 0)));
	}

	/** From the next build on, caches get the parameters of the machine state. */
	applyMachineState(on: boolean): void {
		this.kmem.kmem_machine_state_use(this.s, Number(on));
	}

	/** Lists the caches of the machine state; `cache` is the model's, or ALL if it has none by that name. */
	machineState(): Named<abi.MachineStateRow>[] {
		return this.named(
			this.table(
				this.kmem.kmem_machine_state_rows,
				abi.MACHINE_STATE_ROW_SIZE,
				abi.readMachineStateRow,
			),
		);
	}

	/** Returns the value in use, as you would write it ("automatic", "rfc-2008"). */
	param(key: abi.ParamKey): string {
		return this.text(this.address(this.kmem.kmem_param(this.s, this.putText(key, 0))));
	}

	totals(): abi.Totals {
		const at = this.address(this.kmem.kmem_totals(this.s));
		return abi.readTotals(this.memory(), at);
	}

	/** Whether the allocator in use has a measure: enum kmem_measure. */
	hasMeasure(measure: number): boolean {
		return this.kmem.kmem_has_measure(this.s, measure) === 1;
	}

	/** Returns how many events are done. */
	get position(): number {
		return this.kmem.kmem_position(this.s) >>> 0;
	}

	/** Replays on from the position, with or without recording steps, for benchmarks. */
	run(ops: number, record: boolean): void {
		this.ok(this.kmem.kmem_run(this.s, ops, record ? 1 : 0));
	}

	/** Returns debugging reports up to the position: the first thousand, and the number of all. */
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

	/** Returns one object, by its slab's serial number and its index there. */
	object(cache: number, slab: number, index: number): SlabObject {
		const at = this.address(this.kmem.kmem_object(this.s, cache, slab, index));
		return slabObject(this.memory(), at, (text) => this.textAt(text));
	}

	/** Returns the bytes of an object's slot, in runs; none if the model keeps no bytes. */
	objectBytes(cache: number, slab: number, index: number): abi.ByteRun[] {
		const call = (s: number, nr: number) => this.kmem.kmem_object_bytes(s, cache, slab, index, nr);
		return this.table(call, abi.BYTE_RUN_SIZE, abi.readByteRun);
	}

	/** Returns the files of a cache under /sys/kernel/slab; none if the allocator's kernel has no such files. */
	attributes(cache: number): Attribute[] {
		const call = (s: number, nr: number) => this.kmem.kmem_attributes(s, cache, nr);
		return this.table(call, abi.ATTRIBUTE_ROW_SIZE, abi.readAttributeRow).map((row) => ({
			name: this.textAt(row.nameAt),
			value: this.textAt(row.valueAt),
			writable: row.writable === 1,
		}));
	}

	/** Returns the lines of /proc/slabinfo, latest cache first; none if the allocator's kernel has no such file. */
	slabinfo(): Named<abi.SlabinfoRow>[] {
		return this.named(
			this.table(this.kmem.kmem_slabinfo, abi.SLABINFO_ROW_SIZE, abi.readSlabinfoRow),
		);
	}

	/** Returns the whole file. */
	slabinfoText(): string {
		return this.text(this.kmem.kmem_slabinfo_text(this.s));
	}

	/** Returns how virtual time was used, by CPU. */
	cpus(): abi.CpuRow[] {
		return this.table(this.kmem.kmem_cpu_rows, abi.CPU_ROW_SIZE, abi.readCpuRow);
	}

	/** Returns the same by lock, for locks that were ever taken. */
	locks(): abi.LockRow[] {
		return this.table(this.kmem.kmem_lock_rows, abi.LOCK_ROW_SIZE, abi.readLockRow);
	}

	/** Returns how many bytes a keyframe takes at the position. */
	get stateBytes(): number {
		return Number(this.kmem.kmem_state_bytes(this.s));
	}

	/** Whether the allocator in use acts on events of this enum kmem_op_kind, such as a turn of the reaper. */
	hasRequest(kind: abi.OpKind): boolean {
		return this.kmem.kmem_has_request(this.s, kind) === 1;
	}

	/**
	 * Continues the trace after its first events with lines of a slabtrace; build() replays them. The recorded events
	 * are kept. The ID of an object that is live by then is the number, from 1, of the event that allocated it.
	 */
	fork(events: number, lines: string): void {
		const at = this.putText(lines, 0);
		const bytes = new TextEncoder().encode(lines).length;
		this.ok(this.kmem.kmem_fork(this.s, events, at, bytes));
	}

	/** Ends a fork: the recorded events follow again after the next build(). */
	leaveFork(): void {
		this.ok(this.kmem.kmem_fork_leave(this.s));
	}

	/** Returns the events that allocated the objects live at the fork, the latest first. */
	forkObjects(most: number): number[] {
		return this.table(
			(s, nr) => this.kmem.kmem_fork_objects(s, most, nr),
			4,
			(view, at) => view.getUint32(at, true),
		);
	}

	/** Returns a hash of the whole state, as `slabscope replay` prints it: 16 hexadecimal digits. */
	hash(): string {
		return BigInt.asUintN(64, this.kmem.kmem_hash(this.s)).toString(16).padStart(16, "0");
	}

	/** Throws if an invariant of the world or of the allocator is broken, which would be a bug of ours. */
	checkLaws(): void {
		this.ok(this.kmem.kmem_check(this.s));
	}

	/** Applies the order rule to a slot size, with the parameters that are set. */
	order(size: number): Order {
		const at = this.address(this.kmem.kmem_order(this.s, size));
		const row = abi.readOrderRow(this.memory(), at);
		return {
			...row,
			tries: this.table(this.kmem.kmem_order_tries, abi.ORDER_TRY_SIZE, abi.readOrderTry),
		};
	}

	/** Yields the trace, or a part of it, as text, piece by piece. */
	*export(
		to: ExportFormat,
		{ chosen, anonymous }: ExportPart = {},
	): Generator<Uint8Array<ArrayBuffer>, void, void> {
		const opAt = this.scratch;
		const bufAt = opAt + 8;
		const format =
			EXPORT_FORMATS.indexOf(to) |
			(chosen ? EXPORT_CHOSEN : 0) |
			(anonymous ? EXPORT_ANONYMOUS : 0);
		let op = 0;
		for (;;) {
			this.memory().setUint32(opAt, op, true);
			const len = this.ok(this.kmem.kmem_export(this.s, format, opAt, bufAt, SCRATCH_BYTES - 8));
			if (len === 0) {
				return;
			}
			op = this.memory().getUint32(opAt, true);
			yield new Uint8Array(copyBytes(this.kmem.memory, bufAt, len));
		}
	}
}
