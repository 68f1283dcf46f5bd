/** All objects of a scene as one image, a rectangle of texels per slab. */
import type { Rect, SlabBox } from "../scene/scene.ts";

const ATLAS_WIDTH = 2048;

interface Texels {
	readonly x: number;
	readonly y: number;
	readonly w: number;
	readonly h: number;
}

export class Atlas {
	readonly #canvas = document.createElement("canvas");
	readonly #at = new Map<Uint8Array, Texels>();

	begin(slabs: readonly SlabBox[], words: Uint32Array): void {
		const drawn = slabs.filter((s) => !s.extents);
		if (drawn.every((s) => this.#at.has(s.cells))) return;
		this.#pack(drawn);
		const ctx = this.#canvas.getContext("2d");
		if (!ctx) return;
		const { width, height } = this.#canvas;
		const image = ctx.createImageData(width, height);
		const texels = new Uint32Array(image.data.buffer);
		for (const [cells, at] of this.#at) {
			for (let c = 0; c < cells.length; c++) {
				const x = at.x + (c % at.w);
				const y = at.y + Math.floor(c / at.w);
				texels[y * width + x] = words[cells[c] ?? 0] ?? 0;
			}
		}
		ctx.putImageData(image, 0, 0);
	}

	/** Shelves: slabs side by side, rows as high as their highest. */
	#pack(slabs: readonly SlabBox[]): void {
		let x = 0;
		let y = 0;
		let high = 0;
		this.#at.clear();
		for (const { cells, columns, rows } of slabs) {
			if (x + columns > ATLAS_WIDTH) {
				x = 0;
				y += high;
				high = 0;
			}
			this.#at.set(cells, { x, y, w: columns, h: rows });
			x += columns;
			high = Math.max(high, rows);
		}
		this.#canvas.width = ATLAS_WIDTH;
		this.#canvas.height = Math.max(1, y + high);
	}

	draw(ctx: CanvasRenderingContext2D, slab: SlabBox, to: Rect): void {
		const at = this.#at.get(slab.cells);
		if (!at) return;
		ctx.imageSmoothingEnabled = false;
		ctx.drawImage(this.#canvas, at.x, at.y, at.w, at.h, to.x, to.y, to.w, to.h);
	}
}
