/** The stage in words: what a screen reader reads instead of the picture. */
import { type Frame, NO_EXTENT, type Place } from "../engine/frame.ts";
import { allocatedIn, CELL, holdsObjects, isUntouched, placeName } from "../engine/place_kinds.ts";

const SLABS_MOST = 12;
const OBJECTS_MOST = 8;

export interface PlaceInWords {
	readonly key: string;
	readonly name: string;
	readonly holds: string;
}

/** One row per place that is not empty; long lists show the first few and the number of the rest. */
export function inWords(frame: Frame): PlaceInWords[] {
	const rows = frame.places
		.map((place, i) => ({ place, i }))
		.filter(({ place }) => place.nrSlabs + place.nrEntries > 0)
		.map(({ place, i }) => ({
			key: String(i),
			name: placeName(place),
			holds: holdsObjects(place.kind) ? arrayWords(frame, place) : listWords(frame, place),
		}));
	const empty = frame.places.length - rows.length;
	if (empty > 0) rows.push({ key: "empty", name: `${empty} other places`, holds: "empty" });
	return rows;
}

function listWords(frame: Frame, { firstSlab, nrSlabs }: Place): string {
	const shown = Math.min(nrSlabs, SLABS_MOST);
	const parts = Array.from({ length: shown }, (_, k) => slabWords(frame, firstSlab + k));
	if (nrSlabs > shown) parts.push(`and ${nrSlabs - shown} more`);
	return parts.join("; ");
}

function slabWords(frame: Frame, row: number): string {
	const { slabs, cells, extents } = frame;
	const name = `slab ${slabs.serial[row]}`;
	const objects = slabs.objects[row] ?? 0;
	const extent = slabs.firstExtent[row] ?? NO_EXTENT;
	if (extent === NO_EXTENT) return `${name}: ${allocatedIn(frame, row)} of ${objects} allocated`;
	const first = slabs.firstCell[row] ?? 0;
	const blocks = Array.from({ length: Math.min(objects, OBJECTS_MOST) }, (_, i) => {
		const state = cells[first + i] === CELL.ALLOCATED ? "allocated" : "free";
		return `${extents.bytes[extent + i]} bytes at ${extents.offset[extent + i]} ${state}`;
	});
	if (objects > blocks.length) blocks.push(`${objects - blocks.length} more blocks`);
	return `${name}: ${blocks.join(", ")}`;
}

/** The object that is taken next comes first. */
function arrayWords({ entries }: Frame, place: Place): string {
	const { nrEntries, firstEntry, limit } = place;
	const shown = Math.min(nrEntries, OBJECTS_MOST);
	const objects = Array.from({ length: shown }, (_, k) => {
		const at = firstEntry + nrEntries - 1 - k;
		return `object ${entries.index[at]} of slab ${entries.slab[at]}`;
	});
	if (nrEntries > shown) objects.push(`and ${nrEntries - shown} more`);
	const fill = limit > 0 ? `${nrEntries} of ${limit}` : `${nrEntries}`;
	return `${fill}${isUntouched(place) ? ", untouched" : ""}, next: ${objects.join(", ")}`;
}
