/** Pictures of the view on screen: the stage, its timeline, and charts; each as SVG and, from twice the pixels, as PNG. */
import { facts, isInLessons, type StillFacts } from "../app/state/store.ts";
import { type Palette, readPalette } from "../stage/draw/colours.ts";
import { StagePainter } from "../stage/draw/paint.ts";
import { type Shown, stage } from "../stage/shown.ts";
import { CAPTION_HEIGHT, type CaptionLines, captionOf } from "./caption.ts";
import { stageSvg } from "./stage_svg.ts";
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
	const caption = captionOf(moment);
	return [
		...(shown
			? [
					{
						name: "stage",
						svg: () => stageSvg(shown, palette, caption),
						png: () => stagePng(shown, palette, caption),
					},
				]
			: []),
		{ name: "timeline", svg: timelineSvg, png: () => pngOf(timelineSvg()) },
		...charts(),
	];
}

/** Views with the stage in them. */
export function hasStage(f: StillFacts): boolean {
	return f.tab === "explore" || isInLessons(f);
}

async function stagePng(shown: Shown, palette: Palette, caption: CaptionLines): Promise<Blob> {
	return blobOf(drawStage(shown, palette, caption, DENSITY, newCanvas()));
}

const newCanvas = () => document.createElement("canvas");

/** The stage on screen, with its caption below, on a canvas of its own. */
export function drawStage(
	shown: Shown,
	palette: Palette,
	caption: CaptionLines,
	density: number,
	canvas: HTMLCanvasElement,
	painter = painterFor(palette),
): HTMLCanvasElement {
	const { scene, view, size, held } = shown;
	const [width, height] = [Math.round(size.width * density), Math.round(size.height * density)];
	const own = painter.canvas;
	if (own.width !== width || own.height !== height) {
		own.width = width;
		own.height = height;
	}
	painter.painter.paint(scene, view, density, held);
	const all = height + CAPTION_HEIGHT * density;
	if (canvas.width !== width || canvas.height !== all) {
		canvas.width = width;
		canvas.height = all;
	}
	const ctx = contextOf(canvas);
	ctx.setTransform(1, 0, 0, 1, 0, 0);
	ctx.fillStyle = palette.ground;
	ctx.fillRect(0, 0, canvas.width, canvas.height);
	ctx.drawImage(own, 0, 0);
	ctx.setTransform(density, 0, 0, density, 0, 0);
	ctx.font = `12px ${palette.sans}`;
	ctx.fillStyle = palette.soft;
	ctx.fillText(caption.where, 20, size.height + 18, size.width - 40);
	ctx.font = `15px ${palette.sans}`;
	ctx.fillStyle = palette.ink;
	ctx.fillText(caption.sentence, 20, size.height + 40, size.width - 40);
	return canvas;
}

export function painterFor(palette: Palette) {
	const canvas = newCanvas();
	return { canvas, painter: new StagePainter(contextOf(canvas), palette) };
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
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

/** Uses the browser's own drawing of the SVG. */
async function pngOf(svg: string): Promise<Blob> {
	const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
	try {
		const image = new Image();
		image.src = url;
		await image.decode();
		const canvas = newCanvas();
		canvas.width = image.naturalWidth * DENSITY;
		canvas.height = image.naturalHeight * DENSITY;
		contextOf(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
		return await blobOf(canvas);
	} finally {
		URL.revokeObjectURL(url);
	}
}

/** The properties that the style sheet gives to an element of a chart. */
const STYLED = [
	"fill",
	"fill-opacity",
	"stroke",
	"stroke-opacity",
	"stroke-width",
	"stroke-dasharray",
	"stroke-linejoin",
	"opacity",
	"font-family",
	"font-size",
	"font-weight",
	"font-variant-numeric",
	"text-anchor",
] as const;

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
	const copy = svg.cloneNode(true) as SVGSVGElement;
	const [from, to] = [svg, copy].map((root) => [...root.querySelectorAll<SVGElement>("*")]);
	from?.forEach((original, i) => {
		const style = getComputedStyle(original);
		const drawn = to?.[i];
		drawn?.removeAttribute("class");
		for (const key of STYLED) drawn?.setAttribute(key, style.getPropertyValue(key));
	});
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
		[rect({ x: 0, y: 0, w: width, h: all }, { fill: p.paper }), insideOf(copy), ...lines].join(
			"\n",
		),
	);
}

function insideOf(svg: SVGSVGElement): string {
	const writer = new XMLSerializer();
	return [...svg.childNodes].map((child) => writer.serializeToString(child)).join("");
}
