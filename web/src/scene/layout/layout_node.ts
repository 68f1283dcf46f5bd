/** A node's column: its name, its arrays, its lists, and its pages. */

import { count, quantity } from "../../base/format.ts";
import { type Frame, NONE, type Place } from "../../engine/frame.ts";
import { holdsSheaves, KIND, PLACE, titleOf } from "../../engine/place_kinds.ts";
import type { ZoneRow } from "../../engine/types.ts";
import { isAbout } from "../about.ts";
import { type Draft, type Naming, panelOn, type Source } from "../draft.ts";
import { freeIn } from "../histogram/bars.ts";
import type { Label, Rect } from "../scene.ts";
import { tileAt } from "../tiles.ts";
import { drawNodeArrays, nameNodeArrays } from "./layout_arrays.ts";
import { cpusInWords } from "./layout_cpu.ts";
import { gridFor } from "./layout_slabs.ts";
import type { RowPlan } from "./plan.ts";
import { listPanelKey, type NodePlan, REQUEST } from "./plan_node.ts";
import { listKey } from "./shape.ts";

/** The size of the letters of a node's name, and of the words over a list, in line heights. */
const NAME = 0.72;
const WORDS = 0.65;
/** A threshold over smaller tiles would look like a part of them. */
const MARK_FROM = 15;

export function drawNode(
	draft: Draft,
	node: NodePlan,
	places: readonly Place[],
	rows: readonly RowPlan[],
): void {
	const key = node.node === NONE ? "common" : `node:${node.node}`;
	const lit = node.node !== NONE && isActing(draft.source, node);
	// Machine-wide rows cover the outlines of columns.
	if (node.node === NONE)
		for (const { key, depth, band } of node.rows)
			draft.panels.push(panelOn(groundOf(node, band), "row", `common:${key}`, false, depth));
	for (const outline of outlinesOf(node, rows))
		draft.panels.push(panelOn(outline, "node", key, lit));
	drawNodeArrays(draft, node, places);
	for (const place of places) drawList(draft, node, place);
	if (node.zones) drawPages(draft, node, node.zones);
}

const OUTLINES = new WeakMap<Rect, readonly Rect[]>();

/** Draws the outline of a column, in two parts if machine-wide rows cross it. */
function outlinesOf({ node, tier, column }: NodePlan, rows: readonly RowPlan[]): readonly Rect[] {
	const known = OUTLINES.get(column);
	if (known) return known;
	const common = rows.filter(({ row, tier: own }) => row.of === "common" && own === tier);
	const [first, last] = [common[0]?.band, common.at(-1)?.band];
	const parts: Rect[] = [];
	if (first && last && node !== NONE) {
		const [top, bottom] = [first.y, last.y + last.h];
		parts.push({ ...column, h: top - column.y });
		parts.push({ ...column, y: bottom, h: column.y + column.h - bottom });
	} else parts.push(column);
	OUTLINES.set(column, parts);
	return parts;
}

/** Caches rectangles, so that they stay the same as long as the plan does. */
const GROUNDS = new WeakMap<Rect, Rect>();

function groundOf({ column: { x, w } }: NodePlan, band: Rect): Rect {
	const ground = GROUNDS.get(band) ?? { ...band, x, w };
	GROUNDS.set(band, ground);
	return ground;
}

/** Writes the name of a node, and the words over its arrays, lists and pages. `onWay`: there are slabs beside its name. */
export function nameNode(
	naming: Naming,
	node: NodePlan,
	places: readonly Place[],
	onWay: boolean,
): void {
	if (node.node !== NONE) naming.labels.push(nameOf(naming.source, node, onWay));
	nameNodeArrays(naming, node, places);
	for (const place of places) nameList(naming, node, place);
	if (node.zones) namePages(naming, node);
}

function isActing({ step }: Source, { node, cpus }: NodePlan): boolean {
	return step !== undefined && (step.node === node || cpus.includes(step.cpu));
}

/**
 * An event's request is above the CPU that acts: in the middle of the line with the node's name, unless that CPU is
 * the node's last.
 */
function isCovered({ step }: Source, { cpus }: NodePlan): boolean {
	return step !== undefined && cpus.includes(step.cpu) && step.cpu !== cpus.at(-1);
}

/** Returns the room that the request leaves for slabs in transit. */
export function transitIn(source: Source, node: NodePlan): Rect {
	return isCovered(source, node) ? node.transit : node.transitBefore;
}

/** Beside it there is room for slabs in transit, and for an event's request. */
function nameOf(source: Source, of: NodePlan, onWay: boolean): Label {
	const { node, head, line, cpus } = of;
	const x = head.x + 9;
	const end = onWay ? transitIn(source, of).x : head.x + head.w - REQUEST;
	const w = head.w > REQUEST ? end - x : head.w - 9;
	return {
		key: `node:${node}`,
		x,
		y: head.y + line * 0.92,
		w: Math.max(0, w),
		text: `Node ${node}`,
		short: `N${node}`,
		shortAlone: true,
		details: isCovered(source, of) ? [] : [cpusInWords(cpus)],
		size: line * NAME,
		strong: true,
		lit: isActing(source, of),
		on: "row",
	};
}

/** Writes words on the line above or beside what they are about. */
export function wordsIn(
	{ line }: NodePlan,
	{ x, y, w, h }: Rect,
	of: Pick<Label, "key" | "details" | "lit">,
): Label {
	const size = line * WORDS;
	return { ...of, x, y: y + (h + size * 0.72) / 2, w, text: "", size, strong: false, on: "row" };
}

function drawList(draft: Draft, node: NodePlan, place: Place): void {
	const id = listKey(place);
	const area = node.lists.get(id);
	const frame = node.frames.get(id);
	if (!area || !frame) return;
	const { cache } = draft.source;
	const lit = isAbout(draft.source, place);
	draft.panels.push(panelOn(frame, "list", listPanelKey(node, place), lit));
	if (place.kind === PLACE.NODE_PARTIAL && cache && !node.long.has(id))
		markThreshold(draft, node, area, place, cache.minPartial);
}

/** Says how long a list is. */
function nameList(naming: Naming, node: NodePlan, place: Place): void {
	const id = listKey(place);
	const title = node.titles.get(id);
	if (!title || !node.lists.has(id)) return;
	const keeps = naming.source.cache?.minPartial ?? 0;
	naming.labels.push(
		wordsIn(node, title, {
			key: listPanelKey(node, place),
			details: lengthWords(naming, place, keeps, node.long.has(id)),
			lit: isAbout(naming.source, place),
		}),
	);
}

function lengthWords(
	{ source: { frame } }: Naming,
	place: Place,
	keeps: number,
	isLong: boolean,
): string[] {
	const { kind, nrSlabs, bytes } = place;
	const { short: noun } = titleOf(kind, bytes);
	const few = `${count(nrSlabs)} ${noun.toLowerCase()}`;
	const short = count(nrSlabs);
	const order = isLong ? "bars by free objects" : "head → tail";
	if (kind === PLACE.NODE_PARTIAL && nrSlabs > 0) {
		const { free, objects } = freeAndAll(frame, place);
		const kept = keeps > 0 ? ` · keeps ${keeps}` : "";
		const long = `${short} partial ${nrSlabs === 1 ? "slab" : "slabs"}`;
		const of = `${long}, ${count(free)} of ${count(objects)} objects free`;
		return [
			`${of}${kept} · ${order}`,
			`${of} · ${order}`,
			of,
			`${long}, ${count(free)} free`,
			long,
			few,
			short,
		];
	}
	if (bytes > 0) return [`${titleOf(kind, bytes).long}: ${quantity(nrSlabs, "page")}`, few, short];
	const long =
		kind === KIND.PLACE_LOOSE
			? `${short} on no list`
			: `${few} ${nrSlabs === 1 ? "slab" : "slabs"}`;
	if (kind === PLACE.NODE_FULL && isUnlisted(frame))
		return [`${long}, on no list`, long, few, short];
	if (kind !== KIND.PLACE_LOOSE && nrSlabs > 1) return [`${long} · ${order}`, long, few, short];
	return [long, few, short];
}

/** Whether full slabs are on no list: SLUB keeps none. */
function isUnlisted({ places: [first] }: Frame): boolean {
	return first !== undefined && (first.kind === PLACE.CPU_SLAB || holdsSheaves(first.kind));
}

function freeAndAll(frame: Frame, { firstSlab, nrSlabs }: Place) {
	let [free, objects] = [0, 0];
	for (let row = firstSlab; row < firstSlab + nrSlabs; row++) {
		objects += frame.slabs.objects[row] ?? 0;
		free += freeIn(frame, row);
	}
	return { free, objects };
}

/** Draws a bracket over the slabs that min_partial keeps, or over as many as there are. */
function markThreshold(
	draft: Draft,
	{ node, tiles }: NodePlan,
	area: Rect,
	place: Place,
	minPartial: number,
): void {
	const grid = gridFor(place, area, tiles.get(listKey(place)) ?? 0);
	const kept = Math.min(minPartial, place.nrSlabs, grid.columns);
	if (grid.size < MARK_FROM || kept === 0) return;
	const first = tileAt(area, grid, 0);
	const last = tileAt(area, grid, kept - 1);
	draft.marks.push({
		key: `min_partial:${node}`,
		x: first.x,
		y: first.y - 3,
		w: last.x + last.w - first.x,
		h: 2.5,
	});
}

function pageWords(used: number): string[] {
	return [`${quantity(used, "page")} taken`, quantity(used, "page"), count(used)];
}

function zonesOf({ zones }: Source, { node }: NodePlan): readonly ZoneRow[] {
	return zones.filter((z) => z.node === node);
}

function areZonesLit({ step }: Source, { node }: NodePlan): boolean {
	return step !== undefined && step.node === node && step.kind.startsWith("PAGES_");
}

/**
 * A cache takes only a few hundred out of millions of pages, so the bars' scale ends at a power of two above the most
 * that any node has given.
 */
function pagesShown({ zones }: Source): number {
	const byNode = new Map<number, number>();
	for (const { node, used } of zones) byNode.set(node, (byNode.get(node) ?? 0) + used);
	return 2 ** Math.ceil(Math.log2(Math.max(PAGES_LEAST, ...byNode.values()) + 1));
}

const PAGES_LEAST = 60;

function drawPages(draft: Draft, node: NodePlan, area: Rect): void {
	const { used, pages } = sumOf(zonesOf(draft.source, node));
	const lit = areZonesLit(draft.source, node);
	const fill = used / Math.min(pagesShown(draft.source), Math.max(1, pages));
	draft.panels.push(panelOn(area, "zone", `zone:${node.node}/`, lit, Math.min(1, fill)));
}

function sumOf(zones: readonly ZoneRow[]): { used: number; pages: number } {
	const sum = (of: (zone: ZoneRow) => number) => zones.reduce((all, zone) => all + of(zone), 0);
	return { used: sum((z) => z.used), pages: sum((z) => z.pages) };
}

/** Says how many pages the node gave. */
function namePages(naming: Naming, node: NodePlan): void {
	const zones = zonesOf(naming.source, node);
	const title = node.titles.get("pages");
	if (!title || zones.length === 0) return;
	naming.labels.push(
		wordsIn(node, title, {
			key: `pages:${node.node}`,
			details: pageWords(sumOf(zones).used),
			lit: areZonesLit(naming.source, node),
		}),
	);
}
