/**
 * CPUs at the top of their node's column. A few CPUs are cards that span the rows of their places; many are squares,
 * filled with the slab or the objects that they hold.
 */
import { holdsSheaves, KIND, PLACE } from "../../engine/place_kinds.ts";
import { inset, type Rect } from "../scene.ts";
import { CARDS_MOST, gridOf, tileAt, tileSizes } from "../tiles.ts";
import type { RowPlan } from "./plan.ts";
import type { CpuPart, Shape } from "./shape.ts";

export interface CpuPlan {
	/** The key of its panel and its label. */
	readonly key: string;
	readonly cpu: number;
	readonly node: number;
	/** A card, or a square. */
	readonly card: Rect;
	/** The part with its name: the card, or, for the square that acts, the card below all squares. */
	readonly named: Rect;
	/** The cards below the first, if rows of nodes come between its rows. */
	readonly more: readonly Rect[];
	/** Height of the line with its name. */
	readonly line: number;
	/** The area of each of its places, by kind. */
	readonly parts: ReadonlyMap<number, Rect>;
	readonly isSquare: boolean;
	/** Where the path runs down through the card. */
	readonly lane: number;
}

interface Column {
	readonly node: number;
	readonly cpus: readonly number[];
	readonly x: number;
	readonly w: number;
	readonly top: number;
	readonly line: number;
}

const PAD = 6;
const CARD_GAP = 8;
/** CPUs with less width than this are squares. */
const CARD_LEAST = 30;
/** Side of a square, at most. */
const SQUARE_MOST = 44;
/**
 * The squares' share of the height of the CPUs' first row, if one of them has a card below, and the least share of
 * that card.
 */
const SQUARES = 0.42;
const CARD_HEIGHT_LEAST = 44;
const CARD_WIDTH = 110;
/** The name's share of a card's first row, and of a card that has nothing else. */
const NAME_SHARE = 0.42;
const NAME_ALONE = 0.7;
/** The cpu slab's share of a square's side, if there is a per-CPU partial list beside it. */
const SLAB_IN_SQUARE = 0.8;
/** A slab four objects wide still does not show close-ups by itself (draw/close_up.ts). */
const SLAB_MOST = 510;
/** The height of a slab relative to its width: a row of cells is a row of the slab. */
const SLAB_SHAPE = 0.86;
/** A sheaf's share of a row's width; the rest is for the number of its objects. */
const TRAY = 0.52;
/** The most that a sheaf's width may be, relative to its height. */
const TRAY_SHAPE = 1.2;
/** The height of the RCU sheaf, which is usually absent, relative to the spare one beside it. */
const RARE = 0.5;

export function cpusIn(column: Column, rows: readonly RowPlan[], shape: Shape): CpuPlan[] {
	const { cpus, x, w } = column;
	const runs = runsOf(rows);
	const [first] = runs;
	if (cpus.length === 0 || !first) return [];
	const pad = Math.min(PAD, w * 0.04);
	const inner = { x: x + pad, w: Math.max(1, w - 2 * pad) };
	const gap = Math.min(CARD_GAP, (inner.w / cpus.length) * 0.06);
	const each = (inner.w - gap * (cpus.length - 1)) / cpus.length;
	if (shape.nodeOfCpu.length > CARDS_MOST || each < CARD_LEAST)
		return squaresIn(column, inner, first, shape);
	return cpus.map((cpu, i) => {
		const left = Math.round(inner.x + i * (each + gap));
		const right = Math.round(inner.x + i * (each + gap) + each);
		const cards = runs.map((run) => {
			const { y, h } = spanOf(run);
			return { x: left, y: y + 1, w: right - left, h: Math.max(1, h - 2) };
		});
		const [card = { x: left, y: column.top, w: right - left, h: 1 }, ...more] = cards;
		const { parts, line } = partsOf(card, rows, column.line, shape.cpuParts);
		const lane = card.x + card.w + Math.round(gap / 2);
		return {
			key: `cpu:${cpu}`,
			cpu,
			node: column.node,
			card,
			named: card,
			more,
			line,
			parts,
			isSquare: false,
			lane,
		};
	});
}

/** Groups neighbouring rows of CPUs. */
function runsOf(rows: readonly RowPlan[]): RowPlan[][] {
	const runs: RowPlan[][] = [];
	let isOpen = false;
	for (const row of rows) {
		const isOwn = row.row.of === "cpu" || row.row.of === "names";
		if (isOwn && isOpen) runs.at(-1)?.push(row);
		else if (isOwn) runs.push([row]);
		isOpen = isOwn;
	}
	return runs;
}

function spanOf(rows: readonly RowPlan[]): Pick<Rect, "y" | "h"> {
	const [first, last] = [rows[0]?.band, rows.at(-1)?.band];
	if (!first || !last) return { y: 0, h: 1 };
	return { y: first.y, h: last.y + last.h - first.y };
}

/** Returns the area of each place in its row; the first row has the CPU's name above. */
function partsOf(
	card: Rect,
	rows: readonly RowPlan[],
	lineHeight: number,
	cpuParts: readonly CpuPart[],
): Pick<CpuPlan, "parts" | "line"> {
	const parts = new Map<number, Rect>();
	const pad = Math.round(Math.min(PAD, card.w * 0.06));
	const inner = { x: card.x + pad, w: Math.max(1, card.w - 2 * pad) };
	const own = rows.filter(({ row: { of } }) => of === "cpu");
	// A CPU without places is just its name.
	const most = own[0] ? Math.min(card.h, own[0].band.h) * NAME_SHARE : card.h * NAME_ALONE;
	const line = Math.round(Math.min(lineHeight, most));
	own.forEach(({ row, band }, i) => {
		const top = Math.max(band.y, card.y) + (i === 0 ? line + 1 : Math.min(5, band.h * 0.1));
		const bottom = band.y + band.h - (i === own.length - 1 ? pad : 2);
		const area = { ...inner, y: top, h: Math.max(1, bottom - top) };
		const kinds = cpuParts.filter((p) => row.kinds.includes(p.kind));
		placeRow(parts, area, kinds);
	});
	return { parts, line };
}

/**
 * The places side by side in a row: a slab as wide as the card, a list, arrays, or sheaves with room for their
 * numbers.
 */
function placeRow(parts: Map<number, Rect>, area: Rect, kinds: readonly CpuPart[]): void {
	const gap = Math.round(Math.min(8, area.w * 0.05));
	const w = Math.max(0, area.w - gap * (kinds.length - 1)) / Math.max(1, kinds.length);
	let x = area.x;
	for (const { kind } of kinds) {
		const own = { ...area, x, w };
		if (kind === PLACE.CPU_SLAB) {
			const side = Math.floor(Math.min(SLAB_MOST, w));
			parts.set(kind, { ...own, w: side, h: Math.floor(Math.min(own.h, side * SLAB_SHAPE)) });
		} else if (kind === KIND.PLACE_SHEAF_RCU) {
			const side = own.h * RARE;
			parts.set(kind, { ...own, x: own.x + 0.3 * w, w: 0.7 * w, y: own.y + own.h - side, h: side });
		} else if (holdsSheaves(kind))
			parts.set(kind, { ...own, w: Math.min(w, area.w * TRAY, own.h * TRAY_SHAPE) });
		else parts.set(kind, own);
		x += w + gap;
	}
}

/** The CPU that acts has a card below the squares, if they leave room for it; its square keeps its place. */
function squaresIn(
	{ node, cpus, line, x, w }: Column,
	inner: Pick<Rect, "x" | "w">,
	first: readonly RowPlan[],
	{ cpuParts, acting }: Shape,
): CpuPlan[] {
	const n = cpus.length;
	const span = spanOf(first);
	const high = Math.round((first[0]?.band.h ?? 0) * SQUARES);
	const hasCard = span.h - high >= CARD_HEIGHT_LEAST && inner.w >= CARD_WIDTH;
	const room = { ...inner, y: span.y + 2, h: Math.max(1, (hasCard ? high : span.h) - 4) };
	const fits = (size: number) => size <= SQUARE_MOST && gridOf(room, size).room >= n;
	const side = tileSizes().find(fits);
	const columns = Math.max(1, Math.ceil(Math.sqrt((n * room.w) / room.h)));
	const least = Math.min(room.w / columns, room.h / Math.ceil(n / columns));
	const grid = side === undefined ? { size: least, gap: 0, columns, room: n } : gridOf(room, side);
	const lane = Math.min(x + w - 1, Math.round(inner.x + inner.w + 3));
	return cpus.map((cpu, i) => {
		const card = tileAt(room, grid, i);
		const square = { key: `cpu:${cpu}`, cpu, node, card, isSquare: true, lane };
		if (!hasCard || cpu !== acting) {
			const parts = partsInSquare(card, cpuParts);
			return { ...square, named: card, more: [], line: Math.min(line, grid.size * 0.3), parts };
		}
		const named = { ...inner, y: span.y + high, h: span.h - high - 2 };
		return { ...square, named, more: [named], ...partsOf(named, first, line, cpuParts) };
	});
}

/** Lays out its places side by side: the cpu slab, then the rest. */
function partsInSquare(card: Rect, parts: readonly CpuPart[]): Map<number, Rect> {
	const inner = inset(card, card.w >= 10 ? Math.max(1, Math.round(card.w * 0.08)) : 0);
	const areas = new Map<number, Rect>();
	const others = parts.filter((p) => p.kind !== PLACE.CPU_SLAB);
	const hasSlab = others.length < parts.length;
	const w = !hasSlab ? 0 : others.length === 0 ? inner.w : inner.w * SLAB_IN_SQUARE;
	if (hasSlab) areas.set(PLACE.CPU_SLAB, { ...inner, w });
	const gap = others.length > 1 ? Math.min(2, inner.w * 0.08) : 0;
	const room = Math.max(0, inner.w - w - gap * Math.max(0, others.length - 1));
	let x = inner.x + w;
	for (const { kind } of others) {
		areas.set(kind, { ...inner, x, w: room / others.length });
		x += room / others.length + gap;
	}
	return areas;
}
