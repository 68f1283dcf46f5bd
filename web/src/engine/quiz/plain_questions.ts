/**
 * Slabs in words, and answers that need no knowledge of the kernel: one sentence about an event, made from the core's
 * facts. The core's own sentences for each step come below it.
 */
import { type Place, PlaceKind, type SlabRow } from "#abi";
import { quantity } from "../../base/format.ts";
import { capital } from "../../base/words.ts";
import { holdsObjects, placeName } from "../place_kinds.ts";

export const counted = (n: number, one: string) => `${n} ${one}${n === 1 ? "" : "s"}`;

/** Describes a slab: "slab 3: CPU 0, cpu slab, 4 free objects on the cpu freelist". */
export function slabWords(slab: SlabRow, places: readonly Place[]): string {
	const place = places[slab.place];
	const isListed = place !== undefined && place.kind !== PlaceKind.PLACE_LOOSE;
	const where = isListed ? placeName(place) : "on no list";
	const onCpu = isCpuSlab(place) ? "on the cpu freelist" : "held by CPUs";
	const free = (n: number) => counted(n, "free object");
	const held = [
		slab.freeOnCpu > 0 ? `${free(slab.freeOnCpu)} ${onCpu}` : "",
		slab.freeOnSlab > 0
			? `${free(slab.freeOnSlab)}${isCpuSlab(place) ? " on the slab freelist" : ""}`
			: "",
	].filter((words) => words !== "");
	const holds = held.length > 0 ? held.join(" and ") : "no free objects";
	return `slab ${slab.serial}: ${where}, ${holds}`;
}

const LISTED_MOST = 8;

/** The order of each list of several slabs that the CPU takes from: it decides which slab serves. */
export function listOrders(
	cpu: number,
	slabs: readonly SlabRow[],
	places: readonly Place[],
): string[] {
	return places.flatMap((place, i) => {
		const isOwn = place.kind === PlaceKind.PLACE_CPU_PARTIAL && place.cpu === cpu;
		if (!isOwn && place.kind !== PlaceKind.PLACE_NODE_PARTIAL) return [];
		const listed = slabs.filter((s) => s.place === i).toSorted((a, b) => a.position - b.position);
		if (listed.length < 2) return [];
		const shown = listed.slice(0, LISTED_MOST).map((s) => s.serial);
		const more = listed.length > shown.length ? ", …" : "";
		const name = placeName(place);
		return [`${capital(name)}, head first: ${shown.join(", ")}${more}.`];
	});
}

export function isCpuSlab(place: Place | undefined): boolean {
	return place?.kind === PlaceKind.PLACE_CPU_SLAB;
}

/** Which slab served, and its place before; `served` is undefined if a new slab was made. */
export function plainSlab(
	cpu: number,
	served: { readonly serial: number; readonly place: Place | undefined } | undefined,
	fast: boolean,
	fromBarn: boolean,
): string {
	if (!served)
		return `CPU ${cpu} had no free objects that it was allowed to use and found no slab to take, so a new slab was made.`;
	const { serial, place } = served;
	if (fast && place?.kind === PlaceKind.PLACE_CPU_SLAB)
		return `Slab ${serial} is CPU ${cpu}'s cpu slab and had a free object on its cpu freelist: no other CPU was involved.`;
	if (fast)
		return `CPU ${cpu} keeps free objects for itself, and one of slab ${serial} was next: no other CPU was involved.`;
	if (fromBarn)
		return `CPU ${cpu} had no free objects, so it took a full sheaf from the barn; the last object in it belonged to slab ${serial}.`;
	switch (place?.kind) {
		case PlaceKind.PLACE_CPU_SLAB:
			return `CPU ${cpu}'s cpu freelist was empty, but meanwhile other CPUs had freed objects into its cpu slab ${serial}.`;
		case PlaceKind.PLACE_CPU_PARTIAL:
			return `CPU ${cpu}'s cpu slab had no free objects, and slab ${serial} was first on its per-CPU partial list.`;
		case PlaceKind.PLACE_NODE_PARTIAL:
			return `CPU ${cpu} had no free objects, so it took slab ${serial} from a node partial list, which the node's CPUs share.`;
		default:
			return `CPU ${cpu} had no free objects of its own; slab ${serial} was the first one it found that did.`;
	}
}

/** Explains why an event was fast or slow. `queues`: CPUs keep objects of any slab instead of one slab. */
export function plainPath(
	op: { readonly cpu: number; readonly slab: number },
	isFree: boolean,
	slow: boolean,
	queues: readonly Place[],
): string {
	const { cpu, slab } = op;
	const own = queues.some((p) => holdsObjects(p.kind));
	if (!isFree)
		return slow
			? `CPU ${cpu} had no free objects of its own, so it had to look elsewhere.`
			: `CPU ${cpu} had a free object of its own and took it: one step, no lock.`;
	if (own)
		return slow
			? `CPU ${cpu} keeps free objects for itself but had no room for this one, so there was more to do.`
			: `CPU ${cpu} added the object to the free ones that it keeps, whichever slab they belong to: one step, no lock.`;
	return slow
		? `Slab ${slab} is not CPU ${cpu}'s cpu slab, so the object goes to the slab freelist, which other CPUs may be changing.`
		: `Slab ${slab} is CPU ${cpu}'s cpu slab, so no other CPU is in the way.`;
}

/** Explains the same for an object that no queue or sheaf of the CPU takes, because it belongs to another node. */
export function plainElsewhere(cpu: number, slow: boolean): string {
	return slow
		? `The object belongs to another node, so CPU ${cpu} did not keep it, and there was more to do.`
		: `The object belongs to another node: CPU ${cpu} put it in a queue for that node, without touching its slab.`;
}

export function plainZones(visited: number, skipped: number, found: boolean): string {
	const passed = skipped > 0 ? `, skipped ${skipped}` : "";
	return found
		? `It looked at ${counted(visited, "zone")}${passed}, and stopped where a node could spare a slab.`
		: `It looked at ${counted(visited, "zone")}${passed}: no node could spare a slab.`;
}

export function plainKeep(onList: number, keeps: number, kept: boolean): string {
	return kept
		? `Kept: the node has ${counted(onList, "partial slab")}, fewer than the ${keeps} of min_partial.`
		: `Discarded: the node has ${counted(onList, "partial slab")}, and min_partial keeps no more than ${keeps}.`;
}

export function plainPages(visited: number, opened: boolean): string {
	if (opened && visited <= 1) return "There were no pages to search, so a new page was taken.";
	return opened
		? `It found nothing in ${counted(visited - 1, "page")}, and then took a new page.`
		: `The first free block that was large enough was in the ${visited === 1 ? "first page" : `last of ${visited} pages`} it looked at.`;
}

export function plainOrder(order: number, objects: number, waste: number): string {
	const tail = quantity(waste, "byte");
	return `A slab of ${counted(2 ** order, "page")} holds ${counted(objects, "object")}; its tail waste is ${tail}.`;
}
