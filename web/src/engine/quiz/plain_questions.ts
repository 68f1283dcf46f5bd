/**
 * Slabs in words, and answers in words that need no knowledge of the kernel: one sentence of the facts that the core
 * tells of an operation. What it decided step by step stands below it, in its own words.
 */
import { type Place, PlaceKind, type SlabRow } from "#abi";
import { holdsObjects, placeName } from "../place_kinds.ts";

export const counted = (n: number, one: string) => `${n} ${one}${n === 1 ? "" : "s"}`;

/** "slab 3: CPU 0, cpu slab, 4 objects on the CPU's freelist". */
export function slabWords(slab: SlabRow, places: readonly Place[]): string {
	const place = places[slab.place];
	const isListed = place !== undefined && place.kind !== PlaceKind.PLACE_LOOSE;
	const where = isListed ? placeName(place) : "on no list";
	const onCpu = isCpuSlab(place) ? "on the CPU's freelist" : "held by CPUs";
	const free = (n: number) => counted(n, "free object");
	const held = [
		slab.freeOnCpu > 0 ? `${free(slab.freeOnCpu)} ${onCpu}` : "",
		slab.freeOnSlab > 0 ? `${free(slab.freeOnSlab)}${isCpuSlab(place) ? " on its own" : ""}` : "",
	].filter((words) => words !== "");
	const holds = held.length > 0 ? held.join(" and ") : "no free object";
	return `slab ${slab.serial}: ${where}, ${holds}`;
}

const LISTED_MOST = 8;

/** Of lists with several slabs that a CPU takes from, in which order they come: it decides which slab serves. */
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
		return [
			`${name.charAt(0).toUpperCase()}${name.slice(1)}, head first: ${shown.join(", ")}${more}.`,
		];
	});
}

export function isCpuSlab(place: Place | undefined): boolean {
	return place?.kind === PlaceKind.PLACE_CPU_SLAB;
}

/** Which slab served: what it was before, undefined where it was made for this. */
export function plainSlab(
	cpu: number,
	served: { readonly serial: number; readonly place: Place | undefined } | undefined,
	fast: boolean,
): string {
	if (!served)
		return `CPU ${cpu} had no free object that it may use, and found none to take over, so a slab was made.`;
	const { serial, place } = served;
	if (fast && place?.kind === PlaceKind.PLACE_CPU_SLAB)
		return `Slab ${serial} is CPU ${cpu}'s own slab and had a free object ready: nobody else had to be asked.`;
	if (fast)
		return `A free object of slab ${serial} lay ready in what CPU ${cpu} keeps for itself: nobody else had to be asked.`;
	switch (place?.kind) {
		case PlaceKind.PLACE_CPU_SLAB:
			return `What CPU ${cpu} had at hand was used up, but objects had been freed into its own slab ${serial} meanwhile.`;
		case PlaceKind.PLACE_CPU_PARTIAL:
			return `CPU ${cpu}'s own slab had nothing left, and slab ${serial} was the first that it keeps for such moments.`;
		case PlaceKind.PLACE_NODE_PARTIAL:
			return `CPU ${cpu} had nothing left, so it took slab ${serial} from a list that the CPUs of a node share.`;
		default:
			return `CPU ${cpu} had nothing left at hand; slab ${serial} was the first that it found with a free object.`;
	}
}

/** Why an operation was fast or slow. `queues`: CPUs hold objects of any slab, and not one slab. */
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
			? `CPU ${cpu} had no free object at hand, so it had to look elsewhere.`
			: `CPU ${cpu} had a free object at hand and took it: one step, no lock.`;
	if (own)
		return slow
			? `What CPU ${cpu} keeps objects in could not just take this one, so there was more to do.`
			: `CPU ${cpu} put the object with those that it keeps, whatever slab it is of: one step, no lock.`;
	return slow
		? `Slab ${slab} is not the slab that CPU ${cpu} works with, so the object goes back to the slab itself, where others may be at work.`
		: `Slab ${slab} is CPU ${cpu}'s own slab, so nobody else is in the way.`;
}

export function plainZones(visited: number, skipped: number, found: boolean): string {
	const passed = skipped > 0 ? `, and passed over ${skipped} without a look` : "";
	return found
		? `It looked at ${counted(visited, "zone")}${passed}, and stopped where a node could spare a slab.`
		: `It looked at ${counted(visited, "zone")}${passed}: no node could spare a slab.`;
}

export function plainKeep(onList: number, keeps: number, kept: boolean): string {
	return kept
		? `The node has ${counted(onList, "slab")} on its list, fewer than the ${keeps} that it keeps.`
		: `The node has ${counted(onList, "slab")} on its list, and keeps no more than ${keeps}.`;
}

export function plainPages(visited: number, opened: boolean): string {
	if (opened && visited <= 1) return "No page had to be searched: a new one was opened.";
	return opened
		? `It looked at ${counted(visited - 1, "page")} in vain, and then at the new one that was opened.`
		: `The first hole that is large enough was in the ${visited === 1 ? "first page" : `last of ${visited} pages`} that it looked at.`;
}

export function plainOrder(order: number, objects: number, waste: number): string {
	const left = waste === 1 ? "1 byte is" : `${waste} bytes are`;
	return `A slab of ${counted(2 ** order, "page")} holds ${counted(objects, "object")}, and ${left} left over at its end.`;
}
