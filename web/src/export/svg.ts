/** SVG as text: a few elements, with numbers as short as possible. */
import type { Rect } from "../scene/scene.ts";

export type Attributes = Readonly<Record<string, string | number | undefined>>;

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

/** Rectangles that look alike, as one path. */
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
