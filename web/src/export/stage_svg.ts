/**
 * The stage's canvas as vectors: its scene at the same zoom, with its text as text. A slab whose objects are too
 * small to show is the same glyph as on the canvas.
 */

import { CELL } from "../engine/place_kinds.ts";
import { barWords } from "../scene/describe.ts";
import {
	cellRects,
	entryRect,
	histogramsAt,
	isFolded,
	objectArea,
	stackRect,
	visibleBox,
} from "../scene/geometry.ts";
import { type Glyph, type GlyphRole, glyphOf, glyphParts, showsCells } from "../scene/glyph.ts";
import {
	type ArrayBox,
	grown,
	type Histogram,
	type Label,
	meet,
	type Panel,
	type Rect,
	type SlabBox,
	type Stacks,
} from "../scene/scene.ts";
import { DIMMED, dimmedOn, type Passing } from "../stage/dimmed.tsx";
import type { Palette } from "../stage/draw/colours.ts";
import { drawPath } from "../stage/draw/draw_path.ts";
import { depthOf } from "../stage/draw/ground.ts";
import {
	type CellStyle,
	LETTER_FROM,
	LETTER_LEAST,
	LETTER_MOST,
	stylesOf,
} from "../stage/draw/ink.ts";
import { TextWidths, wordsOf } from "../stage/draw/labels.ts";
import type { Held } from "../stage/draw/paint.ts";
import { project, type View } from "../stage/draw/viewport.ts";
import type { Shown } from "../stage/shown.ts";
import { element, escaped, PartWriter, picture, rect, rects, SvgPen, text } from "./part_svg.ts";
import type { CaptionLines } from "./pictures.ts";

const STRIP_FROM = 11;

interface Pen {
	readonly palette: Palette;
	readonly view: View;
	readonly screen: Rect;
	readonly styles: readonly CellStyle[];
}

/** The inside of the picture; `bySlab`: the objects that pass the filter, if there is one. */
export function mapSvg(
	{ scene, view, size, held }: Shown,
	palette: Palette,
	bySlab: Passing | undefined,
): string {
	const screen = { x: 0, y: 0, w: size.width, h: size.height };
	const pen = { palette, view, screen, styles: stylesOf(palette) };
	return [
		element("defs", {}, patterns(pen)),
		...scene.panels.map((panel) => panelOf(panel, pen)),
		...scene.marks.map((mark) => markOf(mark, pen)),
		...scene.labels.map((label) => labelOf(label, pen)),
		...scene.arrays.map((array) => arrayOf(array, pen)),
		...histogramsAt(scene, view.k).map((histogram) => histogramSvg(histogram, pen)),
		...scene.slabs
			.filter((slab) => !isFolded(slab, view.k))
			.map((slab) => slabOf(slab, pen, slab.key === held.slab)),
		...scene.slabs
			.filter((slab) => isFolded(slab, view.k) && (slab.lit || slab.key === held.slab))
			.map((slab) => ringOf(project(visibleBox(scene, slab, view.k), view), slab.lit, palette)),
		bySlab
			? rects([...dimmedOn(scene, view, size.width, size.height, bySlab)], {
					fill: palette.paper,
					"fill-opacity": DIMMED,
				})
			: "",
		pathSvg(held, view, palette),
	]
		.filter(Boolean)
		.join("\n");
}

function pathSvg({ path }: Held, view: View, palette: Palette): string {
	const pen = new SvgPen();
	if (path) drawPath(path, pen, view, palette);
	return pen.svg;
}

/** Fills of states that have a pattern, and of bytes that no object uses. */
function patterns({ styles, palette }: Pen): string {
	const tiles = styles.flatMap((style, state) =>
		style.pattern === "" ? [] : [patternOf(`state-${state}`, style)],
	);
	const tail = { pattern: "rising", pitch: 6, edge: palette.tail, ground: palette.ground } as const;
	return [...tiles, patternOf("unused", tail)].join("");
}

function patternOf(
	id: string,
	{ pattern, pitch, edge, ground }: Pick<CellStyle, "pattern" | "pitch" | "edge" | "ground">,
): string {
	const all = { x: 0, y: 0, w: pitch, h: pitch };
	const line = { stroke: edge, "stroke-width": pitch / 4 };
	const signs = {
		dots: rect({ x: pitch * 0.3, y: pitch * 0.3, w: pitch * 0.4, h: pitch * 0.4 }, { fill: edge }),
		level: rect({ x: 0, y: pitch * 0.5, w: pitch, h: Math.max(1, pitch * 0.2) }, { fill: edge }),
		rising: element("path", { d: risingLines(pitch, 1), ...line }),
		falling: element("path", { d: risingLines(pitch, -1), ...line }),
		"": "",
	};
	const size = { width: pitch, height: pitch, patternUnits: "userSpaceOnUse" };
	return element("pattern", { id, ...size }, rect(all, { fill: ground }) + signs[pattern]);
}

function risingLines(pitch: number, direction: 1 | -1): string {
	const [low, high] = direction === 1 ? [pitch + 1, -1] : [-1, pitch + 1];
	return [-pitch, 0, pitch].map((s) => `M${s - 1} ${low}L${s + pitch + 1} ${high}`).join("");
}

function fillOf(state: number, { styles, palette }: Pen): string {
	const style = styles[state];
	if (!style) return palette.free;
	return style.pattern === "" ? style.ground : `url(#state-${state})`;
}

function panelOf(panel: Panel, { palette: p, view, screen }: Pen): string {
	const r = project(panel, view);
	if (!meet(r, screen)) return "";
	const rx = Math.min(8, r.w / 8, r.h / 8);
	if (panel.kind === "list" && !panel.lit) return "";
	const stroke = panel.lit ? (panel.kind === "cpu" ? p.touched : p.accent) : p.line;
	const width = panel.lit ? 2 : 1;
	if (panel.kind === "slot") {
		const dashes = r.w >= 14 ? "3 3" : undefined;
		return rect(r, {
			rx: Math.min(3, rx),
			fill: p.free,
			stroke: dashes ? p.freeEdge : p.line,
			"stroke-dasharray": dashes,
		});
	}
	if (panel.kind === "row")
		return rect(r, { fill: p.paper }) + rect(r, { fill: p.deep, opacity: depthOf(panel) });
	if (panel.kind === "share")
		return rect(r, { fill: p.line }) + rect({ ...r, w: r.w * panel.fill }, { fill: p.allocated });
	if (panel.kind !== "zone") {
		const fill = panel.kind === "cpu" ? p.paper : "none";
		const isEdge = panel.isIdle !== undefined && !panel.lit;
		return rect(r, { rx, fill, stroke: isEdge ? p.freeEdge : stroke, "stroke-width": width });
	}
	const used = { ...r, w: panel.fill > 0 ? Math.max(3, r.w * panel.fill) : 0 };
	const frame = { rx: 3, fill: "none", stroke: p.accent, "stroke-width": width };
	return (
		rect({ ...r, w: 1 }, { fill: p.freeEdge }) +
		rect(used, { fill: p.allocated }) +
		(panel.lit ? rect(r, frame) : "")
	);
}

function markOf(mark: Rect, { palette, view }: Pen): string {
	const { x, y, w, h } = project(mark, view);
	const d = `M${x + 0.5} ${y + h}V${y + 0.5}H${x + w - 0.5}V${y + h}`;
	return element("path", { d, fill: "none", stroke: palette.soft });
}

function labelOf(label: Label, { palette: p, view }: Pen): string {
	const ctx = document.createElement("canvas").getContext("2d");
	const widths = ctx && new TextWidths(ctx, p.sans);
	const words = wordsOf(label, view, (...text) => widths?.width(...text) ?? 0);
	if (!words) return "";
	const { x, y, size, weight, text: main, detail, detailX } = words;
	const font = { "font-family": p.sans, "font-size": size };
	return (
		text(main, x, y, { ...font, "font-weight": weight, fill: label.lit ? p.accent : p.ink }) +
		text(detail, label.text === "" ? x : detailX, y, {
			...font,
			fill: label.text === "" ? (label.lit ? p.accent : p.ink) : p.soft,
		})
	);
}

/** Draws rectangles of the same state together. */
function byState(
	all: readonly { readonly r: Rect; readonly state: number }[],
): Map<number, Rect[]> {
	const map = new Map<number, Rect[]>();
	for (const { r, state } of all) map.set(state, [...(map.get(state) ?? []), r]);
	return map;
}

function arrayOf(array: ArrayBox, pen: Pen): string {
	const { view, screen, palette: p } = pen;
	const box = project(array, view);
	if (!meet(box, screen)) return "";
	const cells = Array.from({ length: array.count }, (_, i) => {
		const { x, y, w, h } = project(entryRect(array, i), view);
		const gap = Math.min(w, h) >= 3 ? 1 : 0;
		return { x: x + gap / 2, y: y + gap / 2, w: w - gap, h: h - gap };
	});
	const style = pen.styles[array.state];
	const frame = { x: box.x - 1.5, y: box.y - 1.5, w: box.w + 3, h: box.h + 3 };
	const edge = array.count > 0 ? (style?.far ?? p.freeEdge) : p.freeEdge;
	const near = (cells[0] ? Math.min(cells[0].w, cells[0].h) : 0) >= LETTER_FROM - 1;
	const letters = near ? cells.map((r) => letter(r, array.state, pen)) : [];
	const top = cells.at(-1);
	if (array.stacks)
		return [
			...sheavesOf(array, array.stacks, pen),
			rects(cells, { fill: fillOf(array.state, pen), stroke: style?.edge, "stroke-width": 0.5 }),
			...letters,
			top ? rect(top, { fill: "none", stroke: p.ink, "stroke-width": 1.2 }) : "",
		].join("");
	return [
		rect(box, { fill: p.ground }),
		rects(cells, { fill: fillOf(array.state, pen), stroke: style?.edge, "stroke-width": 0.5 }),
		...letters,
		top ? rect(top, { fill: "none", stroke: p.ink, "stroke-width": 1.2 }) : "",
		rect(frame, {
			fill: "none",
			stroke: array.lit ? p.accent : edge,
			"stroke-dasharray": array.touched ? undefined : "4 3",
		}),
	].join("");
}

/** Draws sheaves as stage/draw/arrays.ts does: an open top, and a dashed outline for one that is absent. */
function sheavesOf(
	array: ArrayBox,
	{ room, present, isLimited }: Stacks,
	{ view, palette: p }: Pen,
): string[] {
	return Array.from({ length: isLimited ? room : present }, (_, i) => {
		const { x, y, w, h } = project(stackRect(array, i), view);
		const isHere = i < present;
		const sides = `M${x - 1.5} ${y - 1.5}v${h + 3}h${w + 3}v${-h - 3}${isHere ? "" : "z"}`;
		return element("path", {
			d: sides,
			fill: isHere ? p.ground : "none",
			stroke: array.lit ? p.accent : isHere ? p.soft : p.freeEdge,
			"stroke-dasharray": isHere ? undefined : "2 3",
		});
	});
}

function letter(r: Rect, state: number, { styles, palette }: Pen): string {
	const style = styles[state];
	if (!style) return "";
	const size = Math.min(LETTER_MOST, Math.max(LETTER_LEAST, Math.min(r.w, r.h) * 0.58));
	const [x, y] = [r.x + r.w / 2, r.y + r.h / 2];
	const plate = { x: x - size * 0.45, y: y - size * 0.6, w: size * 0.9, h: size * 1.15 };
	return (
		(style.pattern === "" ? "" : rect(plate, { fill: style.ground })) +
		text(style.letter, x, y + size * 0.36, {
			"font-family": palette.sans,
			"font-size": size,
			"font-weight": 600,
			"text-anchor": "middle",
			fill: style.ink,
		})
	);
}

function slabOf(slab: SlabBox, pen: Pen, selected: boolean): string {
	const { view, screen, palette: p } = pen;
	const box = project(slab, view);
	if (!meet({ ...box, x: box.x - 4, y: box.y - 4, w: box.w + 8, h: box.h + 8 }, screen)) return "";
	const strip = slab.strip * view.k;
	const all = { ...box, y: box.y + strip, h: box.h - strip };
	const area = project(objectArea(slab), view);
	return element(
		"g",
		{},
		[
			element(
				"title",
				{},
				`slab ${slab.serial}: ${slab.allocated} of ${slab.cells.length} allocated`,
			),
			...(showsCells(slab, view.k)
				? [
						rect(all, {
							fill: slab.extents || slab.tail + slab.start > 0 ? "url(#unused)" : p.free,
						}),
						cellsOf(slab, area, pen),
					]
				: [glyphIn(slab, all, pen)]),
			strip >= STRIP_FROM ? stripOf(slab, box, strip, p) : "",
			touchOf(slab, pen),
			selected || slab.lit ? ringOf(box, slab.lit, p) : "",
		].join(""),
	);
}

function cellsOf(slab: SlabBox, area: Rect, pen: Pen): string {
	const pitch = Math.min(area.w / slab.columns, area.h / slab.rows);
	const gap = pitch >= 6 || slab.extents ? 1 : 0;
	const all = [...slab.cells].flatMap((state, i) =>
		cellRects(slab, i).map((cell) => {
			const { x, y, w, h } = project(cell, pen.view);
			const by = Math.min(gap, w / 4, h / 4);
			return { state, r: { x: x + by / 2, y: y + by / 2, w: w - by, h: h - by } };
		}),
	);
	const drawn = [...byState(all)].map(([state, same]) => {
		const edge = pitch >= 6 ? pen.styles[state]?.edge : undefined;
		return rects(same, { fill: fillOf(state, pen), stroke: edge, "stroke-width": 0.75 });
	});
	const letters = all
		.filter(({ r }) => Math.min(r.w, r.h) >= LETTER_FROM - 1)
		.map(({ r, state }) => letter(r, state, pen));
	return [...drawn, ...letters].join("");
}

function ringOf(box: Rect, isLit: boolean, p: Palette): string {
	const stroke = isLit ? p.touched : p.accent;
	return rect(grown(box, 2), { rx: 4, fill: "none", stroke, "stroke-width": 2 });
}

function glyphIn({ cells }: SlabBox, all: Rect, pen: Pen): string {
	const counts = new Uint32Array(pen.styles.length);
	for (const state of cells) counts[state] = (counts[state] ?? 0) + 1;
	return drawnGlyph(glyphOf(counts, cells.length), all, pen);
}

function drawnGlyph(glyph: Glyph, all: Rect, { palette: p, styles }: Pen): string {
	const style = glyph.state === CELL.FREE ? undefined : styles[glyph.state];
	const fills: Readonly<Record<GlyphRole, string>> = {
		full: p.full,
		body: p.allocated,
		gap: p.paper,
		notch: p.paper,
		foot: style?.ground ?? p.paper,
		edge: p.freeEdge,
		pip: style?.edge ?? p.pip,
		dash: p.freeEdge,
	};
	const [w, h] = [Math.max(1, Math.round(all.w)), Math.max(1, Math.round(all.h))];
	return glyphParts(glyph, w, h, 1)
		.map(({ role, x0, y0, x1, y1 }) =>
			rect({ x: all.x + x0, y: all.y + y0, w: x1 - x0, h: y1 - y0 }, { fill: fills[role] }),
		)
		.join("");
}

/** Draws bars on a line, each with its words. */
function histogramSvg(histogram: Histogram, pen: Pen): string {
	const { x, y, w, h } = project(histogram, pen.view);
	const bars = histogram.bars
		.filter((bar) => bar.nrSlabs > 0)
		.map((bar) => {
			const { title, of } = barWords(histogram, bar);
			const drawn = drawnGlyph(bar.glyph, project(bar, pen.view), pen);
			return element("g", {}, element("title", {}, escaped(`${title}: ${of}`)) + drawn);
		});
	return rect({ x, y: y + h - 1, w, h: 1 }, { fill: pen.palette.line }) + bars.join("");
}

function stripOf(slab: SlabBox, box: Rect, height: number, p: Palette): string {
	const size = Math.min(14, height * 0.72);
	const y = box.y + height / 2 + size * 0.36;
	const font = { "font-family": p.sans, "font-size": size };
	const name = `#${slab.serial}`;
	const used = slab.extents ? "" : `${slab.allocated}/${slab.cells.length}`;
	const fits = box.w > size * 0.62 * (name.length + used.length + 1);
	return (
		text(name, box.x + 1, y, { ...font, "font-weight": 600, fill: p.ink }) +
		(fits ? text(used, box.x + box.w, y, { ...font, "text-anchor": "end", fill: p.soft }) : "")
	);
}

function touchOf(slab: SlabBox, { view, palette }: Pen): string {
	if (slab.touched < 0) return "";
	return cellRects(slab, slab.touched)
		.map((cell) =>
			rect(project(cell, view), { fill: "none", stroke: palette.touched, "stroke-width": 2.5 }),
		)
		.join("");
}

/* The stage around its map, as the page shows it: title, sentence, levels, costs and legend; and where the map is. */

export interface StageParts {
	readonly width: number;
	readonly height: number;
	/** Undefined while the stage has no picture. */
	readonly map: Rect | undefined;
	readonly svg: string;
	/** The sentence of the step is elsewhere on the page. */
	readonly needsSentence: boolean;
}

/** Height of a line of the caption, and below the last one. */
const LINE = 20;
const CAPTION_END = 14;
/** Smaller parts than this are hidden. */
const MAP_FROM = 8;

/** Returns the stage on screen; undefined if the page has none. */
export function stageParts(): StageParts | undefined {
	const box = document.querySelector<HTMLElement>("[data-part=stage]");
	const section = box?.closest("section");
	if (!box || !section) return undefined;
	const { left, top, width, height } = section.getBoundingClientRect();
	const at = box.getBoundingClientRect();
	const map = { x: at.left - left, y: at.top - top, w: at.width, h: at.height };
	const isOutside = (of: Element) => of.getBoundingClientRect().top >= top + height;
	// Controls mean nothing in a picture, and the canvas is drawn from its scene.
	const isLeftOut = (of: Element) =>
		of === box || of.matches("[data-export=no], .hidden, [role=dialog]") || isOutside(of);
	const sentence = section.querySelector("[aria-label='Current step']");
	return {
		width,
		height,
		map: isLarge(at) ? map : undefined,
		svg: new PartWriter({ x: left, y: top, w: width, h: height }, isLeftOut).svg(section),
		needsSentence: !sentence || isOutside(sentence) || !isLarge(sentence.getBoundingClientRect()),
	};
}

function isLarge({ width, height }: Pick<DOMRect, "width" | "height">): boolean {
	return Math.min(width, height) >= MAP_FROM;
}

/** Returns the whole picture; `inside`: what the canvas shows, "" if that is drawn by other means. */
export function stagePicture(
	parts: StageParts,
	p: Palette,
	{ where, sentence }: CaptionLines,
	inside: string,
): string {
	const { width, height, map, needsSentence } = parts;
	const margin = Math.min(20, width * 0.03);
	const lines = [
		...wrapped(where, width - 2 * margin, p, 12).map((words) => ({
			words,
			size: 12,
			fill: p.soft,
		})),
		...(needsSentence ? wrapped(sentence, width - 2 * margin, p, 15) : []).map((words) => {
			return { words, size: 15, fill: p.ink };
		}),
	];
	const all = height + CAPTION_END + lines.length * LINE;
	return picture(
		width,
		all,
		`${where}: ${sentence}`,
		[
			rect({ x: 0, y: 0, w: width, h: all }, { fill: p.ground }),
			parts.svg,
			map && inside !== ""
				? element("svg", { x: map.x, y: map.y, width: map.w, height: map.h }, inside)
				: "",
			...lines.map(({ words, size, fill }, i) =>
				text(words, margin, height + LINE * (i + 1), {
					"font-family": p.sans,
					"font-size": size,
					fill,
				}),
			),
		].join("\n"),
	);
}

/** Breaks text into lines, with as many words per line as fit. */
function wrapped(words: string, room: number, { sans }: Palette, size: number): string[] {
	const ctx = document.createElement("canvas").getContext("2d");
	if (ctx) ctx.font = `${size}px ${sans}`;
	const lines: string[] = [];
	for (const word of words.split(" ")) {
		const last = lines.at(-1);
		const longer = last === undefined ? word : `${last} ${word}`;
		if (last !== undefined && ctx && ctx.measureText(longer).width <= room)
			lines[lines.length - 1] = longer;
		else lines.push(word);
	}
	return lines;
}
