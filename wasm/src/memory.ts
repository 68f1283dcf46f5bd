// memory.ts - where memory goes, where objects are freed, and what changes to one parameter would save (session.doctor);
// memory over time as counter tracks of a Perfetto trace (session.tracks).

import * as abi from "./abi.ts";
import { copyBytes } from "./core.ts";
import { Group } from "./group.ts";

const ALL_CACHES = 0xffff;
const NO_CHANGE = 0xffffffff;
const SLICE_OPS = 1 << 17;
const TRACKS_SLICE_OPS = 1 << 14;

/** Objects by the CPU or node that allocated them and the one that freed them. */
export interface FreeMatrix extends abi.Matrix {
	readonly cells: readonly abi.MatrixCell[];
}

/** A change to one parameter; `more` is indexed by abi.DoctorMeasure, and negative where it saves. */
export interface ParamChange extends abi.Change {
	readonly key: string;
	readonly name: string;
	readonly group: string;
	readonly value: string;
	readonly now: string;
}

/** The ten best changes, and the unchanged machine's numbers, indexed by abi.DoctorMeasure. */
export interface Savings {
	readonly base: readonly number[];
	readonly best: readonly ParamChange[];
}

/** A part of the pages in use, with the mark of its figures. */
export interface MemoryPartRow extends abi.MemoryRow {
	readonly from: abi.From;
}

export class Memory extends Group {
	/** Returns the parts at the position, for one cache or for each, then for all caches together. The pages come last in each. */
	parts(cache = ALL_CACHES): MemoryPartRow[] {
		const call = (s: number, nr: number) => this.kmem.kmem_memory(s, cache, nr);
		const rows = this.rowsOf(call, abi.MEMORY_ROW_SIZE, abi.readMemoryRow);
		return rows.map((row) => ({ ...row, from: this.#markOf(row) }));
	}

	#markOf({ part, cache }: abi.MemoryRow): abi.From {
		const isOfTrace = part === abi.MemoryPart.PART_REQUESTED || part === abi.MemoryPart.PART_LARGE;
		return isOfTrace ? abi.From.FROM_MEASURED : (this.kmem.kmem_from_of(this.s, cache) as abi.From);
	}

	/** Names the largest parts and the largest caches, in two sentences. */
	sentences(): string {
		return this.text(this.address(this.kmem.kmem_memory_sentences(this.s)));
	}

	/** A sentence about the memory that the trace itself measures, whatever the start was; "" if it has none. */
	measured(): string {
		return this.text(this.address(this.kmem.kmem_measured_text(this.s)));
	}

	/** One pass over the trace for matrix(); yields the events still to go. */
	*matrixSlices(cache = ALL_CACHES, sliceOps = SLICE_OPS): Generator<number, void, void> {
		this.beginJob(abi.Job.JOB_MATRIX, cache);
		yield* this.jobSlices(abi.Job.JOB_MATRIX, sliceOps);
	}

	matrix(by: abi.MatrixBy): FreeMatrix {
		const at = this.address(this.kmem.kmem_matrix(this.s, by));
		const head = abi.readMatrix(this.memory(), at);
		const { cellsAt, nrCells } = head;
		return {
			...head,
			cells: this.rowsAt(cellsAt, nrCells, abi.MATRIX_CELL_SIZE, abi.readMatrixCell),
		};
	}

	/** Returns the changes to one parameter that are worth a replay on the machine in use; forgets earlier results. */
	changes(): ParamChange[] {
		this.ok(this.kmem.kmem_doctor_begin(this.s));
		return this.changeRows(this.kmem.kmem_doctor_changes);
	}

	/**
	 * Takes the numbers of a replay with that change (undefined for the unchanged machine) in the order of MEASURES; no
	 * numbers if the machine is not valid.
	 */
	result(change: number | undefined, values: readonly number[] | undefined): void {
		const { kmem, s, scratch } = this;
		const view = this.memory();
		values?.forEach((value, i) => {
			view.setBigUint64(scratch + i * 8, BigInt(value), true);
		});
		this.ok(kmem.kmem_doctor_result(s, change ?? NO_CHANGE, values ? scratch : 0));
	}

	/** Returns the best of the changes whose numbers are known. */
	savings(most: number): Savings {
		const { kmem, s } = this;
		const best = this.changeRows((_, nr) => kmem.kmem_doctor_best(s, most, nr));
		const at = this.address(kmem.kmem_doctor_base(s));
		const view = this.memory();
		const base = abi.DOCTOR_MEASURE_NAMES.map((_, i) =>
			Number(view.getBigUint64(at + i * 8, true)),
		);
		return { base, best };
	}

	private changeRows(call: (s: number, nr: number) => number): ParamChange[] {
		return this.rowsOf(call, abi.CHANGE_SIZE, abi.readChange).map((row) => ({
			...row,
			key: this.textAt(row.keyAt),
			name: this.textAt(row.nameAt),
			group: this.textAt(row.groupAt),
			value: this.textAt(row.valueAt),
			now: this.textAt(row.nowAt),
		}));
	}
}

/** The next bytes of the file, and the events still to go. */
export interface TracksPart {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly left: number;
}

export class Tracks extends Group {
	/** Replays the trace again for all caches together and the `top` largest. Moves the position. */
	*parts(top: number, sliceOps = TRACKS_SLICE_OPS): Generator<TracksPart, void, void> {
		const { kmem, s, scratch } = this;
		this.beginJob(abi.Job.JOB_TRACKS, ALL_CACHES, top);
		for (;;) {
			const left = this.ok(Number(kmem.kmem_work(s, abi.Job.JOB_TRACKS, sliceOps)));
			const at = this.address(kmem.kmem_tracks_bytes(s, scratch));
			const nr = this.memory().getUint32(scratch, true);
			yield { bytes: new Uint8Array(copyBytes(kmem.memory, at, nr)), left };
			if (left === 0) return;
		}
	}
}
