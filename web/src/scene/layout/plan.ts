/**
 * The plan of the section: rows are levels, from near and cheap to far and expensive; columns are nodes. It depends
 * on the machine, on the places of its allocator and on how many slabs its lists are planned for (capacity.ts), so it
 * stands still while the trace plays.
 *
 * 	depth     │ Node 0           │ Node 1           │
 * 	freelist  │ [CPU 0] [CPU 1]  │ [CPU 2] [CPU 3]  │   a card spans the rows of its CPU
 * 	partial   │  ▫▫▫▫    ▫▫▫▫    │  ▫▫▫▫    ▫▫▫▫    │
 * 	──────────┼──── corridor: sideways is another node ────
 * 	partial   │ ▣▣▣              │ ▣▣▣▣▣▣▣▣         │   lists in order, head first
 * 	full      │ ▪▪▪▪▪            │ ▪▪▪              │
 * 	pages     │ ▓░░░             │ ▓▓▓▓▓░░          │
 *
 * If there are more nodes than fit side by side, the rows are repeated below, in another tier.
 */
import { NONE } from "../../engine/frame.ts";
import type { Rect } from "../scene.ts";
import { CARDS_MOST } from "../tiles.ts";
import { capacityKey } from "./capacity.ts";
import { type CpuPlan, cpusIn } from "./plan_cpu.ts";
import { type CellOf, cellsIn, type NodePlan } from "./plan_node.ts";
import { heightsOf, type Row, rowsOf } from "./rows.ts";
import { listKey, type Shape } from "./shape.ts";

/** A row in one tier. */
export interface RowPlan {
	readonly key: string;
	readonly row: Row;
	readonly tier: number;
	/** Its background, across all columns. */
	readonly band: Rect;
	/** Room for its name; its width is 0 if the section is too narrow. */
	readonly label: Rect;
	/** 0 for the nearest row, 1 for the farthest. */
	readonly depth: number;
}

export interface Plan {
	readonly width: number;
	readonly height: number;
	/** Height of a line of words. */
	readonly line: number;
	readonly rows: readonly RowPlan[];
	readonly cpus: readonly CpuPlan[];
	readonly nodes: readonly NodePlan[];
	/** The middle of each tier's corridor, below the CPUs. */
	readonly corridors: readonly number[];
}

/** The height of a section that the rows' heights are given for. */
const USUAL = 470;
const SCALE = { least: 0.5, most: 3.2 };
const SIDES = { most: 20, share: 0.018 };
const GUTTER = { most: 14, share: 0.1, large: 22 };
/** Room for the names of rows, and the width that a section needs for them. */
const LABELS = { from: 640, share: 0.135, least: 96, most: 260 };
/** Room for short names. */
const SHORT_LABELS = { from: 430, w: 74 };
/**
 * The least width of a wide column; the width of a narrow one beside it, and the share that all narrow ones may take
 * up.
 */
const WIDE_LEAST = 128;
const NARROW = 30;
const NARROW_SHARE = 0.4;
/** With more nodes there are tiers instead. */
const FOLD_MOST = 8;
/** The least width of a column (with cards, per CPU), and the least height of a tier. */
const COLUMN_LEAST = 64;
const CARD_LEAST = 38;
const TIER_LEAST = 130;
const CORRIDOR = 12;
const LINE = { usual: 18, least: 18, most: 34, share: 0.078 };

export function makePlan(shape: Shape): Plan {
	const { width, height, nodeOfCpu, nrNodes } = shape;
	const side = Math.round(Math.min(SIDES.most, width * SIDES.share));
	const labels = labelsIn(width, shape.open !== undefined);
	const outer = { x: side, y: 1, w: Math.max(1, width - 2 * side), h: Math.max(1, height - 2) };
	const room = { ...outer, x: outer.x + labels, w: Math.max(1, outer.w - labels) };
	const rows = rowsOf(shape);
	const perNode = Math.ceil(nodeOfCpu.length / Math.max(1, nrNodes));
	const across = shape.open
		? nrNodes
		: columnsAcross(nrNodes, room, nodeOfCpu.length > CARDS_MOST ? 0 : perNode);
	const down = Math.ceil(nrNodes / across);
	const hasCommon = rows.some(({ of }) => of === "common");
	// Machine-wide lists are in the rows of the only tier, or below the last one.
	const isApart = hasCommon && down > 1;
	const tiers = isApart ? down + 1 : down;
	const each = outer.h / tiers;
	const rooms = Array.from({ length: tiers }, (_, tier) => {
		const own = isApart ? rows.filter(({ of }) => (of === "common") === (tier === down)) : rows;
		return tierIn(
			{ ...outer, y: outer.y + tier * each, h: each },
			{ rows: own, tier, labels, side },
			shape.heights,
		);
	});
	const gutter = Math.min(
		width > 1800 ? GUTTER.large : GUTTER.most,
		(room.w / across) * GUTTER.share,
	);
	const free = room.w - gutter * (across - 1);
	const { open } = shape;
	const narrow = open
		? Math.min(NARROW, (free * NARROW_SHARE) / Math.max(1, across - open.length))
		: 0;
	const wide = open
		? (free - narrow * (across - open.length)) / Math.max(1, open.length)
		: free / across;
	let x = room.x;
	const columns = Array.from({ length: nrNodes }, (_, node) => {
		const tier = Math.floor(node / across);
		if (node % across === 0) x = room.x;
		const w = open && !open.includes(node) ? narrow : wide;
		const left = Math.round(x);
		x += w + gutter;
		return { node, tier, x: left, w: Math.floor(x - gutter - left), cpus: cpusOf(nodeOfCpu, node) };
	});
	const cpus = columns.flatMap(({ node, tier, x, w, cpus }) => {
		const { rows: own, head, line } = rooms[tier] as Tier;
		return cpusIn({ node, cpus, x, w, top: head.y + head.h, line }, own, shape);
	});
	const cells: CellOf[] = columns.map(({ node, tier, x, w, cpus }) => {
		const { rows: own, area, line, head } = rooms[tier] as Tier;
		const column = { x, y: area.y, w, h: area.h };
		const kept = own.filter(({ row: { of } }) => of === "node" || of === "pages");
		return { node, tier, cpus, column, head, line, rows: kept, holdings: shape.node };
	});
	if (hasCommon) {
		const { rows: own, area, line, head } = rooms.at(-1) as Tier;
		const kept = own.filter(({ row: { of } }) => of === "common");
		const [first, last] = [kept[0]?.band ?? area, kept.at(-1)?.band ?? area];
		const column = { x: room.x, y: first.y, w: room.w, h: last.y + last.h - first.y };
		const tier = tiers - 1;
		cells.push({
			...{ node: NONE, tier, cpus: [], column, head: { ...head, h: 0 }, line, rows: kept },
			holdings: shape.common,
		});
	}
	return {
		width,
		height,
		line: rooms[0]?.line ?? LINE.usual,
		rows: rooms.flatMap((tier) => tier.rows),
		cpus,
		nodes: cellsIn(cells, capacitiesBy(shape), outer.h / tiers / USUAL),
		corridors: rooms.map(({ corridor }) => corridor),
	};
}

/** Room for the names of rows. */
function labelsIn(width: number, isNarrow: boolean): number {
	if (width >= LABELS.from)
		return Math.round(Math.min(LABELS.most, Math.max(LABELS.least, width * LABELS.share)));
	return width >= SHORT_LABELS.from || isNarrow ? SHORT_LABELS.w : 0;
}

/**
 * The nodes whose columns are wide if there is not room for all, starting with the first of `acting`; undefined: all
 * are wide. `isFolded`: the others are narrow even if there is room for all.
 */
export function openNodes(
	{ width, nrNodes }: Pick<Shape, "width" | "nrNodes">,
	acting: readonly number[],
	isFolded = false,
): number[] | undefined {
	const room = width - labelsIn(width, true);
	if (nrNodes > FOLD_MOST) return undefined;
	if (room / nrNodes >= WIDE_LEAST)
		return isFolded && acting.length < nrNodes ? acting.toSorted((a, b) => a - b) : undefined;
	const most = Math.max(1, Math.floor((room - nrNodes * NARROW) / (WIDE_LEAST - NARROW)));
	return acting.slice(0, most).sort((a, b) => a - b);
}

function cpusOf(nodeOfCpu: readonly number[], node: number): number[] {
	return nodeOfCpu.flatMap((n, cpu) => (n === node ? [cpu] : []));
}

/** Returns how many slabs a list is planned for. A single node also has the lists that belong to no node. */
function capacitiesBy({ capacities, nrNodes }: Shape) {
	return (node: number, list: Parameters<typeof listKey>[0]) => {
		const own = capacities[capacityKey(node, listKey(list))] ?? 0;
		return nrNodes > 1 ? own : Math.max(own, capacities[capacityKey(NONE, listKey(list))] ?? 0);
	};
}

/** Fits as many columns side by side as can be wide enough, unless tiers would be too low; `cards`: CPUs per node. */
function columnsAcross(nrNodes: number, room: Rect, cards: number): number {
	const least = Math.max(COLUMN_LEAST, cards * CARD_LEAST);
	let across = Math.min(nrNodes, Math.max(1, Math.floor(room.w / (least + GUTTER.most))));
	while (across < nrNodes && room.h / Math.ceil(nrNodes / across) < TIER_LEAST) across++;
	// Makes tiers of nearly the same length.
	return Math.max(1, Math.ceil(nrNodes / Math.ceil(nrNodes / across)));
}

interface Tier {
	readonly area: Rect;
	readonly line: number;
	/** The line with the names of nodes. */
	readonly head: Rect;
	readonly rows: readonly RowPlan[];
	readonly corridor: number;
}

interface TierOf {
	readonly rows: readonly Row[];
	readonly tier: number;
	/** Room for the names of rows, and beside the section. */
	readonly labels: number;
	readonly side: number;
}

function tierIn(area: Rect, { rows, tier, labels, side }: TierOf, fixed: Shape["heights"]): Tier {
	const { least, most, share } = LINE;
	// The letters of a high section only fit if it is also wide.
	const usual = Math.min(area.h * 0.038, Math.max(LINE.usual, area.w * 0.0185));
	const line = Math.max(Math.min(least, area.h * share), Math.min(most, usual));
	const hasHead = rows.some(({ of }) => of !== "common");
	const head = { ...area, h: hasHead ? Math.round(line * 1.25) : 0 };
	const lastCpu = rows.findIndex(({ of }) => of !== "cpu" && of !== "names") - 1;
	const corridor = lastCpu >= 0 ? Math.min(CORRIDOR, area.h * 0.026) : 0;
	const scale = Math.min(SCALE.most, Math.max(SCALE.least, area.h / USUAL));
	const heights = heightsOf(rows, area.h - head.h - corridor, scale, fixed);
	let y = area.y + head.h;
	let at = y;
	const planned = rows.map((row, i): RowPlan => {
		const top = Math.round(y);
		y += heights[i] ?? 0;
		if (i === lastCpu) {
			at = Math.round(y + corridor / 2);
			y += corridor;
		}
		const bottom = Math.round(y);
		const band = { x: 0, y: top, w: area.w + 2 * side, h: bottom - top };
		return {
			key: `${tier}/${row.rank}/${row.of}`,
			row,
			tier,
			band: i === lastCpu ? { ...band, h: band.h - Math.round(corridor) } : band,
			label: { x: area.x, y: top, w: Math.max(0, labels - 8), h: band.h },
			depth: rows.length < 2 ? 0 : i / (rows.length - 1),
		};
	});
	return { area, line, head, rows: planned, corridor: at };
}
