/** Text widths: each is measured once, at one size, because widths grow with the size. */

const SIZE = 40;
const TEXTS_MOST = 4000;

export class TextWidths {
	readonly #ctx: CanvasRenderingContext2D;
	readonly #family: string;
	/** By weight and text. */
	readonly #widths = new Map<number, Map<string, number>>();

	constructor(ctx: CanvasRenderingContext2D, family: string) {
		this.#ctx = ctx;
		this.#family = family;
	}

	width(text: string, weight: number, size: number): number {
		const widths = this.#widths.get(weight) ?? new Map<string, number>();
		this.#widths.set(weight, widths);
		// Digits are equally wide, so numbers that count on are measured once.
		const like = text.replace(/[1-9]/g, "0");
		let width = widths.get(like);
		if (width === undefined) {
			this.#ctx.font = `${weight} ${SIZE}px ${this.#family}`;
			width = this.#ctx.measureText(like).width;
			if (widths.size >= TEXTS_MOST) widths.clear();
			widths.set(like, width);
		}
		return (width * size) / SIZE;
	}

	/** For texts that hardly ever repeat: letter by letter, without kerning. */
	ofLetters(text: string, weight: number, size: number): number {
		let sum = 0;
		for (const letter of text) sum += this.width(letter, weight, size);
		return sum;
	}
}
