/**
 * A part of the page as vectors: boxes, lines of text and drawings, where the browser has put them and in their
 * colours. Nothing in it refers to the page, so that the file looks the same elsewhere.
 */

import type { Rect } from "../scene/scene.ts";
import type { PathPen } from "../stage/draw/draw_path.ts";

/** The properties that the style sheet gives to an element of a drawing. */
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

/** Returns the inside of a drawing, with the style sheet's properties as attributes. */
export function insideOf(svg: SVGSVGElement): string {
	const copy = svg.cloneNode(true) as SVGSVGElement;
	const [from, to] = [svg, copy].map((root) => [...root.querySelectorAll<SVGElement>("*")]);
	from?.forEach((original, i) => {
		const style = getComputedStyle(original);
		const drawn = to?.[i];
		drawn?.removeAttribute("class");
		for (const key of STYLED) drawn?.setAttribute(key, style.getPropertyValue(key));
	});
	const writer = new XMLSerializer();
	return [...copy.childNodes].map((child) => writer.serializeToString(child)).join("");
}

/** Smaller boxes are for screen readers only. */
const SEEN_FROM = 2;

export class PartWriter {
	readonly #origin: Rect;
	readonly #isLeftOut: (element: Element) => boolean;
	readonly #measure = document.createElement("canvas").getContext("2d");
	#clips = 0;

	/** `origin`: the top left corner of the picture. */
	constructor(origin: Rect, isLeftOut: (element: Element) => boolean) {
		this.#origin = origin;
		this.#isLeftOut = isLeftOut;
	}

	/** Draws an element with everything in it, in document order, then whatever is raised above the rest. */
	svg(of: Element): string {
		const style = getComputedStyle(of);
		const box = this.#at(of.getBoundingClientRect());
		const isGone = style.display === "none" || style.visibility === "hidden";
		if (isGone || Number(style.opacity) === 0 || this.#isLeftOut(of)) return "";
		if (isHiddenBox(style, box)) return "";
		if (of instanceof SVGSVGElement) return drawing(of, box);
		const glyph = of instanceof HTMLElement ? glyphSvg(of, style, box) : undefined;
		if (glyph !== undefined) return glyph;
		const children = [...of.childNodes].map((node) => ({
			level: node instanceof Element ? Number(getComputedStyle(node).zIndex) || 0 : 0,
			node,
		}));
		const inside = children
			.toSorted((a, b) => a.level - b.level)
			.map(({ node }) => {
				if (node instanceof Element) return this.svg(node);
				return node instanceof Text ? this.#lines(node, style) : "";
			})
			.join("");
		return boxSvg(style, box) + this.#clipped(of, style, box, inside);
	}

	#at({ left, top, width, height }: DOMRect): Rect {
		const { x, y } = this.#origin;
		return { x: left - x, y: top - y, w: width, h: height };
	}

	#clipped(of: Element, style: CSSStyleDeclaration, box: Rect, inside: string): string {
		const isCut = of.scrollWidth > of.clientWidth || of.scrollHeight > of.clientHeight;
		if (inside === "" || !isCut || style.overflow === "visible") return inside;
		const id = `part-${this.#clips++}`;
		const path = element("clipPath", { id }, rect(box, {}));
		return path + element("g", { "clip-path": `url(#${id})` }, inside);
	}

	/** Draws each line of a text in its place. */
	#lines(node: Text, style: CSSStyleDeclaration): string {
		const range = document.createRange();
		const lines: { words: string; box: DOMRect }[] = [];
		for (const { 0: word, index } of node.data.matchAll(/\S+\s*/g)) {
			range.setStart(node, index);
			range.setEnd(node, index + word.length);
			const [box] = range.getClientRects();
			if (!box || box.width === 0) continue;
			const last = lines.at(-1);
			if (last && Math.abs(last.box.top - box.top) < 2) last.words += word;
			else lines.push({ words: word, box });
		}
		const { fontFamily, fontSize, fontWeight, fontVariantNumeric, color } = style;
		const font = {
			"font-family": fontFamily,
			"font-size": Number.parseFloat(fontSize),
			"font-weight": fontWeight === "400" ? undefined : fontWeight,
			"font-variant-numeric": fontVariantNumeric === "normal" ? undefined : fontVariantNumeric,
			fill: plainColour(color),
		};
		return lines
			.map(({ words, box }) => {
				const { x, y, h } = this.#at(box);
				const line = words.replaceAll(/\s+/g, " ").trimEnd();
				return text(line, x, y + this.#baseline(style, h), font);
			})
			.join("");
	}

	/** Returns the distance from the top of a line of this height down to its baseline. */
	#baseline(style: CSSStyleDeclaration, h: number): number {
		const { fontStyle, fontWeight, fontSize, fontFamily } = style;
		if (!this.#measure) return h * 0.8;
		this.#measure.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
		const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } =
			this.#measure.measureText("x");
		return (h - up - down) / 2 + up;
	}
}

function isHiddenBox({ overflow, display }: CSSStyleDeclaration, { w, h }: Rect): boolean {
	return display !== "contents" && overflow === "hidden" && Math.min(w, h) < SEEN_FROM;
}

function drawing(svg: SVGSVGElement, { x, y, w, h }: Rect): string {
	const viewBox = svg.getAttribute("viewBox") ?? undefined;
	const size = { x, y, width: w, height: h, viewBox };
	return element("svg", { ...size, overflow: "visible" }, insideOf(svg));
}

/** Draws a slab's glyph, whose parts are gradients on the page: a body over a foot with pips. */
function glyphSvg(of: HTMLElement, style: CSSStyleDeclaration, box: Rect): string | undefined {
	const body = Number.parseFloat(of.style.getPropertyValue("--body"));
	const pips = Number.parseInt(of.style.getPropertyValue("--pips"), 10);
	if (Number.isNaN(body) || Number.isNaN(pips)) return undefined;
	const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
	const unit = box.w / 16;
	const wide = (3 * pips - 1) * unit;
	const row = { y: box.y + box.h - 4 * unit, w: 2 * unit, h: 2 * unit };
	return [
		rect(box, { fill: colour("cell-allocated") }),
		rect(
			{
				x: box.x + unit,
				y: box.y + (box.h * body) / 100,
				w: box.w - 2 * unit,
				h: box.h * (1 - body / 100) - unit,
			},
			{ fill: colour("paper") },
		),
		...Array.from({ length: pips }, (_, i) =>
			rect({ ...row, x: box.x + (box.w - wide) / 2 + 3 * i * unit }, { fill: colour("cell-pip") }),
		),
	].join("");
}

/** Draws its background, its edges and its outline. */
function boxSvg(style: CSSStyleDeclaration, box: Rect): string {
	const { backgroundColor, borderTopLeftRadius, outlineStyle, outlineColor } = style;
	const rx = Math.min(Number.parseFloat(borderTopLeftRadius) || 0, box.h / 2, box.w / 2);
	const ground = isSeen(backgroundColor)
		? rect(box, { rx, fill: plainColour(backgroundColor) })
		: "";
	const width = Number.parseFloat(style.outlineWidth) || 0;
	const around =
		outlineStyle === "none" ? 0 : (Number.parseFloat(style.outlineOffset) || 0) + width / 2;
	const outline =
		outlineStyle === "none" || width === 0
			? ""
			: rect(
					{ x: box.x - around, y: box.y - around, w: box.w + 2 * around, h: box.h + 2 * around },
					{
						rx: rx + around,
						fill: "none",
						stroke: plainColour(outlineColor),
						"stroke-width": width,
					},
				);
	return ground + edges(style, box, rx) + outline;
}

const SIDES = ["Top", "Right", "Bottom", "Left"] as const;

function edges(style: CSSStyleDeclaration, { x, y, w, h }: Rect, rx: number): string {
	const all = SIDES.map((side) => {
		const width = Number.parseFloat(style[`border${side}Width`]);
		const kind = style[`border${side}Style`];
		return { width: kind === "none" ? 0 : width, kind, colour: style[`border${side}Color`] };
	});
	const [top] = all;
	const isSame = all.every(({ width, kind }) => width === top?.width && kind === top.kind);
	if (top && isSame) {
		if (top.width === 0 || !isSeen(top.colour)) return "";
		const by = top.width / 2;
		const inner = { x: x + by, y: y + by, w: w - top.width, h: h - top.width };
		return rect(inner, { rx: Math.max(0, rx - by), fill: "none", ...strokeOf(top) });
	}
	const ends = [
		[x, y, x + w, y],
		[x + w, y, x + w, y + h],
		[x, y + h, x + w, y + h],
		[x, y, x, y + h],
	] as const;
	return all
		.map((side, i) => {
			const [x1, y1, x2, y2] = ends[i] ?? [0, 0, 0, 0];
			if (side.width === 0 || !isSeen(side.colour)) return "";
			return element("line", { x1, y1, x2, y2, ...strokeOf(side) });
		})
		.join("");
}

function strokeOf(side: { width: number; kind: string; colour: string }): Attributes {
	return {
		stroke: plainColour(side.colour),
		"stroke-width": side.width,
		"stroke-dasharray": side.kind === "dashed" ? "3 3" : undefined,
	};
}

function isSeen(colour: string): boolean {
	return colour !== "transparent" && !/^rgba\(.*,\s*0\)$|\/\s*0\)$/.test(colour);
}

/** Writes a mixed colour in a form that every SVG reader understands. */
function plainColour(colour: string): string {
	const [, ...parts] = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)\)$/.exec(colour) ?? [];
	if (parts.length === 0) return colour;
	return `rgb(${parts.map((part) => Math.round(Number(part) * 255)).join(", ")})`;
}

/* SVG as text: a few elements, with numbers as short as possible. */

type Attributes = Readonly<Record<string, string | number | undefined>>;

const ESCAPES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
};

export function escaped(text: string): string {
	return text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);
}

export function short(n: number): string {
	return String(Math.round(n * 100) / 100);
}

function attributes(of: Attributes): string {
	return Object.entries(of)
		.filter(([, value]) => value !== undefined && value !== "")
		.map(([key, value]) => {
			const text = typeof value === "number" ? short(value) : escaped(value ?? "");
			return ` ${key}="${text}"`;
		})
		.join("");
}

export function element(name: string, of: Attributes, inside = ""): string {
	return inside === ""
		? `<${name}${attributes(of)}/>`
		: `<${name}${attributes(of)}>${inside}</${name}>`;
}

export function rect({ x, y, w, h }: Rect, of: Attributes): string {
	return element("rect", { x, y, width: Math.max(0, w), height: Math.max(0, h), ...of });
}

export function text(words: string, x: number, y: number, of: Attributes): string {
	return words === "" ? "" : element("text", { x, y, ...of }, escaped(words));
}

/** Joins rectangles that look alike into one path. */
export function rects(all: readonly Rect[], of: Attributes): string {
	if (all.length === 0) return "";
	const d = all
		.map(({ x, y, w, h }) => `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}z`)
		.join("");
	return element("path", { d, ...of });
}

export function picture(width: number, height: number, title: string, inside: string): string {
	const size = { width, height, viewBox: `0 0 ${short(width)} ${short(height)}` };
	const xmlns = "http://www.w3.org/2000/svg";
	const named = element("title", {}, escaped(title));
	return `${element("svg", { xmlns, ...size }, `${named}\n${inside}`)}\n`;
}

/* A pen for drawPath (stage/draw/draw_path.ts) that writes SVG in place of pixels, so that both are the same picture. */

export class SvgPen implements PathPen {
	fillStyle: PathPen["fillStyle"] = "";
	strokeStyle: PathPen["strokeStyle"] = "";
	lineWidth = 1;
	lineJoin: CanvasLineJoin = "miter";
	globalAlpha = 1;
	font = "";
	textAlign: CanvasTextAlign = "left";
	textBaseline: CanvasTextBaseline = "alphabetic";
	/** Collects everything that is drawn. */
	svg = "";
	#d = "";
	#dash = "";

	setLineDash(dash: number[]): void {
		this.#dash = dash.join(" ");
	}

	beginPath(): void {
		this.#d = "";
	}

	moveTo(x: number, y: number): void {
		this.#d += `M${short(x)} ${short(y)}`;
	}

	lineTo(x: number, y: number): void {
		this.#d += `L${short(x)} ${short(y)}`;
	}

	roundRect(x: number, y: number, w: number, h: number, radius = 0): void {
		const r = Math.min(radius, w / 2, h / 2);
		const corner = (dx: number, dy: number) =>
			`a${short(r)} ${short(r)} 0 0 1 ${short(dx)} ${short(dy)}`;
		this.#d +=
			`M${short(x + r)} ${short(y)}h${short(w - 2 * r)}${corner(r, r)}v${short(h - 2 * r)}${corner(-r, r)}` +
			`h${short(2 * r - w)}${corner(-r, -r)}v${short(2 * r - h)}${corner(r, -r)}z`;
	}

	fill(): void {
		this.#path({ fill: String(this.fillStyle) });
	}

	stroke(): void {
		this.#path({
			fill: "none",
			stroke: String(this.strokeStyle),
			"stroke-width": this.lineWidth,
			"stroke-linejoin": this.lineJoin,
			"stroke-dasharray": this.#dash,
		});
	}

	/** Its font is `600 11px family`. */
	fillText(words: string, x: number, y: number): void {
		const [, weight, size, family] = /^(\d+) ([\d.]+)px (.+)$/.exec(this.font) ?? [];
		// SVG puts the middle of a line at the middle of its small letters.
		const down = this.textBaseline === "middle" ? 0.35 * Number(size) : 0;
		this.svg += text(words, x, y + down, {
			"font-family": family,
			"font-size": Number(size),
			"font-weight": weight,
			"text-anchor": this.textAlign === "center" ? "middle" : undefined,
			fill: String(this.fillStyle),
		});
	}

	#path(look: Attributes): void {
		const opacity = this.globalAlpha < 1 ? this.globalAlpha : undefined;
		this.svg += element("path", { d: this.#d, ...look, opacity });
	}
}
