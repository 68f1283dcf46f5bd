/** The look of an object in each state: hue, pattern and letter, the same in a slab and in an array. */
import { CELL } from "../../engine/place_kinds.ts";
import type { Rect } from "../../scene/scene.ts";
import { hatch, type Palette, type Pattern } from "./colours.ts";
import { TextWidths } from "./text_widths.ts";

/** From this size on, cells have a letter; smaller ones are drawn as pixels. */
export const LETTER_FROM = 13;
const NUMBER_FROM = 30;
export const LETTER_LEAST = 11;
export const LETTER_MOST = 15;
const WEIGHT = 600;

/** The look of a state, independent of how it is drawn. */
export interface CellStyle {
	readonly letter: string;
	/** The colours of the fill. */
	readonly ground: string;
	readonly pattern: Pattern | "";
	/** Size of the pattern, in pixels. */
	readonly pitch: number;
	/** The colour behind the letter, if the fill has a pattern; "" otherwise. */
	readonly plate: string;
	readonly edge: string;
	readonly ink: string;
	/** From afar. */
	readonly far: string;
}

interface Look extends CellStyle {
	readonly fill: CanvasPattern | string;
}

export class CellInk {
	readonly #ctx: CanvasRenderingContext2D;
	readonly #palette: Palette;
	readonly #looks: readonly Look[];
	readonly #texts: TextWidths;

	constructor(ctx: CanvasRenderingContext2D, palette: Palette) {
		this.#ctx = ctx;
		this.#palette = palette;
		this.#texts = new TextWidths(ctx, palette.sans);
		this.#looks = looksOf(palette);
	}

	/** By state. */
	get looks(): readonly Look[] {
		return this.#looks;
	}

	far(state: number): string {
		return this.#looks[state]?.far ?? this.#palette.free;
	}

	cell(r: Rect, state: number): void {
		const look = this.#looks[state];
		if (!look) return;
		const ctx = this.#ctx;
		ctx.fillStyle = look.fill;
		ctx.fillRect(r.x, r.y, r.w, r.h);
		if (look.edge === "" || r.w < 3) return;
		ctx.strokeStyle = look.edge;
		ctx.lineWidth = 1;
		ctx.strokeRect(r.x + 0.5, r.y + 0.5, r.w - 1, r.h - 1);
	}

	/** The state's letter in a cell with room for it, and after it a name if that fits too. */
	letter(r: Rect, state: number, name: string): void {
		const look = this.#looks[state];
		const pitch = Math.min(r.w, r.h);
		if (!look || pitch < LETTER_FROM) return;
		const ctx = this.#ctx;
		const size = Math.min(LETTER_MOST, Math.max(LETTER_LEAST, pitch * 0.58));
		const long = `${look.letter} ${name}`;
		const fits = pitch >= NUMBER_FROM && this.#texts.width(long, WEIGHT, size) < r.w;
		const text = fits ? long : look.letter;
		const x = r.x + r.w / 2;
		const y = r.y + r.h / 2 + size * 0.05;
		if (look.plate !== "") {
			const half = this.#texts.width(text, WEIGHT, size) / 2 + 2;
			ctx.fillStyle = look.plate;
			ctx.fillRect(x - half, y - size * 0.6, 2 * half, size * 1.15);
		}
		ctx.font = `${WEIGHT} ${size}px ${this.#palette.sans}`;
		ctx.textAlign = "center";
		ctx.textBaseline = "middle";
		ctx.fillStyle = look.ink;
		ctx.fillText(text, x, y);
		ctx.textAlign = "left";
	}
}

function looksOf(p: Palette): Look[] {
	return stylesOf(p).map((style) => {
		const { pattern, edge, ground, pitch } = style;
		return { ...style, fill: pattern === "" ? ground : hatch(edge, ground, pitch, pattern) };
	});
}

/** By state. */
export function stylesOf(p: Palette): CellStyle[] {
	const looks: CellStyle[] = [];
	const held = (letter: string, ground: string, edge: string, pattern: Pattern, pitch = 5) => ({
		letter,
		ground,
		pattern,
		pitch,
		plate: ground,
		edge,
		ink: p.ink,
		far: edge,
	});
	const plain = (letter: string, ground: string, edge: string, ink: string) => {
		return { letter, ground, pattern: "", pitch: 1, plate: "", edge, ink, far: ground } as const;
	};
	looks[CELL.FREE] = plain("f", p.free, p.freeEdge, p.ink);
	looks[CELL.ALLOCATED] = plain("A", p.allocated, "", p.allocatedInk);
	looks[CELL.FREE_CPU] = held("c", p.cpuFree, p.cpuFreeEdge, "rising");
	looks[CELL.FREE_SHARED] = held("s", p.shared, p.sharedEdge, "level");
	looks[CELL.FREE_ALIEN] = held("x", p.alien, p.alienEdge, "dots");
	looks[CELL.INFERRED] = { ...held("i", p.full, p.allocated, "falling"), far: p.full };
	looks[CELL.LOST] = held("!", p.free, p.ink, "rising", 3);
	return looks;
}
