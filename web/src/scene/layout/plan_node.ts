/** The area below a node's CPUs: slabs on the way, arrays of objects, lists of slabs, zones. */
import { inset, type Rect } from "../scene.ts";
import { type ArrayGroup, type Holdings, listKey } from "../shape.ts";
import { fitTiles } from "../tiles.ts";

export interface NodePlan {
	readonly node: number;
	readonly column: Rect;
	/** Height of the line with a part's name. */
	readonly line: number;
	/** Room around the tiles of a list, inside its card. */
	readonly pad: number;
	readonly transit: Rect;
	/** Boxes for arrays of each kind, by kind. */
	readonly arrays: ReadonlyMap<number, readonly Rect[]>;
	/** The area for the slabs of each list, by listKey. */
	readonly lists: ReadonlyMap<string, Rect>;
	/** Room between lists that stand side by side. */
	readonly between: number;
	readonly zones: Rect | undefined;
	/** The zones, from which its pages come. */
	readonly home: Rect | undefined;
}

interface Wanted extends Pick<NodePlan, "node" | "column" | "line"> {
	/** The part of the column below the CPUs. */
	readonly rest: Rect;
	readonly holdings: Holdings;
	readonly zones: boolean;
	/** Height for slabs on the way. */
	readonly transit: number;
}

const COLUMN_GAP = 24;
const SHELF_PAD = 10;
const ARRAYS_SHARE = 0.2;
const ARRAYS_MAX = 88;
/** Share of the width for arrays of one kind, however small they are. */
const LEAST_SHARE = 0.34;
/** Lists narrower than this have no room for the words over them. */
const READABLE = 104;
const READABLE_LEAST = 46;
const SAMPLE_TILES = 12;
const SAMPLE_MAX = 68;
/** Room over each of several boxes for the name of its target. */
export const BOX_LABEL = 11;

export function nodePlan(wanted: Wanted): NodePlan {
	const { node, column, line, rest, holdings, zones } = wanted;
	const gap = line * 0.6;
	const zonesHeight = zones ? Math.min(rest.h * 0.2, line * 1.55) : 0;
	const bottom = rest.y + rest.h - zonesHeight;
	const transit = {
		...rest,
		h: Math.min(rest.h * 0.12, wanted.transit),
	};
	let y = rest.y + transit.h;
	const arrays = new Map<number, readonly Rect[]>();
	if (holdings.arrays.length > 0) {
		const h = Math.min(rest.h * ARRAYS_SHARE, ARRAYS_MAX);
		for (const [kind, boxes] of arrayBoxes({ ...rest, y: y + line, h }, holdings.arrays))
			arrays.set(kind, boxes);
		y += line + h + gap * 0.5;
	}
	const end = zones ? bottom - line - gap : bottom;
	const area = { ...rest, y, h: Math.max(0, end - y) };
	const { areas, between } = listGrid(area, holdings.lists.length, line);
	const first = areas[0] ?? area;
	const pad = Math.min(SHELF_PAD, first.w * 0.05, first.h * 0.12);
	const lists = new Map(
		holdings.lists.map((list, i) => [listKey(list), inset(areas[i] ?? area, pad)]),
	);
	const zoneArea = zones ? { ...rest, y: bottom, h: zonesHeight } : undefined;
	const home = zoneArea && homeIn(zoneArea);
	return { node, column, line, pad, transit, arrays, lists, between, zones: zoneArea, home };
}

function homeIn(r: Rect): Rect {
	const side = Math.min(24, r.h, r.w);
	return { x: r.x + (r.w - side) / 2, y: r.y + (r.h - side) / 2, w: side, h: side };
}

/** Size of the letters on a line: rather too large for it than too small to read. */
export function letters(line: number, most: number): number {
	return Math.min(most, Math.max(line * 0.65, line >= 11 ? 9.3 : 0));
}

/** Over narrower boxes, words are smaller, so that a number fits behind them. */
const NARROW = 64;
const NARROW_LETTERS = 9.5;

/** Size of the letters over a box. */
export function lettersOver(w: number, line: number, most: number): number {
	return Math.min(letters(line, most), w < NARROW ? NARROW_LETTERS : most);
}

/** Areas for n lists, each below a line of words: as many across as shows slabs best. */
function listGrid(area: Rect, n: number, line: number): { areas: Rect[]; between: number } {
	let best = { score: -1, across: 1, w: area.w, h: area.h, between: 0, gap: 0 };
	for (let across = 1; across <= n; across++) {
		const down = Math.ceil(n / across);
		const between = Math.min(COLUMN_GAP, (area.w / across) * 0.08);
		const gap = Math.min(line * 0.6, (area.h / down) * 0.06);
		const w = (area.w - between * (across - 1)) / across;
		const h = Math.max(0, (area.h - gap * (down - 1)) / down - line);
		const { size } = fitTiles({ x: 0, y: 0, w, h }, SAMPLE_TILES, SAMPLE_MAX);
		const score = size * legible(w, across);
		if (score >= best.score) best = { score, across, w, h, between, gap };
	}
	const { across, w, h, between, gap } = best;
	const areas = Array.from({ length: n }, (_, i) => ({
		x: Math.round(area.x + (i % across) * (w + between)),
		y: Math.round(area.y + line + Math.floor(i / across) * (h + gap + line)),
		w: Math.floor(w),
		h: Math.floor(h),
	}));
	return { areas, between };
}

function legible(w: number, across: number): number {
	if (across === 1 || w >= READABLE) return 1;
	return w >= READABLE_LEAST ? 0.86 : 0.4;
}

/** Arrays side by side, kind by kind, wider if they hold more. */
function arrayBoxes(area: Rect, groups: readonly ArrayGroup[]): [number, Rect[]][] {
	const sizes = groups.map((g) => Math.sqrt(Math.max(8, g.limit) * g.count));
	const least = sizes.reduce((a, b) => a + b, 0) * LEAST_SHARE;
	const weights = sizes.map((size) => Math.max(size, least));
	const sum = weights.reduce((a, b) => a + b, 0);
	const between = Math.min(COLUMN_GAP, area.w * 0.06);
	const room = Math.max(0, area.w - between * (groups.length - 1));
	let x = area.x;
	return groups.map((group, i) => {
		const w = (room * (weights[i] ?? 0)) / sum;
		const own = { ...area, x, w };
		x += w + between;
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
