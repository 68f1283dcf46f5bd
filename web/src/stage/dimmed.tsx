/** Dims the objects on the stage that do not pass the filter: a canvas over the stage's own, which it follows. */
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
			if (now.chosen !== before.chosen || now.look !== before.look) again();
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
	const { k, x, y } = view;
	const seen = { x: -x / k, y: -y / k, w: clientWidth / k, h: clientHeight / k };
	for (const rect of dimmedIn(scene, k, seen, bySlab)) {
		const r = project(rect, view);
		ctx.fillRect(r.x, r.y, r.w, r.h);
	}
}

/** Whole slabs without an object that passes; in other slabs the objects, where they are large enough to show. */
function* dimmedIn(
	scene: Scene,
	k: number,
	seen: Rect,
	bySlab: ReadonlyMap<number, ReadonlySet<number>>,
): Generator<Rect> {
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
