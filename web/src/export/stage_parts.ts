/** The stage around its map, as the page shows it: title, sentence, levels, costs and legend; and where the map is. */
import type { Rect } from "../scene/scene.ts";
import type { Palette } from "../stage/draw/colours.ts";
import type { CaptionLines } from "./caption.ts";
import { PartWriter } from "./part_svg.ts";
import { element, picture, rect, text } from "./svg.ts";

export interface StageParts {
	readonly width: number;
	readonly height: number;
	/** undefined: the stage has no picture now. */
	readonly map: Rect | undefined;
	readonly svg: string;
	/** The sentence of the step is elsewhere on the page. */
	readonly needsSentence: boolean;
}

/** Height of a line of the caption, and below the last one. */
const LINE = 20;
const CAPTION_END = 14;
/** Smaller parts are hidden ones. */
const MAP_FROM = 8;

/** The stage on screen; undefined: the page has none. */
export function stageParts(): StageParts | undefined {
	const box = document.querySelector<HTMLElement>("[data-part=stage]");
	const section = box?.closest("section");
	if (!box || !section) return undefined;
	const { left, top, width, height } = section.getBoundingClientRect();
	const at = box.getBoundingClientRect();
	const map = { x: at.left - left, y: at.top - top, w: at.width, h: at.height };
	const isOutside = (of: Element) => of.getBoundingClientRect().top >= top + height;
	// Controls say nothing on paper, and the map is drawn from its scene.
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

/** The whole picture; `inside`: what is drawn on the map, "" for a map that is drawn by other means. */
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

/** As many words a line as have room. */
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
