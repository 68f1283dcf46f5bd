/**
 * A list with too many slabs for tiles, as bars: how many of its slabs have how many free objects. The first bar is
 * slabs without free objects and the last one slabs without allocated objects, so neither mixes with partial slabs.
 */
import { type Frame, NO_EXTENT, type Place } from "../../engine/frame.ts";
import { CELL, isInUse, placeName } from "../../engine/place_kinds.ts";
import { hasInferred } from "../../engine/usage.ts";
import type { Source } from "../draft.ts";
import type { Glyph } from "../glyph.ts";
import type { Bar, Fold, Histogram, Rect } from "../scene.ts";

/** Bits of an object count in a slab's usage (engine/usage.ts). */
const USAGE = 1024;
/**
 * Slabs with blocks of different sizes, or of several kinds, are counted by the free share of their bytes or objects.
 */
const PERCENT = 100;
/** The least distance from one bar to the next. */
const PITCH_LEAST = 5;
const BARS_LEAST = 3;
/** Wider bars have a wider gap. */
const WIDE_FROM = 9;
/** The height of the lowest bar, which still shows that its slabs have free objects. */
const LOWEST = 5;
const PIPS_MOST = 4;
/** The side of its tiles on screen, and the zoom, from which on slabs show one by one. */
const TILE_FROM = 8;
const ZOOM_FROM = 2;

/** Finds the zoom at which a histogram replaces a list's slabs, which are tiles of a given size. */
export function foldOf(key: string, tile: number, isFull: boolean): Fold {
	return { key, isFull, unfoldsAt: Math.max(ZOOM_FROM, TILE_FROM / tile) };
}

/** Counts a slab's objects that are not allocated. */
export function freeIn({ slabs, cells }: Pick<Frame, "slabs" | "cells">, row: number): number {
	const n = slabs.objects[row] ?? 0;
	const usage = slabs.usage[row] ?? Number.NaN;
	if (usage >= 0) return n - allocatedIn(usage);
	const first = slabs.firstCell[row] ?? 0;
	let free = 0;
	for (let i = first; i < first + n; i++) if (!isInUse(cells[i])) free++;
	return free;
}

/** The count in the lowest bits of a usage: nearly all usages are small, and for those a remainder would be slow. */
function allocatedIn(usage: number): number {
	const small = usage | 0;
	return small === usage ? small & (USAGE - 1) : usage - Math.floor(usage / USAGE) * USAGE;
}

/** A bar counts slabs by free objects, up to those of an empty slab, or by the free per cent. */
type Axis = Pick<Histogram, "unit" | "most">;

function axisOf({ slabs }: Frame, { firstSlab, nrSlabs }: Place): Axis {
	const most = slabs.objects[firstSlab] ?? 0;
	let areAlike = (slabs.firstExtent[firstSlab] ?? NO_EXTENT) === NO_EXTENT;
	if (!slabs.areAlike)
		for (let i = 0; areAlike && i < nrSlabs; i++) areAlike = slabs.objects[firstSlab + i] === most;
	return areAlike ? { unit: "objects", most } : { unit: "percent", most: PERCENT };
}

function freeShare(frame: Frame, pageBytes: number, row: number): number {
	const { slabs, extents, cells } = frame;
	const extent = slabs.firstExtent[row] ?? NO_EXTENT;
	const n = slabs.objects[row] ?? 0;
	if (extent === NO_EXTENT) return freeIn(frame, row) / Math.max(1, n);
	const first = slabs.firstCell[row] ?? 0;
	let bytes = 0;
	for (let i = 0; i < n; i++)
		if (!isInUse(cells[first + i])) bytes += extents.bytes[extent + i] ?? 0;
	return bytes / (pageBytes * 2 ** (slabs.order[row] ?? 0));
}

/** Only no free objects at all counts as 0, and only all of them as 100. */
function inPercent(share: number): number {
	if (share <= 0) return 0;
	return share >= 1 ? PERCENT : Math.min(PERCENT - 1, Math.max(1, Math.round(share * PERCENT)));
}

/** The first and the last count of each bar, for counts from 0 to `most` in a width. */
export function rangesIn(most: number, w: number): [number, number][] {
	const room = Math.max(BARS_LEAST, Math.floor(w / PITCH_LEAST));
	if (most < room) return Array.from({ length: most + 1 }, (_, i) => [i, i]);
	const between = Math.max(1, Math.min(room - 2, most - 1));
	const start = (i: number) => 1 + Math.floor((i * (most - 1)) / between);
	const partial = Array.from({ length: between }, (_, i): [number, number] => {
		return [start(i), start(i + 1) - 1];
	});
	return [[0, 0], ...partial, [most, most]];
}

/** The part of a histogram that does not depend on the slabs in the list. */
interface Scale {
	readonly most: number;
	readonly isFull: boolean;
	readonly ranges: readonly (readonly [number, number])[];
	readonly glyphs: readonly Glyph[];
	/** The ones for bars that count slabs with inferred objects. */
	readonly marked: readonly Glyph[];
	/** The bar of each count. */
	readonly barOf: Uint32Array;
}

/** By area of a plan, because that stays while the position changes. */
const SCALES = new WeakMap<Rect, Scale>();

function scaleOf(area: Rect, most: number, isFull: boolean): Scale {
	const known = SCALES.get(area);
	if (known?.most === most && known.isFull === isFull) return known;
	const ranges: [number, number][] = isFull ? [[0, 0]] : rangesIn(most, area.w);
	const glyphs = ranges.map(([from, to]) => glyphOf((from + to) / 2, most));
	const barOf = new Uint32Array(most + 1);
	for (const [i, [from, to]] of ranges.entries()) barOf.fill(i, from, to + 1);
	const marked = glyphs.map((glyph) => ({ ...glyph, inferred: 1 }));
	const scale = { most, isFull, ranges, glyphs, marked, barOf };
	SCALES.set(area, scale);
	return scale;
}

/** Lays out a list's slabs as bars in an area. */
export function histogramOf(source: Source, place: Place, area: Rect, fold: Fold): Histogram {
	const { slabs } = source.frame;
	const { unit, most } = axisOf(source.frame, place);
	const scale = scaleOf(area, most, fold.isFull);
	const { ranges, glyphs, marked } = scale;
	const { counts, firsts, inferred } = countsIn(scale, unit, source, place);
	const highest = Math.max(1, ...counts);
	const pitch = area.w / ranges.length;
	const gap = ranges.length === 1 ? 0 : pitch >= WIDE_FROM ? 2 : 1;
	const bars = ranges.map(([from, to], i): Bar => {
		const nrSlabs = counts[i] ?? 0;
		const least = Math.min(LOWEST, area.h);
		const h = nrSlabs === 0 ? 0 : Math.max(least, (area.h * nrSlabs) / highest);
		const row = firsts[i] ?? -1;
		return {
			x: area.x + i * pitch,
			y: area.y + area.h - h,
			w: Math.max(1, pitch - gap),
			h,
			from,
			to,
			nrSlabs,
			glyph: (inferred[i] ? marked[i] : glyphs[i]) as Glyph,
			inferred: inferred[i] ?? 0,
			serial: slabs.serial[row] ?? 0,
			cache: slabs.cache[row] ?? 0,
		};
	});
	const { x, y, w, h } = area;
	const name = placeName(place);
	return { x, y, w, h, ...fold, name, nrSlabs: place.nrSlabs, unit, most, bars };
}

/** For each bar how many slabs it counts, how many of these have inferred objects, and the row of the first one. */
function countsIn(
	{ ranges, barOf, isFull }: Scale,
	unit: Axis["unit"],
	{ frame, pageBytes }: Source,
	{ firstSlab, nrSlabs }: Place,
) {
	const inferred = new Uint32Array(ranges.length);
	const { usage } = frame.slabs;
	// The slabs of a full list are in one bar.
	if (isFull) {
		for (let row = firstSlab; row < firstSlab + nrSlabs; row++)
			if (hasInferred(usage[row])) inferred[0] = (inferred[0] ?? 0) + 1;
		return { counts: [nrSlabs], firsts: [firstSlab], inferred };
	}
	const areAlike = unit === "objects";
	const counts = new Uint32Array(ranges.length);
	const firsts = new Int32Array(ranges.length).fill(-1);
	for (let row = firstSlab; row < firstSlab + nrSlabs; row++) {
		const free = areAlike ? freeIn(frame, row) : inPercent(freeShare(frame, pageBytes, row));
		const at = barOf[free] ?? 0;
		counts[at] = (counts[at] ?? 0) + 1;
		if (firsts[at] === -1) firsts[at] = row;
		if (hasInferred(usage[row])) inferred[at] = (inferred[at] ?? 0) + 1;
	}
	return { counts, firsts, inferred };
}

/** Makes a bar look like the slabs that it counts. */
function glyphOf(free: number, most: number): Glyph {
	const kind = free === 0 ? "full" : free === most ? "empty" : "partial";
	const pips = Math.min(PIPS_MOST, Math.ceil(free));
	return { kind, free: free / Math.max(1, most), state: CELL.FREE, pips };
}
