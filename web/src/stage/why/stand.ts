/**
 * Where the Why card stands: below its place if there is room, else above it and clear of the bar of cycles, else along
 * the far edge of the stage.
 */
import type { Rect } from "../../scene/scene.ts";

export interface Stand {
	readonly left: number;
	readonly top: number;
	readonly maxHeight: number;
	/** The edge with the pointer to the place; "none" if the card covers it or there is none. */
	readonly side: "top" | "bottom" | "none";
	/** The pointer's middle, from the card's left edge. */
	readonly pointer: number;
}

interface Size {
	readonly w: number;
	readonly h: number;
}

/** From the stage's edges, in pixels. */
const MARGIN = 8;
/** Between the place and the card: the pointer. */
const GAP = 12;
/** Above a place stands its name. */
const NAME = 18;
/** The pointer keeps this distance from the card's corners. */
const CORNER = 24;

/** `bar`: where the event's cycles go. A card above its place stands above the bar too, not over it. */
export function standAt(card: Size, stage: Size, anchor: Rect | undefined, bar?: Rect): Stand {
	const room = Math.max(0, stage.h - 2 * MARGIN);
	const h = Math.min(card.h, room);
	const middle = anchor ? anchor.x + Math.min(anchor.w / 2, 120) : stage.w / 2;
	const left = within(middle - card.w / 4, MARGIN, stage.w - MARGIN - card.w);
	const pointer = within(middle - left, CORNER, card.w - CORNER);
	const at = (top: number, side: Stand["side"]): Stand => ({
		left,
		top,
		maxHeight: room,
		side,
		pointer,
	});
	if (!anchor) return at(stage.h - MARGIN - h, "none");
	const below = anchor.y + anchor.h + GAP;
	const above = anchor.y - NAME - GAP - h;
	if (below + h <= stage.h - MARGIN) return at(below, "top");
	const isOver = bar !== undefined && above < bar.y + bar.h && above + h > bar.y;
	const clear = isOver ? bar.y - GAP - h : above;
	if (clear >= MARGIN) return at(clear, "bottom");
	const isHigh = anchor.y + anchor.h / 2 < stage.h / 2;
	return at(isHigh ? stage.h - MARGIN - h : MARGIN, "none");
}

function within(at: number, least: number, most: number): number {
	return Math.max(least, Math.min(at, most));
}
