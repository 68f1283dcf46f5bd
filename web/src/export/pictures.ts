/**
 * Pictures of the view on screen: the stage, its timeline, and charts; each as SVG and, at twice the pixels, as PNG.
 */

import { behindOf, curvesShown, mostOf, SERIES_LOOKS, spanOf } from "../app/state/range.ts";
import {
	allocatorOf,
	type Facts,
	facts,
	isInLessons,
	type Range,
	type StillFacts,
} from "../app/state/store.ts";
import { count, eventsWords, eventWords, numberOf } from "../base/format.ts";
import type { Moment } from "../engine/types.ts";
import type { Rect } from "../scene/scene.ts";
import { DIMMED, dimmedOn } from "../stage/dimmed.tsx";
import { type Palette, readPalette } from "../stage/draw/colours.ts";
import { StagePainter } from "../stage/draw/paint.ts";
import { type Shown, stage } from "../stage/shown.ts";
import { BEHIND_OPACITY, DASHES, LINE_WIDTH, shapeBehind, shapesOf } from "../ui/timeline_draw.ts";
import { element, insideOf, picture, rect, short, text } from "./part_svg.ts";
import { mapSvg, type StageParts, stageParts, stagePicture } from "./stage_svg.ts";

export interface Picture {
	/** Names the heading and the file. */
	readonly name: string;
	readonly svg: () => string;
	readonly png: () => Promise<Blob>;
}

/** Pixels of a PNG per CSS pixel. */
const DENSITY = 2;

export function picturesOfView(): Picture[] {
	const { moment, built } = facts();
	if (!moment || !built) return [];
	if (!hasStage(facts())) return charts();
	const palette = readPalette(document.documentElement);
	const shown = stage.shown();
	const parts = stageParts();
	const caption = captionOf(moment);
	const ofStage = parts && {
		name: "stage",
		svg: () => {
			const inside = shown ? mapSvg(shown, palette, facts().chosen?.bySlab) : "";
			return stagePicture(parts, palette, caption, inside);
		},
		png: () => stagePng(shown, parts, palette, caption),
	};
	return [
		...(ofStage ? [ofStage] : []),
		{ name: "timeline", svg: timelineSvg, png: () => pngOf(timelineSvg()) },
		...charts(),
	];
}

/** Views with the stage in them. */
export function hasStage(f: StillFacts): boolean {
	return f.tab === "explore" || isInLessons(f);
}

async function stagePng(
	shown: Shown | undefined,
	parts: StageParts,
	palette: Palette,
	caption: CaptionLines,
): Promise<Blob> {
	const around = await imageOf(stagePicture(parts, palette, caption, ""));
	const canvas = drawStage(shown, { around, map: parts.map }, palette, DENSITY, newCanvas());
	if (shown && parts.map) dimIn(contextOf(canvas), shown, parts.map, palette);
	return blobOf(canvas);
}

/** Dims in a picture what the filter dims on the stage. */
function dimIn(
	ctx: CanvasRenderingContext2D,
	{ scene, view, size }: Shown,
	map: Rect,
	{ paper }: Palette,
): void {
	const bySlab = facts().chosen?.bySlab;
	if (!bySlab) return;
	ctx.setTransform(DENSITY, 0, 0, DENSITY, map.x * DENSITY, map.y * DENSITY);
	ctx.fillStyle = paper;
	ctx.globalAlpha = DIMMED;
	for (const { x, y, w, h } of dimmedOn(scene, view, size.width, size.height, bySlab))
		ctx.fillRect(x, y, w, h);
}

export const newCanvas = () => document.createElement("canvas");

/** An image of everything around the stage's canvas, and where the canvas is in it. */
export interface StageImage {
	readonly around: HTMLImageElement;
	readonly map: Rect | undefined;
}

/** Draws the stage on screen, with its caption below, on its own canvas. */
export function drawStage(
	shown: Shown | undefined,
	{ around, map }: StageImage,
	palette: Palette,
	density: number,
	canvas: HTMLCanvasElement,
	painter = painterFor(palette),
): HTMLCanvasElement {
	const [width, height] = [around.naturalWidth * density, around.naturalHeight * density];
	if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
	const ctx = contextOf(canvas);
	ctx.setTransform(1, 0, 0, 1, 0, 0);
	ctx.fillStyle = palette.ground;
	ctx.fillRect(0, 0, width, height);
	ctx.drawImage(around, 0, 0, width, height);
	if (!map || !shown) return canvas;
	const { scene, view, size, held } = shown;
	const own = painter.canvas;
	const [w, h] = [Math.round(size.width * density), Math.round(size.height * density)];
	if (own.width !== w || own.height !== h) Object.assign(own, { width: w, height: h });
	painter.painter.paint(scene, view, density, held);
	ctx.drawImage(own, Math.round(map.x * density), Math.round(map.y * density));
	return canvas;
}

export type MapPainter = ReturnType<typeof painterFor>;

export function painterFor(palette: Palette) {
	const canvas = newCanvas();
	return { canvas, painter: new StagePainter(contextOf(canvas), palette) };
}

export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
	const ctx = canvas.getContext("2d", { alpha: false });
	if (!ctx) throw new Error("This browser has no canvas left to draw on.");
	return ctx;
}

function blobOf(canvas: HTMLCanvasElement): Promise<Blob> {
	return new Promise((resolve, reject) => {
		canvas.toBlob((blob) =>
			blob ? resolve(blob) : reject(new Error("The picture is too large for this browser.")),
		);
	});
}

async function pngOf(svg: string): Promise<Blob> {
	const image = await imageOf(svg);
	const canvas = newCanvas();
	canvas.width = image.naturalWidth * DENSITY;
	canvas.height = image.naturalHeight * DENSITY;
	contextOf(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
	return blobOf(canvas);
}

/** Uses the browser's own drawing of the SVG. */
export async function imageOf(svg: string): Promise<HTMLImageElement> {
	const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
	try {
		const image = new Image();
		image.src = url;
		await image.decode();
		return image;
	} finally {
		URL.revokeObjectURL(url);
	}
}

function charts(): Picture[] {
	const all = document.querySelectorAll<SVGSVGElement>(
		'[role="tabpanel"]:not([hidden]) svg[role="img"]',
	);
	return [...all].map((svg) => {
		const name = svg.dataset.export ?? svg.getAttribute("aria-label") ?? "chart";
		return { name, svg: () => chartSvg(svg), png: () => pngOf(chartSvg(svg)) };
	});
}

/** Lines of text below a chart: its name, and the legend from data-legend. */
const LINE = 18;

function chartSvg(svg: SVGSVGElement): string {
	const { width, height } = svg.getBoundingClientRect();
	const p = readPalette(document.documentElement);
	const lines = [svg.getAttribute("aria-label") ?? "", ...(svg.dataset.legend ?? "").split("\n")]
		.filter(Boolean)
		.map((line, i) =>
			text(line, 12, height + LINE * (i + 1), {
				"font-family": p.sans,
				"font-size": 12,
				fill: i === 0 ? p.ink : p.soft,
			}),
		);
	const all = height + LINE * (lines.length + 0.6);
	return picture(
		width,
		all,
		svg.getAttribute("aria-label") ?? "",
		[rect({ x: 0, y: 0, w: width, h: all }, { fill: p.paper }), insideOf(svg), ...lines].join("\n"),
	);
}

/* The timeline as vectors: the part of the trace and the series that are on screen, with a legend. */

const WIDE = 1200;
const HIGH = 160;
const TIMELINE_LINE = 18;

function timelineSvg(): string {
	const f = facts();
	const { built, moment, trace } = f;
	if (!built) return "";
	const span = spanOf(f.range, built.nrOps);
	const p = readPalette(document.documentElement);
	const name =
		`${trace.replace(/^local:/, "")}, ${eventsWords(span.from, span.to)}` +
		` of ${count(built.nrOps)}`;
	const height = HIGH + TIMELINE_LINE * 2.7;
	const font = { "font-family": p.sans, "font-size": 12 };
	const here = (WIDE * ((moment?.position.op ?? 0) - span.from)) / (span.to - span.from);
	return picture(
		WIDE,
		height,
		name,
		[
			rect({ x: 0, y: 0, w: WIDE, h: height }, { fill: p.paper }),
			element("svg", { width: WIDE, height: HIGH }, curves(f, span).join("\n")),
			element("path", { d: `M${short(here)} 0V${HIGH}`, stroke: p.ink, "stroke-width": 1.5 }),
			text(name, 12, HIGH + TIMELINE_LINE, { ...font, fill: p.ink }),
			text(legend(f, span), 12, HIGH + 2 * TIMELINE_LINE, { ...font, fill: p.soft }),
		].join("\n"),
	);
}

function curves(f: Facts, span: Range): string[] {
	const style = getComputedStyle(document.documentElement);
	const own = curvesShown(f);
	if (!own) return [];
	const size = { width: WIDE, height: HIGH };
	const what = { curves: own, behind: behindOf(f), shown: f.series, span };
	const behind = shapeBehind(what, size);
	const line = style.getPropertyValue("--series-behind").trim();
	const ground = { d: shortened(behind), fill: line, "fill-opacity": BEHIND_OPACITY };
	const shapes = shapesOf(what, size).map(({ name, fill, opacity, line }) => {
		const colour = style.getPropertyValue(`--series-${name}`).trim();
		const dashes = { "stroke-width": LINE_WIDTH, "stroke-dasharray": DASHES[name].join(" ") };
		return [
			fill && element("path", { d: shortened(fill), fill: colour, "fill-opacity": opacity }),
			line && element("path", { d: shortened(line), fill: "none", stroke: colour, ...dashes }),
		].join("");
	});
	return behind === "" ? shapes : [element("path", ground), ...shapes];
}

/** Writes a path with its numbers as short as possible. */
function shortened(path: string): string {
	return path.replaceAll(/\d+\.\d{3,}/g, (n) => short(Number(n)));
}

const SIGNS: Readonly<Record<string, string>> = {
	live: "area",
	slabs: "dashed",
	partial: "short dashes",
	bytes: "dashes and dots",
	waste: "dotted",
	slow: "bars",
};

function legend(f: Facts, span: Range): string {
	const { series: shown } = f;
	const own = curvesShown(f);
	const series = SERIES_LOOKS.filter(({ name }) => shown.includes(name))
		.map(({ name, words, of, text: show }) => {
			const most = own && name !== "slow" ? ` up to ${show(mostOf(of(own), span))}` : "";
			return `${words}${most} (${SIGNS[name]})`;
		})
		.join(" · ");
	return `${behindOf(f) ? f.cache : "all caches"}: ${series}`;
}

/* The caption of an exported picture of the stage: the position, and the sentence of its step. */

export interface CaptionLines {
	readonly where: string;
	readonly sentence: string;
}

export function captionOf(moment: Moment): CaptionLines {
	const { trace, built, cache } = facts();
	const { position, nrSteps, steps, firstStep, op } = moment;
	const where = [
		trace.replace(/^local:/, ""),
		allocatorOf(built).toUpperCase(),
		cache,
		`${eventWords(position.op)} of ${count(built?.nrOps ?? 0)}`,
		`step ${count(numberOf(position.step))} of ${count(nrSteps)}`,
	];
	const sentence = steps[position.step - firstStep]?.sentence ?? op.sentence;
	return { where: where.filter(Boolean).join(" · "), sentence };
}
