/**
 * The places of a machine, whatever is in them: the input of the stage's plan. Two frames of one machine have the
 * same shape, so only slabs and objects move while the trace plays.
 */
import { NONE, type Place } from "../../engine/frame.ts";
import { holdsObjects, KIND, PLACE } from "../../engine/place_kinds.ts";
import { type Capacities, capacitiesOf } from "./capacity.ts";

/** A part of every CPU's card. */
export interface CpuPart {
	readonly kind: number;
	/** For an array: the largest of any CPU. */
	readonly limit: number;
}

/** Arrays of one kind that a node has. */
export interface ArrayGroup {
	readonly kind: number;
	/** The largest number that any node has. */
	readonly count: number;
	readonly limit: number;
}

export interface ListId {
	readonly kind: number;
	/** For a list by size: the largest request that it serves. */
	readonly bytes: number;
	/** Its slabs have no free objects, not even ones that are cached elsewhere. */
	readonly isFull?: boolean;
}

/** The places of a node. */
export interface Holdings {
	readonly arrays: readonly ArrayGroup[];
	readonly lists: readonly ListId[];
}

export interface Machine {
	readonly width: number;
	readonly height: number;
	/** Node of each CPU. */
	readonly nodeOfCpu: readonly number[];
	readonly nrNodes: number;
	/** If there is not room for all columns: the nodes whose columns are wide; the others are narrow. */
	readonly open?: readonly number[];
	/** If CPUs are squares: the one that has a card below them. */
	readonly acting?: number;
	/** Heights of rows as in another section beside it, by rank. */
	readonly heights?: Readonly<Record<number, number>>;
}

export interface Shape extends Machine {
	/** How many slabs each list is planned for. */
	readonly capacities: Capacities;

	readonly cpuParts: readonly CpuPart[];
	readonly node: Holdings;
	/** The places of no node: machine-wide lists. */
	readonly common: Holdings;
}

export function listKey({ kind, bytes }: ListId): string {
	return bytes > 0 ? `${kind}/${bytes}` : String(kind);
}

export function shapeOf(
	places: readonly Place[],
	machine: Machine,
	capacities = capacitiesOf(places),
): Shape {
	const ofCpus = places.filter((p) => p.cpu !== NONE);
	const others = places.filter((p) => p.cpu === NONE && p.kind !== PLACE.TRANSIT);
	const ofNodes = others.filter((p) => p.node !== NONE);
	const ofNone = others.filter((p) => p.node === NONE);
	const single = machine.nrNodes === 1;
	const areCached = places.some((p) => holdsObjects(p.kind));
	return {
		...machine,
		capacities,
		cpuParts: partsOf(ofCpus),
		node: holdingsOf(single ? others : ofNodes, areCached),
		common: holdingsOf(single ? [] : ofNone, areCached),
	};
}

function partsOf(places: readonly Place[]): CpuPart[] {
	const limits = new Map<number, number>();
	for (const { kind, limit } of places) {
		const own = holdsObjects(kind) ? limit : 0;
		limits.set(kind, Math.max(own, limits.get(kind) ?? 0));
	}
	return [...limits].map(([kind, limit]) => ({ kind, limit })).sort((a, b) => a.kind - b.kind);
}

/** Slabs on no list come after all lists. */
function rankOf(kind: number): number {
	return kind === KIND.PLACE_LOOSE ? Number.MAX_SAFE_INTEGER : kind;
}

function holdingsOf(places: readonly Place[], areCached: boolean): Holdings {
	const lists = new Map<string, ListId>();
	const counts = new Map<string, number>();
	const groups = new Map<number, ArrayGroup>();
	for (const place of places) {
		const { kind, bytes, node, limit } = place;
		if (!holdsObjects(kind)) {
			const isFull = !areCached && kind === PLACE.NODE_FULL;
			lists.set(listKey(place), isFull ? { kind, bytes, isFull } : { kind, bytes });
			continue;
		}
		const own = (counts.get(`${kind}/${node}`) ?? 0) + 1;
		counts.set(`${kind}/${node}`, own);
		const group = groups.get(kind);
		groups.set(kind, {
			kind,
			count: Math.max(own, group?.count ?? 0),
			limit: Math.max(limit, group?.limit ?? 0),
		});
	}
	const byKind = (a: { kind: number }, b: { kind: number }) => rankOf(a.kind) - rankOf(b.kind);
	return {
		lists: [...lists.values()].sort((a, b) => byKind(a, b) || a.bytes - b.bytes),
		arrays: [...groups.values()].sort(byKind),
	};
}
