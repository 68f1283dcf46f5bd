/** Text widths: each is measured once, at one size, because widths grow with the size. */

const SIZE = 40;
const TEXTS_MOST = 4000;

export class TextWidths {
	/** By weight and text. */
	readonly #widths = new Map<number, Map<string, number>>();

	width(
		ctx: CanvasRenderingContext2D,
		text: string,
		weight: number,
		family: string,
		size: number,
	): number {
		const widths = this.#widths.get(weight) ?? new Map<string, number>();
		this.#widths.set(weight, widths);
		let width = widths.get(text);
		if (width === undefined) {
			ctx.font = `${weight} ${SIZE}px ${family}`;
			width = ctx.measureText(text).width;
			if (widths.size >= TEXTS_MOST) widths.clear();
			widths.set(text, width);
		}
		return (width * size) / SIZE;
	}

	/** For texts that hardly ever repeat: letter by letter, without kerning. */
	ofLetters(
		ctx: CanvasRenderingContext2D,
		text: string,
		weight: number,
		family: string,
		size: number,
	): number {
		let sum = 0;
		for (const letter of text) sum += this.width(ctx, letter, weight, family, size);
		return sum;
	}
}
