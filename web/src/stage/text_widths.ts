/** How wide texts are: each is measured once, at one size, because widths grow with the size. */

const SIZE = 40;
const TEXTS_MOST = 4000;

export class TextWidths {
	readonly #widths = new Map<string, number>();

	width(
		ctx: CanvasRenderingContext2D,
		text: string,
		weight: number,
		family: string,
		size: number,
	): number {
		const key = `${weight} ${text}`;
		let width = this.#widths.get(key);
		if (width === undefined) {
			ctx.font = `${weight} ${SIZE}px ${family}`;
			width = ctx.measureText(text).width;
			if (this.#widths.size >= TEXTS_MOST) this.#widths.clear();
			this.#widths.set(key, width);
		}
		return (width * size) / SIZE;
	}
}
