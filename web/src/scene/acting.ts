/** Where a step acts: for the camera, and for the columns of the map that widen. */
import { NONE } from "../engine/frame.ts";
import type { Step } from "../engine/types.ts";
import type { Rect, Scene } from "./scene.ts";

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
