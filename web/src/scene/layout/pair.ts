/**
 * Where two machines differ at one position: the number of slabs, and the places that hold others. Slabs are matched
 * by their serial numbers, which count them as they are made.
 */
import { type Frame, NO_EXTENT, NONE, type Place } from "../../engine/frame.ts";
import { holdsObjects, isInUse, placeName } from "../../engine/place_kinds.ts";
import type { Rect, Scene } from "../scene.ts";
import { listKey } from "./shape.ts";

/** A place whose content differs; a machine without such a place holds undefined. */
export interface DifferingPlace {
	readonly name: string;
	readonly place: Place;
	/** The things that are counted in it. */
	readonly unit: "slab" | "object";
	readonly here: number | undefined;
	readonly there: number | undefined;
}

export interface PairDifference {
	/** Slabs that only one machine has, that are elsewhere, or whose allocated objects differ. */
	readonly slabs: number;
	readonly places: readonly DifferingPlace[];
}

function keyOf({ kind, cpu, node, bytes, target }: Place): string {
	return `${kind}/${cpu}/${node}/${bytes}/${target}`;
}

interface Spot {
	readonly row: number;
	readonly place: Place | undefined;
}

/** The row and the place of each slab, by serial number. */
function spotsOf({ places, slabs }: Frame): Map<number, Spot> {
	const spots = new Map<number, Spot>();
	for (let row = 0; row < slabs.count; row++)
		spots.set(slabs.serial[row] ?? 0, { row, place: places[slabs.place[row] ?? 0] });
	return spots;
}

function samePlace(a: Place | undefined, b: Place | undefined): boolean {
	if (!a || !b) return a === b;
	return a.kind === b.kind && a.cpu === b.cpu && a.node === b.node && a.bytes === b.bytes;
}

/** Objects that are allocated on exactly one of the two machines; none if the slabs cannot be compared. */
function differingObjects(a: Frame, rowA: number, b: Frame, rowB: number): number[] {
	const n = a.slabs.objects[rowA] ?? 0;
	if (b.slabs.objects[rowB] !== n) return [];
	if ((a.slabs.firstExtent[rowA] ?? NO_EXTENT) !== NO_EXTENT) return [];
	const [fromA, fromB] = [a.slabs.firstCell[rowA] ?? 0, b.slabs.firstCell[rowB] ?? 0];
	const found: number[] = [];
	for (let i = 0; i < n; i++) {
		const here = isInUse(a.cells[fromA + i]);
		const there = isInUse(b.cells[fromB + i]);
		if (here !== there) found.push(i);
	}
	return found;
}

export function pairDifference(here: Frame, there: Frame): PairDifference {
	const [mine, theirs] = [spotsOf(here), spotsOf(there)];
	const changed = new Set<string>();
	let slabs = 0;
	for (const serial of new Set([...mine.keys(), ...theirs.keys()])) {
		const [a, b] = [mine.get(serial), theirs.get(serial)];
		const isAlike =
			a !== undefined &&
			b !== undefined &&
			samePlace(a.place, b.place) &&
			differingObjects(here, a.row, there, b.row).length === 0;
		if (isAlike) continue;
		slabs++;
		for (const place of [a?.place, b?.place]) if (place) changed.add(keyOf(place));
	}
	const [own, other] = [byKey(here), byKey(there)];
	for (const key of new Set([...own.keys(), ...other.keys()]))
		if (contentOf(here, own.get(key)) !== contentOf(there, other.get(key))) changed.add(key);
	return { slabs, places: [...changed].flatMap((key) => row(own.get(key), other.get(key))) };
}

function byKey({ places }: Frame): Map<string, Place> {
	return new Map(places.map((place) => [keyOf(place), place]));
}

/** The objects in an array, oldest first; "" for an empty or missing one. */
function contentOf({ entries }: Frame, place: Place | undefined): string {
	if (!place || !holdsObjects(place.kind)) return "";
	const at = Array.from({ length: place.nrEntries }, (_, i) => place.firstEntry + i);
	return at.map((i) => `${entries.slab[i]}.${entries.index[i]}`).join();
}

function row(here: Place | undefined, there: Place | undefined): DifferingPlace[] {
	const place = here ?? there;
	if (!place) return [];
	const isArray = holdsObjects(place.kind);
	const held = (p: Place | undefined) => p && (isArray ? p.nrEntries : p.nrSlabs);
	return [
		{
			name: placeName(place),
			place,
			unit: isArray ? "object" : "slab",
			here: held(here),
			there: held(there),
		},
	];
}

/** The boxes of a scene that show these places: a CPU has one for all of its places. */
export function boxesOf(scene: Scene, places: readonly DifferingPlace[]): Rect[] {
	const nodes = new Set(scene.panels.flatMap(({ key }) => /^list:(\d+)\//.exec(key)?.[1] ?? []));
	const [only] = nodes;
	const keys = new Set(
		places.map(({ place }) => {
			if (place.cpu !== NONE) return `cpu:${place.cpu}`;
			const node = nodes.has(String(place.node)) ? place.node : only;
			return `list:${node}/${listKey(place)}`;
		}),
	);
	return scene.panels.filter((panel) => keys.has(panel.key));
}
