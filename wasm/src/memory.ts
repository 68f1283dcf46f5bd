// memory.ts - where memory goes, where objects are freed, and what changes of one parameter would save (session.doctor);
// memory over time as counter tracks of a Perfetto trace (session.tracks).

import * as abi from "./abi.ts";
import { type Calls, copyBytes, readText } from "./core.ts";
import { readRows } from "./rows.ts";

const ALL_CACHES = 0xffff;
const NO_CHANGE = 0xffffffff;
const SLICE_OPS = 1 << 17;
const TRACKS_SLICE_OPS = 1 << 14;

/** Objects by the CPU or node that allocated them and the one that freed them. */
export interface FreeMatrix extends abi.Matrix {
	readonly cells: readonly abi.MatrixCell[];
}

/** A change of one parameter; `more` is by abi.DoctorMeasure, negative where it saves. */
export interface ParamChange extends abi.Change {
	readonly key: string;
	readonly name: string;
	readonly group: string;
	readonly value: string;
	readonly now: string;
}

/** The ten best changes, and the numbers without a change by abi.DoctorMeasure. */
export interface Savings {
	readonly base: readonly number[];
	readonly best: readonly ParamChange[];
}

export class Memory {
	private readonly host: Calls;

	constructor(host: Calls) {
		this.host = host;
	}

	/** The parts at the position, of one cache or of each; then those of all caches. Each ends with its pages. */
	parts(cache = ALL_CACHES): abi.MemoryRow[] {
		const { kmem, s } = this.host;
		return this.rows(
			(nr) => kmem.kmem_memory(s, cache, nr),
			abi.MEMORY_ROW_SIZE,
			abi.readMemoryRow,
		);
	}

	/** The largest parts and the largest caches, in two sentences. */
	sentences(): string {
		const { kmem, s } = this.host;
		const at = this.host.pointer(kmem.kmem_memory_sentences(s));
		return readText(kmem.memory, at);
	}

	/** One pass over the trace for matrix(); yields the events still to go. */
	*matrixSlices(cache = ALL_CACHES, sliceOps = SLICE_OPS): Generator<number, void, void> {
		const { kmem, s } = this.host;
		this.host.check(kmem.kmem_matrix_begin(s, cache));
		yield* this.host.slices(() => Number(kmem.kmem_matrix_run(s, sliceOps)));
	}

	matrix(by: abi.MatrixBy): FreeMatrix {
		const { kmem, s, base } = this.host;
		const at = this.host.pointer(kmem.kmem_matrix(s, by));
		const view = new DataView(kmem.memory.buffer);
		const head = abi.readMatrix(view, at);
		const from = base + head.cellsAt;
		const cells = readRows(view, from, head.nrCells, abi.MATRIX_CELL_SIZE, abi.readMatrixCell);
		return { ...head, cells };
	}

	/** The changes of one parameter that are worth a replay on the machine in use; forgets earlier results. */
	changes(): ParamChange[] {
		const { kmem, s } = this.host;
		this.host.check(kmem.kmem_doctor_begin(s));
		return this.changeRows((nr) => kmem.kmem_doctor_changes(s, nr));
	}

	/**
	 * Takes the numbers of a replay with that change, undefined for the replay without one, in the order of MEASURES; no
	 * numbers if the machine is not valid.
	 */
	result(change: number | undefined, values: readonly number[] | undefined): void {
		const { kmem, s, scratch } = this.host;
		const view = new DataView(kmem.memory.buffer);
		values?.forEach((value, i) => {
			view.setBigUint64(scratch + i * 8, BigInt(value), true);
		});
		this.host.check(kmem.kmem_doctor_result(s, change ?? NO_CHANGE, values ? scratch : 0));
	}

	/** The best of the changes whose numbers are known. */
	savings(most: number): Savings {
		const { kmem, s } = this.host;
		const best = this.changeRows((nr) => kmem.kmem_doctor_best(s, most, nr));
		const at = this.host.pointer(kmem.kmem_doctor_base(s));
		const view = new DataView(kmem.memory.buffer);
		const base = abi.DOCTOR_MEASURE_NAMES.map((_, i) =>
			Number(view.getBigUint64(at + i * 8, true)),
		);
		return { base, best };
	}

	private changeRows(call: (nr: number) => number): ParamChange[] {
		const { kmem, base } = this.host;
		const text = (at: number) => readText(kmem.memory, base + at);
		return this.rows(call, abi.CHANGE_SIZE, abi.readChange).map((row) => ({
			...row,
			key: text(row.keyAt),
			name: text(row.nameAt),
			group: text(row.groupAt),
			value: text(row.valueAt),
			now: text(row.nowAt),
		}));
	}

	private rows<T>(
		call: (nr: number) => number,
		size: number,
		read: (view: DataView, at: number) => T,
	): T[] {
		const { kmem, scratch } = this.host;
		const at = this.host.pointer(call(scratch));
		const view = new DataView(kmem.memory.buffer);
		return readRows(view, at, view.getUint32(scratch, true), size, read);
	}
}

/** The next bytes of the file, and the events still to go. */
export interface TracksPart {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly left: number;
}

export class Tracks {
	private readonly host: Calls;

	constructor(host: Calls) {
		this.host = host;
	}

	/** Replays the trace once more: all caches together, and the `top` largest. Moves the position. */
	*parts(top: number, sliceOps = TRACKS_SLICE_OPS): Generator<TracksPart, void, void> {
		const { kmem, s, scratch } = this.host;
		this.host.check(kmem.kmem_tracks_begin(s, ALL_CACHES, top, 0));
		for (;;) {
			const left = this.host.check(Number(kmem.kmem_tracks_run(s, sliceOps)));
			const at = this.host.pointer(kmem.kmem_tracks_bytes(s, scratch));
			const nr = new DataView(kmem.memory.buffer).getUint32(scratch, true);
			yield { bytes: new Uint8Array(copyBytes(kmem.memory, at, nr)), left };
			if (left === 0) return;
		}
	}
}
