/** A node's card: its name, its arrays, its lists, and its zones. */

import { count } from "../../base/format.ts";
import { type Frame, NONE, type Place } from "../../engine/frame.ts";
import { holdsSheaves, KIND, PLACE, titleOf, zoneName } from "../../engine/place_kinds.ts";
import type { ZoneRow } from "../../engine/types.ts";
import { isAbout } from "../about.ts";
import { type Draft, panelOn } from "../draft.ts";
import { zoneBar } from "../geometry.ts";
import { freeIn } from "../histogram/bars.ts";
import type { Rect } from "../scene.ts";
import { tileAt } from "../tiles.ts";
import { drawNodeArrays } from "./layout_arrays.ts";
import { cpusInWords } from "./layout_cpu.ts";
import { gridFor } from "./layout_slabs.ts";
import { letters, lettersOver, type NodePlan } from "./plan_node.ts";
import { listKey } from "./shape.ts";

/** The gap between the words over two lists. */
const LEAST_GAP = 4;
/** Over narrower lists, numbers need the room more than a long name does. */
const LONG_NAME_FROM = 320;
/** Thresholds over smaller tiles would hide the name of the list. */
const MARK_FROM = 15;

export function drawNode(draft: Draft, node: NodePlan, places: readonly Place[]): void {
	const { step } = draft.source;
	const isActing = step !== undefined && (step.node === node.node || node.cpus.includes(step.cpu));
	const key = node.node === NONE ? "common" : `node:${node.node}`;
	draft.panels.push(panelOn(node.column, "node", key, isActing && node.node !== NONE));
	if (node.node !== NONE) nameNode(draft, node, isActing);
	drawNodeArrays(draft, node, places);
	for (const place of places) if (node.lists.has(listKey(place))) drawList(draft, node, place);
	if (node.zones) drawZones(draft, node, node.zones);
}

/** Beside it is the room for slabs on the way. */
function nameNode(draft: Draft, node: NodePlan, lit: boolean): void {
	const { column, line, pad, transit } = node;
	const x = column.x + pad;
	draft.labels.push({
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
	});
}

/** The key of a list's panel and of its label. */
export function listPanelKey({ node }: NodePlan, place: Place): string {
	return `list:${node}/${listKey(place)}`;
}

/** A list's name and how long it is. */
function drawList(draft: Draft, node: NodePlan, place: Place): void {
	const id = listKey(place);
	const area = node.lists.get(id);
	const frame = node.frames.get(id);
	if (!area || !frame) return;
	const { cache } = draft.source;
	const key = listPanelKey(node, place);
	const lit = isAbout(draft.source, place);
	const title = titleOf(place.kind, place.bytes);
	draft.panels.push(panelOn(frame, "list", key, lit));
	draft.labels.push({
		key,
		x: area.x,
		y: area.y - node.line * 0.38,
		w: area.w + node.between - LEAST_GAP,
		text: area.w < LONG_NAME_FROM ? title.short : title.long,
		short: title.short,
		details: lengthWords(draft, place, cache?.minPartial ?? 0, node.long.has(id)),
		size: lettersOver(area.w, node.line, 13),
		strong: true,
		lit,
		on: "paper",
	});
	if (place.kind === PLACE.NODE_PARTIAL && cache && !node.long.has(id))
		markThreshold(draft, node, area, place, cache.minPartial);
}

function lengthWords(draft: Draft, place: Place, keeps: number, isLong: boolean): string[] {
	const { kind, nrSlabs, bytes } = place;
	const short = count(nrSlabs);
	const order = isLong ? "bars by free objects" : "head → tail";
	if (kind === PLACE.NODE_PARTIAL && nrSlabs > 0) {
		const { free, objects } = freeAndAll(draft.source.frame, place);
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
	if (kind === PLACE.NODE_FULL && isUnlisted(draft.source.frame))
		return [`${short} · on no list`, short];
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

function drawZones(draft: Draft, node: NodePlan, area: Rect): void {
	const zones = draft.source.zones
		.filter((z) => z.node === node.node)
		.sort((a, b) => a.kind - b.kind);
	const step = draft.source.step;
	const lit = step !== undefined && step.node === node.node && step.kind.startsWith("PAGES_");
	const bars = barsIn(area, Math.max(1, zones.length));
	zones.forEach((zone, i) => {
		const bar = bars[i] ?? area;
		const key = `zone:${node.node}/${zone.kind}`;
		const fill = zone.pages > 0 ? zone.used / zone.pages : 0;
		draft.panels.push(panelOn(bar, "zone", key, lit, fill));
		const name = zoneName(zone.kind);
		const inside = Math.min(6, bar.w * 0.03);
		draft.labels.push({
			key,
			x: bar.x + inside,
			y: zoneBar(bar).y - node.line * 0.26,
			w: bar.w - 2 * inside,
			text: i === 0 ? `Pages, ${name}` : name,
			short: i === 0 && zones.length === 1 ? "Pages" : name,
			details: zoneWords(zone),
			size: lettersOver(bar.w, node.line, 12),
			strong: i === 0,
			lit,
			on: "free",
		});
	});
}
