/** Turns the session's rows into the page's records: columns instead of rows where there may be thousands. */
import {
	ENTRY_SIZE,
	EXTENT_SIZE,
	From,
	Metric,
	OpKind,
	PLACE_SIZE,
	readEntry,
	readExtent,
	readSlabRow,
	SLAB_ROW_SIZE,
	StartFrom,
} from "#abi";
import {
	type Frame as CoreFrame,
	type KmemSession,
	type KmemViewer,
	type StepRow,
	stepArguments,
	stepKind,
} from "#wasm";
import { type PackedFrame, type Parts, partsOf, roomFor } from "./frame.ts";
import type { Param, Preset, Report, Series, Step } from "./types.ts";
import { usageOf } from "./usage.ts";

/** Packs its columns into one buffer. */
export function packFrame(frame: CoreFrame): PackedFrame {
	const counts = {
		places: frame.places.byteLength / PLACE_SIZE,
		slabs: frame.slabs.byteLength / SLAB_ROW_SIZE,
		cells: frame.cells.length,
		entries: frame.entries.byteLength / ENTRY_SIZE,
		extents: frame.extents.byteLength / EXTENT_SIZE,
	};
	const bytes = roomFor(counts);
	const parts = partsOf({ bytes, counts });
	parts.places.set(new Uint8Array(frame.places));
	parts.cells.set(frame.cells);
	fillSlabs(parts, frame);
	fillEntries(parts, frame);
	fillExtents(parts, frame);
	return { bytes, counts, areAlike: areAlike(parts) };
}

function areAlike({ slabs: { objects, start, order } }: Parts): boolean {
	for (let i = 1; i < objects.length; i++)
		if (objects[i] !== objects[0] || start[i] !== start[0] || order[i] !== order[0]) return false;
	return true;
}

function fillSlabs({ slabs: columns }: Parts, { slabs, cells }: CoreFrame): void {
	const view = new DataView(slabs);
	for (let i = 0; i < columns.serial.length; i++) {
		const row = readSlabRow(view, i * SLAB_ROW_SIZE);
		columns.serial[i] = row.serial;
		columns.cache[i] = row.cache;
		columns.place[i] = row.place;
		columns.firstCell[i] = row.firstCell;
		columns.start[i] = row.start;
		columns.firstExtent[i] = row.firstExtent;
		columns.node[i] = row.node;
		columns.objects[i] = row.objects;
		columns.inuse[i] = row.inuse;
		columns.freeOnCpu[i] = row.freeOnCpu;
		columns.ownerCpu[i] = row.ownerCpu;
		columns.order[i] = row.order;
		columns.address[i] = row.address;
		columns.usage[i] = usageOf(cells, row.firstCell, row.objects);
	}
}

function fillEntries({ entries: columns }: Parts, { entries }: CoreFrame): void {
	const view = new DataView(entries);
	for (let i = 0; i < columns.slab.length; i++) {
		const row = readEntry(view, i * ENTRY_SIZE);
		columns.slab[i] = row.slab;
		columns.index[i] = row.index;
		columns.cache[i] = row.cache;
		columns.sheaf[i] = row.sheaf;
	}
}

function fillExtents({ extents: columns }: Parts, { extents }: CoreFrame): void {
	const view = new DataView(extents);
	for (let i = 0; i < columns.offset.length; i++) {
		const row = readExtent(view, i * EXTENT_SIZE);
		columns.offset[i] = row.offset;
		columns.bytes[i] = row.bytes;
	}
}

export function stepOf(row: StepRow): Step {
	const info = stepKind(row);
	const args = Object.fromEntries(stepArguments(row).map((a) => [a.name, a.value]));
	const { sentence, cpu, node, cache } = row;
	return { kind: info.name, fn: info.function, sentence, cpu, node, cache, args };
}

export function reportOf(report: ReturnType<KmemViewer["report"]>): Report {
	return {
		...report,
		timeIsNs: report.timeIsNs === 1,
		truncated: report.truncated === 1,
		hashed: report.hashed === 1,
	};
}

/** The core's numbers, with -1 for its all-ones value: an event that never comes, or an unknown number. */
export function known<Row extends object>(row: Row): Row {
	const entries = Object.entries(row).map(([key, value]) => [
		key,
		value === 0xffffffff ? -1 : value,
	]);
	return Object.fromEntries(entries) as Row;
}

/**
 * Results that only a session of the whole module has. The sample that opens first names no kernel and has no machine
 * state.
 */
type MaySay = KmemViewer &
	Partial<
		Pick<
			KmemSession,
			"kernel" | "cacheParams" | "warmStart" | "warmSlabs" | "start" | "doctor" | "hasRequest"
		>
	>;

export function builtOf(session: MaySay) {
	const machine = session.machine();
	const { params, presets } = JSON.parse(session.paramsJson()) as {
		readonly params: readonly Param[];
		readonly presets: readonly Preset[];
	};
	return {
		nrOps: session.nrOps,
		nrCpus: machine.cpus,
		nrNodes: machine.nodes,
		nodeOfCpu: machine.nodeOfCpu,
		pageBytes: Number(params.find(({ key }) => key === "page_size")?.value),
		/** Counters that the allocator in use has, as indices of enum kmem_counter. */
		counters: session.counters(),
		/** Events other than allocations, frees and settings that the allocator acts on: enum kmem_op_kind. */
		requests: Object.values(OpKind).filter((kind) => session.hasRequest?.(kind) ?? false),
		/** The caches at the end of the trace: their names, and the most slabs that each ever had. */
		caches: session.caches(),
		...curvesOf((metric) => session.series(metric)),
		params,
		presets,
		machine: machine.text,
		/** Null if only the default is possible. */
		kernel: session.kernel?.() ?? null,
		/** The machine state in use, in one sentence; "" if caches have their own parameters. */
		cacheParams: session.cacheParams?.() ?? "",
		warmStart: session.warmStart?.() ?? "",
		/** A sentence about the memory that the trace itself measures; "" until the whole module has loaded. */
		measured: session.doctor?.measured() ?? "",
		/** The kernel sample that opens first starts from empty caches. */
		...(session.start?.() ?? { startFrom: StartFrom.START_EMPTY, from: From.FROM_GUESS }),
		/** How many slabs the replay starts from; 0: it starts empty. */
		warmSlabs: session.warmSlabs?.() ?? 0,
	};
}

/** The timeline's metrics, from a source of series. */
export function curvesOf(series: (metric: Metric) => Series) {
	return {
		liveObjects: series(Metric.METRIC_LIVE_OBJECTS),
		slabs: series(Metric.METRIC_SLABS),
		slowPaths: series(Metric.METRIC_SLOW_PATHS),
		/** How many slabs are on node partial lists. */
		partialSlabs: series(Metric.METRIC_PARTIAL_SLABS),
		slabBytes: series(Metric.METRIC_SLAB_BYTES),
		/** Bytes in slabs that no request uses. */
		wasteBytes: series(Metric.METRIC_WASTE_BYTES),
	};
}
