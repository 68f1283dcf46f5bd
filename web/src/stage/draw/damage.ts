/**
 * The squares of the screen that have to be redrawn. Squares are in device pixels, so the redrawn inside meets the
 * old outside exactly.
 */
import type { Rect } from "../../scene/scene.ts";

const SIDE = 32;
/** If at least this share of the screen is marked, everything is redrawn: that is simpler and barely slower. */
const MOST = 0.6;
/** More pieces than this cost more than they save. */
const PIECES_MOST = 120;

export class Damage {
	readonly #columns: number;
	readonly #rows: number;
	readonly #marked: Uint8Array;
	readonly #width: number;
	readonly #height: number;
	readonly #ratio: number;
	#count = 0;

	/** Starts for a screen of this many device pixels, `ratio` of them per CSS pixel. */
	constructor(width: number, height: number, ratio: number) {
		this.#columns = Math.ceil(width / SIDE);
		this.#rows = Math.ceil(height / SIDE);
		this.#marked = new Uint8Array(this.#columns * this.#rows);
		this.#width = width;
		this.#height = height;
		this.#ratio = ratio;
	}

	/** Returns the same screen with nothing marked. */
	cleared(): this {
		this.#marked.fill(0);
		this.#count = 0;
		return this;
	}

	isFor(width: number, height: number, ratio: number): boolean {
		return this.#width === width && this.#height === height && this.#ratio === ratio;
	}

	get isEmpty(): boolean {
		return this.#count === 0;
	}

	get isAll(): boolean {
		return this.#count === this.#marked.length;
	}

	markAll(): void {
		this.#marked.fill(1);
		this.#count = this.#marked.length;
	}

	/** Marks everything that touches a rectangle of the page's pixels. */
	mark({ x, y, w, h }: Rect): void {
		this.markBox(x, y, w, h);
	}

	/** Does the same for numbers. */
	markBox(x: number, y: number, w: number, h: number): void {
		if (this.isAll) return;
		const { left, right, top, bottom } = this.#squares(x, y, w, h);
		for (let row = top; row <= bottom; row++) {
			for (let at = row * this.#columns + left; at <= row * this.#columns + right; at++) {
				this.#count += 1 - (this.#marked[at] ?? 1);
				this.#marked[at] = 1;
			}
		}
		if (this.#count > this.#marked.length * MOST) this.markAll();
	}

	/** Marks one of the pieces of another damage of the same screen. */
	markPiece({ x, y, w, h }: Rect): void {
		const scale = 1 / this.#ratio;
		this.markBox(x * scale, y * scale, (w - 1) * scale, (h - 1) * scale);
	}

	touches({ x, y, w, h }: Rect): boolean {
		if (this.isAll) return true;
		const { left, right, top, bottom } = this.#squares(x, y, w, h);
		for (let row = top; row <= bottom; row++) {
			for (let at = row * this.#columns + left; at <= row * this.#columns + right; at++)
				if (this.#marked[at] === 1) return true;
		}
		return false;
	}

	/** Returns the marked squares as a few rectangles, in device pixels; if it takes too many, the whole screen. */
	pieces(): Rect[] {
		const pieces = this.isAll ? [this.#whole()] : this.#runs();
		if (pieces.length <= PIECES_MOST) return pieces;
		this.markAll();
		return [this.#whole()];
	}

	#whole(): Rect {
		return { x: 0, y: 0, w: this.#width, h: this.#height };
	}

	/** Merges rows of squares; a row that continues just below belongs to the same piece. */
	#runs(): Rect[] {
		const done: Rect[] = [];
		let above = new Map<number, Rect>();
		for (let row = 0; row < this.#rows; row++) {
			const here = new Map<number, Rect>();
			for (const { from, to } of this.#runsOf(row)) {
				const key = from * (this.#columns + 1) + to;
				const old = above.get(key);
				const y = old?.y ?? row * SIDE;
				const h = Math.min(this.#height, (row + 1) * SIDE) - y;
				const x = from * SIDE;
				here.set(key, { x, y, w: Math.min(this.#width, to * SIDE) - x, h });
				above.delete(key);
			}
			done.push(...above.values());
			above = here;
		}
		return [...done, ...above.values()];
	}

	*#runsOf(row: number): Generator<{ from: number; to: number }> {
		const first = row * this.#columns;
		for (let from = 0; from < this.#columns; from++) {
			if (this.#marked[first + from] !== 1) continue;
			let to = from;
			while (to < this.#columns && this.#marked[first + to] === 1) to++;
			yield { from, to };
			from = to;
		}
	}

	#squares(x: number, y: number, w: number, h: number) {
		const scale = this.#ratio / SIDE;
		return {
			left: Math.max(0, Math.floor(x * scale)),
			right: Math.min(this.#columns - 1, Math.floor((x + w) * scale)),
			top: Math.max(0, Math.floor(y * scale)),
			bottom: Math.min(this.#rows - 1, Math.floor((y + h) * scale)),
		};
	}
}
