/** Arrays and queues of single objects as boxes of small cells, filled from the bottom up. */

import { count } from "../../base/format.ts";
import { NONE, type Place } from "../../engine/frame.ts";
import { heldState, isUntouched, placeName, titleOf } from "../../engine/place_kinds.ts";
import { isAbout } from "../about.ts";
import type { Draft } from "../draft.ts";
import type { Rect } from "../scene.ts";
import { cellGrid } from "../tiles.ts";
import { BOX_LABEL, lettersOver, type NodePlan } from "./plan_node.ts";

/** The largest cell. */
const CELL_MOST = 26;

export function drawArray(draft: Draft, place: Place, key: string, area: Rect): void {
	const { entries } = draft.source.frame;
	const { firstEntry, nrEntries, limit } = place;
	const end = firstEntry + nrEntries;
	const capacity = Math.max(1, limit, nrEntries);
	const grid = cellGrid(capacity, area.w, area.h);
	const w = Math.min(area.w, grid.columns * CELL_MOST);
	const h = Math.min(area.h, grid.rows * CELL_MOST);
	draft.arrays.push({
		x: area.x,
		y: area.y,
		w,
		h,
		key,
		name: placeName(place),
		state: heldState(place.kind),
		limit,
		columns: grid.columns,
		rows: grid.rows,
		count: nrEntries,
		caches: entries.cache.subarray(firstEntry, end),
		serials: entries.slab.subarray(firstEntry, end),
		indices: entries.index.subarray(firstEntry, end),
		touched: !isUntouched(place),
		lit: isAbout(draft.source, place),
		awaited: NONE_AWAITED,
	});
}

const NONE_AWAITED: ReadonlySet<number> = new Set();

/** "12 of 120, untouched", and shorter. */
export function fillWords(place: Place): string[] {
	const { nrEntries, limit } = place;
	const fill = limit > 0 ? `${count(nrEntries)} of ${count(limit)}` : count(nrEntries);
	return isUntouched(place) && nrEntries > 0
		? [`${fill}, untouched`, `${fill}*`, `${count(nrEntries)}*`]
		: [fill, count(nrEntries)];
}

/** Arrays of a node, kind by kind. */
export function drawNodeArrays(draft: Draft, node: NodePlan, places: readonly Place[]): void {
	for (const [kind, boxes] of node.arrays) {
		const own = places.filter((p) => p.kind === kind);
		const first = boxes[0];
		const last = boxes.at(-1);
		if (!first || !last || own.length === 0) continue;
		own.forEach((place, i) => {
			const box = boxes[i];
			if (box) drawArray(draft, place, `array:${node.node}/${kind}/${i}`, box);
		});
		const alone = boxes.length === 1 ? own[0] : undefined;
		const title = titleOf(kind, 0);
		const held = own.reduce((sum, p) => sum + p.nrEntries, 0);
		const above = boxes.length > 1 && first.w >= BOX_LABEL ? BOX_LABEL : 0;
		draft.labels.push({
			key: `arrays:${node.node}/${kind}`,
			x: first.x,
			y: first.y - above - node.line * 0.3,
			w: last.x + last.w - first.x + node.between * 0.5,
			text: title.long,
			short: title.short,
			details: alone ? fillWords(alone) : [count(held)],
			size: lettersOver(last.x + last.w - first.x, node.line, 13),
			strong: true,
			lit: own.some((p) => isAbout(draft.source, p)),
			on: "paper",
		});
		if (boxes.length > 1) nameBoxes(draft, node, own, boxes);
	}
}

/** Labels each of several boxes with its target. */
function nameBoxes(
	draft: Draft,
	{ node }: NodePlan,
	places: readonly Place[],
	boxes: readonly Rect[],
): void {
	places.forEach((place, i) => {
		const box = boxes[i];
		if (!box || box.w < BOX_LABEL) return;
		const whom = place.target === NONE ? "" : `N${place.target}`;
		draft.labels.push({
			key: `box:${node}/${place.kind}/${i}`,
			x: box.x,
			y: box.y - 2,
			w: box.w,
			text: whom === "" ? (fillWords(place)[0] ?? "") : `for node ${place.target}`,
			short: whom,
			details: whom === "" ? [] : fillWords(place),
			size: 9.5,
			strong: false,
			lit: isAbout(draft.source, place),
			on: "paper",
		});
	});
}
