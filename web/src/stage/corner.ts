/** In which corner of the stage the inspector stands, so that it never covers the CPU that acts. */
import type { Rect } from "../scene/scene.ts";

/** In the order in which they are chosen. */
export const CORNERS = ["bottom-right", "bottom-left", "top-right", "top-left"] as const;
export type Corner = (typeof CORNERS)[number];

export interface Stand {
	readonly corner: Corner;
	/** Pixels; what is longer scrolls. */
	readonly maxHeight: number;
}

interface Size {
	readonly w: number;
	readonly h: number;
}

/** From the stage's edges, in pixels. */
const MARGIN = 16;
/** A card that is lower shows nothing. */
const LEAST_HEIGHT = 64;

/**
 * `card`: as large as it would like to be. `now`: where it stands, which it leaves only for a reason. Where no corner
 * has room for all of it, it is made lower; where not even that helps, it covers the least that it can.
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

/** Square pixels that two boxes share. */
function covered(a: Rect, b: Rect): number {
	const across = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
	const down = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
	return across > 0 && down > 0 ? across * down : 0;
}
