/** The doors through which commands, links and panels reach the stage. */
import type { Zoom } from "./store.ts";

interface Box {
	readonly x: number;
	readonly y: number;
	readonly w: number;
	readonly h: number;
}

/** What the stage does on a key; the stage fills it in when it is there. */
export const stageKeys = {
	zoom: (_by: number) => {},
	pan: (_x: number, _y: number) => {},
	fit: () => {},
	focus: () => {},
	/** Brings a box of the scene into sight, no nearer than it is. */
	reveal: (_box: Box) => {},
	/** Takes the card away that follows the pointer. */
	hush: () => {},
	/** The keyboard goes to the stage, to walk from thing to thing. */
	walk: () => {},
	/** The CPU at a point of the window, -1 where there is none. */
	cpuAt: (_x: number, _y: number) => -1,
	/** As a link has it; null: all of the stage. */
	look: (zoom: Zoom | null) => {
		stageKeys.asked = zoom;
	},
	/** What was asked for before the stage was there. */
	asked: null as Zoom | null,
};
