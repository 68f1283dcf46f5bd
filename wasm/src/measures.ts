// measures.ts - a replay for its numbers: what a machine comes to on a trace, each with its worst moment;
// session.measures. One pass that keeps nothing to travel by.

import * as abi from "./abi.ts";
import { type KmemExports, readText } from "./core.ts";
import { readRows } from "./rows.ts";

/** What of a session is needed. */
export interface MeasuresHost {
	readonly kmem: KmemExports;
	readonly s: number;
	readonly scratch: number;
	/** Of the session's region. */
	readonly base: number;
	check(result: number): number;
	pointer(address: number): number;
}

/** A number of a replay. */
export interface MeasureName {
	/** As `slabscope sweep --metric` takes it. */
	readonly key: string;
	readonly words: string;
}

/** One number: undefined where the allocator in force has no such thing. */
export interface Measured extends MeasureName {
	readonly value: number | undefined;
	/** Operations done at its worst moment. */
	readonly op: number;
}

/** What the recorded kernel counted for one cache; indices of both arrays are abi.Counter. */
export interface Told {
	readonly name: string;
	/** The model's cache of that name, ALL if there is none. */
	readonly cache: number;
	readonly all: readonly number[];
	/** Of these, on frees of objects that were allocated before the recording. */
	readonly before: readonly number[];
}

/** Every number that can be measured, in the core's order. */
export const MEASURES: readonly MeasureName[] = [
	...abi.MEASURE_NAMES.map((name, i) => ({
		key: name.slice(name.indexOf("_") + 1).toLowerCase(),
		words: abi.MEASURE_WORDS[i] ?? "",
	})),
	...abi.COUNTER_NAMES.map((name, i) => ({
		key: name.toLowerCase(),
		words: abi.COUNTER_WORDS[i] ?? "",
	})),
];

const SLICE_OPS = 1 << 16;
const ALL_ROWS = 0xffffffff;

export class Measures {
	private readonly host: MeasuresHost;

	constructor(host: MeasuresHost) {
		this.host = host;
	}

	/** Makes the machine and goes through the trace; yields the operations still to go. */
	*slices(sliceOps = SLICE_OPS): Generator<number, void, void> {
		const { kmem, s } = this.host;
		this.host.check(kmem.kmem_measure_begin(s));
		const slice = () => this.host.check(Number(kmem.kmem_measure_run(s, sliceOps)));
		for (let left = slice(); left > 0; left = slice()) {
			yield left;
		}
	}

	/** The recorded kernel's own counters; none where the recording does not tell them. */
	told(): Told[] {
		const { kmem, s, scratch, base } = this.host;
		const at = kmem.kmem_told(s, scratch) >>> 0;
		const view = new DataView(kmem.memory.buffer);
		const nr = view.getUint32(scratch, true);
		return readRows(view, at, nr, abi.TOLD_ROW_SIZE, abi.readToldRow).map((row) => ({
			name: readText(kmem.memory, base + row.nameAt),
			cache: row.cache,
			all: row.all,
			before: row.before,
		}));
	}

	/** What the kernel's counters and the model's, up to the position, say of each other; none where there are none. */
	toldWhy(): string[] {
		const { kmem, s } = this.host;
		const sentences: string[] = [];
		for (let i = 0; ; i++) {
			const at = kmem.kmem_told_why(s, ALL_ROWS, i) >>> 0;
			if (at === 0) return sentences;
			const sentence = readText(kmem.memory, at);
			if (sentence !== "") sentences.push(sentence);
		}
	}

	/** All that can be told after it. */
	rows(): Measured[] {
		const { kmem, s, scratch } = this.host;
		const at = this.host.pointer(kmem.kmem_measured(s, scratch));
		const view = new DataView(kmem.memory.buffer);
		return MEASURES.map((name, i) => {
			const { value, op, known } = abi.readMeasured(view, at + i * abi.MEASURED_SIZE);
			return { ...name, value: known === 1 ? value : undefined, op };
		});
	}
}
