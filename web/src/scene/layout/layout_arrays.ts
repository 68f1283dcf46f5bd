/** Arrays and queues of single objects as boxes of small cells, filled from the bottom up; sheaves as stacks. */

import { count } from "../../base/format.ts";
import { type Frame, NONE, type Place } from "../../engine/frame.ts";
import {
	heldState,
	isUntouched,
	KIND,
	placeName,
	sheafRoom,
	sheavesInWords,
} from "../../engine/place_kinds.ts";
import { isAbout } from "../about.ts";
import type { Draft, Naming } from "../draft.ts";
import type { Rect, Stacks } from "../scene.ts";
import { cellGrid, stackGrid } from "../tiles.ts";
import { wordsIn } from "./layout_node.ts";
import { BOX_LABEL, type NodePlan } from "./plan_node.ts";

/** The largest cell. */
const CELL_MOST = 26;
/** The widest object in a sheaf of one column. */
const STACK_MOST = 44;
/** For a barn without a limit: the most sheaves that are drawn, and the least width of one. */
const ROOM = 10;
const STACK_LEAST = 11;

/** The cells of an array, and the size of its box in an area. */
function boxIn(frame: Frame, place: Place, area: Rect) {
	const { nrEntries, limit } = place;
	const stacks = stacksOf(frame, place, area.w);
	const capacity = stacks?.capacity ?? Math.max(1, limit, nrEntries);
	const room = stacks?.room ?? 1;
	const each = area.w / room;
	const grid = (stacks ? stackGrid : cellGrid)(capacity, each, area.h);
	const widest = stacks && grid.columns === 1 ? STACK_MOST : CELL_MOST;
	const w = Math.min(area.w, room * grid.columns * widest);
	const highest = stacks ? Math.min(CELL_MOST, each / grid.columns) : CELL_MOST;
	const h = Math.min(area.h, grid.rows * highest);
	return { stacks, grid, w, h };
}

/** Returns how much of an area's width its array takes. */
export function widthIn(frame: Frame, place: Place, area: Rect): number {
	return boxIn(frame, place, area).w;
}

export function drawArray(draft: Draft, place: Place, key: string, area: Rect): void {
	const { frame } = draft.source;
	const { entries } = frame;
	const { firstEntry, nrEntries, limit } = place;
	const end = firstEntry + nrEntries;
	const { stacks, grid, w, h } = boxIn(frame, place, area);
	draft.arrays.push({
		x: area.x,
		y: stacks ? area.y + area.h - h : area.y,
		w,
		h,
		key,
		name: placeName(place),
		state: heldState(place.kind),
		limit,
		stacks,
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

/** Sheaves without a limit get as much room as it takes to show them. */
function stacksOf({ places }: Frame, place: Place, w: number): Stacks | undefined {
	const of = sheafRoom(places, place);
	if (!of) return undefined;
	const isLimited = of.sheaves > 0;
	const room = isLimited ? of.sheaves : Math.max(1, Math.min(ROOM, Math.floor(w / STACK_LEAST)));
	const present = Math.min(room, place.sheaves);
	return { room, present, isLimited, capacity: Math.max(1, of.capacity) };
}

const NONE_AWAITED: ReadonlySet<number> = new Set();

/** Says how full it is: "12 of 120, untouched", "3 of 10 sheaves", and shorter. */
export function fillWords({ places }: Pick<Frame, "places">, place: Place): string[] {
	const sheaves = sheavesInWords(places, place);
	if (sheaves) return sheaves;
	const { nrEntries, limit } = place;
	const fill = limit > 0 ? `${count(nrEntries)} of ${count(limit)}` : count(nrEntries);
	return isUntouched(place) && nrEntries > 0
		? [`${fill}, untouched`, `${fill}*`, `${count(nrEntries)}*`]
		: [fill, count(nrEntries)];
}

/** Lays out a node's arrays, kind by kind. */
export function drawNodeArrays(draft: Draft, node: NodePlan, places: readonly Place[]): void {
	for (const [kind, boxes] of node.arrays) {
		const own = places.filter((p) => p.kind === kind);
		own.forEach((place, i) => {
			const box = boxes[i];
			if (box) drawArray(draft, place, `array:${node.node}/${kind}/${i}`, box);
		});
	}
}

/** What is counted in places of sheaves, long and short; elsewhere objects are counted. */
const HELD: ReadonlyMap<number, readonly [string, string]> = new Map<
	number,
	readonly [string, string]
>([
	[KIND.PLACE_BARN_FULL, ["full sheaves", "full"]],
	[KIND.PLACE_BARN_EMPTY, ["empty sheaves", "empty"]],
	[KIND.PLACE_SHEAF_WAITING, ["waiting for a grace period", "waiting"]],
]);

/** Says over the arrays of each kind how full they are. */
export function nameNodeArrays(naming: Naming, node: NodePlan, places: readonly Place[]): void {
	for (const [kind, boxes] of node.arrays) {
		const own = places.filter((p) => p.kind === kind);
		const title = node.titles.get(String(kind));
		if (!title || own.length === 0) continue;
		const alone = boxes.length === 1 ? own[0] : undefined;
		const held = own.reduce((sum, p) => sum + p.nrEntries, 0);
		const [long, short] = HELD.get(kind) ?? ["objects", ""];
		const fills = alone ? fillWords(naming.source.frame, alone) : [count(held)];
		// In a low row, the names of several boxes replace the words about all of them.
		const [first] = boxes;
		const areNamed = boxes.length > 1 && first !== undefined && first.w >= BOX_LABEL;
		if (areNamed) nameBoxes(naming, node, own, boxes);
		if (areNamed && first.y - title.y - title.h < BOX_LABEL / 2) continue;
		naming.labels.push(
			wordsIn(node, title, {
				key: `arrays:${node.node}/${kind}`,
				details: [...fills.map((fill) => wordsFor(fill, long)), `${fills.at(-1)} ${short}`.trim()],
				lit: own.some((p) => isAbout(naming.source, p)),
			}),
		);
	}
}

function wordsFor(fill: string, things: string): string {
	if (fill !== "1") return `${fill} ${things}`;
	return `1 ${things.replace("objects", "object").replace("sheaves", "sheaf")}`;
}

/** Labels each of several boxes with its target. */
function nameBoxes(
	naming: Naming,
	{ node, line }: NodePlan,
	places: readonly Place[],
	boxes: readonly Rect[],
): void {
	places.forEach((place, i) => {
		const box = boxes[i];
		if (!box || box.w < BOX_LABEL) return;
		const fills = fillWords(naming.source.frame, place);
		const whom = place.target === NONE ? "" : `→${place.target}`;
		naming.labels.push({
			key: `box:${node}/${place.kind}/${i}`,
			x: box.x,
			y: box.y - 2,
			w: box.w,
			text: whom === "" ? (fills[0] ?? "") : whom,
			details: whom === "" ? [] : fills,
			size: Math.min(11, line * 0.62),
			strong: false,
			lit: isAbout(naming.source, place),
			on: "row",
		});
	});
}
