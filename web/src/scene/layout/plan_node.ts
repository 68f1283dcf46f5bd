/** A node's card: its name, its CPUs, arrays of objects, lists of slabs, zones. */
import { inset, type Rect } from "../scene.ts";
import { gapOf, gridOf } from "../tiles.ts";
import { isLong } from "./capacity.ts";
import { type ArrayGroup, type Holdings, type ListId, listKey } from "./shape.ts";

export interface NodePlan {
	readonly node: number;
	readonly column: Rect;
	/** Its CPUs. */
	readonly cpus: readonly number[];
	/** Height of the line with a part's name. */
	readonly line: number;
	/** Room around its parts. */
	readonly pad: number;
	/** Side of the tiles of its lists. */
	readonly tile: number;
	/** Room for slabs on the way, beside its name. */
	readonly transit: Rect;
	/** Boxes for arrays of each kind, by kind. */
	readonly arrays: ReadonlyMap<number, readonly Rect[]>;
	/** The area for the slabs of each list, by listKey, below a line with its name. */
	readonly lists: ReadonlyMap<string, Rect>;
	/** Lists that are histograms, by listKey, and whether all their slabs are full. */
	readonly long: ReadonlyMap<string, boolean>;
	/** Height below each of those areas for the ends of its axis. */
	readonly axis: number;
	/** The same with that line. */
	readonly frames: ReadonlyMap<string, Rect>;
	/** Room between lists that stand side by side. */
	readonly between: number;
	readonly zones: Rect | undefined;
	/** The zones, from which its pages come. */
	readonly home: Rect | undefined;
}

/** The fixed parts of a card. */
export interface Part {
	readonly card: Rect;
	readonly pad: number;
	readonly line: number;
	readonly head: Rect;
	/** The area between the name and the zones. */
	readonly body: Rect;
	readonly zones: Rect | undefined;
	/** Height of arrays with the line of their names. */
	readonly arraysHeight: number;
}

interface Wanted {
	readonly cpus: readonly number[];
	readonly capacities: readonly number[];
	readonly lists: Holdings["lists"];
	readonly arrays: readonly ArrayGroup[];
	readonly tile: number;
	readonly across: number;
	readonly beside: number;
	/** Height of a histogram, in lines. */
	readonly lines: number;
	/** Height of the CPUs. */
	readonly bandHeight: number;
}

const PAD_MOST = 12;
const LINE_MOST = 19;
const LINE_SHARE = 0.066;
/** A line of the smallest letters, for cards that are high enough: those with arrays have more lines. */
export const LINE_LEAST = 12.5;
const LINES_FROM = 84;
const LINES_WITH_ARRAYS_FROM = 116;
/** Height of the zones: in lines if all parts have names, as a share of the card's height if none has. */
const ZONE_LINES = 2;
/** Between these only the zones have names. */
const ZONE_NAMED = { from: 72, height: 17 };
const ZONE_SHARE = 0.06;
const ZONE_LEAST = 3;
const COLUMN_GAP = 20;
const ARRAYS_SHARE = 0.16;
const ARRAYS_MAX = 120;
/** Where slabs on the way begin, as a share of the card's width. */
const TRANSIT_FROM = 0.68;
const TRANSIT_LEAST = 4;
/** Share of the width for arrays of one kind, however small they are. */
const LEAST_SHARE = 0.34;
/** Room over each of several boxes for the name of its target. */
export const BOX_LABEL = 11;
/** Share of the room around a card's parts that a list's frame reaches into. */
const FRAME_SHARE = 0.4;
/** Height of the place of an empty list. */
const EMPTY = 2;
/** Height of the one bar of full slabs, at most, in lines. */
const FLAT = 1.2;
/** Height of a histogram where there is room left, at most, as a share of its width. */
const HISTOGRAM_SHARE = 0.6;
/** Height of the ends of its axis, which lower or narrower ones do without. */
const AXIS = 12;
const AXIS_FROM_LINE = 12;
const AXIS_FROM_WIDTH = 96;

/** The key of a list's panel and of its label. */
export function listPanelKey({ node }: NodePlan, place: ListId): string {
	return `list:${node}/${listKey(place)}`;
}

/** The parts of a card that do not depend on its slabs. */
export function partsIn(
	card: Rect,
	{ arrays }: Holdings,
	{ hasZones, hasName }: { readonly hasZones: boolean; readonly hasName: boolean },
): Part {
	const pad = Math.round(Math.min(PAD_MOST, card.w * 0.04, card.h * 0.035));
	const inner = inset(card, pad);
	const share = Math.min(LINE_MOST, card.h * LINE_SHARE);
	const isNamed = card.h >= (arrays.length === 0 ? LINES_FROM : LINES_WITH_ARRAYS_FROM);
	const line = isNamed ? Math.max(LINE_LEAST, share) : share;
	const head = { ...inner, h: hasName ? line : TRANSIT_LEAST };
	const zonesHeight = hasZones ? heightOfZones(card.h, isNamed ? line : 0) : 0;
	const bottom = inner.y + inner.h - zonesHeight;
	const y = head.y + head.h;
	const body = { ...inner, y, h: Math.max(0, bottom - (hasZones ? line * 0.4 : 0) - y) };
	const arraysHeight =
		arrays.length === 0 ? 0 : line * 1.3 + Math.min(ARRAYS_MAX, card.h * ARRAYS_SHARE);
	const zones = hasZones ? { ...inner, y: bottom, h: zonesHeight } : undefined;
	return { card, pad, line, head, body, zones, arraysHeight };
}

/** The height of a card's zones; `line`: of its words, 0 without them. */
function heightOfZones(height: number, line: number): number {
	if (line > 0) return Math.round(line * ZONE_LINES);
	if (height >= ZONE_NAMED.from) return ZONE_NAMED.height;
	return Math.max(ZONE_LEAST, Math.round(height * ZONE_SHARE));
}

/** The parts of a plan on which the height of lists depends. */
type Listed = Pick<Wanted, "lists" | "capacities" | "across" | "tile" | "lines">;

/** Height of lists in rows, each list below a line with its name, for tiles of a size. */
export function heightOfLists(listed: Listed, w: number, line: number): number {
	const { capacities, across } = listed;
	let height = 0;
	for (let i = 0; i < capacities.length; i += across)
		height += rowHeight(listed, i, widthOf(w, across), line);
	return height;
}

function between(w: number, across: number): number {
	return Math.min(COLUMN_GAP, (w / across) * 0.08);
}

function widthOf(w: number, across: number): number {
	return (w - between(w, across) * (across - 1)) / across;
}

/** Height of the lists side by side from number `from` on. */
function rowHeight(
	{ lists, capacities, across, tile, lines }: Listed,
	from: number,
	w: number,
	line: number,
): number {
	const heights = capacities.slice(from, from + across).map((n, k) => {
		if (!isLong(n)) return tilesHeight(n, w, tile);
		return isFlat(lists[from + k]) ? line * Math.min(FLAT, lines) : line * lines + axisOf(w, line);
	});
	return Math.ceil(line + Math.max(...heights));
}

/** Full slabs are one bar, which need not be high. */
function isFlat(list: ListId | undefined): boolean {
	return list?.isFull ?? false;
}

/** Room for the ends of the axis of histograms of this width. */
function axisOf(w: number, line: number): number {
	return line >= AXIS_FROM_LINE && w >= AXIS_FROM_WIDTH ? AXIS : 0;
}

function tilesHeight(capacity: number, w: number, tile: number): number {
	if (capacity === 0) return EMPTY;
	const { columns } = gridOf({ w: Math.floor(w), h: tile }, tile);
	const rows = columns === 0 ? Number.POSITIVE_INFINITY : Math.ceil(capacity / columns);
	return rows * (tile + gapOf(tile));
}

export function nodePlan(node: number, parts: Part, wanted: Wanted): NodePlan {
	const { card, pad, line, head, body, zones } = parts;
	const { tile, across, beside, bandHeight, cpus } = wanted;
	const x = body.x + body.w * (cpus.length > 0 ? beside : 0);
	const above = beside > 0 || bandHeight === 0 ? 0 : bandHeight + line * 0.3;
	const room = { ...body, x, w: body.x + body.w - x, y: body.y + above, h: body.h - above };
	const arrays = new Map<number, readonly Rect[]>();
	if (wanted.arrays.length > 0) {
		const h = Math.max(0, parts.arraysHeight - line * 1.3);
		const area = { ...room, y: room.y + line, h };
		for (const [kind, boxes] of arrayBoxes(area, wanted.arrays)) arrays.set(kind, boxes);
	}
	const below = { ...room, y: room.y + parts.arraysHeight, h: room.h - parts.arraysHeight };
	const from = head.x + head.w * TRANSIT_FROM;
	const lists = listAreas(below, wanted, line);
	const longOnes = wanted.lists.filter((_, i) => isLong(wanted.capacities[i] ?? 0));
	return {
		node,
		column: card,
		cpus,
		line,
		pad,
		tile,
		transit: {
			x: from,
			y: head.y,
			w: head.x + head.w - from,
			h: Math.max(TRANSIT_LEAST, head.h - 3),
		},
		arrays,
		lists,
		long: new Map(longOnes.map((list) => [listKey(list), isFlat(list)])),
		axis: axisOf(widthOf(below.w, across), line),
		frames: new Map([...lists].map(([key, area]) => [key, framed(area, line, pad * FRAME_SHARE)])),
		between: across === 1 ? 0 : between(below.w, across),
		zones,
		home: zones && homeIn(zones),
	};
}

/** Rows of lists; what does not fit below the others gets the rest of the room. */
function listAreas(room: Rect, wanted: Wanted, line: number): Map<string, Rect> {
	const { lists, capacities, across } = wanted;
	const w = widthOf(room.w, across);
	const bottom = room.y + Math.max(EMPTY, room.h);
	const areas = new Map<string, Rect>();
	const axis = axisOf(w, line);
	const extra = extraHeight(room, wanted, line);
	let y = room.y;
	for (let i = 0; i < lists.length; i += across) {
		const h = rowHeight(wanted, i, w, line) + (mayGrow(wanted, i) ? extra : 0);
		lists.slice(i, i + across).forEach((list, k) => {
			const x = room.x + k * (w + between(room.w, across));
			const top = Math.min(bottom - EMPTY, y + line);
			const below = isLong(capacities[i + k] ?? 0) && !isFlat(list) ? axis : 0;
			const end = Math.max(top + EMPTY, Math.min(bottom, y + h) - below);
			areas.set(listKey(list), {
				x: Math.round(x),
				y: Math.round(top),
				w: Math.max(1, Math.floor(w)),
				h: Math.max(1, Math.round(end) - Math.round(top)),
			});
		});
		y += Math.min(h, bottom - y);
	}
	return areas;
}

/** Whether lists side by side, from number `from` on, have a histogram that says more if it is higher. */
function mayGrow({ lists, capacities, across }: Wanted, from: number): boolean {
	return capacities
		.slice(from, from + across)
		.some((n, k) => isLong(n) && !isFlat(lists[from + k]));
}

/** How much higher than planned each row with a histogram becomes, if lists leave room. */
function extraHeight(room: Rect, wanted: Wanted, line: number): number {
	const { capacities, across, lines } = wanted;
	let rows = 0;
	for (let i = 0; i < capacities.length; i += across) if (mayGrow(wanted, i)) rows++;
	if (rows === 0) return 0;
	const left = room.h - heightOfLists(wanted, room.w, line);
	const most = Math.max(0, widthOf(room.w, across) * HISTOGRAM_SHARE - line * lines);
	return Math.floor(Math.min(most, Math.max(0, left / rows)));
}

/** A list with the line of its name, and a little beside it; below it, the name of the next one begins at once. */
function framed({ x, y, w, h }: Rect, line: number, by: number): Rect {
	return { x: x - by, y: y - line, w: w + 2 * by, h: h + line };
}

function homeIn(r: Rect): Rect {
	const side = Math.min(24, r.h, r.w);
	return { x: r.x + (r.w - side) / 2, y: r.y + (r.h - side) / 2, w: side, h: side };
}

/** Size of the letters on a line: rather too large for it than too small to read. */
export function letters(line: number, most: number): number {
	return Math.min(most, Math.max(line * 0.7, line >= 10 ? 9.3 : 0));
}

/** Over narrower boxes, words are smaller, so that a number fits behind them. */
const NARROW = 64;
const NARROW_LETTERS = 9.5;

/** Size of the letters over a box. */
export function lettersOver(w: number, line: number, most: number): number {
	return Math.min(letters(line, most), w < NARROW ? NARROW_LETTERS : most);
}

/** Arrays side by side, kind by kind, wider if they hold more. */
function arrayBoxes(area: Rect, groups: readonly ArrayGroup[]): [number, Rect[]][] {
	const sizes = groups.map((g) => Math.sqrt(Math.max(8, g.limit) * g.count));
	const least = sizes.reduce((a, b) => a + b, 0) * LEAST_SHARE;
	const weights = sizes.map((size) => Math.max(size, least));
	const sum = weights.reduce((a, b) => a + b, 0);
	const gap = Math.min(COLUMN_GAP, area.w * 0.06);
	const room = Math.max(0, area.w - gap * (groups.length - 1));
	let x = area.x;
	return groups.map((group, i) => {
		const w = (room * (weights[i] ?? 0)) / sum;
		const own = { ...area, x, w };
		x += w + gap;
		return [group.kind, split(own, group.count)];
	});
}

/** n boxes in an area, with a line over each if there are several. */
function split(area: Rect, n: number): Rect[] {
	const gap = Math.min(8, (area.w / n) * 0.12);
	const w = Math.max(0, (area.w - gap * (n - 1)) / n);
	const top = n > 1 && w >= BOX_LABEL && area.h > BOX_LABEL * 2.5 ? BOX_LABEL : 0;
	return Array.from({ length: n }, (_, i) => ({
		x: area.x + i * (w + gap),
		y: area.y + top,
		w,
		h: area.h - top,
	}));
}
