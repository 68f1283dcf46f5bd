/** A node's column: its name, and in each row below the CPUs its arrays, its lists, or its pages. */
import { PLACE } from "../../engine/place_kinds.ts";
import type { Rect } from "../scene.ts";
import { gridOf } from "../tiles.ts";
import { isLong } from "./capacity.ts";
import type { RowPlan } from "./plan.ts";
import { type ArrayGroup, type Holdings, type ListId, listKey } from "./shape.ts";

export interface NodePlan {
	readonly node: number;
	readonly tier: number;
	readonly column: Rect;
	/** Its CPUs. */
	readonly cpus: readonly number[];
	/** Height of a line of words. */
	readonly line: number;
	/** The line with its name. */
	readonly head: Rect;
	/**
	 * Room for slabs in transit: at the end of the line with its name, and between the name and the request of its last
	 * CPU.
	 */
	readonly transit: Rect;
	readonly transitBefore: Rect;
	/** Boxes for arrays of each kind, by kind. */
	readonly arrays: ReadonlyMap<number, readonly Rect[]>;
	/** The area for the slabs of each list, by listKey. */
	readonly lists: ReadonlyMap<string, Rect>;
	/** Room for the first slabs of lists that are histograms, one line above their bars. */
	readonly heads: ReadonlyMap<string, Rect>;
	/** Side of the tiles of each list. */
	readonly tiles: ReadonlyMap<string, number>;
	/** Lists that are histograms, by listKey, and whether all their slabs are full. */
	readonly long: ReadonlyMap<string, boolean>;
	/** The height below a histogram's area for the ends of its axis, by listKey. */
	readonly axes: ReadonlyMap<string, number>;
	/** The cell of each list, with its words. */
	readonly frames: ReadonlyMap<string, Rect>;
	/** Room for the words over a list or arrays, by listKey, or by the arrays' kind. */
	readonly titles: ReadonlyMap<string, Rect>;
	readonly zones: Rect | undefined;
	/** The zones that its pages come from. */
	readonly home: Rect | undefined;
	/** Its rows. */
	readonly rows: readonly RowPlan[];
}

/** The rows of a column. */
export interface CellOf {
	readonly node: number;
	readonly tier: number;
	readonly cpus: readonly number[];
	readonly column: Rect;
	readonly head: Rect;
	readonly line: number;
	readonly rows: readonly RowPlan[];
	readonly holdings: Holdings;
}

const PAD = 9;
/** In lower rows the words are beside what they name: their share of the width. */
const BESIDE = { below: 2.1, share: 0.42, least: 52, most: 150 };
/** Room beside the words for the stops of the path. */
const STOPS = { from: 90, beside: 130, w: 42 };
/**
 * In narrower cells they are above the words, if a cell has this many lines; if it has more, there is room for a note
 * below the list.
 */
export const NARROW_CELL = { to: 64, lines: 4, withNote: 5.4 };
/**
 * Sides of tiles at the usual height of a section: for lists that are searched, and for full slabs, which nobody
 * looks for.
 */
const TILE = { most: 24, least: 11 };
const FULL = { most: 22, least: 5 };
/** The smallest tile on small stages. */
const SMALL = 4;
/** The most lists of one row side by side. */
const LIST_LEAST = 50;
const LIST_GAP = 14;
/** The height of the ends of a histogram's axis; lower or narrower histograms have none. */
const AXIS = { h: 17, from: 48, w: 96 };
/** The height of a histogram's list from which on its first slabs are shown above it, and the gap between the two. */
const HEAD_FROM = 72;
const HEAD_GAP = 6;
/** Room over each of several boxes for the name of its target. */
export const BOX_LABEL = 12;
/** Where slabs in transit start, as a share of the column's width. */
const TRANSIT = { from: 0.65, least: 4 };
/** The width of a request's words, such as "512 B", and of a node's name, in lines. */
export const REQUEST = 62;
export const NAME_ROOM = 3.7;
/** The share of the width for arrays of one kind, however small they are. */
const ARRAY_SHARE = 0.5;

/** The key of a list's panel and of its label. */
export function listPanelKey({ node }: { readonly node: number }, place: ListId): string {
	return `list:${node}/${listKey(place)}`;
}

/** Slabs that a list is planned for. */
type Capacity = (node: number, list: ListId) => number;

/**
 * All tiles of a row have the same size, the largest that the longest list allows; `scale`: relative to the usual
 * height.
 */
export function cellsIn(columns: readonly CellOf[], capacity: Capacity, scale: number): NodePlan[] {
	const drafts = columns.map(draftOf);
	const ranks = new Set(drafts.flatMap((d) => [...d.areas.values()].map(({ rank }) => rank)));
	const tiles = new Map<number, Sized>();
	for (const rank of ranks) {
		const lists = drafts.flatMap(({ of, areas }) =>
			[...areas.values()].flatMap(({ list, area, rank: own }) =>
				own === rank ? [{ area, n: capacity(of.node, list), isFull: isQuiet(list) }] : [],
			),
		);
		tiles.set(rank, sizeOf(lists, scale));
	}
	return drafts.map((draft) => planned(draft, capacity, tiles));
}

interface Area {
	readonly list: ListId;
	readonly rank: number;
	readonly area: Rect;
	readonly frame: Rect;
	readonly title: Rect;
}

interface Draft {
	readonly of: CellOf;
	readonly areas: ReadonlyMap<string, Area>;
	readonly arrays: ReadonlyMap<number, readonly Rect[]>;
	readonly titles: Map<string, Rect>;
	readonly zones: Rect | undefined;
}

interface Sized {
	readonly tile: number;
	/** Lists longer than this are histograms. */
	readonly most: (area: Rect) => number;
}

/** Nobody looks for full slabs, so their tiles may be small. */
function isQuiet({ kind }: ListId): boolean {
	return kind === PLACE.NODE_FULL;
}

interface Listed {
	readonly area: Rect;
	readonly n: number;
	readonly isFull: boolean;
}

function sizeOf(lists: readonly Listed[], scale: number): Sized {
	const { most, least } = lists.some((l) => l.isFull) ? FULL : TILE;
	const largest = Math.max(least, Math.round(most * Math.min(3, Math.max(1, scale))));
	const smallest = scale < 0.8 ? SMALL : least;
	const shown = lists.filter(({ n }) => !isLong(n));
	const fits = (tile: number) => shown.every(({ area, n }) => gridOf(area, tile).room >= n);
	let tile = largest;
	while (tile > smallest && !fits(tile)) tile--;
	return { tile, most: (area) => gridOf(area, smallest).room };
}

/** Rows of a column without their tiles. */
function draftOf(of: CellOf): Draft {
	const { column, rows, holdings } = of;
	const pad = Math.min(PAD, column.w * 0.045);
	const areas = new Map<string, Area>();
	const arrays = new Map<number, readonly Rect[]>();
	const titles = new Map<string, Rect>();
	let zones: Rect | undefined;
	for (const { row, band } of rows) {
		const cell = { x: column.x + pad, y: band.y, w: column.w - 2 * pad, h: band.h };
		if (row.of === "pages") {
			const { title, area } = divided(cell, of.line);
			titles.set("pages", title);
			zones = { ...area, h: Math.max(1, area.h - 1) };
			continue;
		}
		const lists = holdings.lists.filter((list) => row.kinds.includes(list.kind));
		for (const { list, cell: own } of listCells(cell, lists)) {
			const { title, area } = divided(ownPart(own, of.line, isQuiet(list)), of.line);
			areas.set(listKey(list), {
				...{ list, rank: row.rank, area, title },
				frame: { x: own.x - pad / 2, y: own.y + 1, w: own.w + pad, h: own.h - 2 },
			});
		}
		const groups = holdings.arrays.filter((group) => row.kinds.includes(group.kind));
		// Stops are at the right end of the row.
		const aside = groups.length > 1 && cell.w > STOPS.beside ? STOPS.w : 0;
		for (const { group, cell: own } of groupCells({ ...cell, w: cell.w - aside }, groups)) {
			const { title, area } = divided(own, of.line, group.count > 1);
			titles.set(String(group.kind), aside > 0 ? { ...title, w: own.w } : title);
			arrays.set(group.kind, split(area, group.count));
		}
	}
	return { of, areas, arrays, titles, zones };
}

/**
 * A narrow cell without the room that the path needs: above for a stop, and below for the note of a list that
 * refuses.
 */
function ownPart(cell: Rect, line: number, isQuiet: boolean): Rect {
	const { to, lines, withNote } = NARROW_CELL;
	if (isQuiet || cell.w >= to || cell.h < lines * line) return cell;
	const foot = cell.h < withNote * line ? 0 : line * 0.8;
	return { ...cell, y: cell.y + line, h: cell.h - line - foot };
}

/** A cell's words, with its contents below them, or beside them in a low cell. */
function divided(cell: Rect, line: number, isHigh = false): { title: Rect; area: Rect } {
	const { x, y, w, h } = cell;
	if (h < line * BESIDE.below && !isHigh) {
		const aside = w > STOPS.beside ? STOPS.w : 0;
		const room = Math.min(w * 0.6, Math.min(BESIDE.most, Math.max(BESIDE.least, w * BESIDE.share)));
		const inside = Math.min(4, h * 0.14);
		return {
			title: { x, y: y + Math.max(0, (h - line) / 2), w: room - 6, h: Math.min(h, line) },
			area: whole({ x: x + room, y: y + inside, w: w - room - aside, h: h - 2 * inside }),
		};
	}
	const top = Math.min(line + 5, h * 0.5);
	const aside = w > STOPS.from ? STOPS.w : 0;
	return {
		title: { x, y: y + 2, w: w - aside, h: top - 2 },
		area: whole({ x, y: y + top, w, h: h - top - Math.min(4, h * 0.08) }),
	};
}

/** Whole pixels, and at least one, so that a curve looks the same however it is clipped. */
function whole({ x, y, w, h }: Rect): Rect {
	const [left, top] = [Math.round(x), Math.round(y)];
	const right = Math.max(left + 1, Math.floor(x + w));
	return { x: left, y: top, w: right - left, h: Math.max(1, Math.floor(y + h) - top) };
}

/** Puts the lists of a row side by side, in as many lines as it takes to keep them wide enough. */
function listCells(cell: Rect, lists: readonly ListId[]) {
	const across = Math.min(lists.length, Math.max(1, Math.floor(cell.w / LIST_LEAST)));
	const down = Math.ceil(lists.length / Math.max(1, across));
	const columns = Math.max(1, Math.ceil(lists.length / Math.max(1, down)));
	const gap = columns === 1 ? 0 : Math.min(LIST_GAP, (cell.w / columns) * 0.1);
	const w = (cell.w - gap * (columns - 1)) / columns;
	const h = cell.h / Math.max(1, down);
	return lists.map((list, i) => {
		const [column, row] = [i % columns, Math.floor(i / columns)];
		return { list, cell: { x: cell.x + column * (w + gap), y: cell.y + row * h, w, h } };
	});
}

/** Puts arrays side by side, kind by kind; those that hold more are wider. */
function groupCells(cell: Rect, groups: readonly ArrayGroup[]) {
	const sizes = groups.map((g) => Math.sqrt(Math.max(8, g.limit) * g.count));
	const least = sizes.reduce((a, b) => a + b, 0) * ARRAY_SHARE;
	const weights = sizes.map((size) => Math.max(size, least));
	const sum = weights.reduce((a, b) => a + b, 0);
	const gap = Math.min(LIST_GAP, cell.w * 0.06);
	const room = Math.max(0, cell.w - gap * (groups.length - 1));
	let x = cell.x;
	return groups.map((group, i) => {
		const w = (room * (weights[i] ?? 0)) / sum;
		const own = { ...cell, x, w };
		x += w + gap;
		return { group, cell: own };
	});
}

/** Fits n boxes into an area, with a line of text over each if there are several. */
function split(area: Rect, n: number): Rect[] {
	const gap = Math.min(8, (area.w / n) * 0.12);
	const w = Math.max(0, (area.w - gap * (n - 1)) / n);
	const top = n > 1 && w >= BOX_LABEL && area.h > BOX_LABEL * 1.8 ? BOX_LABEL : 0;
	return Array.from({ length: n }, (_, i) => ({
		x: area.x + i * (w + gap),
		y: area.y + top,
		w,
		h: area.h - top,
	}));
}

function planned(
	{ of, areas, arrays, titles, zones }: Draft,
	capacity: Capacity,
	tiles: ReadonlyMap<number, Sized>,
): NodePlan {
	const { node, tier, cpus, column, line } = of;
	const head = { ...of.head, x: column.x, w: column.w };
	const [lists, frames] = [new Map<string, Rect>(), new Map<string, Rect>()];
	const [sizes, long] = [new Map<string, number>(), new Map<string, boolean>()];
	const heads = new Map<string, Rect>();
	const axes = new Map<string, number>();
	for (const [key, { list, rank, area, frame, title }] of areas) {
		const { tile, most } = tiles.get(rank) as Sized;
		const n = capacity(node, list);
		titles.set(key, title);
		frames.set(key, frame);
		sizes.set(key, tile);
		const isHistogram = isLong(n) || n > most(area);
		const isFlat = list.isFull ?? false;
		if (isHistogram) long.set(key, isFlat);
		const hasAxis = isHistogram && !isFlat && area.h >= AXIS.from && area.w >= AXIS.w;
		if (hasAxis) axes.set(key, AXIS.h);
		const hasHead = isHistogram && !isQuiet(list) && area.h >= HEAD_FROM;
		const head = hasHead ? tile + HEAD_GAP : 0;
		if (hasHead) heads.set(key, { ...area, h: tile });
		lists.set(key, { ...area, y: area.y + head, h: area.h - head - (hasAxis ? AXIS.h : 0) });
	}
	const from = head.x + head.w * TRANSIT.from;
	const room = { y: head.y + 2, h: Math.max(TRANSIT.least, head.h - 4) };
	const left = head.x + Math.min(NAME_ROOM * line, head.w * TRANSIT.from);
	return {
		...{ node, tier, column, cpus, line, head, arrays, lists, titles, frames, long, axes, zones },
		tiles: sizes,
		heads,
		transit: { ...room, x: from, w: Math.max(1, head.x + head.w - from - PAD) },
		transitBefore: { ...room, x: left, w: Math.max(1, head.x + head.w - left - REQUEST) },
		home: zones && homeIn(zones),
		rows: of.rows,
	};
}

function homeIn(r: Rect): Rect {
	const side = Math.min(24, r.h, r.w);
	return { x: r.x + (r.w - side) / 2, y: r.y + (r.h - side) / 2, w: side, h: side };
}
