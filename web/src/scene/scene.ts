/**
 * A scene is everything that the stage draws, as boxes with stable keys in a plane where one unit is one CSS pixel at
 * zoom 1. Scenes are values: layout makes them, tween blends two of them, paint draws one.
 */

import type { Frame } from "../engine/frame.ts";
import type { ObjectId } from "../engine/types.ts";
import type { Crowd } from "./crowd.ts";
import type { Glyph } from "./glyph.ts";

export interface Rect {
	readonly x: number;
	readonly y: number;
	readonly w: number;
	readonly h: number;
}

/** Cells with different sizes: where each starts in the slab, and its length, in bytes. */
export interface Extents {
	readonly offset: Uint32Array;
	readonly bytes: Uint32Array;
	/** Bytes of the slab. */
	readonly total: number;
}

/** One slab. Keys are `slab:cache/serial`, so a slab is followed from place to place. */
export interface SlabBox extends Rect {
	readonly key: string;
	readonly serial: number;
	readonly cache: number;
	/** One byte per object, enum kmem_cell. */
	readonly cells: Uint8Array;
	/** For cells of different sizes: they are laid out in lines of bytes, and columns has no meaning. */
	readonly extents: Extents | undefined;
	readonly allocated: number;
	/** Whether all its objects are allocated. */
	readonly full: boolean;
	readonly columns: number;
	readonly rows: number;
	/** Height of the strip with the serial number above the cells; 0 if there is no room for it. */
	readonly strip: number;
	/** Share of the slab's bytes before its first object, drawn hatched at the top. */
	readonly start: number;
	/** Share of the slab's bytes after its last object (tail waste), drawn hatched at the bottom. */
	readonly tail: number;
	/** The zone that the slab's pages come from: arrivals start there, departures end there. */
	readonly home: Rect;
	readonly lit: boolean;
	/** Index of the object just touched, -1 for none. */
	readonly touched: number;
	readonly alpha: number;
	/** Set for a slab of a list that is a histogram from afar. */
	readonly fold: Fold | undefined;
}

/** A list that is a histogram from afar: all its slabs refer to it. */
export interface Fold {
	/** The list's key, the same as its panel's. */
	readonly key: string;
	/** The zoom from which its slabs show one by one. */
	readonly unfoldsAt: number;
	/** Whether all its slabs are full: one bar counts them. */
	readonly isFull: boolean;
}

/** The slabs of a list that have a given number of free objects. */
export interface Bar extends Rect {
	/** Free objects, or per cent: the least and the most. */
	readonly from: number;
	readonly to: number;
	readonly nrSlabs: number;
	/** How many of them have objects that a warm start inferred. */
	readonly inferred: number;
	readonly glyph: Glyph;
	/** The first of its slabs, from the head. */
	readonly serial: number;
	readonly cache: number;
}

/** A list of very many slabs, by their free objects. */
export interface Histogram extends Rect, Fold {
	readonly name: string;
	readonly nrSlabs: number;
	readonly unit: "objects" | "percent";
	/** Free objects of an empty slab, or 100 per cent. */
	readonly most: number;
	readonly bars: readonly Bar[];
}

/** Sheaves side by side, each a stack of objects. */
export interface Stacks {
	/** How many fit here. */
	readonly room: number;
	/** How many there are; the others are absent. */
	readonly present: number;
	/** Whether there is a limit, so that absent ones have a place. */
	readonly isLimited: boolean;
	/** Objects that one has room for. */
	readonly capacity: number;
}

/** Objects kept one by one, oldest first, drawn from the bottom up: the top one is taken next. */
export interface ArrayBox extends Rect {
	readonly key: string;
	readonly name: string;
	/** The state of its objects in their slabs, enum kmem_cell. */
	readonly state: number;
	/** 0 means no limit. */
	readonly limit: number;
	/** Set if the objects are in sheaves; columns and rows then describe one sheaf. */
	readonly stacks: Stacks | undefined;
	readonly columns: number;
	readonly rows: number;
	readonly count: number;
	readonly caches: Uint16Array;
	readonly serials: Uint32Array;
	readonly indices: Uint16Array;
	/** Whether it was used since the last reap or expiry. */
	readonly touched: boolean;
	readonly lit: boolean;
	/** Indices that are still empty, because their objects are on the way. */
	readonly awaited: ReadonlySet<number>;
}

/** An object on its way from one place to another. */
export interface FlyingBox extends Rect {
	readonly key: string;
	readonly state: number;
}

export type PanelKind = "row" | "share" | "node" | "cpu" | "slot" | "list" | "zone";

/** An area that holds slabs. */
export interface Panel extends Rect {
	readonly key: string;
	readonly kind: PanelKind;
	/** Whether the current step uses it. */
	readonly lit: boolean;
	/**
	 * For zones, the share of their pages in use; for rows, their depth; for shares, the share of all events; 0
	 * otherwise.
	 */
	readonly fill: number;
	/** Whether a CPU drawn as a square holds nothing, so that it is only ground. Undefined for cards. */
	readonly isIdle?: boolean | undefined;
}

export interface Label {
	readonly key: string;
	readonly x: number;
	readonly y: number;
	/** Room for the text. */
	readonly w: number;
	/** "" if the details alone say it. */
	readonly text: string;
	/** Shown instead of the text if that does not fit. */
	readonly short?: string;
	/** The short text has no details after it, because it could be mistaken for one of them. */
	readonly shortAlone?: boolean;
	/** Details that may follow the text, longest first; the first that fits is drawn. */
	readonly details: readonly string[];
	readonly size: number;
	readonly strong: boolean;
	readonly lit: boolean;
	/** The surface that it is drawn on. */
	readonly on: "row" | "paper";
}

/** A threshold drawn over a list: a bracket as wide as the slabs that it concerns. */
export interface Mark extends Rect {
	readonly key: string;
}

export interface Scene {
	readonly width: number;
	readonly height: number;
	readonly panels: readonly Panel[];
	/** For a crowd, they are all made on request. */
	readonly slabs: readonly SlabBox[];
	/** For very many slabs: draws and finds them. */
	readonly crowd: Crowd | undefined;
	readonly arrays: readonly ArrayBox[];
	/** From afar they represent the slabs of their lists. */
	readonly histograms: readonly Histogram[];
	readonly flying: readonly FlyingBox[];
	readonly labels: readonly Label[];
	readonly marks: readonly Mark[];
	/** Side of the smallest cell, which limits the zoom. */
	readonly finest: number;
	/** The inputs of this scene: the next scene reuses boxes that look the same. */
	readonly origin: Origin | undefined;
}

export interface Origin {
	readonly plan: unknown;
	readonly frame: Frame;
	readonly pageBytes: number;
	readonly slabBytes: number;
}

export const EMPTY_SCENE: Scene = {
	width: 0,
	height: 0,
	panels: [],
	slabs: [],
	crowd: undefined,
	arrays: [],
	histograms: [],
	flying: [],
	labels: [],
	marks: [],
	finest: Number.POSITIVE_INFINITY,
	origin: undefined,
};

/** The same key wherever the object is. */
export function objectKey({ cache, serial, index }: ObjectId): string {
	return `obj:${cache}/${serial}/${index}`;
}

export function inset(r: Rect, by: number): Rect {
	return { x: r.x + by, y: r.y + by, w: Math.max(0, r.w - 2 * by), h: Math.max(0, r.h - 2 * by) };
}

export function grown(r: Rect, by: number): Rect {
	return inset(r, -by);
}

export function sameRect(a: Rect, b: Rect): boolean {
	return a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;
}

/** Whether two boxes overlap. */
export function meet(a: Rect, b: Rect): boolean {
	return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
