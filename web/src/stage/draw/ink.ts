/** The look of an object in each state: hue, pattern and letter, the same in a slab and in an array. */
import { CELL } from "../../engine/place_kinds.ts";
import type { Rect } from "../../scene/scene.ts";
import { hatch, type Palette, type Pattern } from "./colours.ts";
import { TextWidths } from "./labels.ts";

/** Cells have a letter from this size up; smaller ones are drawn as pixels. */
export const LETTER_FROM = 13;
const NUMBER_FROM = 30;
export const LETTER_LEAST = 11;
export const LETTER_MOST = 15;
const WEIGHT = 600;
const STAMPS_MOST = 1000;

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
	/** The colour from afar. */
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
	/** Cached images of text, by text, colour, size and scale. */
	readonly #stamps = new Map<string, HTMLCanvasElement>();

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

	/** Draws the state's letter in a cell with room for it, and after it a name if that fits too. */
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
		this.#stamp(text, look.ink, size, x, y);
	}

	/** Draws a text around a point. Copying a picture takes a tenth of the time of drawing letters. */
	#stamp(text: string, ink: string, size: number, x: number, y: number): void {
		const scale = this.#ctx.getTransform().a;
		const key = `${text} ${ink} ${size} ${scale}`;
		let stamp = this.#stamps.get(key);
		if (!stamp) {
			if (this.#stamps.size >= STAMPS_MOST) this.#stamps.clear();
			stamp = this.#letters(text, ink, size, scale);
			this.#stamps.set(key, stamp);
		}
		const [w, h] = [stamp.width / scale, stamp.height / scale];
		// On whole pixels of the screen, or the copy would be blurred.
		const snap = (at: number) => Math.round(at * scale) / scale;
		this.#ctx.drawImage(stamp, snap(x - w / 2), snap(y - h / 2), w, h);
	}

	#letters(text: string, ink: string, size: number, scale: number): HTMLCanvasElement {
		const canvas = document.createElement("canvas");
		canvas.width = Math.ceil((this.#texts.width(text, WEIGHT, size) + 2) * scale);
		canvas.height = Math.ceil(size * 1.4 * scale);
		const ctx = canvas.getContext("2d");
		if (!ctx) return canvas;
		ctx.font = `${WEIGHT} ${size * scale}px ${this.#palette.sans}`;
		ctx.textAlign = "center";
		ctx.textBaseline = "middle";
		ctx.fillStyle = ink;
		ctx.fillText(text, canvas.width / 2, canvas.height / 2);
		return canvas;
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
