/** The contents of the stage, for exports that draw it elsewhere. The stage fills this in while it exists. */
import type { Built, Moment } from "../engine/types.ts";
import type { RowCost } from "../scene/draft.ts";
import { layout } from "../scene/layout/layout.ts";
import type { Plan } from "../scene/layout/plan.ts";
import type { Rect, Scene } from "../scene/scene.ts";
import type { Size } from "../ui/hooks.ts";
import type { Held } from "./draw/paint.ts";
import { project, type View } from "./draw/viewport.ts";

export interface Shown {
	readonly scene: Scene;
	readonly plan: Plan;
	readonly view: View;
	readonly size: Size;
	readonly held: Held;
}

export type OnDrawn = (scene: Scene, plan: Plan | undefined, view: View) => void;

/**
 * The functions in `drawn` are called with the content after each frame, for elements that are over the canvas and
 * follow it.
 */
export const stage: {
	shown: () => Shown | undefined;
	readonly drawn: Set<OnDrawn>;
} = { shown: () => undefined, drawn: new Set() };

export function sceneOf(
	plan: Plan,
	built: Pick<Built, "pageBytes">,
	moment: Moment,
	before: Scene,
	costs: readonly RowCost[] = [],
): Scene {
	// It is not the chosen cache if one cache's slabs serve all of them.
	const owner = moment.frame.slabs.cache[0] ?? moment.cache;
	return layout(
		plan,
		{
			cache: moment.caches.find((c) => c.cache === owner),
			frame: moment.frame,
			zones: moment.zones,
			step: moment.steps[moment.position.step - moment.firstStep],
			pageBytes: built.pageBytes,
			costs,
		},
		before,
	);
}

/** Returns the visible part of a box of the scene, in pixels of the stage. */
export function visiblePart({ view, size }: Shown, box: Rect): Rect | undefined {
	const { x, y, w, h } = project(box, view);
	const left = Math.max(0, x);
	const top = Math.max(0, y);
	const right = Math.min(size.width, x + w);
	const bottom = Math.min(size.height, y + h);
	return right > left && bottom > top
		? { x: left, y: top, w: right - left, h: bottom - top }
		: undefined;
}
