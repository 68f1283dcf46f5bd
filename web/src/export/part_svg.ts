/**
 * A part of the page as vectors: boxes, lines of text and drawings, where the browser has put them and in its colours.
 * Nothing in it refers to the page, so that the file looks the same elsewhere.
 */
import type { Rect } from "../scene/scene.ts";
import { type Attributes, element, rect, text } from "./svg.ts";

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

/** The inside of a drawing, with the style sheet's properties as attributes. */
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

/** Smaller boxes are for screen readers alone. */
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

	/** An element with all that is in it, in the order of the document, then what is raised above the rest. */
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

	/** Each line of a text where it stands. */
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

	/** The distance from the top of a line of this height down to its baseline. */
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

/** A slab's glyph, whose parts are gradients on the page: a body over a foot with pips. */
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

/** Its ground, its edges and its outline. */
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

/** A mixed colour as one that every reader of SVG knows. */
function plainColour(colour: string): string {
	const [, ...parts] = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)\)$/.exec(colour) ?? [];
	if (parts.length === 0) return colour;
	return `rgb(${parts.map((part) => Math.round(Number(part) * 255)).join(", ")})`;
}
