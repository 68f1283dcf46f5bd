/**
 * Why a wrong choice is wrong, in one sentence. Each sentence states a fact from the core about that choice, and
 * leaves the reader to find the right one.
 */

import { type Place, PlaceKind, type SlabRow } from "#abi";
import { holdsObjects, placeName } from "../place_kinds.ts";
import { counted, isCpuSlab } from "./plain_questions.ts";

/** An allocation, as a question about its slab sees it. */
export interface Serving {
	readonly cpu: number;
	readonly places: readonly Place[];
	/** The slab that serves; undefined: a new one. */
	readonly right: SlabRow | undefined;
	readonly isFast: boolean;
	/** Whether a full sheaf from the barn serves it. */
	readonly fromBarn: boolean;
}

export function whyNoNewSlab({ cpu }: Serving): string {
	return `CPU ${cpu} can still reach a free object, and a new slab is the last thing it tries.`;
}

export function whyNotSlab(slab: SlabRow, serving: Serving): string {
	const { cpu, places, right, isFast, fromBarn } = serving;
	const place = places[slab.place];
	const name = `Slab ${slab.serial}`;
	const keepsObjects = places.some((p) => p.cpu === cpu && holdsObjects(p.kind));
	if (fromBarn)
		return `CPU ${cpu} takes the first full sheaf of the barn before it looks at slabs, and the last object in it does not belong to slab ${slab.serial}.`;
	if (slab.freeOnSlab + slab.freeOnCpu === 0) return `${name} has no free objects.`;
	if (place === undefined || place.kind === PlaceKind.PLACE_LOOSE)
		return `${name} is on no list, so CPU ${cpu} cannot find it.`;
	const where = `${name} is at ${placeName(place)}`;
	if (place.cpu !== cpu && (isCpuSlab(place) || place.kind === PlaceKind.PLACE_CPU_PARTIAL))
		return `${where}: no other CPU allocates from it.`;
	if (isFast && keepsObjects)
		return `CPU ${cpu} keeps free objects for itself, and the next one is not in slab ${slab.serial}.`;
	if (isFast)
		return `${where}, but CPU ${cpu} does not look there: it has a free object of its own.`;
	if (right?.place === slab.place) return `${where}, but it is not the first in that list.`;
	if (right && places[right.place]?.cpu === cpu)
		return `${where}, but CPU ${cpu} first looks at what it holds itself.`;
	return `${where}, and CPU ${cpu} does not get it from there.`;
}

/** `sentences`: what the core says about each zone that was looked at, in order. */
export function whyNotZones(
	said: number,
	visited: number,
	nrZones: number,
	sentences: readonly string[],
): string {
	if (said > nrZones) return `Only ${counted(nrZones, "zone")} of this machine have memory.`;
	if (said > visited)
		return "The search does not look at that many: it ends earlier or skips some.";
	const next = sentences[said];
	const looks = `The search looks at more than ${counted(said, "zone")}.`;
	return next ? `${looks} The next one: ${next}` : looks;
}

export function whyNotPages(said: number, visited: number): string {
	if (said > visited) return "The search does not look at that many pages.";
	const looked = said === 1 ? "The first page has" : `The first ${said} pages have`;
	return `${looked} no free block that is large enough.`;
}

/** An order, and the objects of a slab of it. */
export interface OrderTried {
	readonly order: number;
	readonly right: number;
	/** The core's sentence about that order, "" if the rule did not try it. */
	readonly tried: string;
	readonly holds: number;
	/** The fewest objects that the rule accepted in a slab. */
	readonly least: number;
}

export function whyNotOrder({ order: said, right, tried, holds, least }: OrderTried): string {
	if (tried !== "") return tried;
	if (holds === 0) return `A slab of order ${said} is smaller than one object.`;
	if (said < right && holds < least)
		return `A slab of order ${said} holds ${counted(holds, "object")}, fewer than the ${least} that the rule wants, so it is not tried.`;
	return said > right
		? `The rule does not try order ${said}: it finds one that is good enough before that.`
		: `The rule does not try order ${said}: it starts from a larger one.`;
}
