/** Whether a window of the scene shows anything, or only background; and the thing nearest to it. */
import { type SlabRun, tilesIn } from "./crowd.ts";
import { type Label, meet, type Rect, type Scene } from "./scene.ts";
import { highOf, tileAt } from "./tiles.ts";

/** Pixels. */
const LETTERS_MOST = 20;
/** Width of a letter, as a share of its height. */
const LETTER_SHARE = 0.5;

export function hasAnything(scene: Scene, window: Rect): boolean {
	const { labels, arrays, slabs, panels, crowd } = scene;
	const k = scene.width / window.w;
	if (labels.some((l) => meet(boxOf(l, k), window))) return true;
	if (arrays.some((a) => meet(a, window))) return true;
	if (panels.some((panel) => panel.kind === "zone" && hasEdgeIn(panel, window))) return true;
	if (!crowd) return slabs.some((s) => meet(s, window));
	return crowd.runs.some((run) => tilesIn(run, window).next().done !== true);
}

/** A window within a zone shows one colour. */
function hasEdgeIn(r: Rect, { x, y, w, h }: Rect): boolean {
	const isAround = r.x <= x && r.y <= y && r.x + r.w >= x + w && r.y + r.h >= y + h;
	return meet(r, { x, y, w, h }) && !isAround;
}

/**
 * The box of a slab, an array or a zone nearest to the middle of a window. Names keep their size on the screen, so
 * they do not count from near.
 */
export function nearestThing({ arrays, slabs, panels, crowd }: Scene, window: Rect) {
	const x = window.x + window.w / 2;
	const y = window.y + window.h / 2;
	let best: Rect | undefined;
	let least = Number.POSITIVE_INFINITY;
	const offer = (r: Rect) => {
		const away = Math.hypot(x - within(x, r.x, r.w), y - within(y, r.y, r.h));
		if (away >= least) return;
		best = r;
		least = away;
	};
	for (const array of arrays) offer(array);
	for (const panel of panels) if (panel.kind === "zone") offer(panel);
	if (crowd) for (const run of crowd.runs) offer(nearestTile(run, x, y));
	else for (const slab of slabs) offer(slab);
	return best;
}

function nearestTile({ area, grid, skip, count }: SlabRun, x: number, y: number): Rect {
	const pitch = grid.size + grid.gap;
	const column = within(Math.floor((x - area.x) / pitch), 0, grid.columns - 1);
	const rows = Math.ceil((skip + count) / grid.columns);
	const row = within(Math.floor((y - area.y) / (highOf(grid) + grid.gap)), 0, rows - 1);
	return tileAt(area, grid, within(row * grid.columns + column, skip, count - 1));
}

/** The number nearest to `at` from `from` to `from + size`. */
function within(at: number, from: number, size: number): number {
	return Math.min(from + Math.max(0, size), Math.max(from, at));
}

/** The box of a label's text, which may leave most of its room empty; its letters do not grow beyond a size. */
function boxOf({ x, y, w, size, text }: Label, k: number): Rect {
	const high = Math.min(size, LETTERS_MOST / k);
	return { x, y: y - high, w: Math.min(w, text.length * high * LETTER_SHARE), h: high };
}
