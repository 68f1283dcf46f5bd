/** What is on the stage now, for who draws it elsewhere: exports. The stage fills it in while it is there. */
import type { Built, Moment } from "../engine/types.ts";
import { layout } from "../scene/layout/layout.ts";
import type { Plan } from "../scene/layout/plan.ts";
import type { Scene } from "../scene/scene.ts";
import type { Size } from "../ui/use_size.ts";
import type { Held } from "./draw/paint.ts";
import type { View } from "./draw/viewport.ts";

export interface Shown {
	readonly scene: Scene;
	readonly plan: Plan;
	readonly view: View;
	readonly size: Size;
	readonly held: Held;
}

/** `drawn` is called with what each frame drew, for what lies over the canvas and follows it. */
export const stage: {
	shown: () => Shown | undefined;
	drawn: (scene: Scene, plan: Plan | undefined, view: View) => void;
} = { shown: () => undefined, drawn: () => {} };

/** The cache that the slabs on the stage belong to: another one where slabs serve all caches. */
function ownerOf({ frame, cache }: Moment): number {
	return frame.slabs.cache[0] ?? cache;
}

export function sceneOf(plan: Plan, built: Built, moment: Moment, before: Scene): Scene {
	const owner = ownerOf(moment);
	return layout(
		plan,
		{
			cache: moment.caches.find((c) => c.cache === owner),
			frame: moment.frame,
			zones: moment.zones,
			step: moment.steps[moment.position.step - moment.firstStep],
			pageBytes: built.pageBytes,
		},
		before,
	);
}
