/** Rows of the session as the page's records: columns instead of rows where there may be thousands. */
import {
	ENTRY_SIZE,
	EXTENT_SIZE,
	Metric,
	readEntry,
	readExtent,
	readSlabRow,
	SLAB_ROW_SIZE,
} from "#abi";
import {
	type Frame as CoreFrame,
	framePlaces,
	type KmemSession,
	type KmemViewer,
	type StepRow,
	stepArguments,
	stepKind,
} from "#wasm";
import type {
	Built,
	EntryColumns,
	ExtentColumns,
	Frame,
	OverlayRow,
	Param,
	Preset,
	Report,
	Searches,
	Series,
	SlabColumns,
	Step,
} from "./types.ts";
import { usageOf } from "./usage.ts";

export function searchesOf(session: KmemViewer): Searches {
	const { anyNodeEntered, anyNodeZones } = session.totals();
	return { entered: anyNodeEntered, zones: anyNodeZones };
}

export function frameOf(frame: CoreFrame): Frame {
	return {
		places: framePlaces(frame),
		slabs: columnsOf(frame.slabs, frame.cells),
		cells: frame.cells,
		entries: entriesOf(frame.entries),
		extents: extentsOf(frame.extents),
	};
}

/** What is handed over to the page instead of being copied. */
export function frameBuffers({ slabs, cells, entries, extents }: Frame): ArrayBuffer[] {
	const columns = [...Object.values(slabs), ...Object.values(entries), ...Object.values(extents)];
	return [cells, ...columns.filter(ArrayBuffer.isView)].map((view) => view.buffer as ArrayBuffer);
}

function entriesOf(rows: ArrayBuffer): EntryColumns {
	const count = rows.byteLength / ENTRY_SIZE;
	const slab = new Uint32Array(count);
	const index = new Uint16Array(count);
	const cache = new Uint16Array(count);
	const view = new DataView(rows);
	for (let i = 0; i < count; i++) {
		const row = readEntry(view, i * ENTRY_SIZE);
		slab[i] = row.slab;
		index[i] = row.index;
		cache[i] = row.cache;
	}
	return { slab, index, cache };
}

function extentsOf(rows: ArrayBuffer): ExtentColumns {
	const count = rows.byteLength / EXTENT_SIZE;
	const offset = new Uint32Array(count);
	const bytes = new Uint32Array(count);
	const view = new DataView(rows);
	for (let i = 0; i < count; i++) {
		const row = readExtent(view, i * EXTENT_SIZE);
		offset[i] = row.offset;
		bytes[i] = row.bytes;
	}
	return { offset, bytes };
}

function columnsOf(rows: ArrayBuffer, cells: Uint8Array): SlabColumns {
	const count = rows.byteLength / SLAB_ROW_SIZE;
	const columns = {
		count,
		serial: new Uint32Array(count),
		cache: new Uint16Array(count),
		place: new Uint32Array(count),
		firstCell: new Uint32Array(count),
		start: new Uint32Array(count),
		firstExtent: new Uint32Array(count),
		node: new Uint16Array(count),
		objects: new Uint16Array(count),
		inuse: new Uint16Array(count),
		freeOnSlab: new Uint16Array(count),
		freeOnCpu: new Uint16Array(count),
		ownerCpu: new Uint16Array(count),
		order: new Uint8Array(count),
		frozen: new Uint8Array(count),
		address: new Float64Array(count),
		usage: new Float64Array(count),
	};
	const view = new DataView(rows);
	for (let i = 0; i < count; i++) {
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
		columns.freeOnSlab[i] = row.freeOnSlab;
		columns.freeOnCpu[i] = row.freeOnCpu;
		columns.ownerCpu[i] = row.ownerCpu;
		columns.order[i] = row.order;
		columns.frozen[i] = row.frozen;
		columns.address[i] = row.address;
		columns.usage[i] = usageOf(cells, row.firstCell, row.objects);
	}
	return columns;
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
		caches: report.caches.map(({ name, size, objectSize, allocs, frees }) => ({
			name,
			size,
			objectSize,
			allocs,
			frees,
		})),
		timeIsNs: report.timeIsNs === 1,
		truncated: report.truncated === 1,
		hashed: report.hashed === 1,
	};
}

/** Numbers that the machine does not tell are all ones in the core. */
const UNTOLD = 0xffffffff;

export function overlayOf(session: KmemSession): OverlayRow[] {
	const told = (n: number) => (n === UNTOLD ? -1 : n);
	return session.overlay().map((row) => ({
		name: row.name,
		cache: row.cache,
		objectSize: told(row.objectSize),
		size: told(row.size),
		objectsPerSlab: told(row.objectsPerSlab),
		order: told(row.order),
		minPartial: told(row.minPartial),
		objects: told(row.objects),
		totalObjects: told(row.totalObjects),
		slabs: told(row.slabs),
		partial: told(row.partial),
		cpuSlabs: told(row.cpuSlabs),
	}));
}

export function builtOf(session: KmemViewer): Built {
	const machine = session.machine();
	const { params, presets } = JSON.parse(session.paramsJson()) as {
		params: Param[];
		presets: Preset[];
	};
	const series = (metric: Metric): Series => session.series(metric);
	return {
		nrOps: session.nrOps,
		nrCpus: machine.cpus,
		nrNodes: machine.nodes,
		nodeOfCpu: machine.nodeOfCpu,
		pageBytes: Number(params.find(({ key }) => key === "page_size")?.value),
		counters: session.counters(),
		caches: session.caches(),
		liveObjects: series(Metric.METRIC_LIVE_OBJECTS),
		slabs: series(Metric.METRIC_SLABS),
		slowPaths: series(Metric.METRIC_SLOW_PATHS),
		partialSlabs: series(Metric.METRIC_PARTIAL_SLABS),
		slabBytes: series(Metric.METRIC_SLAB_BYTES),
		wasteBytes: series(Metric.METRIC_WASTE_BYTES),
		params,
		presets,
		machine: machine.text,
	};
}
