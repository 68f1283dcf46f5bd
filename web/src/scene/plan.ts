/**
 * The plan of the stage: where CPUs, lists and zones stand on a screen of a given size. It depends on the machine
 * and on how many slabs the trace ever needs, not on the moment, so nothing but slabs moves while time goes by.
 *
 *	┌ node 0 ──────────────┐ ┌ node 1 ──────────────┐
 *	│ CPU 0   CPU 1        │ │ CPU 2   CPU 3        │   cpu slab and partial chain
 *	│ on the way           │ │                      │
 *	│ partial list         │ │                      │   in list order, head first
 *	│ full slabs           │ │                      │
 *	│ page allocator       │ │                      │
 *	└──────────────────────┘ └──────────────────────┘
 */
import { inset, type Rect } from "./scene.ts";

/** What the plan is made for. */
export interface Shape {
	readonly width: number;
	readonly height: number;
	/** Node of each CPU. */
	readonly nodeOfCpu: readonly number[];
	readonly nrNodes: number;
	/** Limit of a CPU's chain. */
	readonly chain: number;
}

export interface CpuPlan {
	readonly cpu: number;
	readonly node: number;
	readonly card: Rect;
	/** Height of the line that names it. */
	readonly line: number;
	readonly slab: Rect;
	readonly chain: Rect;
}

export interface NodePlan {
	readonly node: number;
	readonly column: Rect;
	/** Height of the line that names a part. */
	readonly line: number;
	/** Room around the tiles of a list, inside its card. */
	readonly pad: number;
	readonly transit: Rect;
	readonly partial: Rect;
	readonly full: Rect;
	readonly zones: Rect;
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
/** Columns at least this wide have their two lists side by side. */
const SPLIT_FROM = 340;

export function makePlan(shape: Shape): Plan {
	const narrow = shape.width < 480;
	const outer = inset({ x: 0, y: 0, w: shape.width, h: shape.height }, narrow ? 12 : MARGIN);
	const columns = nodeColumns(shape, outer);
	const cpus: CpuPlan[] = [];
	const nodes: NodePlan[] = [];
	columns.forEach((column, node) => {
		const own = shape.nodeOfCpu.flatMap((n, cpu) => (n === node ? [cpu] : []));
		const line = Math.min(LINE, column.h * 0.055, column.w * 0.13);
		const title = shape.nrNodes > 1 ? line : 0;
		const body = { ...column, y: column.y + title, h: column.h - title };
		const cards = cpuCards(own.length, body, shape.chain);
		own.forEach((cpu, i) => {
			const card = cards.rects[i];
			if (card) cpus.push(cpuPlan(cpu, node, card, shape.chain));
		});
		nodes.push(nodePlan(node, column, line, below(body, cards.height)));
	});
	return { width: shape.width, height: shape.height, cpus, nodes };
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

function below(body: Rect, used: number): Rect {
	return { ...body, y: body.y + used, h: Math.max(0, body.h - used) };
}

/** Cards for n CPUs at the top of a column: as many across as gives the largest cpu slab. */
function cpuCards(n: number, body: Rect, chain: number): { rects: Rect[]; height: number } {
	if (n === 0) return { rects: [], height: 0 };
	const room = body.h * (body.w >= SPLIT_FROM ? 0.5 : 0.4);
	let best = { score: -1, across: 1, w: body.w, h: room, gap: 0 };
	for (let across = 1; across <= n; across++) {
		const down = Math.ceil(n / across);
		const gap = Math.min(CARD_GAP, (body.w / across) * 0.08, (room / down) * 0.1);
		const w = (body.w - gap * (across - 1)) / across;
		const h = Math.min(room / down - gap, SLAB_MAX + LABEL + 2 * CARD_PAD, Math.max(w * 0.9, 34));
		const parts = cardParts({ x: 0, y: 0, w, h }, chain);
		const score = Math.min(parts.slab.w, SLAB_MAX) + Math.min(w, 230) * 0.05 - down * 2;
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

interface CardParts {
	line: number;
	slab: Rect;
	chain: Rect;
}

/** In a card: the name on top, the cpu slab at the left, its chain at the right. */
function cardParts(card: Rect, chain: number): CardParts {
	const pad = Math.min(CARD_PAD, card.w * 0.08, card.h * 0.08);
	const inner = inset(card, pad);
	const top = Math.min(LABEL, inner.h * 0.34, inner.w * 0.3);
	const h = Math.max(0, inner.h - top);
	const side = Math.max(0, Math.min(h, SLAB_MAX, inner.w * (chain > 0 ? 0.5 : 1)));
	const gap = Math.min(10, inner.w * 0.06);
	return {
		line: top,
		slab: { x: inner.x, y: inner.y + top, w: side, h: side },
		chain: {
			x: inner.x + side + gap,
			y: inner.y + top,
			w: Math.max(0, inner.w - side - gap),
			h: side,
		},
	};
}

function cpuPlan(cpu: number, node: number, card: Rect, chain: number): CpuPlan {
	return { cpu, node, card, ...cardParts(card, chain) };
}

/** What is left of a column below its CPUs: the two lists, beside each other where it is wide, and the zones. */
function nodePlan(node: number, column: Rect, line: number, rest: Rect): NodePlan {
	const gap = line * 0.6;
	const zonesHeight = Math.min(rest.h * 0.2, line * 1.55);
	const transitHeight = Math.min(rest.h * 0.12, 36);
	const zones = { ...rest, y: rest.y + rest.h - zonesHeight, h: zonesHeight };
	const transit = { ...rest, h: transitHeight };
	const y = rest.y + transitHeight + line;
	const h = Math.max(0, zones.y - line - gap - y);
	const split = rest.w >= SPLIT_FROM;
	const half = Math.max(0, (h - gap - line) / 2);
	const pad = Math.min(CARD_PAD, rest.w * 0.05, (split ? h : half) * 0.12);
	const parts = { node, column, line, pad, transit, zones };
	if (split) {
		const between = Math.min(COLUMN_GAP, rest.w * 0.04);
		const w = (rest.w - between) / 2;
		const right = { x: rest.x + w + between, y, w, h };
		return { ...parts, partial: inset({ ...rest, y, w, h }, pad), full: inset(right, pad) };
	}
	const partial = inset({ ...rest, y, h: half }, pad);
	const full = inset({ ...rest, y: y + half + gap + line, h: half }, pad);
	return { ...parts, partial, full };
}
