/** The stage in words: what a screen reader reads instead of the picture. */
import { PLACE_KIND_WORDS } from "#abi";
import { type Frame, NONE, type Place } from "../engine/types.ts";

const SLABS_MOST = 12;

export function placeName(place: Place): string {
	const words = PLACE_KIND_WORDS[place.kind] ?? "place";
	if (place.cpu !== NONE) return `CPU ${place.cpu}, ${words}`;
	if (place.node !== NONE) return `node ${place.node}, ${words}`;
	return words;
}

export interface PlaceInWords {
	readonly key: string;
	readonly name: string;
	readonly slabs: string;
}

/** One row a place that holds slabs; of long lists the first slabs and how many more there are. */
export function inWords(frame: Frame): PlaceInWords[] {
	const rows = frame.places.filter((p) => p.nrSlabs > 0).map((p) => placeInWords(frame, p));
	const empty = frame.places.length - rows.length;
	if (empty > 0) rows.push({ key: "empty", name: `${empty} other places`, slabs: "empty" });
	return rows;
}

function placeInWords({ slabs }: Frame, place: Place): PlaceInWords {
	const shown = Math.min(place.nrSlabs, SLABS_MOST);
	const parts = Array.from({ length: shown }, (_, k) => {
		const row = place.firstSlab + k;
		return `slab ${slabs.serial[row]}: ${slabs.inuse[row]} of ${slabs.objects[row]} in use`;
	});
	if (place.nrSlabs > shown) parts.push(`and ${place.nrSlabs - shown} more`);
	const key = `${place.kind}/${place.cpu}/${place.node}/${place.firstSlab}`;
	return { key, name: placeName(place), slabs: parts.join("; ") };
}
