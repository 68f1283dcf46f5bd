// studies.ts - the seeds' experiments: a proposal's figures, a real kernel's, and what is measured here;
// session.studies. A study takes the session for itself: trace and machine give way to those of its runs.

import * as abi from "./abi.ts";
import { type KmemExports, readText } from "./core.ts";
import { readRows } from "./rows.ts";

export { SEEDS } from "./abi.ts";

/** What of a session is needed. */
export interface StudiesHost {
	readonly kmem: KmemExports;
	readonly s: number;
	/** Of the session's region. */
	readonly base: number;
	check(result: number): number;
	pointer(address: number): number;
	putText(text: string, offset: number): number;
}

/** A number as it was printed: digits by ten to the power of decimals. */
export interface Quantity {
	readonly value: number;
	readonly decimals: number;
}

export interface Figure {
	readonly table: string;
	readonly row: string;
	readonly column: string;
	/** Of seed and real. */
	readonly unit: string;
	readonly oursUnit: string;
	/** abi.FigureKind */
	readonly kind: number;
	readonly seed: Quantity | undefined;
	readonly real: Quantity | undefined;
	/** Of the boots of the real kernel, where there were several. */
	readonly realLeast: Quantity | undefined;
	readonly realMost: Quantity | undefined;
	/** Which run of the real kernel, "" if none. */
	readonly realFrom: string;
	/** undefined until all has been measured, or where the model has no such thing. */
	readonly ours: Quantity | undefined;
	/** undefined: there is nothing to agree with. */
	readonly agrees: boolean | undefined;
	/** Sentences made of what was measured. */
	readonly why: string;
	/** By which rule it agrees or not, "" where there is nothing to agree with. */
	readonly rule: string;
}

export interface Study {
	readonly id: string;
	readonly name: string;
	readonly title: string;
	/** The parameter that makes the difference. */
	readonly parameter: string;
	/** Workloads, machines, and what times are. */
	readonly setup: string;
	readonly year: number;
	readonly runs: number;
	readonly runsDone: number;
	readonly figures: readonly Figure[];
}

/** 2346 with 2 decimals is 23.46. */
export function quantityText({ value, decimals }: Quantity): string {
	return (value / 10 ** decimals).toLocaleString("en-US", {
		minimumFractionDigits: decimals,
		maximumFractionDigits: decimals,
	});
}

const SLICE_OPS = 1 << 17;
const AGREES = [undefined, true, false] as const;

export class Studies {
	private readonly host: StudiesHost;

	constructor(host: StudiesHost) {
		this.host = host;
	}

	/**
	 * Runs one to its end, e.g. slices("003"), scale hundredths of its workloads; yields how many thousandths are still
	 * to go.
	 */
	*slices(seed: string, sliceOps = SLICE_OPS, scale = 100): Generator<number, void, void> {
		const { kmem, s } = this.host;
		this.host.check(kmem.kmem_experiment_begin(s, this.host.putText(seed, 0), scale));
		const slice = () => this.host.check(kmem.kmem_experiment_run(s, sliceOps));
		for (let left = slice(); left > 0; left = slice()) {
			yield left;
		}
	}

	/** The one that has begun last, as far as it is: figures of the seed at once, ours at the end. */
	current(): Study {
		const { kmem, s, base } = this.host;
		const at = this.host.pointer(kmem.kmem_experiment(s));
		const view = new DataView(kmem.memory.buffer);
		const head = abi.readExperiment(view, at);
		const text = (offset: number) => readText(kmem.memory, base + offset);
		const rows = readRows(
			view,
			base + head.rowsAt,
			head.nrRows,
			abi.FIGURE_ROW_SIZE,
			abi.readFigureRow,
		);
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
