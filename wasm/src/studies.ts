// studies.ts - the experiments of the proposals: a proposal's figures, a real kernel's, and those measured here;
// session.studies. A study takes the whole session: its runs replace trace and machine.

import * as abi from "./abi.ts";
import { Group } from "./group.ts";

export { SEEDS } from "./abi.ts";

/** A number as it is printed: its digits, and how many of them are decimals. */
export interface Quantity {
	readonly value: number;
	readonly decimals: number;
}

export interface Figure {
	readonly table: string;
	readonly row: string;
	readonly column: string;
	/** Unit of the proposal's and the real kernel's figures. */
	readonly unit: string;
	readonly oursUnit: string;
	/** abi.FigureKind */
	readonly kind: number;
	readonly seed: Quantity | undefined;
	readonly real: Quantity | undefined;
	/** The least and the most of the real kernel's boots, if there were several. */
	readonly realLeast: Quantity | undefined;
	readonly realMost: Quantity | undefined;
	/** The run of the real kernel, "" if none. */
	readonly realFrom: string;
	/** undefined until everything has been measured, and if the model has no such figure. */
	readonly ours: Quantity | undefined;
	/** Undefined if there is no figure to compare with. */
	readonly agrees: boolean | undefined;
	/** The reasons, in sentences with the measured numbers. */
	readonly why: string;
	/** The rule of agreement, "" without a figure to compare with. */
	readonly rule: string;
}

export interface Study {
	readonly id: string;
	readonly name: string;
	readonly title: string;
	/** The parameter that switches the proposal on. */
	readonly parameter: string;
	/** Workloads, machines, and the meaning of times. */
	readonly setup: string;
	readonly year: number;
	readonly runs: number;
	readonly runsDone: number;
	readonly figures: readonly Figure[];
}

/** Converts it: 2346 with 2 decimals is 23.46. */
export function quantityText({ value, decimals }: Quantity): string {
	return (value / 10 ** decimals).toLocaleString("en-US", {
		minimumFractionDigits: decimals,
		maximumFractionDigits: decimals,
	});
}

const SLICE_OPS = 1 << 17;
const AGREES = [undefined, true, false] as const;

export class Studies extends Group {
	/**
	 * Runs a study to its end, e.g. slices("003"), scale hundredths of its workloads; yields how many thousandths are
	 * still to go.
	 */
	*slices(seed: string, sliceOps = SLICE_OPS, scale = 100): Generator<number, void, void> {
		this.beginJob(abi.Job.JOB_EXPERIMENT, this.putText(seed, 0), scale);
		yield* this.jobSlices(abi.Job.JOB_EXPERIMENT, sliceOps);
	}

	/** Returns the last study that was started, as far as it has come: the proposal's figures at once, ours at the end. */
	current(): Study {
		const at = this.address(this.kmem.kmem_experiment(this.s));
		const head = abi.readExperiment(this.memory(), at);
		const { rowsAt, nrRows } = head;
		const rows = this.rowsAt(rowsAt, nrRows, abi.FIGURE_ROW_SIZE, abi.readFigureRow);
		const text = (offset: number) => this.textAt(offset);
		return {
			id: text(head.idAt),
			name: text(head.nameAt),
			title: text(head.titleAt),
			parameter: text(head.switchAt),
			setup: text(head.setupAt),
			year: head.year,
			runs: head.runs,
			runsDone: head.runsDone,
			figures: rows.map((row) => figure(row, text)),
		};
	}
}

function figure(row: abi.FigureRow, text: (offset: number) => string): Figure {
	const quantity = (there: number, value: number, decimals: number) =>
		there === 1 ? { value, decimals } : undefined;
	return {
		table: text(row.tableAt),
		row: text(row.rowAt),
		column: text(row.columnAt),
		unit: text(row.unitAt),
		oursUnit: text(row.oursUnitAt),
		kind: row.kind,
		seed: quantity(row.hasSeed, row.seedValue, row.seedDecimals),
		real: quantity(row.hasReal, row.realValue, row.realDecimals),
		realLeast: quantity(row.hasSpread, row.realLeast, row.realDecimals),
		realMost: quantity(row.hasSpread, row.realMost, row.realDecimals),
		realFrom: text(row.realFromAt),
		ours: quantity(row.hasOurs, row.oursValue, row.oursDecimals),
		agrees: AGREES[row.agrees],
		why: text(row.whyAt),
		rule: text(row.ruleAt),
	};
}
