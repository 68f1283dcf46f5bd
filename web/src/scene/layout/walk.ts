/**
 * A walk through a frame by keyboard: from place to place, into a place to its slabs or single objects, into a slab
 * to its objects. A stop is named by lasting ids, so that a walker stays with a slab that moves. Rectangles say where
 * stops are.
 */

import { About, CELL_WORDS } from "#abi";
import { quantity } from "../../base/format.ts";
import { type Frame, NO_EXTENT, type Place } from "../../engine/frame.ts";
import { holdsObjects, useInWords } from "../../engine/place_kinds.ts";
import { isSubject, readSubject } from "../../engine/subject.ts";
import type { ObjectId } from "../../engine/types.ts";
import { nameIn } from "../describe.ts";
import { slabBySerial, whereIs } from "../find.ts";
import { cellRects } from "../geometry.ts";
import type { Rect, Scene } from "../scene.ts";
import type { Plan } from "./plan.ts";
import { seatsOn } from "./seats.ts";

/** A place, a slab in it, or an object, either in that slab or kept singly in the place. */
export interface Stop {
	/** Index among the frame's places. */
	readonly place: number;
	readonly slab: { readonly cache: number; readonly serial: number } | null;
	readonly object: ObjectId | null;
}

export type Turn = "next" | "previous" | "first" | "last" | "farther" | "back" | "in" | "out";

/** How many stops a page key skips. */
const FAR = 10;

/** The text for a screen reader about a stop: its name, its number among its siblings, and its level. */
export interface StopWords {
	/** Different for every stop. */
	readonly key: string;
	readonly name: string;
	/** 1: a place. */
	readonly level: number;
	readonly position: number;
	readonly of: number;
}

const AT_PLACE = (place: number): Stop => ({ place, slab: null, object: null });

/** Returns the stop for the selection; or where the last walk ended, or the first place that is not empty. */
export function startOf(
	frame: Frame,
	held: { readonly serial: number; readonly index: number } | null,
	last?: Stop,
): Stop {
	const row = held ? frame.slabs.serial.indexOf(held.serial) : -1;
	if (row >= 0 && held) {
		const slab = slabAt(frame, row);
		const object = held.index >= 0 ? { ...slab, index: held.index } : null;
		return { place: frame.slabs.place[row] ?? 0, slab, object };
	}
	if (last && last.place < frame.places.length) return follow(frame, last);
	const first = frame.places.findIndex((p) => p.nrSlabs + p.nrEntries > 0);
	return AT_PLACE(Math.max(0, first));
}

/** Finds the same thing at a different position: a slab where it is then; for a thing that no longer exists, its place. */
export function follow(frame: Frame, stop: Stop): Stop {
	const place = Math.min(stop.place, Math.max(0, frame.places.length - 1));
	if (stop.slab) {
		const row = rowOf(frame, stop.slab);
		return row < 0 ? AT_PLACE(place) : { ...stop, place: frame.slabs.place[row] ?? place };
	}
	if (!stop.object) return AT_PLACE(place);
	const at = entriesIn(frame, place).findIndex((o) => isSame(o, stop.object));
	return at < 0 ? AT_PLACE(place) : { ...stop, place };
}

/** Returns the stop that a key leads to; the same stop if it leads nowhere. */
export function turn(frame: Frame, stop: Stop, to: Turn): Stop {
	if (to === "out") return outOf(stop);
	if (to === "in") return into(frame, stop) ?? stop;
	const all = siblings(frame, stop);
	const at = all.findIndex((s) => sameStop(s, stop));
	return all[Math.min(all.length - 1, Math.max(0, aim(to, at, all.length)))] ?? stop;
}

function aim(to: Exclude<Turn, "in" | "out">, at: number, nr: number): number {
	const aims = { next: at + 1, previous: at - 1, first: 0, last: nr - 1 };
	return to === "farther" ? at + FAR : to === "back" ? at - FAR : aims[to];
}

function outOf(stop: Stop): Stop {
	if (stop.object && stop.slab) return { ...stop, object: null };
	return AT_PLACE(stop.place);
}

function into(frame: Frame, stop: Stop): Stop | undefined {
	if (stop.object) return undefined;
	return stop.slab ? objectsOf(frame, stop)[0] : childrenOf(frame, stop.place)[0];
}

/** Lists everything on the same level under the same parent, in order. */
function siblings(frame: Frame, stop: Stop): Stop[] {
	if (stop.object && stop.slab) return objectsOf(frame, { ...stop, object: null });
	if (stop.object || stop.slab) return childrenOf(frame, stop.place);
	return frame.places.map((_, place) => AT_PLACE(place));
}

/** Lists slabs from the head; single objects from the one taken next. */
function childrenOf(frame: Frame, place: number): Stop[] {
	const { firstSlab = 0, nrSlabs = 0 } = frame.places[place] ?? {};
	const objects = entriesIn(frame, place);
	if (objects.length > 0) return objects.map((object) => ({ place, slab: null, object }));
	return Array.from({ length: nrSlabs }, (_, i) => ({
		place,
		slab: slabAt(frame, firstSlab + i),
		object: null,
	}));
}

function objectsOf(frame: Frame, { place, slab }: Stop): Stop[] {
	const row = slab ? rowOf(frame, slab) : -1;
	if (!slab || row < 0) return [];
	return Array.from({ length: frame.slabs.objects[row] ?? 0 }, (_, index) => ({
		place,
		slab,
		object: { ...slab, index },
	}));
}

/** Lists the single objects of a place, from the one taken next. */
function entriesIn({ places, entries }: Frame, place: number): ObjectId[] {
	const { kind = -1, firstEntry = 0, nrEntries = 0 } = places[place] ?? {};
	if (!holdsObjects(kind)) return [];
	return Array.from({ length: nrEntries }, (_, i) => {
		const at = firstEntry + nrEntries - 1 - i;
		return {
			cache: entries.cache[at] ?? 0,
			serial: entries.slab[at] ?? 0,
			index: entries.index[at] ?? 0,
		};
	});
}

function slabAt({ slabs }: Frame, row: number) {
	return { cache: slabs.cache[row] ?? 0, serial: slabs.serial[row] ?? 0 };
}

function rowOf({ slabs }: Frame, { cache, serial }: { cache: number; serial: number }): number {
	return slabs.serial.findIndex((s, row) => s === serial && slabs.cache[row] === cache);
}

function isSame(a: ObjectId | null, b: ObjectId | null): boolean {
	return a?.serial === b?.serial && a?.index === b?.index && a?.cache === b?.cache;
}

export function sameStop(a: Stop, b: Stop): boolean {
	const slabs = a.slab?.serial === b.slab?.serial && a.slab?.cache === b.slab?.cache;
	return a.place === b.place && slabs && isSame(a.object, b.object);
}

/** Returns the stop and its parents, starting with the place. */
export function pathTo(frame: Frame, stop: Stop): StopWords[] {
	const stops = [AT_PLACE(stop.place)];
	if (stop.slab) stops.push({ ...stop, object: null });
	if (stop.object) stops.push(stop);
	return stops.map((s, i) => {
		const all = siblings(frame, s);
		const { serial, index } = s.object ?? { serial: s.slab?.serial, index: undefined };
		return {
			key: [s.place, serial, index].filter((n) => n !== undefined).join("-"),
			name: nameOf(frame, s),
			level: i + 1,
			position: all.findIndex((other) => sameStop(other, s)) + 1,
			of: all.length,
		};
	});
}

function nameOf(frame: Frame, { place, slab, object }: Stop): string {
	const at = frame.places[place];
	if (object && !slab) return `object ${object.index} of slab ${object.serial}`;
	if (object) return objectWords(frame, object);
	if (!slab) return at ? `${nameIn(frame, at)}, ${holdsWords(at)}` : "";
	const row = rowOf(frame, slab);
	return `slab ${slab.serial}, ${useInWords(frame, row)}`;
}

function holdsWords({ kind, nrSlabs, nrEntries }: Place): string {
	const words = holdsObjects(kind) ? quantity(nrEntries, "object") : quantity(nrSlabs, "slab");
	return nrSlabs + nrEntries === 0 ? "empty" : words;
}

function objectWords(frame: Frame, object: ObjectId): string {
	const { slabs, cells, extents } = frame;
	const row = rowOf(frame, object);
	const state = CELL_WORDS[cells[(slabs.firstCell[row] ?? 0) + object.index] ?? 0] ?? "";
	const extent = slabs.firstExtent[row] ?? NO_EXTENT;
	if (extent === NO_EXTENT) return `object ${object.index}, ${state}`;
	return `block ${object.index}, ${quantity(extents.bytes[extent + object.index] ?? 0, "byte")}, ${state}`;
}

/** Returns undefined if it is not on the stage. */
export function rectOf(scene: Scene, plan: Plan, frame: Frame, stop: Stop): Rect | undefined {
	const { slab, object } = stop;
	if (!slab) return object ? whereIs(scene, object).at(-1) : areaOf(scene, plan, frame, stop.place);
	const box = slabBySerial(scene, slab.serial, slab.cache);
	return object && box ? cellRects(box, object.index)[0] : box;
}

/** Returns a place's area; for an array, its box. */
function areaOf(scene: Scene, plan: Plan, frame: Frame, at: number): Rect | undefined {
	const place = frame.places[at];
	const seats = seatsOn(plan, frame.places);
	if (!place) return undefined;
	if (!holdsObjects(place.kind)) return seats.spots[at]?.area;
	const onCpu = seats.cpus.find(({ own }) => own.includes(at));
	if (onCpu) return onCpu.plan.parts.get(place.kind);
	const node = seats.nodes.find(({ own }) => own.includes(at));
	const alike = node?.own.filter((i) => frame.places[i]?.kind === place.kind) ?? [];
	const key = `array:${node?.plan.node}/${place.kind}/${alike.indexOf(at)}`;
	return scene.arrays.find((a) => a.key === key);
}

/** Returns the area of a subject (engine/subject.ts); undefined if it is not on the stage. */
export function subjectRect(
	scene: Scene,
	plan: Plan,
	frame: Frame,
	text: string,
): Rect | undefined {
	const subject = readSubject(text);
	if (!subject) return undefined;
	const { about, cpu, node } = subject;
	if (about === About.ABOUT_CPU) return panelBy(scene, `cpu:${cpu}`);
	if (about === About.ABOUT_NODE) return plan.nodes.find((n) => n.node === node)?.column;
	if (about === About.ABOUT_PAGES) return panelBy(scene, `zone:${node}/`);
	const place = frame.places.findIndex((p) => isSubject(subject, p));
	return place < 0 ? undefined : areaOf(scene, plan, frame, place);
}

/** A key that ends in a slash is the prefix of several keys. */
function panelBy({ panels }: Scene, key: string): Rect | undefined {
	return panels.find((p) => (key.endsWith("/") ? p.key.startsWith(key) : p.key === key));
}
