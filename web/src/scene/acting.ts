/** Where a step acts: for the camera, and for the columns of the map that widen. */
import { NONE } from "../engine/frame.ts";
import type { Step } from "../engine/types.ts";
import type { Rect, Scene } from "./scene.ts";

/** Share of the stage's width or height for the acting places: at least 60 % is promised, the rest is a margin. */
const CLOSE_SHARE = 0.8;

/** The zoom at which a box fills most of the stage in one direction and all of it shows. */
export function closeZoom(box: Rect, { width, height }: Pick<Scene, "width" | "height">): number {
	const fits = Math.min(width / Math.max(1, box.w), height / Math.max(1, box.h));
	return Math.max(1, CLOSE_SHARE * fits);
}

/** The nodes that an event's steps concern, in order. */
export function actingNodes(
	steps: readonly Pick<Step, "cpu" | "node">[],
	nodeOfCpu: readonly number[],
): number[] {
	const nodes = new Set<number>();
	for (const { cpu, node } of steps) {
		for (const n of [node, nodeOfCpu[cpu] ?? NONE]) if (n !== NONE) nodes.add(n);
	}
	return [...nodes].sort((a, b) => a - b);
}

/** The box around everything that the step uses, and around where things were before; undefined for nothing. */
export function actingBox(scene: Scene, before: readonly Rect[]): Rect | undefined {
	const lit = scene.crowd?.lit();
	const rects: Rect[] = [
		...scene.panels.filter((p) => p.lit && p.kind !== "node"),
		...scene.arrays.filter((a) => a.lit),
		...(scene.crowd ? [] : scene.slabs.filter((s) => s.lit)),
		...(lit ? [lit] : []),
		...before,
	];
	if (rects.length === 0) return undefined;
	const x = Math.min(...rects.map((r) => r.x));
	const y = Math.min(...rects.map((r) => r.y));
	const w = Math.max(...rects.map((r) => r.x + r.w)) - x;
	return { x, y, w, h: Math.max(...rects.map((r) => r.y + r.h)) - y };
}
