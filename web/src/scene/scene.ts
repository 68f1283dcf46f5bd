/**
 * A scene is everything the stage draws, as boxes with stable keys in a plane where one unit is one CSS pixel
 * at zoom 1. Scenes are values: layout makes them, tween mixes two of them, paint draws one.
 */

import type { Frame } from "../engine/frame.ts";
import type { Crowd } from "./crowd.ts";

export interface Rect {
	readonly x: number;
	readonly y: number;
	readonly w: number;
	readonly h: number;
}

/** Cells of their own size: where each begins in the slab, and its length, in bytes. */
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
	/** Where cells differ in size: they lie in lines of bytes, and columns has no meaning. */
	readonly extents: Extents | undefined;
	readonly allocated: number;
	/** All its objects are allocated. */
	readonly full: boolean;
	readonly columns: number;
	readonly rows: number;
	/** Height of the strip above the cells that bears the serial number; 0 where there is no room. */
	readonly strip: number;
	/** Share of the slab's bytes before its first object, drawn hatched at the top. */
	readonly start: number;
	/** Share of the slab's bytes that no object uses, drawn hatched at the bottom. */
	readonly tail: number;
	/** Where the slab's pages come from and go back to: arrivals start there, departures end there. */
	readonly home: Rect;
	readonly lit: boolean;
	/** Index of the object just touched, -1 for none. */
	readonly touched: number;
	readonly alpha: number;
}

/** An object, wherever it is: `obj:cache/serial/index`. */
export interface ObjectRef {
	readonly cache: number;
	readonly serial: number;
	readonly index: number;
}

/** Objects kept one by one, oldest first, drawn from the bottom up: the top one is taken next. */
export interface ArrayBox extends Rect {
	readonly key: string;
	readonly name: string;
	/** What its objects are in their slabs, enum kmem_cell. */
	readonly state: number;
	/** 0: as many as there are. */
	readonly limit: number;
	readonly columns: number;
	readonly rows: number;
	readonly count: number;
	readonly caches: Uint16Array;
	readonly serials: Uint32Array;
	readonly indices: Uint16Array;
	/** Used since it was last looked at by the reaper or by an expiry. */
	readonly touched: boolean;
	readonly lit: boolean;
	/** Positions that are empty as yet: their objects are on the way. */
	readonly awaited: ReadonlySet<number>;
}

/** An object on its way from one place to another. */
export interface FlyingBox extends Rect {
	readonly key: string;
	readonly state: number;
}

export type PanelKind = "cpu" | "slot" | "list" | "zone";

/** An area that holds slabs. */
export interface Panel extends Rect {
	readonly key: string;
	readonly kind: PanelKind;
	/** At work in the current step. */
	readonly lit: boolean;
	/** Zones: share of the pages in use, 0 elsewhere. */
	readonly fill: number;
}

export interface Label {
	readonly key: string;
	readonly x: number;
	readonly y: number;
	/** Room for the text. */
	readonly w: number;
	readonly text: string;
	/** Instead of the text where that has no room. */
	readonly short?: string;
	/** The short text has no details behind it: it could be taken for one of them. */
	readonly shortAlone?: boolean;
	/** What may stand behind it, longest first; the first that fits is drawn. */
	readonly details: readonly string[];
	readonly size: number;
	readonly strong: boolean;
	readonly lit: boolean;
	/** What it stands on. */
	readonly on: "ground" | "paper";
}

/** A threshold drawn over a list: a bracket as wide as the slabs that it is about. */
export interface Mark extends Rect {
	readonly key: string;
}

export interface Scene {
	readonly width: number;
	readonly height: number;
	readonly panels: readonly Panel[];
	/** Of a crowd they are all made when somebody asks for them. */
	readonly slabs: readonly SlabBox[];
	/** Where the slabs are very many: they are drawn and found by this. */
	readonly crowd: Crowd | undefined;
	readonly arrays: readonly ArrayBox[];
	readonly flying: readonly FlyingBox[];
	readonly labels: readonly Label[];
	readonly marks: readonly Mark[];
	/** Side of the smallest cell: how near one may want to look. */
	readonly finest: number;
	/** What it was made from: the next one takes over what looks alike. */
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
	flying: [],
	labels: [],
	marks: [],
	finest: Number.POSITIVE_INFINITY,
	origin: undefined,
};

export function objectKey({ cache, serial, index }: ObjectRef): string {
	return `obj:${cache}/${serial}/${index}`;
}

export function inset(r: Rect, by: number): Rect {
	return { x: r.x + by, y: r.y + by, w: Math.max(0, r.w - 2 * by), h: Math.max(0, r.h - 2 * by) };
}
