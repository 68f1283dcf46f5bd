/** Pictures of the view on screen: the stage, its timeline, and charts; each as SVG and, from twice the pixels, as PNG. */
import { facts, isInLessons, type StillFacts } from "../app/state/store.ts";
import type { Rect } from "../scene/scene.ts";
import { DIMMED, dimmedOn } from "../stage/dimmed.tsx";
import { type Palette, readPalette } from "../stage/draw/colours.ts";
import { StagePainter } from "../stage/draw/paint.ts";
import { type Shown, stage } from "../stage/shown.ts";
import { type CaptionLines, captionOf } from "./caption.ts";
import { insideOf } from "./part_svg.ts";
import { type StageParts, stageParts, stagePicture } from "./stage_parts.ts";
import { mapSvg } from "./stage_svg.ts";
import { picture, rect, text } from "./svg.ts";
import { timelineSvg } from "./timeline_svg.ts";

export interface Picture {
	/** Names the heading and the file. */
	readonly name: string;
	readonly svg: () => string;
	readonly png: () => Promise<Blob>;
}

/** Pixels of a PNG to one of the page. */
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

/** Everything around the map, as an image, and where the map is in it. */
export interface StageImage {
	readonly around: HTMLImageElement;
	readonly map: Rect | undefined;
}

/** The stage on screen, with its caption below, on a canvas of its own. */
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
