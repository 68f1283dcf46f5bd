/**
 * What the stage knows about the core's enums: whether a kind of place holds slabs or single objects, what it is
 * called, and which state the objects in it have. A new kind needs a line here and no drawing code.
 */
import { Cell, PLACE_KIND_WORDS, PlaceKind, ZONE_KIND_WORDS } from "#abi";
import { bytes, count } from "../base/format.ts";
import { type Frame, NONE, type Place } from "./frame.ts";

/** All kinds, by the core's names. */
export const KIND = PlaceKind;

/** Kinds that are drawn differently. */
export const PLACE = {
	CPU_SLAB: PlaceKind.PLACE_CPU_SLAB,
	CPU_PARTIAL: PlaceKind.PLACE_CPU_PARTIAL,
	NODE_PARTIAL: PlaceKind.PLACE_NODE_PARTIAL,
	NODE_FULL: PlaceKind.PLACE_NODE_FULL,
	TRANSIT: PlaceKind.PLACE_TRANSIT,
} as const;

export const CELL = {
	FREE: Cell.CELL_FREE,
	ALLOCATED: Cell.CELL_ALLOCATED,
	FREE_CPU: Cell.CELL_FREE_CPU,
	FREE_SHARED: Cell.CELL_FREE_SHARED,
	FREE_ALIEN: Cell.CELL_FREE_ALIEN,
	LOST: Cell.CELL_LOST,
	INFERRED: Cell.CELL_INFERRED,
} as const;

/** Whether the object was allocated, by an event of the trace or before it; a warm start infers the latter. */
export function isInUse(state: number | undefined): boolean {
	return state === CELL.ALLOCATED || state === CELL.INFERRED;
}

/** Returns how many objects of a slab a warm start has inferred; the trace has no events that allocate them. */
export function inferredIn({ slabs, cells }: Pick<Frame, "slabs" | "cells">, row: number): number {
	const first = slabs.firstCell[row] ?? 0;
	const last = first + (slabs.objects[row] ?? 0);
	let nr = 0;
	for (let i = first; i < last; i++) if (cells[i] === CELL.INFERRED) nr++;
	return nr;
}

/** Says "3 of 16 allocated", and how many of these are inferred. */
export function useInWords(frame: Pick<Frame, "slabs" | "cells">, row: number): string {
	const words = `${count(allocatedIn(frame, row))} of ${count(frame.slabs.objects[row] ?? 0)} allocated`;
	const inferred = inferredIn(frame, row);
	return inferred > 0 ? `${words} (${count(inferred)} inferred)` : words;
}

/** Returns how many cells of a slab are allocated. The kernel counts all objects of a slab that a CPU holds as in use. */
export function allocatedIn({ slabs, cells }: Pick<Frame, "slabs" | "cells">, row: number): number {
	const first = slabs.firstCell[row] ?? 0;
	const last = first + (slabs.objects[row] ?? 0);
	let nr = 0;
	for (let i = first; i < last; i++) if (isInUse(cells[i])) nr++;
	return nr;
}

type Row = readonly [
	kind: number,
	of: "cpu" | "node",
	/** Its name in a link and in the command's --list. */
	list: string,
	/** The names shown above it; otherwise it has the core's. */
	long?: string,
	short?: string,
	/** The state that its objects have in the cells of their slabs; if left out, it holds slabs. */
	held?: number,
	/** It records whether it was used since the last reap or expiry, or it holds sheaves, which may be absent. */
	has?: "uses" | "sheaves",
];

const { FREE_CPU, FREE_SHARED, FREE_ALIEN } = CELL;
const TABLE: readonly Row[] = [
	[KIND.PLACE_CPU_SLAB, "cpu", "slab"],
	[KIND.PLACE_CPU_PARTIAL, "cpu", "partial"],
	[KIND.PLACE_CPU_ARRAY, "cpu", "array", "Array cache", "Array", FREE_CPU, "uses"],
	[KIND.PLACE_CPU_QUEUE, "cpu", "queue", "CPU queue", "Queue", FREE_CPU, "uses"],
	[KIND.PLACE_SHEAF_MAIN, "cpu", "main", "Main sheaf", "Main", FREE_CPU, "sheaves"],
	[KIND.PLACE_SHEAF_SPARE, "cpu", "spare", "Spare sheaf", "Spare", FREE_CPU, "sheaves"],
	[KIND.PLACE_SHEAF_RCU, "cpu", "rcu", "RCU sheaf", "RCU", FREE_CPU, "sheaves"],
	[KIND.PLACE_NODE_PARTIAL, "node", "partial", "Node partial list", "Partial"],
	[KIND.PLACE_NODE_FULL, "node", "full", "Full slabs", "Full"],
	[KIND.PLACE_NODE_FREE, "node", "free", "Free slabs", "Free"],
	[KIND.PLACE_LOOSE, "node", "loose", "On no list", "No list"],
	[KIND.PLACE_SHARED_ARRAY, "node", "shared", "Shared array", "Shared", FREE_SHARED, "uses"],
	[KIND.PLACE_SHARED_QUEUE, "node", "shared", "Shared queue", "Shared", FREE_SHARED, "uses"],
	[KIND.PLACE_ALIEN_ARRAY, "node", "alien", "Alien caches", "Alien", FREE_ALIEN],
	[KIND.PLACE_ALIEN_QUEUE, "node", "alien", "Alien queues", "Alien", FREE_ALIEN, "uses"],
	[KIND.PLACE_BARN_FULL, "node", "barn", "Barn: full sheaves", "Barn", FREE_SHARED, "sheaves"],
	[KIND.PLACE_BARN_EMPTY, "node", "empty", "Barn: empty sheaves", "Empty", FREE_SHARED, "sheaves"],
	[
		KIND.PLACE_SHEAF_WAITING,
		"node",
		"waiting",
		"Waiting for a grace period",
		"Waiting",
		FREE_CPU,
		"sheaves",
	],
	[KIND.PLACE_SMALL_PAGES, "node", "small", "Small requests", "Small"],
	[KIND.PLACE_MEDIUM_PAGES, "node", "medium", "Medium requests", "Medium"],
	[KIND.PLACE_LARGE_PAGES, "node", "large", "Large requests", "Large"],
	[KIND.PLACE_CLASS_PAGES, "node", "class"],
];
const ROW_OF: ReadonlyMap<number, Row> = new Map(TABLE.map((row) => [row[0], row]));

/** Returns the kinds of places with that name: the allocator in use has at most one of them. */
export function kindsNamed(of: Row[1], list: string): readonly number[] {
	return TABLE.filter((row) => row[1] === of && row[2] === list).map(([kind]) => kind);
}

/** Returns undefined for a place that has no name. */
export function listName(of: Row[1], kind: number): string | undefined {
	const row = ROW_OF.get(kind);
	return row?.[1] === of ? row[2] : undefined;
}

export function holdsObjects(kind: number): boolean {
	return ROW_OF.get(kind)?.[5] !== undefined;
}

export function heldState(kind: number): number {
	return ROW_OF.get(kind)?.[5] ?? CELL.FREE;
}

export function holdsSheaves(kind: number): boolean {
	return ROW_OF.get(kind)?.[6] === "sheaves";
}

/** A place of sheaves: the objects that one has room for, and the sheaves that the place has room for. */
export interface SheafRoom {
	readonly capacity: number;
	/** 0: no limit. */
	readonly sheaves: number;
}

/** Returns undefined if the place has no sheaves. A CPU's place is for one sheaf, so its limit is a sheaf's capacity. */
export function sheafRoom(places: readonly Place[], place: Place): SheafRoom | undefined {
	if (!holdsSheaves(place.kind)) return undefined;
	if (place.cpu !== NONE) return { capacity: place.limit, sheaves: 1 };
	const ofCpu = places.find(
		(p) => p.cpu !== NONE && p.cache === place.cache && holdsSheaves(p.kind),
	);
	const capacity = ofCpu?.limit ?? 0;
	return { capacity, sheaves: capacity > 0 ? Math.floor(place.limit / capacity) : 0 };
}

/**
 * Says how full a place of sheaves is, at length and in short; undefined for other places. The words distinguish an
 * absent sheaf from an empty one.
 */
export function sheavesInWords(places: readonly Place[], place: Place): string[] | undefined {
	const room = sheafRoom(places, place);
	if (!room) return undefined;
	const { nrEntries, sheaves } = place;
	if (place.cpu === NONE) {
		const of = room.sheaves > 0 ? ` of ${count(room.sheaves)}` : "";
		return [`${count(sheaves)}${of}`, count(sheaves)];
	}
	if (sheaves === 0) return ["absent", "–"];
	return [`${count(nrEntries)} of ${count(room.capacity)}`, count(nrEntries)];
}

export function isUntouched({ kind, touched }: Place): boolean {
	return touched === 0 && ROW_OF.get(kind)?.[6] === "uses";
}

/** A row of the section, with its places side by side. */
export interface RowName {
	readonly name: string;
	readonly short: string;
	/** The kinds of places in it, in this order. */
	readonly kinds: readonly number[];
	/** Arrays or queues of single objects on a node. */
	readonly isArray?: boolean;
	/** A short remark about its places. */
	readonly remark?: string;
	/** It rarely holds anything. */
	readonly isRare?: boolean;
}

/** All rows but the last, the page allocator, from near and cheap to far and expensive. */
export const ROWS: readonly RowName[] = [
	{ name: "main sheaf", short: "main", kinds: [KIND.PLACE_SHEAF_MAIN] },
	{ name: "spare sheaf", short: "spare", kinds: [KIND.PLACE_SHEAF_SPARE, KIND.PLACE_SHEAF_RCU] },
	{
		name: "barn",
		short: "barn",
		kinds: [KIND.PLACE_BARN_FULL, KIND.PLACE_BARN_EMPTY, KIND.PLACE_SHEAF_WAITING],
	},
	{ name: "cpu freelist", short: "freelist", kinds: [KIND.PLACE_CPU_SLAB] },
	{ name: "per-CPU partial list", short: "CPU list", kinds: [KIND.PLACE_CPU_PARTIAL] },
	{ name: "array cache", short: "array", kinds: [KIND.PLACE_CPU_ARRAY] },
	{ name: "CPU queue", short: "queue", kinds: [KIND.PLACE_CPU_QUEUE] },
	{ name: "alien caches", short: "alien", kinds: [KIND.PLACE_ALIEN_ARRAY], isArray: true },
	{ name: "shared array", short: "shared", kinds: [KIND.PLACE_SHARED_ARRAY], isArray: true },
	{ name: "shared queue", short: "shared", kinds: [KIND.PLACE_SHARED_QUEUE], isArray: true },
	{ name: "alien queues", short: "alien", kinds: [KIND.PLACE_ALIEN_QUEUE], isArray: true },
	{ name: "node partial list", short: "partial", kinds: [KIND.PLACE_NODE_PARTIAL] },
	{ name: "free slabs", short: "free", kinds: [KIND.PLACE_NODE_FREE], isRare: true },
	{
		name: "pages with room",
		short: "pages",
		kinds: [
			KIND.PLACE_SMALL_PAGES,
			KIND.PLACE_MEDIUM_PAGES,
			KIND.PLACE_LARGE_PAGES,
			KIND.PLACE_CLASS_PAGES,
		],
	},
	{
		name: "full slabs",
		short: "full",
		kinds: [KIND.PLACE_NODE_FULL],
		remark: "nobody looks for them",
	},
	{ name: "full, on no list", short: "full", kinds: [KIND.PLACE_LOOSE], isRare: true },
];

/** The last row of every machine: the page allocator. */
export const PAGES_RANK = ROWS.length;

/** Returns the rank of the row that shows places of a kind. */
export function rankOf(kind: number): number {
	return ROWS.findIndex(({ kinds }) => kinds.includes(kind));
}

export interface Title {
	readonly long: string;
	readonly short: string;
}

export function titleOf(kind: number, largest: number): Title {
	if (kind === PlaceKind.PLACE_CLASS_PAGES) {
		const short = largest >= 1024 ? `${largest / 1024}K` : String(largest);
		return { long: `${count(largest)} bytes`, short };
	}
	const words = PLACE_KIND_WORDS[kind] ?? "place";
	const [, , , long = words, short = words] = ROW_OF.get(kind) ?? [];
	return { long, short };
}

/** Names a place: "CPU 2, array cache", "node 0, alien cache for node 3". */
export function placeName(place: Place): string {
	const words = PLACE_KIND_WORDS[place.kind] ?? "place";
	const by = place.bytes > 0 ? `${words}, up to ${bytes(place.bytes)}` : words;
	// An array is for a node or for a group of CPUs.
	const whom = heldState(place.kind) === CELL.FREE_ALIEN ? "node" : "group";
	const what = place.target === NONE ? by : `${by} for ${whom} ${place.target}`;
	if (place.cpu !== NONE) return `CPU ${place.cpu}, ${what}`;
	if (place.node !== NONE) return `node ${place.node}, ${what}`;
	return what;
}

export function zoneName(kind: number): string {
	return ZONE_KIND_WORDS[kind] ?? `zone ${kind}`;
}
