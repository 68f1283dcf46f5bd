/**
 * What differs between two scenes, as marks in a Damage. A box that is the same value is unchanged; one that was
 * made anew but looks alike is compared field by field. Rather too much is marked than too little.
 */
import type { ArrayBox, Label, Panel, Rect, Scene, SlabBox } from "../scene/scene.ts";
import type { Damage } from "./damage.ts";
import { project, type View } from "./view.ts";

/** Frames, rings and numbers reach so far over the box that they belong to. */
export const AROUND = 5;
export const NUMBERS = 15;

/** Cards, zones, thresholds, words; `sameWords` says of two labels whether what has room of them is the same. */
export function markGround(
	before: Scene,
	after: Scene,
	view: View,
	damage: Damage,
	sameWords: (a: Label, b: Label) => boolean,
): void {
	const around = (r: Rect) => damage.mark(grown(project(r, view), AROUND));
	differing(before.panels, after.panels, samePanel, around);
	differing(before.marks, after.marks, sameRect, around);
	const same = (a: Label, b: Label) => sameLabel(a, b) && sameWords(a, b);
	differing(before.labels, after.labels, same, (l) => damage.mark(labelBounds(l, view)));
}

/** Slabs, arrays, and objects on their way. */
export function markMoves(before: Scene, after: Scene, view: View, damage: Damage): void {
	const around = (r: Rect, by = AROUND) => {
		if (!damage.isAll) damage.mark(grown(project(r, view), by));
	};
	differing(before.arrays, after.arrays, sameArray, (a) => around(a));
	if (before.slabs !== after.slabs)
		differing(before.slabs, after.slabs, sameSlab, (s) => around(s, NUMBERS));
	for (const f of [...before.flying, ...after.flying]) around(f);
}

export function grown(r: Rect, by: number): Rect {
	return { x: r.x - by, y: r.y - by, w: r.w + 2 * by, h: r.h + 2 * by };
}

/** Letters do not grow for ever, so a label's room is bounded by its text as well. */
export function labelBounds(label: Label, view: View): Rect {
	const size = Math.min(20, label.size * view.k) * 1.4;
	const x = label.x * view.k + view.x;
	const y = label.y * view.k + view.y;
	return { x: x - 1, y: y - size, w: label.w * view.k + 2, h: size * 1.4 };
}

/** Walks two lists that are mostly alike; one that is longer by a box here and there keeps in step. */
function differing<T>(
	before: readonly T[],
	after: readonly T[],
	same: (a: T, b: T) => boolean,
	tell: (box: T) => void,
): void {
	const alike = (i: number, k: number) => {
		const [a, b] = [before[i], after[k]];
		return a !== undefined && b !== undefined && (a === b || same(a, b));
	};
	let i = 0;
	let k = 0;
	while (i < before.length || k < after.length) {
		if (alike(i, k)) {
			i++;
			k++;
			continue;
		}
		const isGone = alike(i + 1, k);
		const isNew = !isGone && alike(i, k + 1);
		const [gone, fresh] = [before[i], after[k]];
		if (!isNew && gone !== undefined) tell(gone);
		if (!isGone && fresh !== undefined) tell(fresh);
		if (!isNew) i++;
		if (!isGone) k++;
	}
}

function sameRect(a: Rect, b: Rect): boolean {
	return a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;
}

function samePanel(a: Panel, b: Panel): boolean {
	return a.kind === b.kind && a.lit === b.lit && a.fill === b.fill && sameRect(a, b);
}

/** But for the words. */
function sameLabel(a: Label, b: Label): boolean {
	return (
		a.x === b.x &&
		a.y === b.y &&
		a.w === b.w &&
		a.size === b.size &&
		a.lit === b.lit &&
		a.strong === b.strong
	);
}

export function sameArray(a: ArrayBox, b: ArrayBox): boolean {
	if (!sameRect(a, b) || a.count !== b.count || a.lit !== b.lit || a.touched !== b.touched)
		return false;
	if (a.state !== b.state || a.columns !== b.columns || a.limit !== b.limit) return false;
	if (a.awaited.size + b.awaited.size > 0) return false;
	for (let i = 0; i < a.count; i++) {
		if (a.serials[i] !== b.serials[i] || a.indices[i] !== b.indices[i]) return false;
	}
	return true;
}

/** Layout keeps the boxes that did not change, so that two boxes are two looks. */
function sameSlab(a: SlabBox, b: SlabBox): boolean {
	return a === b;
}
