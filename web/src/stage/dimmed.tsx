/** Dims the objects that do not pass the filter: on the stage, with a canvas over its own, and in pictures of it. */
import { useEffect, useRef } from "react";
import { facts, store } from "../app/state/store.ts";
import { CELL } from "../engine/place_kinds.ts";
import { tileBox, tilesIn } from "../scene/crowd.ts";
import { cellRects, isFolded } from "../scene/geometry.ts";
import { showsCells } from "../scene/glyph.ts";
import { meet, type Rect, type Scene, type SlabBox } from "../scene/scene.ts";
import { project, type View } from "./draw/viewport.ts";
import { stage } from "./shown.ts";
import css from "./stage.module.css";

/** The objects that pass, by the serial number of their slab. */
export type Passing = ReadonlyMap<number, ReadonlySet<number>>;

/** How much of the paper covers them; .dimmed in stage.module.css has the same share. */
export const DIMMED = 0.72;

export function Dimmed() {
	const canvas = useRef<HTMLCanvasElement>(null);
	useEffect(() => {
		const draw = (scene: Scene, _: unknown, view: View) => {
			if (canvas.current) dim(canvas.current, scene, view);
		};
		const again = () => {
			const shown = stage.shown();
			if (shown) draw(shown.scene, undefined, shown.view);
		};
		const stop = store.subscribe((now, before) => {
			const isNew = (["chosen", "look", "pixelRatio"] as const).some((k) => now[k] !== before[k]);
			if (isNew) again();
		});
		stage.drawn.add(draw);
		again();
		return () => {
			stop();
			stage.drawn.delete(draw);
		};
	}, []);
	return <canvas ref={canvas} className={css.dimmed} />;
}

function dim(canvas: HTMLCanvasElement, scene: Scene, view: View): void {
	const { clientWidth, clientHeight } = canvas;
	const ratio = window.devicePixelRatio;
	canvas.width = Math.round(clientWidth * ratio);
	canvas.height = Math.round(clientHeight * ratio);
	const ctx = canvas.getContext("2d");
	const bySlab = facts().chosen?.bySlab;
	if (!ctx || !bySlab) return;
	ctx.scale(ratio, ratio);
	ctx.fillStyle = getComputedStyle(canvas).color;
	for (const { x, y, w, h } of dimmedOn(scene, view, clientWidth, clientHeight, bySlab))
		ctx.fillRect(x, y, w, h);
}

/** Draws the dimmed parts of a picture of w × h pixels. */
export function* dimmedOn(
	scene: Scene,
	view: View,
	w: number,
	h: number,
	bySlab: Passing,
): Generator<Rect> {
	const { k, x, y } = view;
	const seen = { x: -x / k, y: -y / k, w: w / k, h: h / k };
	for (const rect of dimmedIn(scene, k, seen, bySlab)) yield project(rect, view);
}

/** Dims whole slabs if none of their objects passes, and otherwise single objects, if they are large enough to show. */
function* dimmedIn(scene: Scene, k: number, seen: Rect, bySlab: Passing): Generator<Rect> {
	for (const slab of scene.crowd ? [] : scene.slabs)
		if (meet(slab, seen) && !isFolded(slab, k)) yield* ofSlab(slab, k, bySlab.get(slab.serial));
	for (const run of scene.crowd?.runs ?? []) {
		if (isFolded(run, k)) continue;
		for (const i of tilesIn(run, seen)) {
			const passing = bySlab.get(scene.crowd?.frame.slabs.serial[run.first + i] ?? -1);
			if (!passing) yield tileBox(run, i);
			else if (scene.crowd) yield* ofSlab(scene.crowd.box(run, i), k, passing);
		}
	}
}

function* ofSlab(slab: SlabBox, k: number, passing?: ReadonlySet<number>): Generator<Rect> {
	if (!passing) yield slab;
	else if (showsCells(slab, k))
		for (const [index, state] of slab.cells.entries())
			if (state === CELL.ALLOCATED && !passing.has(index)) yield* cellRects(slab, index);
}
