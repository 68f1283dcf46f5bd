/**
 * The plan of the stage: where CPUs, arrays, lists and zones stand on a screen of a given size. It depends on the
 * machine and on the places of its allocator, not on the position, so only slabs and objects move while the trace
 * plays.
 *
 * 	┌ node 0 ──────────────┐ ┌ node 1 ──────────────┐
 * 	│ CPU 0   CPU 1        │ │ CPU 2   CPU 3        │   cpu slab, arrays
 * 	│ on the way           │ │                      │
 * 	│ shared, alien arrays │ │                      │
 * 	│ lists of slabs       │ │                      │   in list order, head first
 * 	│ page allocator       │ │                      │
 * 	└──────────────────────┘ └──────────────────────┘
 * 	  lists of the whole machine
 */
import { NONE } from "../../engine/frame.ts";
import { holdsObjects, PLACE } from "../../engine/place_kinds.ts";
import { inset, type Rect } from "../scene.ts";
import type { CpuPart, Shape } from "../shape.ts";
import { type NodePlan, nodePlan } from "./plan_node.ts";

export interface CpuPlan {
	readonly cpu: number;
	readonly node: number;
	readonly card: Rect;
	/** Height of the line with its name. */
	readonly line: number;
	/** The area of each of its places, by kind. */
	readonly parts: ReadonlyMap<number, Rect>;
}

export interface Plan {
	readonly width: number;
	readonly height: number;
	readonly cpus: readonly CpuPlan[];
	readonly nodes: readonly NodePlan[];
}

const MARGIN = 20;
const COLUMN_GAP = 24;
const CARD_GAP = 12;
const CARD_PAD = 10;
const LABEL = 20;
const LINE = 22;
const SLAB_MAX = 132;
/** Share of the height for places that belong to no node, if nodes have lists of their own. */
const COMMON_SHARE = 0.18;
/** Height for slabs on the way; less if arrays need the room, or if these stand among the places of no node. */
const TRANSIT = 36;
const TRANSIT_LESS = 22;
const TRANSIT_LEAST = 12;
/** Height of a node that has none: its CPUs and its zones. */
const BARE_NODE = 128;
/** Columns at least this wide leave more of their height to the CPUs. */
const WIDE_FROM = 340;
/** The weight of an array's cell against a slab's side when cards are shaped. */
const ARRAY_WORTH = 12;
/** Larger cells of arrays are not worth more. */
const ARRAY_WORTH_MOST = 78;
/** The cost of a further row of cards for the rest, at most this share of the visible size. */
const ROW_COST = 6;
const ROW_SHARE = 0.15;
/** Cells of arrays need not be larger; the lists use the height better. */
const ARRAY_CELL = 14;
const ARRAY_LEAST = 34;

export function makePlan(shape: Shape): Plan {
	const narrow = shape.width < 480;
	const outer = inset({ x: 0, y: 0, w: shape.width, h: shape.height }, narrow ? 12 : MARGIN);
	const hasCommon = shape.common.lists.length + shape.common.arrays.length > 0;
	const bare = shape.node.lists.length + shape.node.arrays.length === 0;
	const band = hasCommon ? commonHeight(shape, outer, bare) : 0;
	const columns = nodeColumns(shape, { ...outer, h: outer.h - band });
	const cpus: CpuPlan[] = [];
	const nodes: NodePlan[] = [];
	const roomy = shape.node.arrays.length > 0 ? TRANSIT_LESS : TRANSIT;
	const transit = hasCommon ? TRANSIT_LEAST : roomy;
	columns.forEach((column, node) => {
		const own = shape.nodeOfCpu.flatMap((n, cpu) => (n === node ? [cpu] : []));
		const line = Math.min(LINE, column.h * (bare ? 0.15 : 0.055), column.w * 0.13);
		const title = shape.nrNodes > 1 ? line : 0;
		const body = { ...column, y: column.y + title, h: column.h - title };
		const cards = cpuCards(own.length, body, shape.cpuParts);
		own.forEach((cpu, i) => {
			const card = cards.rects[i];
			if (card) cpus.push({ cpu, node, card, ...cardParts(card, shape.cpuParts) });
		});
		const rest = { ...body, y: body.y + cards.height, h: Math.max(0, body.h - cards.height) };
		const { node: holdings } = shape;
		nodes.push(nodePlan({ node, column, line, rest, holdings, zones: true, transit }));
	});
	if (hasCommon) {
		const rest = { ...outer, y: outer.y + outer.h - band, h: band };
		const line = Math.min(LINE, band * 0.2);
		const common = { node: NONE, column: rest, line, rest, holdings: shape.common };
		nodes.push(nodePlan({ ...common, zones: false, transit: TRANSIT_LESS }));
	}
	return { width: shape.width, height: shape.height, cpus, nodes };
}

/** The height that remains when every node has what it needs. */
function commonHeight(shape: Shape, outer: Rect, bare: boolean): number {
	if (!bare) return outer.h * COMMON_SHARE;
	const perNode = shape.nodeOfCpu.length / shape.nrNodes;
	const rows = Math.max(1, Math.ceil((shape.nrNodes * 90) / outer.w));
	const dense = Math.max(1, Math.sqrt(perNode / 4));
	return outer.h - Math.min(outer.h * 0.5, BARE_NODE * rows * dense);
}

/** Columns for the nodes, in as many rows as keeps them well shaped. */
function nodeColumns(shape: Shape, outer: Rect): Rect[] {
	const n = Math.max(1, shape.nrNodes);
	let best = { score: -1, across: 1, down: n };
	for (let across = 1; across <= n; across++) {
		const down = Math.ceil(n / across);
		const w = outer.w / across;
		const h = outer.h / down;
		const score = Math.min(w, h * 0.6) * (across * down === n ? 1.02 : 1);
		if (score > best.score) best = { score, across, down };
	}
	const gap = Math.min(COLUMN_GAP, (outer.w / best.across) * 0.1);
	const gapDown = Math.min(COLUMN_GAP, (outer.h / best.down) * 0.06);
	const w = (outer.w - gap * (best.across - 1)) / best.across;
	const h = (outer.h - gapDown * (best.down - 1)) / best.down;
	return Array.from({ length: n }, (_, i) => ({
		x: outer.x + (i % best.across) * (w + gap),
		y: outer.y + Math.floor(i / best.across) * (h + gapDown),
		w,
		h,
	}));
}

/** Cards for n CPUs at the top of a column: as many across as leaves their parts largest. */
function cpuCards(
	n: number,
	body: Rect,
	parts: readonly CpuPart[],
): { rects: Rect[]; height: number } {
	if (n === 0) return { rects: [], height: 0 };
	const room = body.h * (body.w >= WIDE_FROM ? 0.5 : 0.4);
	let best = { score: Number.NEGATIVE_INFINITY, across: 1, w: body.w, h: room, gap: 0 };
	for (let across = 1; across <= n; across++) {
		const down = Math.ceil(n / across);
		const gap = Math.min(CARD_GAP, (body.w / across) * 0.08, (room / down) * 0.1);
		const w = (body.w - gap * (across - 1)) / across;
		const h = Math.min(room / down - gap, mostHeight(parts, w), Math.max(w * 0.9, 34));
		const seen = worth(cardParts({ x: 0, y: 0, w, h }, parts), parts, w);
		const score = seen - down * Math.min(ROW_COST, seen * ROW_SHARE);
		if (score > best.score + 0.01) best = { score, across, w, h, gap };
	}
	const rects = Array.from({ length: n }, (_, i) => ({
		x: body.x + (i % best.across) * (best.w + best.gap),
		y: body.y + Math.floor(i / best.across) * (best.h + best.gap),
		w: best.w,
		h: best.h,
	}));
	const down = Math.ceil(n / best.across);
	return { rects, height: down * (best.h + best.gap) };
}

/** A card need not be higher than this. */
function mostHeight(parts: readonly CpuPart[], w: number): number {
	if (parts.length === 0) return LABEL + CARD_PAD;
	const around = LABEL + 2 * CARD_PAD;
	if (parts.some((p) => !holdsObjects(p.kind))) return SLAB_MAX + around;
	const inner = Math.max(1, w - 2 * CARD_PAD) / parts.length;
	const cells = Math.max(...parts.map((p) => p.limit));
	return around + Math.max(ARRAY_LEAST, (cells * ARRAY_CELL ** 2) / inner);
}

/** How visible the parts of a card are. */
function worth(card: CardParts, parts: readonly CpuPart[], w: number): number {
	const sizes = parts.map(({ kind, limit }) => {
		const area = card.parts.get(kind);
		if (!area) return 0;
		if (!holdsObjects(kind)) return kind === PLACE.CPU_SLAB ? area.w : SLAB_MAX;
		const pitch = Math.sqrt((area.w * area.h) / Math.max(1, limit));
		return Math.min(ARRAY_WORTH_MOST, pitch * ARRAY_WORTH);
	});
	return Math.min(SLAB_MAX, ...sizes) + Math.min(w, 230) * 0.05;
}

interface CardParts {
	readonly line: number;
	readonly parts: ReadonlyMap<number, Rect>;
}

/**
 * In a card: the name on top; the cpu slab and the per-CPU partial list side by side; arrays beside them or below.
 */
function cardParts(card: Rect, parts: readonly CpuPart[]): CardParts {
	const pad = Math.min(CARD_PAD, card.w * 0.08, card.h * 0.08);
	const inner = inset(card, pad);
	const line =
		parts.length === 0 ? inner.h : Math.min(LABEL, inner.h * 0.34, Math.max(inner.w * 0.3, 9));
	const body = { ...inner, y: inner.y + line, h: Math.max(0, inner.h - line) };
	const arrays = parts.filter((p) => holdsObjects(p.kind));
	const slabs = parts.filter((p) => !holdsObjects(p.kind));
	const gap = Math.min(10, inner.w * 0.06);
	const areas = new Map<number, Rect>();
	if (parts.length === 0) return { line, parts: areas };
	if (arrays.length === 0) {
		placeSlabs(areas, body, slabs, gap);
	} else if (slabs.length === 0) {
		placeArrays(areas, body, arrays, gap);
	} else if (body.w > body.h * 2.2) {
		const w = (body.w - gap) / 2;
		placeSlabs(areas, { ...body, w }, slabs, gap);
		placeArrays(areas, { ...body, x: body.x + w + gap, w }, arrays, gap);
	} else {
		const h = (body.h - gap) / 2;
		placeSlabs(areas, { ...body, h }, slabs, gap);
		placeArrays(areas, { ...body, y: body.y + h + gap, h }, arrays, gap);
	}
	return { line, parts: areas };
}

function placeSlabs(
	areas: Map<number, Rect>,
	body: Rect,
	parts: readonly CpuPart[],
	gap: number,
): void {
	const partial = parts.find((p) => p.kind !== PLACE.CPU_SLAB);
	const side = Math.max(0, Math.min(body.h, SLAB_MAX, body.w * (partial ? 0.5 : 1)));
	areas.set(PLACE.CPU_SLAB, { ...body, w: side, h: side });
	const x = body.x + side + gap;
	if (partial)
		areas.set(partial.kind, { ...body, x, w: Math.max(0, body.x + body.w - x), h: side });
}

function placeArrays(
	areas: Map<number, Rect>,
	body: Rect,
	parts: readonly CpuPart[],
	gap: number,
): void {
	const w = Math.max(0, (body.w - gap * (parts.length - 1)) / parts.length);
	parts.forEach(({ kind }, i) => {
		areas.set(kind, { ...body, x: body.x + i * (w + gap), w });
	});
}
