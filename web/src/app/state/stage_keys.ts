/** The functions through which commands, links and panels reach the stage. */
import type { Rect } from "../../scene/scene.ts";
import type { Zoom } from "./store.ts";

/** The stage's actions for keys; the stage fills them in when it exists. */
export const stageKeys = {
	zoom: (_by: number) => {},
	pan: (_x: number, _y: number) => {},
	fit: () => {},
	focus: () => {},
	/** Moves a box of the scene into view; zooms in only as far as needed for it to show. */
	reveal: (_box: Rect, _least?: number) => {},
	/** Hides the card that follows the pointer. */
	hush: () => {},
	/** Moves the keyboard focus to the stage, to walk through it. */
	walk: () => {},
	/** Returns the CPU at a point of the window, -1 if there is none. */
	cpuAt: (_x: number, _y: number) => -1,
	/**
	 * Handles a press on a CPU where there is nothing to select; the playground allocates there. Returns
	 * whether it did anything.
	 */
	pressCpu: (_cpu: number) => false,
	/** The zoom as a link stores it; null: the whole stage. */
	look: (zoom: Zoom | null) => {
		stageKeys.asked = zoom;
	},
	/** A request that came before the stage existed. */
	asked: null as Zoom | null,
};
