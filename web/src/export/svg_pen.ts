/** A pen for drawPath (stage/draw/draw_path.ts) that writes SVG in place of pixels, so that both are the same picture. */
import type { PathPen } from "../stage/draw/draw_path.ts";
import { type Attributes, element, short, text } from "./svg.ts";

export class SvgPen implements PathPen {
	fillStyle: PathPen["fillStyle"] = "";
	strokeStyle: PathPen["strokeStyle"] = "";
	lineWidth = 1;
	lineJoin: CanvasLineJoin = "miter";
	globalAlpha = 1;
	font = "";
	textAlign: CanvasTextAlign = "left";
	textBaseline: CanvasTextBaseline = "alphabetic";
	/** All that it has drawn. */
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
		// SVG's own middle of a line is that of its small letters.
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
