// rows.ts - the types of a session's results: copies of rows of abi.ts with their texts in place of addresses; and names for
// the numbers of steps.

import * as abi from "./abi.ts";

export type Named<Row> = Row & { readonly name: string };

/** The world as rows: raw rows of abi.ts in buffers that can be transferred; framePlaces and frameSlabs read them. */
export interface Frame {
	/** Events done. */
	readonly op: number;
	/** Steps done of the event in progress, 0 between events. */
	readonly step: number;
	/** PLACE_SIZE bytes each. */
	readonly places: ArrayBuffer;
	/** SLAB_ROW_SIZE bytes each. */
	readonly slabs: ArrayBuffer;
	/** One byte an object, see Cell. */
	readonly cells: Uint8Array<ArrayBuffer>;
	/** Objects in arrays and queues, ENTRY_SIZE bytes each, by place. */
	readonly entries: ArrayBuffer;
	/** Cells of slabs whose cells differ in size, EXTENT_SIZE bytes each. */
	readonly extents: ArrayBuffer;
	/** How often the any-node search was called so far, and how many zones it checked. */
	readonly anyNodeEntered: number;
	readonly anyNodeZones: number;
}

/** Rows that can be transferred, and their names. */
export interface NamedRows {
	readonly rows: ArrayBuffer;
	readonly names: readonly string[];
}

export interface Operation extends abi.OpRow {
	/** Tracepoint, or slabtrace's word. */
	readonly name: string;
	/** Call site, "" if unknown. */
	readonly site: string;
	readonly sentence: string;
}

export interface Steps {
	/** Steps of the event. */
	readonly total: number;
	/** The requested steps. */
	readonly rows: readonly StepRow[];
}

export type StepRow = abi.Step & { readonly sentence: string };

export interface Problem extends abi.Problem {
	readonly reason: string;
	readonly text: string;
}

export interface Report extends abi.Report {
	readonly format: string;
	readonly kinds: readonly Named<abi.KindRow>[];
	readonly caches: readonly Named<abi.TraceCacheRow>[];
	/** The first few lines that could not be used. */
	readonly problems: readonly Problem[];
}

/** A workload of kmem_workloads_json: its keys beside parameters of the machine. */
export interface Workload {
	readonly name: string;
	readonly meaning: string;
	/** The machine that it is meant for, as a machine line of slabtrace. */
	readonly machine: string;
	readonly keys: readonly WorkloadKey[];
}

export interface WorkloadKey {
	readonly key: string;
	readonly default: number;
	readonly min: number;
	readonly max: number;
	readonly meaning: string;
}

/** The shape of a trace, as an allocator sees it. */
export interface Shape extends abi.Shape {
	/** Sorted by bytes, ascending. */
	readonly sizes: readonly abi.ShapeSize[];
}

/** A column of a CSV file: its name in the header, and its value in the first row. */
export interface Column {
	readonly name: string;
	readonly sample: string;
	readonly role: abi.Role;
	/** Whether importColumns chose the role; otherwise its name did. */
	readonly given: boolean;
}

/** The header of the CSV file that was read or refused last. */
export interface Columns {
	/** Empty if it was no CSV file. */
	readonly columns: readonly Column[];
	/** The separator, "" if it was not a CSV file. */
	readonly separator: string;
	/** Required roles that no column has; ALLOC may replace REQ. */
	readonly missing: readonly abi.Role[];
}

/** The result of a debugging check. */
export interface Bug extends abi.Bug {
	readonly name: string;
	/** Call sites of the last allocation and free, "" if unknown. */
	readonly allocSite: string;
	readonly freeSite: string;
	/** The complete report in lines, with the kernel's text. */
	readonly text: string;
}

/** One object as it lies in memory. */
export interface SlabObject extends abi.ObjectRow {
	/** Call sites of the last allocation and free, "" if unknown. */
	readonly allocSite: string;
	readonly freeSite: string;
}

export function slabObject(view: DataView, at: number, textAt: (at: number) => string): SlabObject {
	const row = abi.readObjectRow(view, at);
	return {
		...row,
		allocSite: textAt(row.allocSiteAt),
		freeSite: textAt(row.freeSiteAt),
	};
}

/** A file of /sys/kernel/slab/<cache>/. */
export interface Attribute {
	readonly name: string;
	/** Its content. */
	readonly value: string;
	readonly writable: boolean;
}

/** A metric over the whole trace, in buckets of equally many events. */
export interface Series {
	readonly opsPerBucket: number;
	readonly min: Float64Array<ArrayBuffer>;
	readonly max: Float64Array<ArrayBuffer>;
}

export interface Machine {
	readonly cpus: number;
	readonly nodes: number;
	readonly nodeOfCpu: readonly number[];
	/** Written like a machine line of slabtrace. */
	readonly text: string;
}

/** The kernel that is modelled. */
export interface Kernel {
	/** Name of the preset. */
	readonly preset: string;
	/** Release on which the trace was recorded, "" if the trace does not contain it. */
	readonly recorded: string;
	/** The preset and the reason for it, for a person. */
	readonly words: string;
	readonly choice: abi.KernelChoice;
}

export interface Order extends abi.OrderRow {
	readonly tries: readonly abi.OrderTry[];
}

export type ExportFormat = "slabtrace" | "ftrace";
export const EXPORT_FORMATS: readonly ExportFormat[] = ["slabtrace", "ftrace"];

export type Reader<Row> = (view: DataView, at: number) => Row;

export function readRows<Row>(
	view: DataView,
	at: number,
	nr: number,
	size: number,
	read: Reader<Row>,
): Row[] {
	return Array.from({ length: nr }, (_, i) => read(view, at + i * size));
}

export function framePlaces(frame: Frame): abi.Place[] {
	const nr = frame.places.byteLength / abi.PLACE_SIZE;
	return readRows(new DataView(frame.places), 0, nr, abi.PLACE_SIZE, abi.readPlace);
}

export function frameSlabs(frame: Frame): abi.SlabRow[] {
	const nr = frame.slabs.byteLength / abi.SLAB_ROW_SIZE;
	return readRows(new DataView(frame.slabs), 0, nr, abi.SLAB_ROW_SIZE, abi.readSlabRow);
}

/** The objects that a place holds one by one, in an array, a queue or sheaves, from the one that leaves it next. */
export function heldObjects(frame: Frame, { firstEntry, nrEntries }: abi.Place): abi.Entry[] {
	const view = new DataView(frame.entries);
	return readRows(
		view,
		firstEntry * abi.ENTRY_SIZE,
		nrEntries,
		abi.ENTRY_SIZE,
		abi.readEntry,
	).reverse();
}

/** Returns the buffers for postMessage, so that a frame moves instead of being copied again. */
export function frameBuffers(frame: Frame): ArrayBuffer[] {
	return [frame.places, frame.slabs, frame.cells.buffer, frame.entries, frame.extents];
}

/** Arguments whose numbers stand for words. */
const ARGUMENT_WORDS: Readonly<Record<string, readonly string[]>> = {
	reason: abi.REASON_WORDS,
	outcome: abi.OUTCOME_WORDS,
	what: abi.WHAT_WORDS,
	owner: abi.OWNER_WORDS,
};

export interface StepArgument {
	readonly name: string;
	readonly value: number;
	/** The word that the number stands for, if any. */
	readonly words?: string | undefined;
}

export function stepKind(step: abi.Step): abi.StepKindInfo {
	const info = abi.STEP_KINDS[step.kind];
	if (info === undefined) {
		throw new RangeError(`Step kind ${step.kind} does not exist.`);
	}
	return info;
}

export function stepArguments(step: abi.Step): StepArgument[] {
	return stepKind(step).args.map((name, i) => {
		const value = step.args[i] ?? 0;
		return { name, value, words: ARGUMENT_WORDS[name]?.[value] };
	});
}

/** Returns one argument by its name; undefined if steps of this kind do not have it. */
export function stepArgument(step: abi.Step, name: string): number | undefined {
	const i = stepKind(step).args.indexOf(name);
	return i < 0 ? undefined : step.args[i];
}

/** Returns the kernel's counter that a step of this kind adds to; they share their names. */
export function stepCounter(step: abi.Step): abi.Counter | undefined {
	const counters: Readonly<Record<string, abi.Counter>> = abi.Counter;
	return counters[stepKind(step).name];
}
