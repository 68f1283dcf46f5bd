/**
 * Where two machines differ at one position: the number of slabs, and the places that hold others. Slabs are matched
 * by their serial numbers, as for ghosts.
 */
import { type Frame, NONE, type Place } from "../../engine/frame.ts";
import { holdsObjects, placeName } from "../../engine/place_kinds.ts";
import type { Rect, Scene } from "../scene.ts";
import { differingObjects, samePlace, spotsOf } from "./ghosts.ts";
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
