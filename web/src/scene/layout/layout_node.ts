/** A node below its CPUs: its arrays, its lists, and its zones. */

import { count, quantity } from "../../base/format.ts";
import type { Place } from "../../engine/frame.ts";
import { PLACE, titleOf, zoneName } from "../../engine/place_kinds.ts";
import type { ZoneRow } from "../../engine/types.ts";
import { isAbout } from "../about.ts";
import { type Draft, panelOn } from "../draft.ts";
import { inset, type Rect } from "../scene.ts";
import { listKey } from "../shape.ts";
import { tileAt } from "../tiles.ts";
import { drawNodeArrays } from "./layout_arrays.ts";
import { gridFor } from "./layout_slabs.ts";
import { letters, lettersOver, type NodePlan } from "./plan_node.ts";

/** The gap between the words over two lists. */
const LEAST_GAP = 4;

export function drawNode(
	draft: Draft,
	node: NodePlan,
	name: string,
	places: readonly Place[],
): void {
	const lists = places.filter((p) => node.lists.has(listKey(p)));
	drawNodeArrays(draft, node, places);
	for (const place of lists) drawList(draft, node, place);
	if (node.zones) drawZones(draft, node, node.zones);
	if (name === "") return;
	const lit = lists.some((p) => isAbout(draft.source, p));
	draft.labels.push({
		key: `node:${node.node}`,
		x: node.column.x,
		y: node.column.y + node.line * 0.64,
		w: node.column.w,
		text: name,
		details: [],
		size: letters(node.line, 13),
		strong: true,
		lit,
		on: "ground",
	});
}

/** A list's card, its name and how long it is. */
function drawList(draft: Draft, node: NodePlan, place: Place): void {
	const id = listKey(place);
	const area = node.lists.get(id);
	if (!area) return;
	const { cache } = draft.source;
	const card = inset(area, -node.pad);
	const key = `list:${node.node}/${id}`;
	const lit = isAbout(draft.source, place);
	const title = titleOf(place.kind, place.bytes);
	draft.panels.push(panelOn(card, "list", key, lit));
	draft.labels.push({
		key,
		x: card.x,
		y: card.y - node.line * 0.36,
		w: card.w + node.between - LEAST_GAP,
		text: title.long,
		short: title.short,
		details: lengthWords(place, cache?.minPartial ?? 0),
		size: lettersOver(card.w, node.line, 13),
		strong: true,
		lit,
		on: "ground",
	});
	if (place.kind === PLACE.NODE_PARTIAL && cache)
		markThreshold(draft, node.node, area, place, cache.minPartial);
}

function lengthWords({ kind, nrSlabs, bytes }: Place, keeps: number): string[] {
	const short = count(nrSlabs);
	if (kind === PLACE.NODE_PARTIAL && keeps > 0)
		return [
			`${quantity(nrSlabs, "slab")}, min_partial ${keeps}`,
			`${nrSlabs}, keeps ${keeps}`,
			short,
		];
	return bytes > 0 ? [`${quantity(nrSlabs, "page")}`, short] : [short];
}

/** A bracket over the slabs that min_partial keeps, as many as there are. */
function markThreshold(
	draft: Draft,
	node: number,
	area: Rect,
	place: Place,
	minPartial: number,
): void {
	const grid = gridFor(place, area);
	const kept = Math.min(minPartial, place.nrSlabs, grid.columns);
	if (grid.size < 15 || kept === 0) return;
	const first = tileAt(area, grid, 0);
	const last = tileAt(area, grid, kept - 1);
	draft.marks.push({
		key: `min_partial:${node}`,
		x: first.x,
		y: first.y - 5,
		w: last.x + last.w - first.x,
		h: 3,
	});
}

function zoneWords({ used, pages }: ZoneRow): string[] {
	return [`${count(used)} of ${count(pages)} pages`, `${count(used)} pages`, count(used)];
}

function drawZones(draft: Draft, node: NodePlan, area: Rect): void {
	const zones = draft.source.zones
		.filter((z) => z.node === node.node)
		.sort((a, b) => a.kind - b.kind);
	const nrZones = Math.max(1, zones.length);
	const gap = Math.min(12, area.w * 0.02);
	const w = (area.w - gap * (nrZones - 1)) / nrZones;
	const roomy = node.line >= 18 && area.h >= 25;
	const step = draft.source.step;
	const busy = step !== undefined && step.node === node.node && step.kind.startsWith("PAGES_");
	zones.forEach((zone, i) => {
		const x = area.x + i * (w + gap);
		const h = Math.min(10, area.h);
		const bar = { x, y: area.y + area.h - h, w, h };
		const key = `zone:${node.node}/${zone.kind}`;
		const fill = zone.pages > 0 ? zone.used / zone.pages : 0;
		draft.panels.push(panelOn(bar, "zone", key, busy, fill));
		if (!roomy) return;
		draft.labels.push({
			key,
			x,
			y: area.y + area.h - 16,
			w,
			text: zoneName(zone.kind),
			details: zoneWords(zone),
			size: 11,
			strong: false,
			lit: busy,
			on: "ground",
		});
	});
	draft.labels.push({
		key: `pages:${node.node}`,
		x: area.x,
		y: area.y - node.line * 0.36,
		w: area.w,
		text: "Page allocator",
		details: [],
		size: letters(node.line, 13),
		strong: true,
		lit: busy,
		on: "ground",
	});
}
