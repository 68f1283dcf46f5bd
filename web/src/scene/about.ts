/**
 * What a step is about, told by the names of its arguments, which mean the same in every allocator: `slab` and
 * `index` name an object, `offset` a byte of the slab, and an argument that counts a list or an array lights it.
 */
import { What } from "#abi";
import type { Frame, Place, Step } from "../engine/types.ts";
import { CELL, heldState, holdsObjects, PLACE } from "./kinds.ts";

export function namesSlab(step: Step | undefined, cache: number, serial: number): boolean {
	return step !== undefined && step.cache === cache && step.args.slab === serial;
}

function isAboutPartial({ kind, args }: Step): boolean {
	if (kind === "THRESHOLD") return args.what === What.WHAT_NR_PARTIAL_MIN_PARTIAL;
	return args.nr_partial !== undefined;
}

/** Whether the step looks at this list of slabs or changes it. */
export function isAboutList(step: Step | undefined, frame: Frame, place: Place): boolean {
	if (!step || step.node !== place.node) return false;
	if (place.kind === PLACE.NODE_PARTIAL && isAboutPartial(step)) return true;
	if (place.kind === PLACE.NODE_PARTIAL || place.kind === PLACE.NODE_FULL) return false;
	return holdsSlab(frame, place, step);
}

function holdsSlab({ slabs }: Frame, place: Place, step: Step): boolean {
	for (let row = place.firstSlab; row < place.firstSlab + place.nrSlabs; row++)
		if (namesSlab(step, slabs.cache[row] ?? 0, slabs.serial[row] ?? 0)) return true;
	return false;
}

/** Whether the step fills or empties this array. */
export function isAboutArray(step: Step | undefined, place: Place): boolean {
	if (!step || !holdsObjects(place.kind)) return false;
	const { args } = step;
	switch (heldState(place.kind)) {
		case CELL.FREE_CPU:
			return step.cpu === place.cpu && (args.avail ?? args.left ?? args.queue) !== undefined;
		case CELL.FREE_SHARED:
			return step.node === place.node && args.shared !== undefined;
		default:
			return step.node === place.target && args.alien !== undefined;
	}
}
