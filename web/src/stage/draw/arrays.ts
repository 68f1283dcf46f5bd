/**
 * Arrays of single objects, and sheaves of them as stacks: from afar a tank filled to a level, closer a cell for each
 * object, closer still with the object's slab and number. A dashed frame marks an array that has not been used since
 * the last reap. A sheaf has an open top; one that is absent is only a dashed outline.
 */
import { entryRect, entrySize, stackRect } from "../../scene/geometry.ts";
import { type ArrayBox, type FlyingBox, meet, type Rect, type Stacks } from "../../scene/scene.ts";
import type { Palette } from "./colours.ts";
import type { CellInk } from "./ink.ts";
import { isFarArray } from "./tile_pixels.ts";
import { project, type View } from "./viewport.ts";

/** Cells can be told apart from this size up. */
const CELLS_FROM = 2.2;
const GAP = 1;
/** In smaller arrays only the frames would be visible, although it is the fill that matters. */
const FRAME_FROM = 7;

export class ArrayPainter {
	readonly #ctx: CanvasRenderingContext2D;
	readonly #palette: Palette;
	readonly #ink: CellInk;

	constructor(ctx: CanvasRenderingContext2D, palette: Palette, ink: CellInk) {
		this.#ctx = ctx;
		this.#palette = palette;
		this.#ink = ink;
	}

	/** Draws everything that the raster does not: cells with letters, the frame, and the object taken next. */
	draw(array: ArrayBox, view: View, screen: Rect): void {
		const box = project(array, view);
		if (!meet(box, screen)) return;
		const entry = entrySize(array);
		const pitch = Math.min(entry.w, entry.h) * view.k;
		if (!isFarArray(array, view.k)) this.#cells(array, box, view, screen);
		if (pitch >= CELLS_FROM && array.count > 0 && !array.awaited.has(array.count - 1))
			this.#top(project(entryRect(array, array.count - 1), view), pitch);
		if (array.stacks) this.#sheaves(array, array.stacks, view);
		else if (array.lit || Math.min(box.w, box.h) >= FRAME_FROM) this.#frame(array, box);
	}

	/** Draws the sides and the bottom of each sheaf, and the places of those that are absent. */
	#sheaves(array: ArrayBox, { room, present, isLimited, capacity }: Stacks, view: View): void {
		const ctx = this.#ctx;
		const p = this.#palette;
		for (let i = 0; i < (isLimited ? room : present); i++) {
			const box = project(stackRect(array, i), view);
			const isHere = i < present;
			const isLit = array.lit && (isHere || room === 1);
			if (!isLit && Math.min(box.w, box.h) < FRAME_FROM) continue;
			const isEmpty = array.count <= i * capacity;
			const [left, top] = [box.x - 1.5, box.y - 1.5];
			const [right, bottom] = [box.x + box.w + 1.5, box.y + box.h + 1.5];
			ctx.beginPath();
			ctx.moveTo(left, top);
			ctx.lineTo(left, bottom);
			ctx.lineTo(right, bottom);
			ctx.lineTo(right, top);
			if (!isHere) ctx.closePath();
			ctx.lineWidth = isLit ? 2 : 1;
			ctx.setLineDash(isHere ? [] : [2, 3]);
			const edge = isEmpty ? p.soft : this.#ink.far(array.state);
			ctx.strokeStyle = isLit ? p.accent : isHere ? edge : p.freeEdge;
			ctx.stroke();
		}
		ctx.setLineDash([]);
	}

	#frame(array: ArrayBox, box: Rect): void {
		const ctx = this.#ctx;
		const p = this.#palette;
		ctx.strokeStyle = array.lit
			? p.accent
			: array.count > 0
				? this.#ink.far(array.state)
				: p.freeEdge;
		ctx.lineWidth = array.lit ? 2 : 1;
		if (!array.touched) ctx.setLineDash([4, 3]);
		ctx.strokeRect(box.x - 1.5, box.y - 1.5, box.w + 3, box.h + 3);
		ctx.setLineDash([]);
	}

	#cells(array: ArrayBox, box: Rect, view: View, screen: Rect): void {
		const ctx = this.#ctx;
		ctx.fillStyle = this.#palette.ground;
		if (!array.stacks) ctx.fillRect(box.x, box.y, box.w, box.h);
		for (let i = 0; i < (array.stacks?.present ?? 0); i++) {
			const r = project(stackRect(array, i), view);
			ctx.fillRect(r.x, r.y, r.w, r.h);
		}
		for (let i = 0; i < array.count; i++) {
			if (array.awaited.has(i)) continue;
			const c = project(entryRect(array, i), view);
			if (!meet(c, screen)) continue;
			const r = { x: c.x + GAP, y: c.y + GAP, w: c.w - 2 * GAP, h: c.h - 2 * GAP };
			this.#ink.cell(r, array.state);
			this.#ink.letter(r, array.state, `#${array.serials[i]}.${array.indices[i]}`);
		}
		ctx.beginPath();
		for (let i = array.count; i < roomOf(array); i++) {
			const c = project(entryRect(array, i), view);
			if (meet(c, screen))
				ctx.rect(c.x + GAP + 0.5, c.y + GAP + 0.5, c.w - 2 * GAP - 1, c.h - 2 * GAP - 1);
		}
		ctx.strokeStyle = this.#palette.line;
		ctx.lineWidth = 1;
		ctx.stroke();
	}

	/** Marks the object that is taken next. */
	#top(r: Rect, pitch: number): void {
		const ctx = this.#ctx;
		ctx.strokeStyle = this.#palette.ink;
		ctx.lineWidth = pitch >= 8 ? 2 : 1.2;
		ctx.strokeRect(r.x, r.y, r.w, r.h);
	}

	fly(box: FlyingBox, view: View): void {
		const r = project(box, view);
		this.#ink.cell({ ...r, w: Math.max(3, r.w), h: Math.max(3, r.h) }, box.state);
	}
}

/** Returns how many objects fit in. */
function roomOf({ stacks, limit }: ArrayBox): number {
	return stacks ? stacks.capacity * Math.min(stacks.present, stacks.room) : limit;
}
