/**
 * CPUs of a node. Few of them are cards with their cpu slab, per-CPU partial list and arrays. Many are squares that
 * are filled with the slab or the objects that they hold.
 */
import { holdsObjects, holdsSheaves, KIND, PLACE } from "../../engine/place_kinds.ts";
import { inset, type Rect } from "../scene.ts";
import { gridOf, tileAt, tileSizes } from "../tiles.ts";
import type { CpuPart } from "./shape.ts";

export interface CpuLook {
	readonly card: Rect;
	/** Height of the line with its name. */
	readonly line: number;
	/** The area of each of its places, by kind. */
	readonly parts: ReadonlyMap<number, Rect>;
	readonly isSquare: boolean;
	/** Height of the line over each of its sheaves, 0 if it has no room. */
	readonly caption: number;
}

/** The CPUs of a node in a room, from its top. */
export interface CpuBand {
	readonly height: number;
	/** How large their parts are, about as the side of a slab. */
	readonly seen: number;
	readonly cpus: readonly CpuLook[];
}

const CARD_GAP = 10;
const CARD_PAD = 8;
const LABEL = 18;
/** A slab of four objects across still shows no close-ups by itself (draw/close_up.ts). */
const SLAB_MAX = 510;
/** Side of a square, at most. */
const SQUARE_MOST = 44;
/** The weight of an array's cell against a slab's side when cards are shaped. */
const ARRAY_WORTH = 12;
/** Larger cells of arrays are not worth more. */
const ARRAY_WORTH_MOST = 78;
/** The weight of a sheaf's width and height: at its best it has room for its name. */
const SHEAF_WORTH = { width: 2.6, height: 1.6 };
/** Cells of arrays need not be larger; the lists use the height better. */
const ARRAY_CELL = 14;
const ARRAY_LEAST = 34;
/** Width of the RCU sheaf, which is absent most of the time, against that of the others. */
const RARE = 0.6;
/** Height of the line over a sheaf, and the least width and height of one that has it. */
const CAPTION = 12;
const CAPTION_WIDTH = 26;
const CAPTION_FROM = 40;
/** Height of an object in a sheaf, and of a sheaf, at most. */
const SHEAF_ROW = 8;
const SHEAF_MOST = 170;
/** Share of a square's side for its cpu slab, if there is a per-CPU partial list beside it. */
const SLAB_IN_SQUARE = 0.8;

export function cpuBand(
	n: number,
	room: Rect,
	parts: readonly CpuPart[],
	areSquares: boolean,
): CpuBand {
	if (n === 0 || room.h <= 0) return { height: 0, seen: 1, cpus: [] };
	return areSquares ? squares(n, room, parts) : cards(n, room, parts);
}

function squares(n: number, room: Rect, parts: readonly CpuPart[]): CpuBand {
	const fits = (size: number) => size <= SQUARE_MOST && gridOf(room, size).room >= n;
	const side = tileSizes().find(fits);
	const columns = Math.max(1, Math.ceil(Math.sqrt((n * room.w) / room.h)));
	const least = Math.min(room.w / columns, room.h / Math.ceil(n / columns));
	const grid = side === undefined ? { size: least, gap: 0, columns, room: n } : gridOf(room, side);
	const cpus = Array.from({ length: n }, (_, i) => {
		const card = tileAt(room, grid, i);
		const areas = partsInSquare(card, parts);
		return { card, line: grid.size * 0.3, parts: areas, isSquare: true, caption: 0 };
	});
	const rows = Math.ceil(n / grid.columns);
	return { height: rows * (grid.size + grid.gap), seen: grid.size, cpus };
}

/** Its places side by side: the cpu slab, then the rest. */
function partsInSquare(card: Rect, parts: readonly CpuPart[]): Map<number, Rect> {
	const inner = inset(card, card.w >= 10 ? Math.max(1, Math.round(card.w * 0.08)) : 0);
	const areas = new Map<number, Rect>();
	const others = parts.filter((p) => p.kind !== PLACE.CPU_SLAB);
	const hasSlab = others.length < parts.length;
	const w = !hasSlab ? 0 : others.length === 0 ? inner.w : inner.w * SLAB_IN_SQUARE;
	if (hasSlab) areas.set(PLACE.CPU_SLAB, { ...inner, w });
	const gap = others.length > 1 ? Math.min(2, inner.w * 0.08) : 0;
	placeArrays(areas, { ...inner, x: inner.x + w, w: inner.w - w }, others, gap);
	return areas;
}

/** As many cards across as shows their parts largest. */
function cards(n: number, room: Rect, parts: readonly CpuPart[]): CpuBand {
	let best = { seen: -1, across: 1, w: room.w, h: room.h, gap: 0 };
	for (let across = 1; across <= n; across++) {
		const down = Math.ceil(n / across);
		const gap = Math.min(CARD_GAP, (room.w / across) * 0.05, (room.h / down) * 0.1);
		const w = (room.w - gap * (across - 1)) / across;
		const h = Math.min((room.h - gap * (down - 1)) / down, mostHeight(parts, w));
		const seen = worth(cardParts({ x: 0, y: 0, w, h }, parts).parts, parts, w);
		if (seen > best.seen + 0.01) best = { seen, across, w, h, gap };
	}
	const { across, w, h, gap } = best;
	const cpus = Array.from({ length: n }, (_, i) => {
		const x = Math.round(room.x + (i % across) * (w + gap));
		const y = Math.round(room.y + Math.floor(i / across) * (h + gap));
		const card = { x, y, w: Math.floor(w), h: Math.floor(h) };
		return { card, ...cardParts(card, parts), isSquare: false };
	});
	const down = Math.ceil(n / across);
	return { height: down * h + (down - 1) * gap, seen: best.seen, cpus };
}

/** A card need not be higher than this. */
function mostHeight(parts: readonly CpuPart[], w: number): number {
	if (parts.length === 0) return LABEL + CARD_PAD;
	const around = LABEL + 2 * CARD_PAD;
	if (parts.some((p) => !holdsObjects(p.kind))) return Math.min(SLAB_MAX, w * 1.1) + around;
	const inner = Math.max(1, w - 2 * CARD_PAD) / parts.length;
	const cells = Math.max(...parts.map((p) => p.limit));
	if (parts.some((p) => holdsSheaves(p.kind)))
		return around + CAPTION + Math.max(CAPTION_FROM, Math.min(SHEAF_MOST, cells * SHEAF_ROW));
	return around + Math.max(ARRAY_LEAST, (cells * ARRAY_CELL ** 2) / inner);
}

/** How visible the parts of a card are. */
function worth(areas: ReadonlyMap<number, Rect>, parts: readonly CpuPart[], w: number): number {
	const sizes = parts.map(({ kind, limit }) => {
		const area = areas.get(kind);
		if (!area) return 0;
		if (!holdsObjects(kind)) return kind === PLACE.CPU_SLAB ? area.w : SLAB_MAX;
		const pitch = Math.sqrt((area.w * area.h) / Math.max(1, limit));
		const side = Math.min(area.w * SHEAF_WORTH.width, area.h * SHEAF_WORTH.height);
		const most = holdsSheaves(kind) ? side : ARRAY_WORTH_MOST;
		return Math.min(ARRAY_WORTH_MOST, most, pitch * ARRAY_WORTH);
	});
	return Math.min(SLAB_MAX, ...sizes) + Math.min(w, 120) * 0.02;
}

/** From this ratio of width to height on, the name stands beside the cpu slab. */
const FLAT = 1.7;
const FLAT_HEIGHT = 62;

/** In a card: its name, the cpu slab, the per-CPU partial list, and arrays. */
function cardParts(
	card: Rect,
	parts: readonly CpuPart[],
): Pick<CpuLook, "line" | "parts" | "caption"> {
	// Whole pixels: a curve is then the same however it is clipped.
	const pad = Math.round(Math.min(CARD_PAD, card.w * 0.06, card.h * 0.08));
	const inner = inset(card, pad);
	const arrays = parts.filter((p) => holdsObjects(p.kind));
	const slabs = parts.filter((p) => !holdsObjects(p.kind));
	const areas = new Map<number, Rect>();
	const line =
		parts.length === 0
			? inner.h
			: Math.round(Math.min(LABEL, Math.max(inner.h * 0.24, Math.min(12, inner.h * 0.5))));
	if (parts.length === 0) return { line, parts: areas, caption: 0 };
	const gap = Math.round(Math.min(8, inner.w * 0.05));
	const body = { ...inner, y: inner.y + line, h: Math.max(0, inner.h - line) };
	if (arrays.length === 0) placeSlabs(areas, inner, body, slabs, gap);
	else if (slabs.length === 0) placeArrays(areas, body, arrays, gap);
	else if (body.w > body.h * 1.6) {
		const w = (body.w - gap) / 2;
		placeSlabs(areas, { ...body, w }, { ...body, w }, slabs, gap);
		placeArrays(areas, { ...body, x: body.x + w + gap, w }, arrays, gap);
	} else {
		const h = (body.h - gap) / 2;
		placeSlabs(areas, { ...body, h }, { ...body, h }, slabs, gap);
		placeArrays(areas, { ...body, y: body.y + h + gap, h }, arrays, gap);
	}
	const caption = captionIn(areas, arrays);
	if (caption > 0)
		for (const [kind, area] of areas)
			if (holdsSheaves(kind))
				areas.set(kind, { ...area, y: area.y + caption, h: area.h - caption });
	return { line, parts: areas, caption };
}

/** Room over the sheaves for their names, if they leave it. */
function captionIn(areas: ReadonlyMap<number, Rect>, arrays: readonly CpuPart[]): number {
	const [first] = arrays.filter((p) => holdsSheaves(p.kind)).map((p) => areas.get(p.kind));
	return first && first.w >= CAPTION_WIDTH && first.h >= CAPTION_FROM ? CAPTION : 0;
}

/**
 * The cpu slab is as large as it can be, with the per-CPU partial list beside it or below it. In a flat card the slab
 * has the whole height, and the list stands below the name.
 */
function placeSlabs(
	areas: Map<number, Rect>,
	inner: Rect,
	body: Rect,
	parts: readonly CpuPart[],
	gap: number,
): void {
	const partial = parts.find((p) => p.kind !== PLACE.CPU_SLAB);
	const isFlat = inner.h < FLAT_HEIGHT && inner.w > inner.h * FLAT && inner.h > body.h;
	if (isFlat) {
		const side = Math.max(0, Math.floor(Math.min(inner.h, inner.w * 0.5)));
		areas.set(PLACE.CPU_SLAB, { x: inner.x + inner.w - side, y: inner.y, w: side, h: side });
		// With room for a line of its own, what the CPU has at hand stands between its name and the list.
		const words = inner.h >= 2.6 * (inner.h - body.h) ? inner.h - body.h : 0;
		const w = Math.max(0, inner.w - side - gap);
		if (partial) areas.set(partial.kind, { ...body, y: body.y + words, w, h: body.h - words });
		return;
	}
	const below = partial
		? Math.max(0, Math.min(body.w, body.h * 0.76 - gap))
		: Math.min(body.w, body.h);
	const beside = Math.max(0, Math.min(body.h, body.w * 0.62));
	const side = Math.floor(Math.min(SLAB_MAX, partial ? Math.max(below, beside) : below));
	areas.set(PLACE.CPU_SLAB, { ...body, w: side, h: side });
	if (!partial) return;
	const x = body.x + side + gap;
	const y = body.y + side + gap;
	areas.set(
		partial.kind,
		beside >= below
			? { ...body, x, w: Math.max(0, body.x + body.w - x), h: side }
			: { ...body, y, h: Math.max(0, body.y + body.h - y) },
	);
}

function placeArrays(
	areas: Map<number, Rect>,
	body: Rect,
	parts: readonly CpuPart[],
	gap: number,
): void {
	const room = Math.max(0, body.w - gap * (parts.length - 1));
	const weights = parts.map(({ kind }) => (kind === KIND.PLACE_SHEAF_RCU ? RARE : 1));
	const sum = weights.reduce((a, b) => a + b, 0);
	let x = body.x;
	parts.forEach(({ kind }, i) => {
		const w = (room * (weights[i] ?? 1)) / Math.max(1, sum);
		areas.set(kind, { ...body, x, w });
		x += w + gap;
	});
}
