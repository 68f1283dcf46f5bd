/** Puts the stage into words for a screen reader, in place of the picture. */
import { PLACE_KIND_WORDS } from "#abi";
import { count, quantity } from "../base/format.ts";
import { type Frame, NO_EXTENT, NONE, type Place } from "../engine/frame.ts";
import {
	allocatedIn,
	CELL,
	holdsObjects,
	holdsSheaves,
	isUntouched,
	placeName,
	type SheafRoom,
	sheafRoom,
	useInWords,
} from "../engine/place_kinds.ts";
import type { Bar, Histogram } from "./scene.ts";
import { CARDS_MOST, TILES_MOST } from "./tiles.ts";

const SLABS_MOST = 12;
const OBJECTS_MOST = 8;

export interface PlaceInWords {
	readonly key: string;
	readonly name: string;
	readonly holds: string;
}

/** Writes one row for each place that is not empty; long lists show the first few slabs and count the rest. */
export function inWords(frame: Frame): PlaceInWords[] {
	const rows = frame.places
		.map((place, i) => ({ place, i }))
		.filter(({ place }) => place.nrSlabs + place.nrEntries > 0 || hasEmpties(place))
		.map(({ place, i }) => ({
			key: String(i),
			name: nameIn(frame, place),
			holds: holdsObjects(place.kind) ? arrayWords(frame, place) : listWords(frame, place),
		}));
	const rest = frame.places.filter((p) => p.nrSlabs + p.nrEntries === 0 && !hasEmpties(p));
	const ofCpu = rest.filter((p) => holdsSheaves(p.kind) && p.cpu !== NONE);
	const absent = ofCpu.filter((p) => p.sheaves === 0).length;
	const sheaves = ofCpu.length - absent;
	const places = rest.length - ofCpu.length;
	if (sheaves > 0)
		rows.push({ key: "sheaves", name: quantity(sheaves, "sheaf", "sheaves"), holds: "empty" });
	if (absent > 0)
		rows.push({
			key: "absent",
			name: quantity(absent, "place for a sheaf", "places for a sheaf"),
			holds: "absent",
		});
	if (places > 0) rows.push({ key: "empty", name: `${places} other places`, holds: "empty" });
	return rows;
}

/** Mentions a barn's empty sheaves. */
function hasEmpties({ kind, cpu, sheaves }: Place): boolean {
	return holdsSheaves(kind) && cpu === NONE && sheaves > 0;
}

/** Names a place; if CPUs are squares without room for words, a CPU's place names its node too. */
export function nameIn({ places }: Frame, place: Place): string {
	const { cpu, node } = place;
	const isLarge = places.some((p) => p.cpu !== NONE && p.cpu >= CARDS_MOST);
	const hasNode = isLarge && cpu !== NONE && node !== NONE;
	return hasNode ? `${placeName(place)}, node ${node}` : placeName(place);
}

function listWords(frame: Frame, { firstSlab, nrSlabs }: Place): string {
	const isLong = nrSlabs > TILES_MOST && frame.slabs.firstExtent[firstSlab] === NO_EXTENT;
	if (isLong) return histogramWords(frame, firstSlab, nrSlabs);
	const shown = Math.min(nrSlabs, SLABS_MOST);
	const parts = Array.from({ length: shown }, (_, k) => slabWords(frame, firstSlab + k));
	if (nrSlabs > shown) parts.push(`and ${nrSlabs - shown} more`);
	return parts.join("; ");
}

/** Describes a long list by its slabs' free objects, as the picture shows it. */
function histogramWords(frame: Frame, firstSlab: number, nrSlabs: number): string {
	const slabs = new Map<number, number>();
	for (let row = firstSlab; row < firstSlab + nrSlabs; row++) {
		const free = (frame.slabs.objects[row] ?? 0) - allocatedIn(frame, row);
		slabs.set(free, (slabs.get(free) ?? 0) + 1);
	}
	const counts = [...slabs].toSorted(([a], [b]) => a - b);
	const words = counts.map(([free, n]) => `${count(n)} with ${quantity(free, "free object")}`);
	return `${quantity(nrSlabs, "slab")}: ${words.join(", ")}`;
}

/** Describes a bar of a histogram: how many slabs it counts, and which. */
export function barWords(
	{ unit, most, nrSlabs, isFull }: Histogram,
	bar: Bar,
): { title: string; of: string } {
	const { from, to } = bar;
	const marked = bar.inferred > 0 ? `; ${count(bar.inferred)} with inferred objects` : "";
	if (isFull) return { title: quantity(bar.nrSlabs, "slab"), of: `all of them are full${marked}` };
	const range = from === to ? count(from) : `${count(from)} to ${count(to)}`;
	const free =
		unit === "percent" ? `${range} % free` : `${range} of ${quantity(most, "object")} free`;
	return {
		title: quantity(bar.nrSlabs, "slab"),
		of: `${free}${marked}; the list has ${quantity(nrSlabs, "slab")}`,
	};
}

export interface CpuInWords {
	/** The CPU's name, such as "CPU 117, node 3". */
	readonly name: string;
	readonly places: readonly PlaceInWords[];
}

/** Describes what a CPU has, place by place. */
export function cpuInWords(frame: Frame, cpu: number): CpuInWords {
	const own = frame.places.filter((place) => place.cpu === cpu);
	const node = own[0]?.node ?? NONE;
	return {
		name: node === NONE ? `CPU ${cpu}` : `CPU ${cpu}, node ${node}`,
		places: own.map((place) => ({
			key: String(place.kind),
			name: PLACE_KIND_WORDS[place.kind] ?? "",
			holds: holdsInWords(frame, place),
		})),
	};
}

function holdsInWords(frame: Frame, place: Place): string {
	const { kind, nrSlabs, firstSlab, nrEntries, limit, sheaves } = place;
	if (holdsSheaves(kind) && sheaves === 0) return "absent";
	const of = limit > 0 ? ` of ${count(limit)}` : "";
	if (holdsObjects(kind)) return `${count(nrEntries)}${of}`;
	if (nrSlabs === 0) return "no slab";
	return nrSlabs === 1 ? slabWords(frame, firstSlab) : `${count(nrSlabs)}${of} slabs`;
}

function slabWords(frame: Frame, row: number): string {
	const { slabs, cells, extents } = frame;
	const name = `slab ${slabs.serial[row]}`;
	const objects = slabs.objects[row] ?? 0;
	const extent = slabs.firstExtent[row] ?? NO_EXTENT;
	if (extent === NO_EXTENT) return `${name}: ${useInWords(frame, row)}`;
	const first = slabs.firstCell[row] ?? 0;
	const blocks = Array.from({ length: Math.min(objects, OBJECTS_MOST) }, (_, i) => {
		const state = cells[first + i] === CELL.ALLOCATED ? "allocated" : "free";
		return `${extents.bytes[extent + i]} bytes at ${extents.offset[extent + i]} ${state}`;
	});
	if (objects > blocks.length) blocks.push(`${objects - blocks.length} more blocks`);
	return `${name}: ${blocks.join(", ")}`;
}

/** Lists objects, starting with the one taken next. */
function arrayWords({ entries, places }: Frame, place: Place): string {
	const { nrEntries, firstEntry, limit } = place;
	const shown = Math.min(nrEntries, OBJECTS_MOST);
	const objects = Array.from({ length: shown }, (_, k) => {
		const at = firstEntry + nrEntries - 1 - k;
		return `object ${entries.index[at]} of slab ${entries.slab[at]}`;
	});
	if (nrEntries > shown) objects.push(`and ${nrEntries - shown} more`);
	const room = place.cpu === NONE ? sheafRoom(places, place) : undefined;
	if (room) return barnWords(room, place, objects);
	const fill = limit > 0 ? `${nrEntries} of ${limit}` : `${nrEntries}`;
	return `${fill}${isUntouched(place) ? ", untouched" : ""}, next: ${objects.join(", ")}`;
}

/** Describes sheaves: "3 of 10 sheaves of 28 objects, next: …". */
function barnWords({ sheaves, capacity }: SheafRoom, place: Place, objects: string[]): string {
	const of = sheaves > 0 ? `${count(place.sheaves)} of ` : "";
	const nr = quantity(sheaves > 0 ? sheaves : place.sheaves, "sheaf", "sheaves");
	const next = objects.length > 0 ? `, next: ${objects.join(", ")}` : "";
	return `${of}${nr} of ${quantity(capacity, "object")}${next}`;
}
