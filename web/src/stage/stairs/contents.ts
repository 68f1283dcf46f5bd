/**
 * The contents of each level of the stairs for one CPU: its own places, those of its node, those of other nodes. The
 * levels and the kinds of places that they cover are the core's; this only finds them in the frame.
 */
import { LEVEL_WORDS, LevelNodes } from "#abi";
import { count, quantity } from "../../base/format.ts";
import { type Frame, NONE, type Place } from "../../engine/frame.ts";
import {
	allocatedIn,
	holdsObjects,
	KIND,
	PLACE,
	type SheafRoom,
	sheafRoom,
	sheavesInWords,
	titleOf,
} from "../../engine/place_kinds.ts";
import type { CacheRow, Moment, Stair, ZoneRow } from "../../engine/types.ts";

/** A slab as a glyph shows it. */
export interface SlabUse {
	readonly serial: number;
	readonly objects: number;
	readonly allocated: number;
	/** Objects by state, enum kmem_cell. */
	readonly counts: readonly number[];
	/** Its row in the frame. */
	readonly row: number;
}

/** A place on the stairs, or what stands for several. */
export interface Holding {
	readonly place: Place;
	/** "" where the level has only one. */
	readonly name: string;
	/** How much it holds, in words. */
	readonly words: string;
	readonly slabs: readonly SlabUse[];
	/** Slabs without a free object, which an allocation never takes. */
	readonly isFull: boolean;
	/** For a place of sheaves. */
	readonly sheaves: SheafRoom | undefined;
}

/** The places of one node, or of the CPU. */
export interface Group {
	/** "" where the level has only one. */
	readonly name: string;
	readonly node: number;
	readonly holdings: readonly Holding[];
	/** Steps of the event that asked there. */
	readonly asked: number;
}

/** The pages of a node. */
export interface Pages {
	readonly node: number;
	readonly used: number;
	readonly pages: number;
}

export interface Level {
	readonly name: string;
	/** Whose places they are: "CPU 3", "node 1". */
	readonly where: string;
	readonly groups: readonly Group[];
	/** The page allocator, which has no places of its own, on the node that the event asks, or else on the CPU's. */
	readonly pages: Pages | undefined;
	/** Mean model cycles of the allocations that ended here; undefined if none did. */
	readonly cycles: number | undefined;
	/** Their share of all allocations, in ten-thousandths; undefined while it is unknown. */
	readonly share: number | undefined;
}

export interface Scope {
	readonly frame: Frame;
	/** The frame shows the places of these stairs. */
	readonly isShown: boolean;
	readonly cache: CacheRow | undefined;
	readonly zones: readonly ZoneRow[];
	readonly cpu: number;
	readonly nodeOfCpu: readonly number[];
	/** How often the event asked each node on each level, by `level/node`. */
	readonly asked: ReadonlyMap<string, number>;
	/** The node whose pages the event takes or gives back; undefined if it moves none. */
	readonly pagesNode: number | undefined;
	/** The levels have room for very many slabs. */
	readonly isVast: boolean;
}

const SLABS_MOST = 64;
/** Where levels have the room of a large screen. */
const SLABS_VAST = 160;
/** Beside other nodes each one has room for a few. */
const SLABS_OF_MANY = 8;
const NODES_MOST = 4;
/** With more lists than these only those that hold something are shown. */
const LISTS_MOST = 4;

export function levelsOf(stairs: readonly Stair[], scope: Scope): Level[] {
	const isCounted = stairs.some((stair) => stair.allocs > 0);
	return stairs.map((stair, i) => {
		const groups = groupsOf(stair, i, scope);
		const shown = groups.length > NODES_MOST ? mostTelling(groups) : groups;
		return {
			name: LEVEL_WORDS[stair.level] ?? "",
			where:
				groups.length > shown.length
					? `${count(groups.length)} nodes, ${count(shown.length)} of them here`
					: whereOf(stair, groups, scope),
			groups: shown,
			pages: stair.kinds.length === 0 ? pagesOf(scope) : undefined,
			cycles: stair.allocs > 0 ? Math.round(stair.cycles / stair.allocs) : undefined,
			share: isCounted ? stair.share : undefined,
		};
	});
}

/** The node of the event's latest step at the page allocator, the last level, or else of the first one to come. */
export function pagesNodeOf(
	{ steps, firstStep, position }: Pick<Moment, "steps" | "firstStep" | "position">,
	levels: Uint8Array,
	last: number,
): number | undefined {
	const there = steps
		.map(({ node }, i) => ({ node, step: firstStep + i }))
		.filter(({ node, step }) => levels[step] === last && node !== NONE);
	return (there.findLast(({ step }) => step <= position.step) ?? there[0])?.node;
}

function pagesOf({ zones, cpu, nodeOfCpu, pagesNode }: Scope): Pages {
	const node = pagesNode ?? nodeOfCpu[cpu] ?? 0;
	const own = zones.filter((zone) => zone.node === node);
	const sum = (of: (zone: ZoneRow) => number) => own.reduce((all, zone) => all + of(zone), 0);
	return { node, used: sum((z) => z.used), pages: sum((z) => z.pages) };
}

/** The nodes that the event asked, then those that hold most. */
function mostTelling(groups: readonly Group[]): Group[] {
	const held = ({ holdings }: Group) =>
		holdings.reduce((sum, h) => sum + (h.isFull ? 0 : h.place.nrSlabs + h.place.nrEntries), 0);
	return groups.toSorted((a, b) => b.asked - a.asked || held(b) - held(a)).slice(0, NODES_MOST);
}

function groupsOf(stair: Stair, level: number, scope: Scope): Group[] {
	const { frame, cpu, nodeOfCpu } = scope;
	if (!scope.isShown) return [];
	const own = nodeOfCpu[cpu] ?? NONE;
	const places = frame.places.filter(
		(p) => stair.kinds.includes(p.kind) && isHere(p) && !isAbsentRcu(p),
	);
	const nodes = [...new Set(places.map((p) => (p.cpu === NONE ? p.node : own)))].sort(
		(a, b) => Number(b === own) - Number(a === own),
	);
	const isAlone = nodes.length < 2;
	return nodes.map((node) => {
		const all = places.filter((p) => (p.cpu === NONE ? p.node : own) === node);
		// Beside others there is room for what an allocation may take.
		const here = isAlone ? all : all.filter((p) => p.kind !== PLACE.NODE_FULL);
		return {
			name: isAlone || node === NONE ? "" : `Node ${node}`,
			node,
			holdings: telling(joined(here)).map((place, _, all) => {
				return holdingOf(place, isAlone, nameOf(place, all, isAlone), scope);
			}),
			asked: scope.asked.get(`${level}/${node}`) ?? 0,
		};
	});

	function isHere(place: Place): boolean {
		if (place.cpu !== NONE) return place.cpu === cpu;
		if (stair.nodes === LevelNodes.NEAR_NODE) return place.node === own;
		if (stair.nodes === LevelNodes.FAR_NODES)
			return place.node !== own || (scope.asked.get(`${level}/${place.node}`) ?? 0) > 0;
		return true;
	}
}

/** The lists that hold something, where very many are beside each other; the first one if none does. */
function telling(places: readonly Place[]): readonly Place[] {
	if (places.length <= LISTS_MOST) return places;
	const held = places.filter((p) => p.nrSlabs + p.nrEntries > 0);
	return held.length > 0 ? held : places.slice(0, 1);
}

/** Most CPUs have no such sheaf, and nobody misses it. */
function isAbsentRcu({ kind, sheaves }: Place): boolean {
	return kind === KIND.PLACE_SHEAF_RCU && sheaves === 0;
}

/** A list of slabs beside the full ones needs no name: the level has it. */
function nameOf({ kind, bytes }: Place, all: readonly Place[], isAlone: boolean): string {
	const others = all.filter((p) => p.kind !== PLACE.NODE_FULL);
	if (others.length < 2 || kind === PLACE.NODE_FULL || BARN_WORDS.has(kind)) return "";
	const { long, short } = titleOf(kind, bytes);
	return isAlone ? long : short;
}

/** Arrays of one kind, one for each node or group of CPUs, as one. */
function joined(places: readonly Place[]): Place[] {
	const all: Place[] = [];
	for (const place of places) {
		const at = all.findIndex(
			(p) => p.kind === place.kind && holdsObjects(p.kind) && p.cpu === place.cpu,
		);
		const other = all[at];
		if (!other) all.push(place);
		else
			all[at] = {
				...other,
				nrEntries: other.nrEntries + place.nrEntries,
				sheaves: other.sheaves + place.sheaves,
				limit: other.limit + place.limit,
			};
	}
	return all;
}

function holdingOf(place: Place, isAlone: boolean, name: string, scope: Scope): Holding {
	const { frame, cache, isVast } = scope;
	const { kind, nrSlabs, firstSlab } = place;
	const most = isAlone ? (isVast ? SLABS_VAST : SLABS_MOST) : SLABS_OF_MANY;
	const nrShown = Math.min(nrSlabs, most);
	const slabs = Array.from({ length: nrShown }, (_, k) => slabUse(frame, firstSlab + k));
	return {
		place,
		name,
		words: sheafWords(frame, place, isAlone) ?? wordsOf(place, cache, isAlone, name !== ""),
		slabs,
		isFull: kind === PLACE.NODE_FULL,
		sheaves: sheafRoom(frame.places, place),
	};
}

export function slabUse(frame: Frame, row: number): SlabUse {
	const counts: number[] = [];
	const first = frame.slabs.firstCell[row] ?? 0;
	for (let i = first; i < first + (frame.slabs.objects[row] ?? 0); i++) {
		const state = frame.cells[i] ?? 0;
		counts[state] = (counts[state] ?? 0) + 1;
	}
	return {
		serial: frame.slabs.serial[row] ?? 0,
		objects: frame.slabs.objects[row] ?? 0,
		allocated: allocatedIn(frame, row),
		counts,
		row,
	};
}

const BARN_WORDS: ReadonlyMap<number, string> = new Map([
	[KIND.PLACE_BARN_FULL, "full"],
	[KIND.PLACE_BARN_EMPTY, "empty"],
	[KIND.PLACE_SHEAF_WAITING, "waiting"],
]);

/** "12 of 28 objects", "there is none", "3 of 10 full"; undefined for a place of another kind. */
function sheafWords({ places }: Frame, place: Place, isAlone: boolean): string | undefined {
	const [words] = sheavesInWords(places, place) ?? [];
	if (words === undefined) return undefined;
	if (place.cpu === NONE) return `${words} ${BARN_WORDS.get(place.kind) ?? "sheaves"}`;
	if (place.sheaves === 0) return "there is none";
	return isAlone ? `${words} objects` : words;
}

function wordsOf(
	place: Place,
	cache: CacheRow | undefined,
	isAlone: boolean,
	isNamed: boolean,
): string {
	const { kind, nrSlabs, nrEntries, limit } = place;
	if (holdsObjects(kind)) {
		if (limit === 0) return quantity(nrEntries, "object");
		return `${count(nrEntries)} of ${isAlone ? quantity(limit, "object") : count(limit)}`;
	}
	if (kind === PLACE.CPU_SLAB) return nrSlabs === 0 ? "no slab" : "";
	if (kind === PLACE.NODE_FULL) return `${count(nrSlabs)} full, on no list`;
	if (limit > 0) return `${count(nrSlabs)} of ${quantity(limit, "slab")}`;
	const keeps = kind === PLACE.NODE_PARTIAL ? (cache?.minPartial ?? 0) : 0;
	// "Partial: 3" beside other nodes: the heading of the level says that they are slabs.
	if (isNamed && !isAlone) return count(nrSlabs);
	if (keeps === 0 || nrSlabs === 0) return quantity(nrSlabs, "slab");
	const slabs = isAlone ? quantity(nrSlabs, "slab") : count(nrSlabs);
	return `${slabs}, keeps ${count(keeps)}`;
}

function whereOf(
	stair: Stair,
	groups: readonly Group[],
	{ cpu, nodeOfCpu, isShown, pagesNode }: Scope,
): string {
	const own = nodeOfCpu[cpu];
	const isOfCpu = groups.some((g) => g.holdings.some((h) => h.place.cpu !== NONE));
	if (isOfCpu) return `CPU ${cpu}`;
	if (stair.kinds.length === 0) {
		const node = pagesNode ?? own;
		return node === undefined ? "" : `node ${node}`;
	}
	if (stair.nodes === LevelNodes.FAR_NODES && isShown && groups.length === 0)
		return "there are no other nodes";
	const nodes = groups.map((g) => g.node).filter((node) => node !== NONE);
	return nodes.length === 1 ? `node ${nodes[0]}` : "";
}
