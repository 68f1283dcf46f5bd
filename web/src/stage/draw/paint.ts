/**
 * Draws a scene, but only where it differs from the canvas. Detail follows the size on screen, so zooming reveals
 * rather than enlarges: a tile filled by use, then a texel per object, then cells with patterns, then letters and
 * numbers.
 */
import type { CloseUp } from "../../engine/query/close_up.ts";
import type { ObjectId } from "../../engine/types.ts";
import { tileBox, tilesIn } from "../../scene/crowd.ts";
import { slabByKey, whereIs } from "../../scene/find.ts";
import { isFolded, visibleBox } from "../../scene/geometry.ts";
import type { ScenePath } from "../../scene/layout/path.ts";
import { grown, meet, objectKey, type Rect, type Scene, type SlabBox } from "../../scene/scene.ts";
import { gapOf } from "../../scene/tiles.ts";
import { ArrayPainter } from "./arrays.ts";
import { CellPainter } from "./cells.ts";
import { AROUND, differingWords, markLit, markMoves } from "./changes.ts";
import type { Palette } from "./colours.ts";
import { Damage } from "./damage.ts";
import { drawLeft, drawNext, frameLit, Ground, rounded } from "./ground.ts";
import { CellInk, LETTER_FROM } from "./ink.ts";
import { Labels, type Word, WordLayer } from "./labels.ts";
import { Texels } from "./pixels.ts";
import { TileRaster } from "./raster.ts";
import { isFar, isFarTile } from "./tile_pixels.ts";
import { project, sameView, type View } from "./viewport.ts";

/** The heights from which on a strip, or the gap above a tile, has room for the slab's number. */
const STRIP_FROM = 11;
const NAME_FROM = 10;
/** How far rings and numbers reach. */
const HELD_AROUND = 16;

interface Look {
	readonly view: View;
	readonly ratio: number;
	readonly screen: Rect;
	readonly damage: Damage;
	readonly held: Held;
	readonly details: readonly Word[];
}

/** The path of an event, or the traffic of many. */
export interface DrawnWays {
	draw(ctx: CanvasRenderingContext2D, view: View, palette: Palette): void;
	/** Everything that it draws on, in CSS pixels. */
	boxes(view: View): readonly Rect[];
}

/** The visitor's selection, and the thing under the pointer. */
export interface Held {
	/** Key of the selected slab, "" for none. */
	readonly slab: string;
	/** Objects that are marked wherever they are. */
	readonly objects: readonly ObjectId[];
	/** Objects in close-up. */
	readonly closeUps: readonly CloseUp[];
	/** Where slabs and objects were before the last step. */
	readonly left?: readonly Rect[];
	/** The objects that CPUs take next. */
	readonly next?: readonly Rect[];
	/** The path of the event. */
	readonly path?: ScenePath | undefined;
	readonly ways?: DrawnWays | undefined;
}

/** The contents of the canvas. */
interface Painted {
	readonly scene: Scene;
	readonly view: View;
	readonly held: Held;
	readonly names: readonly Word[];
	readonly details: readonly Word[];
	/** Whether the ground and the slabs are not kept. */
	readonly isBare: boolean;
}

/** The painters of a scene's parts, in the colours of a palette. */
interface Painters {
	readonly palette: Palette;
	readonly ground: Ground;
	readonly raster: TileRaster;
	readonly labels: Labels;
	readonly words: WordLayer;
	readonly cells: CellPainter;
	readonly arrays: ArrayPainter;
}

function paintersOf(ctx: CanvasRenderingContext2D, palette: Palette): Painters {
	const ink = new CellInk(ctx, palette);
	return {
		palette,
		ground: new Ground(palette),
		raster: new TileRaster(new Texels(palette, ink.looks)),
		labels: new Labels(ctx, palette),
		words: new WordLayer(palette),
		cells: new CellPainter(ctx, palette, ink),
		arrays: new ArrayPainter(ctx, palette, ink),
	};
}

export class StagePainter {
	readonly #ctx: CanvasRenderingContext2D;
	#by: Painters;
	#painted: Painted | undefined;
	#damage: Damage | undefined;

	constructor(ctx: CanvasRenderingContext2D, palette: Palette) {
		this.#ctx = ctx;
		this.#by = paintersOf(ctx, palette);
	}

	recolour(palette: Palette): void {
		this.#by = paintersOf(this.#ctx, palette);
		this.#painted = undefined;
	}

	/** Starts over: the canvas has a new size and nothing on it. */
	forget(): void {
		this.#painted = undefined;
	}

	/** Draws the differences from the canvas; text stays as it is while it is held (app/state/throttle.ts). */
	paint(scene: Scene, view: View, ratio: number, held: Held, areWordsHeld = false): void {
		const { width, height } = this.#ctx.canvas;
		const { cells, ground, raster, labels } = this.#by;
		cells.known(held.closeUps);
		ground.resize(width, height);
		raster.resize(width, height);
		const { names, details } = labels.read(scene, view, areWordsHeld);
		const before = this.#painted;
		const now = { scene, view, held, names, details, isBare: false };
		if (before && (before.isBare ? sameView(before.view, view) : stayed(before, now)))
			this.#follow(before, now, ratio);
		else this.#anew({ ...now, isBare: true }, ratio);
	}

	/**
	 * Draws everything straight onto the canvas: during a zoom the ground is not worth keeping. It is kept again from
	 * the next picture with the same view.
	 */
	#anew(now: Painted, ratio: number): void {
		const ctx = this.#ctx;
		const { width, height } = ctx.canvas;
		const { ground, raster } = this.#by;
		const damage = this.#nothing(width, height, ratio);
		damage.markAll();
		const pieces = damage.pieces();
		for (const piece of pieces) ground.draw(ctx, now, ratio, piece);
		ground.forget();
		raster.bare();
		raster.paint(now.scene, now.view, ratio, damage, pieces);
		raster.over(ctx);
		this.#painted = now;
		this.#ink(now, ratio, damage, pieces);
	}

	#follow(before: Painted, now: Painted, ratio: number): void {
		const { width, height } = this.#ctx.canvas;
		const { ground, raster } = this.#by;
		const { scene, view } = now;
		const damage = this.#nothing(width, height, ratio);
		const laid = ground.paint(now, ratio);
		for (const piece of laid) this.#lay(piece, damage);
		const stays = !before.isBare;
		const areCrowds = stays && before.scene.crowd !== undefined && scene.crowd !== undefined;
		if (!stays) damage.markAll();
		else if (areCrowds) {
			raster.paint(scene, view, ratio, damage, laid);
			if (before.scene !== scene) raster.update(before.scene, scene, view, ratio, damage);
		} else markMoves(before.scene, scene, view, damage);
		if (stays && !damage.isAll) {
			markHeld(before, now, damage);
			differingWords(before.details, now.details, (r) => damage.mark(r));
			for (const painted of [before, now]) markFrames(painted, damage);
		}
		this.#painted = now;
		if (damage.isEmpty) return;
		const pieces = damage.pieces();
		if (!areCrowds) raster.paint(scene, view, ratio, damage, pieces);
		raster.put(this.#ctx, pieces);
		this.#ink(now, ratio, damage, pieces);
	}

	/** Returns an empty damage; only one is in use at a time. */
	#nothing(width: number, height: number, ratio: number): Damage {
		if (!this.#damage?.isFor(width, height, ratio)) this.#damage = new Damage(width, height, ratio);
		return this.#damage.cleared();
	}

	/** Draws everything that is neither ground nor raster. */
	#ink(now: Painted, ratio: number, damage: Damage, pieces: readonly Rect[]): void {
		const ctx = this.#ctx;
		const { width, height } = ctx.canvas;
		const { scene, view, held, details } = now;
		ctx.save();
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.#frames(now);
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		if (!damage.isAll) {
			ctx.beginPath();
			for (const { x, y, w, h } of pieces) ctx.rect(x, y, w, h);
			ctx.clip();
		}
		const screen = { x: 0, y: 0, w: width / ratio, h: height / ratio };
		this.#all(scene, { view, ratio, screen, damage, held, details });
		ctx.restore();
		// Everything that it covers has been redrawn (markFrames): under a clip, its curves would look slightly
		// different.
		if (!held.path || !held.ways) return;
		ctx.save();
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		held.ways.draw(ctx, view, this.#by.palette);
		ctx.restore();
	}

	/** Draws the changed parts of the ground under the slabs. */
	#lay(piece: Rect, damage: Damage): void {
		const ground = this.#by.ground.read(piece);
		if (ground) this.#by.raster.lay(ground, piece.x, piece.y);
		damage.markPiece(piece);
	}

	/**
	 * Draws the highlights and the selection, and in #ink the path. Their surroundings are damaged too, because curves look
	 * slightly different where they are clipped.
	 */
	#frames({ scene, held, view }: Painted): void {
		const ctx = this.#ctx;
		const { palette } = this.#by;
		for (const panel of scene.panels) if (panel.lit) frameLit(ctx, panel, view, palette);
		for (const slab of framed(scene, held)) {
			const box = project(visibleBox(scene, slab, view.k), view);
			const by = box.w > 20 ? 2.5 : 1.5;
			ctx.globalAlpha = slab.alpha;
			ctx.strokeStyle = slab.lit ? palette.touched : palette.accent;
			ctx.lineWidth = box.w > 20 ? 2 : 1.5;
			rounded(ctx, grown(box, by), 4);
			ctx.stroke();
		}
		ctx.globalAlpha = 1;
	}

	#all(scene: Scene, on: Look): void {
		const { view, ratio, screen, damage, held, details } = on;
		const ctx = this.#ctx;
		const isSeen = (r: Rect, around = 4) => {
			if (damage.isAll) return isWithin(r, around, screen);
			const wide = grown(r, around);
			return meet(wide, screen) && damage.touches(wide);
		};
		const { palette, arrays, words } = this.#by;
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		words.draw(ctx, details, ratio, isSeen);
		for (const array of scene.arrays) {
			if (isSeen(project(array, view))) arrays.draw(array, view, screen);
		}
		for (const slab of slabsToInk(scene, on))
			if (!isFolded(slab, view.k)) this.#slab(slab, on, isSeen);
		for (const flying of scene.flying) arrays.fly(flying, view);
		if (held.left) drawLeft(ctx, held.left, view, palette);
		if (held.next) drawNext(ctx, held.next, view, palette);
		if (!held.path) held.ways?.draw(ctx, view, palette);
		for (const object of held.objects) this.#link(scene, object, view);
	}

	/** Marks an object's cell, its place in an array, and draws a line between the two. */
	#link(scene: Scene, object: ObjectId, view: View): void {
		const rects = whereIs(scene, object, view.k).map((r) => project(r, view));
		const { paper, accent } = this.#by.palette;
		const strokes = [
			{ colour: paper, width: 5 },
			{ colour: accent, width: 2.5 },
		];
		for (const { colour, width } of strokes) {
			for (const r of rects) this.#by.cells.ring(r, width, colour);
			this.#line(rects, width * 0.6, colour);
		}
	}

	#line([a, b]: readonly Rect[], width: number, colour: string): void {
		if (!a || !b) return;
		const ctx = this.#ctx;
		ctx.strokeStyle = colour;
		ctx.lineWidth = width;
		ctx.beginPath();
		ctx.moveTo(a.x + a.w / 2, a.y + a.h / 2);
		ctx.lineTo(b.x + b.w / 2, b.y + b.h / 2);
		ctx.stroke();
	}

	/** Draws everything that the raster does not: objects in close view, numbers, rings. */
	#slab(
		slab: SlabBox,
		{ view, screen, held }: Look,
		isSeen: (r: Rect, by: number) => boolean,
	): void {
		const { k } = view;
		const selected = slab.key === held.slab;
		const gap = slab.strip === 0 ? gapOf(slab.w) * k : 0;
		const hasStrip = slab.strip * k >= STRIP_FROM;
		const near = !isFar(slab, k);
		if (!near && !hasStrip && gap < NAME_FROM && !selected && !slab.lit) return;
		const box = project(slab, view);
		if (!isSeen(box, HELD_AROUND)) return;
		const ctx = this.#ctx;
		ctx.globalAlpha = slab.alpha;
		if (near) this.#by.cells.draw(slab, box, view, screen);
		this.#by.cells.touch(slab, view);
		if (hasStrip) this.#strip(slab, box, slab.strip * k);
		else if (slab.strip === 0) this.#name(slab, box, gap);
		ctx.globalAlpha = 1;
	}

	/** Tiles without a strip get their number in the gap above them, once the zoom makes it wide enough. */
	#name(slab: SlabBox, box: Rect, gap: number): void {
		if (gap < NAME_FROM || box.w < 40) return;
		const ctx = this.#ctx;
		ctx.textBaseline = "alphabetic";
		ctx.font = `600 ${Math.min(12, gap * 0.9)}px ${this.#by.palette.sans}`;
		ctx.fillStyle = this.#by.palette.ink;
		ctx.fillText(`#${slab.serial}`, box.x, box.y - gap * 0.2);
	}

	#strip(slab: SlabBox, box: Rect, height: number): void {
		const ctx = this.#ctx;
		const size = Math.min(14, height * 0.72);
		ctx.textBaseline = "middle";
		ctx.font = `600 ${size}px ${this.#by.palette.sans}`;
		ctx.fillStyle = this.#by.palette.ink;
		const name = `#${slab.serial}`;
		ctx.fillText(name, box.x + 1, box.y + height / 2);
		const used = slab.extents ? "" : `${slab.allocated}/${slab.cells.length}`;
		ctx.font = `${size}px ${this.#by.palette.sans}`;
		ctx.fillStyle = this.#by.palette.soft;
		const room = box.w - size * 0.62 * (name.length + used.length + 1);
		if (room > 0) {
			ctx.textAlign = "right";
			ctx.fillText(used, box.x + box.w, box.y + height / 2);
			ctx.textAlign = "left";
		}
	}
}

/** Whether a box and its surroundings reach into the screen; this is asked of every box, so it makes no new one. */
function isWithin({ x, y, w, h }: Rect, around: number, screen: Rect): boolean {
	if (x - around >= screen.w || y - around >= screen.h) return false;
	return x + w + around > 0 && y + h + around > 0;
}

/** Whether nothing but slabs, objects and the selection may differ. */
function stayed(before: Painted, { view, held }: Painted): boolean {
	if (!sameView(before.view, view)) return false;
	return before.held.closeUps === held.closeUps;
}

function markFrames({ scene, held, view }: Painted, damage: Damage): void {
	markLit(scene, view, damage);
	for (const slab of framed(scene, held)) {
		const box = project(visibleBox(scene, slab, view.k), view);
		damage.mark(grown(box, HELD_AROUND));
	}
	for (const box of held.ways?.boxes(view) ?? []) damage.mark(grown(box, AROUND));
}

/** Returns the slabs with a ring: the step's and the selected one. */
function framed(scene: Scene, held: Held): SlabBox[] {
	const { crowd } = scene;
	const lit = crowd ? [crowd.lit()] : scene.slabs.filter((s) => s.lit);
	const selected = slabByKey(scene, held.slab);
	return [...lit, selected?.lit ? undefined : selected].filter((s) => s !== undefined);
}

function markHeld(before: Painted, now: Painted, damage: Damage): void {
	for (const of of ["left", "next"] as const) {
		if (before.held[of] === now.held[of]) continue;
		for (const { held, view } of [before, now])
			for (const r of held[of] ?? []) damage.mark(grown(project(r, view), 2));
	}
	if (sameHeld(before, now)) return;
	for (const { scene, held, view } of [before, now]) {
		for (const object of held.objects) markLink(whereIs(scene, object, view.k), view, damage);
	}
}

/**
 * In a crowd, the slabs that the raster alone cannot show: those with room for letters or names, used by the step, or
 * selected.
 */
function* slabsToInk(scene: Scene, { view, screen, damage, held }: Look): Generator<SlabBox> {
	const { crowd } = scene;
	if (!crowd) {
		yield* scene.slabs;
		return;
	}
	const { k, x, y } = view;
	const window = { x: (screen.x - x) / k, y: (screen.y - y) / k, w: screen.w / k, h: screen.h / k };
	const special = framed(scene, held);
	for (const run of crowd.runs) {
		if (run.grid.size * k < LETTER_FROM || isFolded(run, k)) continue;
		const named =
			run.strip * k >= STRIP_FROM || (run.strip === 0 && gapOf(run.grid.size) * k >= NAME_FROM);
		for (const i of tilesIn(run, window)) {
			if (!named && isFarTile(run, crowd.shape(run, run.first + i), k)) continue;
			if (!damage.touches(grown(project(tileBox(run, i), view), HELD_AROUND))) continue;
			const slab = crowd.box(run, i);
			if (special.every((s) => s.key !== slab.key)) yield slab;
		}
	}
	yield* special;
}

function sameHeld(a: Painted, b: Painted): boolean {
	if (a.held.slab !== b.held.slab || a.held.objects.length !== b.held.objects.length) return false;
	if (a.held.objects.length > 0 && a.scene !== b.scene) return false;
	return a.held.objects.every((object, i) => {
		const other = b.held.objects[i];
		return other !== undefined && objectKey(object) === objectKey(other);
	});
}

/** Marks the box around both ends of an object's line. */
function markLink(ends: readonly Rect[], view: View, damage: Damage): void {
	const rects = ends.map((r) => project(r, view));
	if (rects.length === 0) return;
	const x = Math.min(...rects.map((r) => r.x));
	const y = Math.min(...rects.map((r) => r.y));
	const w = Math.max(...rects.map((r) => r.x + r.w)) - x;
	const h = Math.max(...rects.map((r) => r.y + r.h)) - y;
	damage.mark(grown({ x, y, w, h }, HELD_AROUND));
}
