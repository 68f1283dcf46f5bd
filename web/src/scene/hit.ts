/** The thing under a point of the scene, and the place, CPU or node that a point asks about. */

import { type Frame, NONE, type Place } from "../engine/frame.ts";
import type { WhyOf } from "../engine/subject.ts";
import type { ObjectId } from "../engine/types.ts";
import { barAt, cellAt, entryAt, histogramsAt, objectArea } from "./geometry.ts";
import { showsCells } from "./glyph.ts";
import type {
	ArrayBox,
	Bar,
	Histogram,
	Label,
	Panel,
	PanelKind,
	Rect,
	Scene,
	SlabBox,
} from "./scene.ts";

export interface Hit {
	readonly slab: SlabBox | undefined;
	readonly array: ArrayBox | undefined;
	/** The object at the point, if there is one. */
	readonly object: ObjectId | undefined;
	/**
	 * The innermost CPU, list, zone or node around the point. Its key names it: `cpu:CPU`, `list:NODE/KIND` (with
	 * `/BYTES` for a list by size), `zone:NODE/KIND`, `node:NODE`.
	 */
	readonly panel: Panel | undefined;
	/** The bar of a histogram. */
	readonly bar?: BarHit;
}

export interface BarHit {
	readonly of: Histogram;
	readonly bar: Bar;
}

/** Panels that a hit returns; slots belong to their CPU. */
const NAMED: ReadonlySet<PanelKind> = new Set(["cpu", "list", "zone", "node"]);

/** Pixels that a cell needs to be distinguished from its neighbours. */
const TOLD_APART = 4;

/** `k`: the zoom. If objects are too small to distinguish, or a glyph represents them, only the slab is hit. */
export function hitTest(
	scene: Scene,
	x: number,
	y: number,
	k = Number.POSITIVE_INFINITY,
): Hit | undefined {
	const panel = panelAt(scene, x, y);
	for (const of of histogramsAt(scene, k)) {
		const bar = barAt(of, x, y);
		if (bar)
			return { slab: undefined, array: undefined, object: undefined, panel, bar: { of, bar } };
		if (isIn(of, x, y)) return panel && panelAlone(panel);
	}
	const slab = scene.crowd ? scene.crowd.at(x, y) : scene.slabs.findLast((s) => isIn(s, x, y));
	if (slab && panel && isSquare(panel) && !showsCells(slab, k)) return panelAlone(panel);
	if (slab) {
		const shows = showsCells(slab, k) && isApart(slab, TOLD_APART / k);
		const index = shows ? cellAt(slab, x, y) : -1;
		const object = index < 0 ? undefined : { cache: slab.cache, serial: slab.serial, index };
		return { slab, array: undefined, object, panel };
	}
	const array = scene.arrays.find((a) => isIn(a, x, y));
	if (!array) return panel && panelAlone(panel);
	const position = entryAt(array, x, y);
	const object = position < 0 ? undefined : objectIn(array, position);
	return { slab: undefined, array, object, panel };
}

/** Handles a CPU drawn as a square: from afar, its slab shows as how full the square is. */
export function isSquare({ kind, isIdle }: Panel): boolean {
	return kind === "cpu" && isIdle !== undefined;
}

/** Panels come in the order in which they are drawn: the innermost is the last. */
function panelAt({ panels }: Scene, x: number, y: number): Panel | undefined {
	return panels.findLast((panel) => NAMED.has(panel.kind) && isIn(panel, x, y));
}

/** Returns the same object for the same panel, so that a pointer that moves inside it changes nothing. */
const ALONE = new WeakMap<Panel, Hit>();

function panelAlone(panel: Panel): Hit {
	const known = ALONE.get(panel);
	if (known) return known;
	const hit = { slab: undefined, array: undefined, object: undefined, panel };
	ALONE.set(panel, hit);
	return hit;
}

/** Blocks of different sizes are as high as their line, so the line's height decides whether one can be hit. */
function isApart(slab: SlabBox, least: number): boolean {
	const { w, h } = objectArea(slab);
	const across = slab.extents ? w : w / slab.columns;
	return across >= least && h / slab.rows >= least;
}

export function objectIn(array: ArrayBox, position: number): ObjectId {
	return {
		cache: array.caches[position] ?? 0,
		serial: array.serials[position] ?? 0,
		index: array.indices[position] ?? 0,
	};
}

/** Returns the same object while the pointer is over the same thing. */
export function hitKey(hit: Hit | undefined): string {
	const { serial, index } = hit?.object ?? { serial: -1, index: -1 };
	if (!hit) return "";
	return `${hit.slab?.key} ${hit.array?.key} ${serial}.${index} ${hit.panel?.key} ${hit.bar?.bar.from}`;
}

export function isIn(r: Rect, x: number, y: number): boolean {
	return x >= r.x && y >= r.y && x < r.x + r.w && y < r.y + r.h;
}

/** Keys of labels, arrays and panels: `list:1/2`, `cpu:4`, `box:1/9/0`. */
const KEY = /^([a-z]+):(\d+)(?:\/(\d+))?(?:\/(\d+))?$/;

/** Returns undefined if nothing there can be explained. */
export function whyOf(
	{ labels }: Scene,
	hit: Hit | undefined,
	x: number,
	y: number,
	{ places }: Frame,
): WhyOf | undefined {
	const label =
		labels.find((l) => isIn(boxOf(l), x, y)) ?? labels.find((l) => isIn(boxOf(l, TARGET), x, y));
	for (const key of [label?.key, hit?.array?.key, hit?.panel?.key]) {
		const of = key === undefined ? undefined : ofKey(key, places);
		if (of) return of;
	}
	return undefined;
}

/** The height of the target around a label. */
const TARGET = 24;

/** A label's y is its baseline. */
function boxOf({ x, y, w, size }: Label, h = size * 1.3) {
	return { x, y: y - size * 0.35 - h / 2, w, h };
}

/** Matches the key of a CPU's array or queue, or of the words over its sheaf. */
const OF_CPU = /^(?:array:cpu\/|sheaf:)(\d+)\/(\d+)$/;

function ofKey(key: string, places: readonly Place[]): WhyOf | undefined {
	const [, cpu, kind] = OF_CPU.exec(key)?.map(Number) ?? [];
	if (cpu !== undefined && kind !== undefined) return { kind, cpu, node: NONE };
	const [, word = "", first = "", second = "", third] = KEY.exec(key) ?? [];
	const owner = Number(first);
	switch (word) {
		case "cpu":
			return { kind: "cpu", cpu: owner };
		case "node":
			return { kind: "node", node: owner };
		case "pages":
		case "zone":
			return { kind: "pages", node: owner };
		case "list":
			return { kind: Number(second), cpu: NONE, node: owner, bytes: Number(third ?? 0) };
		case "arrays":
			return { kind: Number(second), cpu: NONE, node: owner };
		case "array":
		case "box":
			return ofNode(places, owner, Number(second))[Number(third)];
		default:
			return undefined;
	}
}

function ofNode(places: readonly Place[], node: number, kind: number): Place[] {
	return places.filter((p) => p.node === node && p.cpu === NONE && p.kind === kind);
}
