/**
 * Between two scenes. What both have slides; what only the later one has arrives from its home in the page
 * allocator; what only the earlier one had leaves for it. tween(a, b, 0) is a, tween(a, b, 1) is b.
 */
import type { Rect, Scene, SlabBox } from "./scene.ts";

export function tween(a: Scene, b: Scene, t: number): Scene {
	if (t <= 0) return a;
	if (t >= 1) return b;
	const before = new Map(a.slabs.map((s) => [s.key, s]));
	const slabs: SlabBox[] = [];
	const moving: SlabBox[] = [];
	for (const slab of b.slabs) {
		const old = before.get(slab.key);
		before.delete(slab.key);
		if (!old) moving.push({ ...slab, ...mix(slab.home, slab, t), alpha: t });
		else if (same(old, slab)) slabs.push(slab);
		else moving.push({ ...slab, ...mix(old, slab, t), alpha: 1 });
	}
	const leaving = [...before.values()].map((s) => ({ ...s, ...mix(s, s.home, t), alpha: 1 - t }));
	return { ...b, slabs: [...leaving, ...slabs, ...moving] };
}

/** Slow at both ends, so that an object is seen to leave and to arrive. */
export function ease(t: number): number {
	const x = Math.min(1, Math.max(0, t));
	return x < 0.5 ? 4 * x * x * x : 1 - (-2 * x + 2) ** 3 / 2;
}

/** Whether anything would be seen to move between the two. */
export function moves(a: Scene, b: Scene): boolean {
	if (a.slabs.length !== b.slabs.length) return true;
	const before = new Map(a.slabs.map((s) => [s.key, s]));
	return b.slabs.some((s) => {
		const old = before.get(s.key);
		return !old || !same(old, s);
	});
}

function same(a: Rect, b: Rect): boolean {
	return a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;
}

function mix(a: Rect, b: Rect, t: number): Rect {
	return {
		x: a.x + (b.x - a.x) * t,
		y: a.y + (b.y - a.y) * t,
		w: a.w + (b.w - a.w) * t,
		h: a.h + (b.h - a.h) * t,
	};
}
