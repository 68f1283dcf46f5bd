/**
 * Where the Why card stands: below its place if there is room, else above it and clear of the path's stops and the bar of
 * cycles, else along the far edge of the stage.
 */
import { meet, type Rect } from "../../scene/scene.ts";

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

/** Parts of the stage that the card leaves free, if it can. */
export interface Free {
	/** Where the event's cycles go: given up first. */
	readonly bar?: Rect | undefined;
	/** The steps of the event, on its path. */
	readonly stops?: readonly Rect[];
}

/** A card above its place stands clear of the stops of the path, and above the bar of cycles, not over it. */
export function standAt(
	card: Size,
	stage: Size,
	anchor: Rect | undefined,
	{ bar, stops = [] }: Free = {},
): Stand {
	const room = Math.max(0, stage.h - 2 * MARGIN);
	const h = Math.min(card.h, room);
	const sideways = (left: number) => within(left, MARGIN, stage.w - MARGIN - card.w);
	const middle = anchor ? anchor.x + Math.min(anchor.w / 2, 120) : stage.w / 2;
	const usual = sideways(middle - card.w / 4);
	const at = (top: number, side: Stand["side"], left = usual): Stand => {
		const pointer = within(middle - left, CORNER, card.w - CORNER);
		return { left, top, maxHeight: room, side, pointer };
	};
	if (!anchor) return at(stage.h - MARGIN - h, "none");
	const below = anchor.y + anchor.h + GAP;
	const above = anchor.y - NAME - GAP - h;
	if (below + h <= stage.h - MARGIN) return at(below, "top");
	const isOver = bar !== undefined && above < bar.y + bar.h && above + h > bar.y;
	const clear = isOver ? bar.y - GAP - h : above;
	// To the left or to the right of the usual column, as far as the pointer reaches, or lower over the bar.
	const columns = [usual, sideways(middle - card.w + CORNER), sideways(middle - CORNER)];
	for (const top of [clear, above])
		for (const left of columns) {
			const own = { x: left, y: top, w: card.w, h };
			if (top >= MARGIN && !stops.some((stop) => meet(own, stop))) return at(top, "bottom", left);
		}
	if (clear >= MARGIN) return at(clear, "bottom");
	const isHigh = anchor.y + anchor.h / 2 < stage.h / 2;
	return at(isHigh ? stage.h - MARGIN - h : MARGIN, "none");
}

function within(at: number, least: number, most: number): number {
	return Math.max(least, Math.min(at, most));
}
