/**
 * The differences between the slabs of another machine and those on the stage, as boxes and in words. The other
 * machine's frame is laid out on the same plan. Slabs are matched by their serial numbers, which count them as they
 * are made.
 */

import { count, quantity } from "../../base/format.ts";
import { type Frame, NO_EXTENT, NONE, type Place } from "../../engine/frame.ts";
import { isInUse, placeName } from "../../engine/place_kinds.ts";
import { cellRects } from "../geometry.ts";
import type { Fold, Rect, Scene } from "../scene.ts";
import { layout } from "./layout.ts";
import type { Plan } from "./plan.ts";
import { listKey } from "./shape.ts";

/**
 * `there`: where the other machine has a slab; `elsewhere`, `missing`: how it treats a slab that is here; `object`:
 * allocated on one machine only; `objects`: a slab with such objects, if they are too small to show.
 */
export interface Ghost extends Rect {
	readonly kind: "there" | "elsewhere" | "missing" | "object" | "objects";
	/** Serial number of the slab. */
	readonly serial: number;
	/** For `objects`: the side of one cell. */
	readonly cell?: number;
	/** For a slab of a list that is a histogram from afar. */
	readonly fold: Fold | undefined;
}

/** The number of each, and of those that cannot be shown. */
export interface Differences {
	readonly onlyHere: number;
	readonly onlyThere: number;
	readonly elsewhere: number;
	readonly objects: number;
	/** The other machine's slabs in places that the stage does not have. */
	readonly unseen: number;
}

export interface Ghosts {
	readonly boxes: readonly Ghost[];
	readonly differences: Differences;
	/** A sentence for each slab that differs, up to so many. */
	readonly sentences: readonly string[];
}

const SENTENCES_MOST = 60;
/** More could not be distinguished. */
const BOXES_MOST = 4000;

export interface Spot {
	readonly row: number;
	readonly place: Place | undefined;
}

/** The row and the place of each slab, by serial number. */
export function spotsOf({ places, slabs }: Frame): Map<number, Spot> {
	const spots = new Map<number, Spot>();
	for (let row = 0; row < slabs.count; row++)
		spots.set(slabs.serial[row] ?? 0, { row, place: places[slabs.place[row] ?? 0] });
	return spots;
}

export function samePlace(a: Place | undefined, b: Place | undefined): boolean {
	if (!a || !b) return a === b;
	return a.kind === b.kind && a.cpu === b.cpu && a.node === b.node && a.bytes === b.bytes;
}

/** Whether the stage has an area for it. */
function isPlanned({ cpus, nodes }: Plan, place: Place | undefined): boolean {
	if (!place) return false;
	if (place.cpu !== NONE)
		return cpus.find((c) => c.cpu === place.cpu)?.parts.has(place.kind) ?? false;
	return (nodes.find((n) => n.node === place.node) ?? nodes[0])?.lists.has(listKey(place)) ?? false;
}

/** Objects that are allocated on exactly one of the two machines; none if the slabs cannot be compared. */
export function differingObjects(a: Frame, rowA: number, b: Frame, rowB: number): number[] {
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

const nameOf = (place: Place | undefined) => (place ? placeName(place) : "nowhere");

/** `letter` names the other machine. */
export function ghostsOf(
	scene: Scene,
	plan: Plan,
	here: Frame,
	there: Frame,
	letter: string,
): Ghosts {
	const [mine, theirs] = [spotsOf(here), spotsOf(there)];
	const boxes: Ghost[] = [];
	const sentences: string[] = [];
	const n = { onlyHere: 0, onlyThere: 0, elsewhere: 0, objects: 0, unseen: 0 };
	for (const slab of scene.slabs) {
		const { serial, x, y, w, h, fold } = slab;
		const box = { serial, x, y, w, h, fold };
		const [spot, other] = [mine.get(serial), theirs.get(serial)];
		if (!spot) continue;
		if (!other) {
			n.onlyHere++;
			boxes.push({ kind: "missing", ...box });
			sentences.push(`Slab ${serial}: ${nameOf(spot.place)} here, not on ${letter}.`);
			continue;
		}
		const objects = differingObjects(here, spot.row, there, other.row);
		n.objects += objects.length;
		for (const index of objects)
			for (const r of cellRects(slab, index)) boxes.push({ kind: "object", serial, fold, ...r });
		if (objects.length > 0)
			boxes.push({ kind: "objects", ...box, cell: Math.min(w / slab.columns, h / slab.rows) });
		const isMoved = !samePlace(spot.place, other.place);
		if (isMoved) {
			n.elsewhere++;
			boxes.push({ kind: "elsewhere", ...box });
		}
		if (isMoved || objects.length > 0)
			sentences.push(
				sentenceOf(serial, spot.place, isMoved ? other.place : undefined, objects, letter),
			);
	}
	const source = { cache: undefined, frame: there, zones: [], step: undefined, pageBytes: 4096 };
	for (const { serial, x, y, w, h, fold } of layout(plan, source).slabs) {
		const [spot, other] = [mine.get(serial), theirs.get(serial)];
		if (spot && samePlace(spot.place, other?.place)) continue;
		if (!spot) {
			n.onlyThere++;
			sentences.push(`Slab ${serial}: ${nameOf(other?.place)} on ${letter}, not here.`);
		}
		if (isPlanned(plan, other?.place)) boxes.push({ kind: "there", serial, x, y, w, h, fold });
		else n.unseen++;
	}
	return {
		boxes: boxes.slice(0, BOXES_MOST),
		differences: n,
		sentences: sentences.slice(0, SENTENCES_MOST),
	};
}

function sentenceOf(
	serial: number,
	here: Place | undefined,
	there: Place | undefined,
	objects: readonly number[],
	letter: string,
): string {
	const where = there ? `${nameOf(here)} here, ${nameOf(there)} on ${letter}` : nameOf(here);
	const differ =
		objects.length === 0
			? ""
			: `; ${quantity(objects.length, "object")} allocated on one of them only`;
	return `Slab ${serial}: ${where}${differ}.`;
}

/** The differences in one line; "" for none. */
export function differencesInWords(d: Differences, letter: string): string {
	const parts = [
		d.onlyHere > 0 && `${quantity(d.onlyHere, "slab")} not on ${letter}`,
		d.onlyThere > 0 && `${quantity(d.onlyThere, "slab")} on ${letter} only`,
		d.elsewhere > 0 && `${count(d.elsewhere)} elsewhere`,
		d.objects > 0 && `${quantity(d.objects, "object")} allocated on one machine only`,
		d.unseen > 0 && `${count(d.unseen)} in places that this machine does not have`,
	];
	return parts.filter((part) => part !== false).join(", ");
}
