/** The looks of objects as pixels: a word of RGBA for each state, and the patterns by arithmetic. */
import { CELL } from "../../engine/place_kinds.ts";
import type { GlyphRole } from "../../scene/glyph.ts";
import { mixWords, type Palette, type Pattern, rgbaWord } from "./colours.ts";
import type { CellStyle } from "./ink.ts";

/** Cells of so many pixels are in one colour; from twice that on they have pattern and edge. */
const PATTERN_FROM = 4.5;
/** How much the colour of free objects moves towards their edge's if an edge does not fit. */
const FREE_FAR = 0.4;

export interface Texel {
	/** In one colour. */
	readonly far: number;
	readonly ground: number;
	readonly edge: number;
	readonly hasEdge: boolean;
	readonly pattern: Pattern | "";
	readonly pitch: number;
}

export class Texels {
	/** By state. */
	readonly of: readonly Texel[];
	readonly freeFar: number;
	readonly edge: number;
	readonly line: number;
	readonly tail: number;
	readonly tailGround: number;
	/** Glyphs by the state of their free objects. */
	readonly #glyphs: readonly Readonly<Record<GlyphRole, number>>[];

	constructor(palette: Palette, looks: readonly CellStyle[]) {
		this.of = looks.map((l) => ({
			far: rgbaWord(l.far),
			ground: rgbaWord(l.ground),
			edge: rgbaWord(l.edge === "" ? l.far : l.edge),
			hasEdge: l.edge !== "",
			pattern: l.pattern,
			pitch: l.pitch,
		}));
		this.edge = rgbaWord(palette.freeEdge);
		this.line = rgbaWord(palette.line);
		this.tail = rgbaWord(palette.tail);
		this.tailGround = rgbaWord(palette.ground);
		const paper = rgbaWord(palette.paper);
		this.#glyphs = looks.map((look, state) => {
			const isFree = state === CELL.FREE;
			return {
				full: rgbaWord(palette.full),
				body: rgbaWord(palette.allocated),
				gap: paper,
				notch: paper,
				foot: isFree ? paper : rgbaWord(look.ground),
				edge: this.edge,
				pip: rgbaWord(isFree ? palette.pip : look.edge),
				dash: this.edge,
			};
		});
		this.freeFar = mixWords(rgbaWord(palette.free), this.edge, FREE_FAR);
	}

	at(state: number): Texel {
		const texel = this.of[state] ?? this.of[CELL.FREE];
		if (!texel) throw new Error(`no look for state ${state}`);
		return texel;
	}

	/** The colours of a slab's glyph whose free objects have this state. */
	glyph(state: number): Readonly<Record<GlyphRole, number>> {
		const words = this.#glyphs[state] ?? this.#glyphs[CELL.FREE];
		if (!words) throw new Error(`no look for state ${state}`);
		return words;
	}
}

/** How opaque pattern and edge are in cells of so many pixels of the page, 0 to 1. */
export function detailAt(pitch: number): number {
	return Math.min(1, Math.max(0, (pitch - PATTERN_FROM) / PATTERN_FROM));
}

/** Whether a pixel belongs to the pattern's lines. */
export function isInked(pattern: Pattern | "", pitch: number, x: number, y: number): boolean {
	switch (pattern) {
		case "rising":
			return (x + y) % pitch < 1.5;
		case "falling":
			return (x - y + (y + 1) * pitch) % pitch < 1.5;
		case "level":
			return y % pitch === Math.floor(pitch / 2);
		case "dots":
			return x % pitch >= 2 && x % pitch < 4 && y % pitch >= 2 && y % pitch < 4;
		default:
			return false;
	}
}
