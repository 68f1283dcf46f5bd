/** Chooses the corner of the stage for the inspector, so that it never covers the CPU that acts. */
import type { Rect } from "../scene/scene.ts";

/** In order of preference. */
export const CORNERS = ["bottom-right", "bottom-left", "top-right", "top-left"] as const;
export type Corner = (typeof CORNERS)[number];

export interface Stand {
	readonly corner: Corner;
	/** In pixels; longer cards scroll. */
	readonly maxHeight: number;
}

interface Size {
	readonly w: number;
	readonly h: number;
}

/** From the stage's edges, in pixels. */
const MARGIN = 16;
/** A lower card shows nothing. */
const LEAST_HEIGHT = 64;

/**
 * `card`: its natural size. `now`: its present corner, which it leaves only for a reason. If no corner has room for
 * all of it, it is made lower; if that does not help either, it covers as little as possible.
 */
export function standFor(card: Size, stage: Size, acting: Rect | undefined, now: Corner): Stand {
	const room = Math.max(LEAST_HEIGHT, stage.h - 2 * MARGIN);
	const h = Math.min(card.h, room);
	const order = [now, ...CORNERS.filter((c) => c !== now)];
	const standing = (corner: Corner, height: number) =>
		cardAt(corner, { w: card.w, h: height }, stage);
	const free = order.find((c) => !acting || covered(standing(c, h), acting) === 0);
	if (free || !acting) return { corner: free ?? now, maxHeight: room };
	const heights = order.map((corner) => {
		const isTop = corner.startsWith("top");
		const beside = covered(standing(corner, room), { ...acting, y: 0, h: stage.h }) === 0;
		if (beside) return { corner, maxHeight: room };
		const gap = isTop ? acting.y : stage.h - acting.y - acting.h;
		return { corner, maxHeight: Math.floor(gap - MARGIN) };
	});
	const highest = heights.reduce((a, b) => (b.maxHeight > a.maxHeight ? b : a));
	if (highest.maxHeight >= LEAST_HEIGHT)
		return { ...highest, maxHeight: Math.min(room, highest.maxHeight) };
	const least = order.reduce((a, b) =>
		covered(standing(b, LEAST_HEIGHT), acting) < covered(standing(a, LEAST_HEIGHT), acting) ? b : a,
	);
	return { corner: least, maxHeight: LEAST_HEIGHT };
}

function cardAt(corner: Corner, { w, h }: Size, stage: Size): Rect {
	const x = corner.endsWith("right") ? stage.w - MARGIN - w : MARGIN;
	const y = corner.startsWith("top") ? MARGIN : stage.h - MARGIN - h;
	return { x, y, w, h };
}

/** The overlap of two boxes, in square pixels. */
function covered(a: Rect, b: Rect): number {
	const across = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
	const down = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
	return across > 0 && down > 0 ? across * down : 0;
}
