/**
 * Maps the places of a frame to the areas of a plan. All frames of a machine have the same places, except for slabs
 * in transit, so the map is computed once rather than for every frame.
 */
import { NONE, type Place } from "../../engine/frame.ts";
import type { Fold, Rect } from "../scene.ts";
import type { TileGrid } from "../tiles.ts";
import type { Plan } from "./plan.ts";
import type { CpuPlan } from "./plan_cpu.ts";
import { listPanelKey, type NodePlan } from "./plan_node.ts";
import { listKey } from "./shape.ts";

export interface Seats {
	/** The places that it was computed for. */
	readonly places: readonly Place[];
	/** For each place: the area of its slabs, and its node. */
	readonly spots: readonly (Spot | undefined)[];
	/** Nodes in the order of the plan, with the numbers of their places. */
	readonly nodes: readonly { readonly plan: NodePlan; readonly own: readonly number[] }[];
	readonly cpus: readonly { readonly plan: CpuPlan; readonly own: readonly number[] }[];
}

export interface Spot {
	readonly area: Rect;
	readonly node: NodePlan;
	/** Key of the list's panel, if the list is a histogram from afar; "" otherwise. */
	readonly foldKey: string;
	/** Height below its histogram for the ends of the axis. */
	readonly axis: number;
	/** Where the first slabs of that list are shown one by one. */
	readonly head: Rect | undefined;
	/** All slabs of that list are full. */
	readonly isFlat: boolean;
	/** The largest side of its tiles. */
	readonly tile: number;
	/** The tiles of its slabs while these fit, once they are known; see tilesAt. */
	grid: TileGrid | undefined;
	/** The tiles of its first slabs there, once they are known. */
	headGrid: TileGrid | undefined;
	/** The fold of its slabs for these tiles, once it is known. */
	fold: Fold | undefined;
}

/** The side of slabs on a CPU's list or in transit, in lines of words. */
const LOOSE_TILE = 1.35;

const SEATS = new WeakMap<Plan, Seats>();

export function seatsOn(plan: Plan, places: readonly Place[]): Seats {
	const known = SEATS.get(plan);
	if (known && samePlaces(known.places, places)) return known;
	const seats = workOut(plan, places);
	SEATS.set(plan, seats);
	return seats;
}

/** Whether two frames have the same places with the same sizes. */
export function samePlaces(a: readonly Place[], b: readonly Place[]): boolean {
	if (a.length !== b.length) return false;
	for (let i = 0; i < a.length; i++) {
		const [p, q] = [a[i], b[i]];
		if (p?.kind !== q?.kind || p?.cpu !== q?.cpu || p?.node !== q?.node) return false;
		if (p?.bytes !== q?.bytes || p?.target !== q?.target || p?.limit !== q?.limit) return false;
	}
	return true;
}

function workOut(plan: Plan, places: readonly Place[]): Seats {
	const nodes = new Map(plan.nodes.map((n) => [n.node, n]));
	const cpus = new Map(plan.cpus.map((c) => [c.cpu, c]));
	const ofNode = (place: Place) => nodes.get(place.node) ?? nodes.get(0);
	const numbers = (isOwn: (place: Place) => boolean) =>
		places.flatMap((place, i) => (isOwn(place) ? [i] : []));
	const ofCpu = new Map<number, number[]>();
	places.forEach(({ cpu, kind }, i) => {
		if (!cpus.get(cpu)?.parts.has(kind)) return;
		const own = ofCpu.get(cpu) ?? [];
		own.push(i);
		ofCpu.set(cpu, own);
	});
	return {
		places,
		spots: places.map((place) => {
			const node = ofNode(place);
			const area = node && areaOf(place, cpus.get(place.cpu), node);
			return node && area && spotOf(place, node, area, Math.round(plan.line * LOOSE_TILE));
		}),
		nodes: plan.nodes.map((node) => ({
			plan: node,
			own: numbers((p) => p.cpu === NONE && ofNode(p) === node),
		})),
		cpus: plan.cpus.map((cpu) => ({ plan: cpu, own: ofCpu.get(cpu.cpu) ?? [] })),
	};
}

function spotOf(place: Place, node: NodePlan, area: Rect, tile: number): Spot {
	const id = listKey(place);
	const flat = area === node.transit ? undefined : node.long.get(id);
	const foldKey = flat === undefined ? "" : listPanelKey(node, place);
	const isListed = place.cpu === NONE && area !== node.transit;
	const own = isListed ? node.tiles.get(id) : undefined;
	return {
		...{ area, node, foldKey, isFlat: flat ?? false, tile: own ?? tile },
		axis: node.axes.get(id) ?? 0,
		head: isListed ? node.heads.get(id) : undefined,
		...{ grid: undefined, headGrid: undefined, fold: undefined },
	};
}

/** A place without an area in the plan is drawn among the slabs in transit, so that no slab is ever missing. */
function areaOf(place: Place, cpu: CpuPlan | undefined, node: NodePlan): Rect {
	const area = cpu ? cpu.parts.get(place.kind) : node.lists.get(listKey(place));
	return area ?? node.transit;
}
