/** The array, queue or sheaf that holds an object, and when it is taken from there. */
import { quantity } from "../base/format.ts";
import type { Frame, Place } from "../engine/frame.ts";

export interface ArrayEntry {
	readonly place: Place;
	/** 0: taken next. */
	readonly fromTop: number;
}

export function arrayEntryOf(
	frame: Frame,
	serial: number,
	cache: number,
	index: number,
): ArrayEntry | undefined {
	const { slab, index: indices, cache: caches } = frame.entries;
	const at = slab.findIndex((s, i) => s === serial && indices[i] === index && caches[i] === cache);
	const place = frame.places.find((p) => at >= p.firstEntry && at < p.firstEntry + p.nrEntries);
	return place && { place, fromTop: place.firstEntry + place.nrEntries - 1 - at };
}

export function nth(fromTop: number): string {
	return fromTop === 0 ? "taken next" : `taken after ${quantity(fromTop, "other")}`;
}
