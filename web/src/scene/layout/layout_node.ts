/** A node's card: its name, its arrays, its lists, and its zones. */

import { count } from "../../base/format.ts";
import { type Frame, NONE, type Place } from "../../engine/frame.ts";
import { holdsSheaves, KIND, PLACE, titleOf, zoneName } from "../../engine/place_kinds.ts";
import type { ZoneRow } from "../../engine/types.ts";
import { isAbout } from "../about.ts";
import { type Draft, type Naming, panelOn, type Source } from "../draft.ts";
import { isNamedZone, zoneBar } from "../geometry.ts";
import { freeIn } from "../histogram/bars.ts";
import type { Label, Rect } from "../scene.ts";
import { tileAt } from "../tiles.ts";
import { drawNodeArrays, nameNodeArrays } from "./layout_arrays.ts";
import { cpusInWords } from "./layout_cpu.ts";
import { gridFor } from "./layout_slabs.ts";
import { LINE_LEAST, letters, lettersOver, listPanelKey, type NodePlan } from "./plan_node.ts";
import { listKey } from "./shape.ts";

/** The gap between the words over two lists. */
const LEAST_GAP = 4;
/** Over narrower lists, numbers need the room more than a long name does. */
const LONG_NAME_FROM = 320;
/** On a lower line nothing can be read; words beside a list: pixels to it, the least width and the size of letters. */
const LINE_FROM = 10;
const BESIDE = { gap: 8, from: 120, size: 11 };
/** Thresholds over smaller tiles would hide the name of the list. */
const MARK_FROM = 15;

export function drawNode(draft: Draft, node: NodePlan, places: readonly Place[]): void {
	const key = node.node === NONE ? "common" : `node:${node.node}`;
	const lit = node.node !== NONE && isActing(draft.source, node);
	draft.panels.push(panelOn(node.column, "node", key, lit));
	drawNodeArrays(draft, node, places);
	for (const place of places) drawList(draft, node, place);
	if (node.zones) drawZones(draft, node, node.zones);
}

/** The name of a node, and those of its arrays, lists and zones. */
export function nameNode(naming: Naming, node: NodePlan, places: readonly Place[]): void {
	if (node.node !== NONE) naming.labels.push(nameOf(node, isActing(naming.source, node)));
	nameNodeArrays(naming, node, places);
	for (const place of places) nameList(naming, node, place);
	if (node.zones) nameZones(naming, node, node.zones);
}

function isActing({ step }: Source, { node, cpus }: NodePlan): boolean {
	return step !== undefined && (step.node === node || cpus.includes(step.cpu));
}

/** Beside it is the room for slabs on the way. */
function nameOf(node: NodePlan, lit: boolean): Label {
	const { column, line, pad, transit } = node;
	const x = column.x + pad;
	return {
		key: `node:${node.node}`,
		x,
		y: transit.y + line * 0.72,
		w: Math.max(0, transit.x - x),
		text: `Node ${node.node}`,
		short: `N${node.node}`,
		details: [cpusInWords(node.cpus)],
		size: letters(line, 13),
		strong: true,
		lit,
		on: "paper",
	};
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

/** A list's name and how long it is. */
function nameList(naming: Naming, node: NodePlan, place: Place): void {
	const id = listKey(place);
	const area = node.lists.get(id);
	if (!area) return;
	const { cache } = naming.source;
	const title = titleOf(place.kind, place.bytes);
	const beside = besideOf(node, area);
	const over = {
		x: area.x,
		y: area.y - node.line * 0.38,
		w: area.w + node.between - LEAST_GAP,
		size: lettersOver(area.w, node.line, 13),
	};
	naming.labels.push({
		key: listPanelKey(node, place),
		...(beside ?? over),
		text: (beside ?? area).w < LONG_NAME_FROM ? title.short : title.long,
		short: title.short,
		details: lengthWords(naming, place, cache?.minPartial ?? 0, node.long.has(id)),
		strong: true,
		lit: isAbout(naming.source, place),
		on: "paper",
	});
}

/** The only list of a low card has no line over it: its name stands beside it, where a row has room for more lists. */
function besideOf({ node, column, line, lists }: NodePlan, area: Rect) {
	if (node !== NONE || lists.size !== 1 || line >= LINE_FROM || column.h < 2 * BESIDE.size) return;
	const x = area.x + area.w + BESIDE.gap;
	const w = column.x + column.w - x - BESIDE.gap;
	if (w < BESIDE.from) return;
	return { x, y: column.y + (column.h + BESIDE.size) / 2, w, size: BESIDE.size };
}

function lengthWords(
	{ source: { frame } }: Naming,
	place: Place,
	keeps: number,
	isLong: boolean,
): string[] {
	const { kind, nrSlabs, bytes } = place;
	const short = count(nrSlabs);
	const order = isLong ? "bars by free objects" : "head → tail";
	if (kind === PLACE.NODE_PARTIAL && nrSlabs > 0) {
		const { free, objects } = freeAndAll(frame, place);
		const kept = keeps > 0 ? ` · keeps ${keeps}` : "";
		const of = `${short} · ${count(free)} of ${count(objects)} objects free`;
		return [
			`${of}${kept} · ${order}`,
			`${of} · ${order}`,
			`${short} · ${count(free)} free · ${order}`,
			of,
			`${short} · ${count(free)} free`,
			short,
		];
	}
	if (kind === PLACE.NODE_FULL && isUnlisted(frame)) return [`${short} · on no list`, short];
	if (kind !== KIND.PLACE_LOOSE && nrSlabs > 1) return [`${short} · ${order}`, short];
	return bytes > 0 ? [`${short} pages`, short] : [short];
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

/** A bracket over the slabs that min_partial keeps, as many as there are. */
function markThreshold(
	draft: Draft,
	{ node, tile }: NodePlan,
	area: Rect,
	place: Place,
	minPartial: number,
): void {
	const grid = gridFor(place, area, tile);
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

function zoneWords({ used, pages }: ZoneRow): string[] {
	return [`${count(used)} of ${count(pages)} taken`, `${count(used)} taken`, count(used)];
}

/** The bars of a node's zones, by its area: the same rectangles as long as the plan stays. */
const BARS = new WeakMap<Rect, readonly Rect[]>();

function barsIn(area: Rect, n: number): readonly Rect[] {
	const known = BARS.get(area);
	if (known?.length === n) return known;
	const gap = Math.min(12, area.w * 0.03);
	const w = (area.w - gap * (n - 1)) / n;
	const bars = Array.from({ length: n }, (_, i) => ({ ...area, x: area.x + i * (w + gap), w }));
	BARS.set(area, bars);
	return bars;
}

function zonesOf({ zones }: Source, { node }: NodePlan): readonly ZoneRow[] {
	return zones.filter((z) => z.node === node).sort((a, b) => a.kind - b.kind);
}

function areZonesLit({ step }: Source, { node }: NodePlan): boolean {
	return step !== undefined && step.node === node && step.kind.startsWith("PAGES_");
}

const zoneKey = ({ node, kind }: ZoneRow) => `zone:${node}/${kind}`;

function drawZones(draft: Draft, node: NodePlan, area: Rect): void {
	const zones = zonesOf(draft.source, node);
	const lit = areZonesLit(draft.source, node);
	const bars = barsIn(area, Math.max(1, zones.length));
	zones.forEach((zone, i) => {
		const fill = zone.pages > 0 ? zone.used / zone.pages : 0;
		draft.panels.push(panelOn(bars[i] ?? area, "zone", zoneKey(zone), lit, fill));
	});
}

function nameZones(naming: Naming, node: NodePlan, area: Rect): void {
	const zones = zonesOf(naming.source, node);
	const lit = areZonesLit(naming.source, node);
	const bars = barsIn(area, Math.max(1, zones.length));
	const line = isNamedZone(area) ? Math.max(node.line, LINE_LEAST) : node.line;
	zones.forEach((zone, i) => {
		const bar = bars[i] ?? area;
		const name = zoneName(zone.kind);
		const inside = Math.min(6, bar.w * 0.03);
		naming.labels.push({
			key: zoneKey(zone),
			x: bar.x + inside,
			y: zoneBar(bar).y - line * 0.26,
			w: bar.w - 2 * inside,
			text: i === 0 ? `Pages, ${name}` : name,
			short: i === 0 && zones.length === 1 ? "Pages" : name,
			details: zoneWords(zone),
			size: lettersOver(bar.w, line, 12),
			strong: i === 0,
			lit,
			on: "free",
		});
	});
}
