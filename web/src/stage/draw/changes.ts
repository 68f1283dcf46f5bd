/**
 * Marks the differences between two scenes in a Damage. A box that is the same object is unchanged; a box that was
 * made again but may look the same is compared field by field. It errs on the side of marking too much.
 */

import { histogramsAt, isFolded } from "../../scene/geometry.ts";
import {
	type ArrayBox,
	grown,
	type Histogram,
	type Panel,
	type Rect,
	type Scene,
	sameRect,
} from "../../scene/scene.ts";
import type { Damage } from "./damage.ts";
import type { Word } from "./labels.ts";
import { project, type View } from "./viewport.ts";

/** How far frames, rings and numbers reach beyond their box. */
export const AROUND = 5;
export const NUMBERS = 15;

/** Panels of the page allocator, which are equal in two scenes of one plan except for their fill. */
export function zonesOf({ panels }: Scene): Panel[] {
	return panels.filter((p) => p.kind === "zone");
}

/** Zones with the same fill and highlight as before are the same objects. */
export function differingZones(before: Scene, after: Scene): Panel[] {
	const were = zonesOf(before);
	return zonesOf(after).filter((zone, i) => zone !== were[i]);
}

/** Marks histograms that look different at zoom k, before and after. */
export function differingHistograms(before: Scene, after: Scene, k: number): Rect[] {
	const found: Rect[] = [];
	const [were, are] = [histogramsAt(before, k), histogramsAt(after, k)];
	differing(were, are, sameHistogram, (h) => found.push(h));
	return found;
}

function sameHistogram(a: Histogram, b: Histogram): boolean {
	if (a.key !== b.key || a.most !== b.most || a.bars.length !== b.bars.length) return false;
	return (
		sameRect(a, b) &&
		a.bars.every(
			(bar, i) => bar.h === b.bars[i]?.h && bar.glyph.inferred === b.bars[i]?.glyph.inferred,
		)
	);
}

/** Marks cards, frames of zones and thresholds that differ. */
export function differingGround(before: Scene, after: Scene, tell: (box: Rect) => void): void {
	differing(before.panels, after.panels, samePanel, tell);
	differing(before.marks, after.marks, sameRect, tell);
}

/** Marks where text differs. */
export function differingWords(
	before: readonly Word[],
	after: readonly Word[],
	tell: (box: Rect) => void,
): void {
	differing(before, after, Object.is, ({ bounds }) => tell(bounds));
}

/** Marks the frames of panels that the step uses. */
export function markLit(scene: Scene, view: View, damage: Damage): void {
	for (const panel of scene.panels) if (panel.lit) damage.mark(grown(project(panel, view), AROUND));
}

/** Marks slabs, arrays, and objects on their way. */
export function markMoves(before: Scene, after: Scene, view: View, damage: Damage): void {
	const around = (r: Rect, by = AROUND) => {
		if (!damage.isAll) damage.mark(grown(project(r, view), by));
	};
	for (const zone of differingZones(before, after)) around(zone);
	for (const histogram of differingHistograms(before, after, view.k)) around(histogram);
	differing(before.arrays, after.arrays, sameArray, (a) => around(a));
	if (before.slabs !== after.slabs)
		// Layout reuses boxes that did not change, so different boxes look different.
		differing(before.slabs, after.slabs, Object.is, (s) => {
			if (!isFolded(s, view.k)) around(s, NUMBERS);
		});
	for (const f of [...before.flying, ...after.flying]) around(f);
}

/** This many additional boxes in a row do not throw the walk out of step. */
const AHEAD = 8;

/** Walks two lists that are mostly equal, and stays in step where one has a few additional boxes. */
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
	/** Counts how many have gone, and how many are new, before the lists agree again. */
	const apart = (i: number, k: number): readonly [gone: number, fresh: number] => {
		for (let n = 1; n <= AHEAD; n++) {
			if (alike(i + n, k)) return [n, 0];
			if (alike(i, k + n)) return [0, n];
		}
		return [1, 1];
	};
	let i = 0;
	let k = 0;
	while (i < before.length || k < after.length) {
		// Nearly all of them are the very same objects.
		if (before[i] === after[k] || alike(i, k)) {
			i++;
			k++;
			continue;
		}
		const [gone, fresh] = apart(i, k);
		for (const box of [...before.slice(i, i + gone), ...after.slice(k, k + fresh)]) tell(box);
		i += gone;
		k += fresh;
	}
}

function samePanel(a: Panel, b: Panel): boolean {
	return a.kind === b.kind && a.isIdle === b.isIdle && sameRect(a, b);
}

export function sameArray(a: ArrayBox, b: ArrayBox): boolean {
	if (!sameRect(a, b) || a.count !== b.count || a.lit !== b.lit || a.touched !== b.touched)
		return false;
	if (a.stacks?.present !== b.stacks?.present || a.stacks?.room !== b.stacks?.room) return false;
	if (a.state !== b.state || a.columns !== b.columns || a.limit !== b.limit) return false;
	if (a.awaited.size + b.awaited.size > 0) return false;
	for (let i = 0; i < a.count; i++) {
		if (a.serials[i] !== b.serials[i] || a.indices[i] !== b.indices[i]) return false;
	}
	return true;
}
