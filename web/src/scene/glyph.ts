/**
 * The glyph of a slab whose objects are too small to show one by one, as rectangles of whole pixels: canvas and SVG
 * draw the same ones. Silhouettes differ, not only colours. A full slab is one block. A partial slab is a body, as high
 * as its allocated share, over a foot with pips for its free objects. An empty slab is a dashed outline.
 */
import { Cell } from "#abi";
import type { SlabBox } from "./scene.ts";

/**
 * From this cell size (or slab size, for blocks of different sizes), objects show one by one. With
 * smaller cells, a slab with two free objects among thirty would look full; as a glyph it does not.
 */
export const CELLS_FROM = 5;
const BLOCKS_FROM = 16;

export type GlyphRole = "full" | "body" | "gap" | "foot" | "edge" | "pip" | "dash" | "notch";

export interface GlyphPart {
	readonly role: GlyphRole;
	readonly x0: number;
	readonly y0: number;
	readonly x1: number;
	readonly y1: number;
}

export interface Glyph {
	readonly kind: "full" | "partial" | "empty";
	/** The share of objects that are not allocated. */
	readonly free: number;
	/** The state that most of these have. */
	readonly state: number;
	/** 1 to 4, one for each object that is not allocated. */
	readonly pips: number;
	/** Objects that a warm start inferred; a bar with such slabs has 1. */
	readonly inferred?: number;
}

/** The parts of a slab's box that decide how it is drawn. */
type Boxed = Pick<SlabBox, "w" | "h" | "strip" | "start" | "tail" | "columns" | "rows"> & {
	readonly extents?: unknown;
};

const PIPS_MOST = 4;
/** The distance from pip to pip, in pip widths. */
const PIP_PITCH = 1.6;
/** In units: lower tiles have a foot of one row; from FOOT_BOX up, it is a box with an edge. */
const FOOT_GAP = 6;
const FOOT_BOX = 9;
/** The least share of the height that the body keeps, and that the foot of a box has. */
const BODY_LEAST = 0.25;
const FOOT_LEAST = 0.26;

/** Whether a slab of this box shows its objects one by one; `k`: the zoom. */
export function showsCells(
	{ w, h, strip, start, tail, columns, rows, extents }: Boxed,
	k: number,
): boolean {
	if (extents) return Math.min(w, h - strip) * k >= BLOCKS_FROM;
	const pitch = Math.min(w / columns, ((h - strip) * (1 - start - tail)) / rows);
	return pitch * k >= CELLS_FROM;
}

/** `counts`: objects by state, enum kmem_cell. */
export function glyphOf(counts: ArrayLike<number>, objects: number): Glyph {
	const inferred = counts[Cell.CELL_INFERRED] ?? 0;
	const allocated = (counts[Cell.CELL_ALLOCATED] ?? 0) + inferred;
	const left = objects - allocated;
	let [held, state, most] = [0, Cell.CELL_FREE as number, 0];
	for (let i = 0; i < counts.length; i++) {
		if (i === Cell.CELL_FREE || i === Cell.CELL_ALLOCATED || i === Cell.CELL_INFERRED) continue;
		const own = counts[i] ?? 0;
		held += own;
		if (own > most) [state, most] = [i, own];
	}
	if (left - held > most) state = Cell.CELL_FREE;
	const kind = left === 0 ? "full" : allocated + held === 0 ? "empty" : "partial";
	return {
		kind,
		free: left / Math.max(1, objects),
		state,
		pips: Math.min(PIPS_MOST, left),
		inferred,
	};
}

/** Returns the rectangles of a tile of w × h pixels, in the order in which they are drawn; `unit`: pixels of a thin line. */
export function glyphParts(glyph: Glyph, w: number, h: number, unit: number): GlyphPart[] {
	if (glyph.kind === "full") return [part("full", 0, 0, w, h), ...notch(glyph, w, h, unit)];
	if (glyph.kind === "empty") return dashes(w, h, unit);
	if (h < 2 * unit) return halved(w, h);
	const hasBox = h >= FOOT_BOX * unit && w >= FOOT_BOX * unit;
	const hasBody = glyph.free < 1;
	const gap = hasBody && h >= FOOT_GAP * unit ? unit : 0;
	const body = hasBody ? Math.max(unit, Math.round(h * BODY_LEAST)) : 0;
	const least = hasBox ? Math.max(4 * unit, Math.round(h * FOOT_LEAST)) : unit;
	const foot = Math.max(least, Math.min(h - gap - body, Math.round(h * glyph.free)));
	const top = h - foot;
	const parts = [part("foot", 0, top, w, h)];
	if (hasBody) parts.unshift(part("body", 0, 0, w, top - gap), part("gap", 0, top - gap, w, top));
	if (hasBox) parts.splice(parts.length - 1, 0, part("edge", 0, top, w, h));
	const by = hasBox ? unit : 0;
	if (hasBox) parts[parts.length - 1] = part("foot", by, top + by, w - by, h - by);
	return [
		...parts,
		...pips(glyph.pips, by, top + by, w - by, h - by, unit),
		...notch(glyph, w, h, unit),
	];
}

/** A missing corner means that a warm start inferred objects of this slab. */
function notch({ inferred = 0 }: Glyph, w: number, h: number, unit: number): GlyphPart[] {
	const side = Math.min(3 * unit, Math.floor(Math.min(w, h) / 2));
	return inferred > 0 && side > 0 ? [part("notch", 0, 0, side, side)] : [];
}

/** A tile of barely a pixel: half of it is white. */
function halved(w: number, h: number): GlyphPart[] {
	if (h >= 2) return [part("body", 0, 0, w, h - 1), part("foot", 0, h - 1, w, h)];
	if (w < 2) return [part("foot", 0, 0, w, h)];
	return [part("body", 0, 0, w - 1, h), part("foot", w - 1, 0, w, h)];
}

/** Places the pips in a row, in the middle of the foot. A small foot has fewer, but at least one. */
function pips(
	wanted: number,
	x0: number,
	y0: number,
	x1: number,
	y1: number,
	unit: number,
): GlyphPart[] {
	const [w, h] = [x1 - x0, y1 - y0];
	const side = Math.max(unit, Math.min(Math.floor((w - unit) / (PIP_PITCH * PIPS_MOST)), h - unit));
	const between = Math.max(unit, Math.floor(side * (PIP_PITCH - 1)));
	const high = Math.min(h, Math.max(side, 2 * unit));
	const n = Math.max(1, Math.min(wanted, Math.floor((w + between) / (side + between))));
	const left = x0 + Math.max(0, Math.floor((w - n * side - (n - 1) * between) / 2));
	const top = y0 + Math.floor((h - high) / 2);
	return Array.from({ length: n }, (_, i) => {
		const x = left + i * (side + between);
		return part("pip", x, top, Math.min(x1, x + side), top + high);
	});
}

/** Draws a dashed outline. */
function dashes(w: number, h: number, unit: number): GlyphPart[] {
	const dash = Math.min(w, h) >= FOOT_BOX * unit ? 2 * unit : unit;
	const parts: GlyphPart[] = [];
	for (let x = 0; x < w; x += 2 * dash) {
		const end = Math.min(w, x + dash);
		parts.push(part("dash", x, 0, end, Math.min(h, unit)));
		parts.push(part("dash", w - end, Math.max(0, h - unit), w - x, h));
	}
	for (let y = 0; y < h; y += 2 * dash) {
		const end = Math.min(h, y + dash);
		parts.push(part("dash", 0, y, Math.min(w, unit), end));
		parts.push(part("dash", Math.max(0, w - unit), h - end, w, h - y));
	}
	return parts;
}

function part(role: GlyphRole, x0: number, y0: number, x1: number, y1: number): GlyphPart {
	return { role, x0, y0, x1, y1 };
}
