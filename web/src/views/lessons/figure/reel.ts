/** Scenes of a cache at some positions of a trace, laid out for a small picture: all of them on one plan. */
import type { Film, Shot } from "../../../engine/answers.ts";
import { type Place as FramePlace, NONE } from "../../../engine/frame.ts";
import { momentOf } from "../../../engine/moment.ts";
import type { Moment } from "../../../engine/types.ts";
import { isAbout } from "../../../scene/about.ts";
import { slabBySerial } from "../../../scene/find.ts";
import { type Capacities, capacitiesOf } from "../../../scene/layout/capacity.ts";
import { makePlan } from "../../../scene/layout/plan.ts";
import { shapeOf } from "../../../scene/layout/shape.ts";
import { EMPTY_SCENE, type Rect, type Scene } from "../../../scene/scene.ts";
import { sceneOf } from "../../../stage/shown.ts";
import type { Size } from "../../../ui/use_element.ts";
import { withHelper } from "../model/helper.ts";
import { type Place, playedAt } from "../model/places.ts";

/** The picture of one slab, against the slab. */
const CLOSE_ROOM = 1.2;
/** Films that stay, the last used last. */
const KEPT_MOST = 60;
const kept = new Map<string, Promise<Film>>();

/** The same question gives the same film. */
export function filmOf(
	{ trace, text, machine, cache = "" }: Place,
	shots: readonly Shot[],
): Promise<Film> {
	const key = JSON.stringify([trace, text, machine, cache, shots]);
	const film =
		kept.get(key) ??
		withHelper(async (helper) =>
			helper.film(await playedAt({ trace, text, machine }), cache, shots),
		);
	kept.delete(key);
	kept.set(key, film);
	film.catch(() => kept.delete(key));
	const oldest = kept.keys().next().value;
	if (kept.size > KEPT_MOST && oldest !== undefined) kept.delete(oldest);
	return film;
}

export interface Reel {
	readonly scenes: readonly Scene[];
	/** The part of the scenes that is shown. */
	readonly window: Rect;
}

/** A part of the stage: one node of a larger machine, or one slab. */
export interface Cut {
	readonly node?: number | undefined;
	readonly slab?: number | undefined;
}

export function reelOf({ built, moments: packed }: Film, size: Size, { node, slab }: Cut): Reel {
	const { nodeOfCpu, nrNodes } = built;
	const moments = packed.map(momentOf);
	let capacities: Capacities | undefined;
	for (const { frame } of moments) capacities = largest(capacities, capacitiesOf(frame.places));
	const width = node === undefined ? size.width : size.width * nrNodes;
	const machine = { width, height: size.height, nodeOfCpu, nrNodes };
	const plan = makePlan(shapeOf(placesUsed(moments), machine, capacities));
	const scenes: Scene[] = [];
	for (const moment of moments)
		scenes.push(sceneOf(plan, built, moment, scenes.at(-1) ?? EMPTY_SCENE));
	const panel = plan.nodes.find((of) => of.node === node)?.column;
	const box = scenes[0] && slab !== undefined ? slabBySerial(scenes[0], slab) : undefined;
	const whole = { x: 0, y: 0, w: width, h: size.height };
	if (!box) return { scenes, window: panel ?? whole };
	return { scenes: scenes.map((scene) => only(scene, box.serial)), window: around(box, size) };
}

/** Their places, without the kinds that hold nothing in any of them and that no step is about: these would take a row each. */
export function placesUsed(moments: readonly Moment[]): readonly FramePlace[] {
	const used = new Set<number>();
	for (const { frame, steps } of moments)
		for (const place of frame.places) {
			const holds = place.nrSlabs + place.nrEntries + place.sheaves > 0;
			const isTold = steps.some((step) => isAbout({ frame, step }, place));
			if (holds || isTold) used.add(place.kind);
		}
	const places = moments[0]?.frame.places ?? [];
	return places.filter(({ kind, cpu }) => used.has(kind) || cpu !== NONE);
}

/** The slab without the things around it, which the picture would cut. */
function only(scene: Scene, serial: number): Scene {
	const slab = slabBySerial(scene, serial);
	const slabs = slab ? [slab] : [];
	const none = { panels: [], arrays: [], histograms: [], flying: [], labels: [], marks: [] };
	return { ...scene, ...none, crowd: undefined, slabs };
}

/** The box with some room around it, in the proportions of the picture. */
function around({ x, y, w, h }: Rect, { width, height }: Size): Rect {
	const scale = CLOSE_ROOM * Math.max(w / width, h / height);
	const [wide, high] = [width * scale, height * scale];
	return { x: x + (w - wide) / 2, y: y + (h - high) / 2, w: wide, h: high };
}

export function largest(a: Capacities = {}, b: Capacities): Capacities {
	const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
	return Object.fromEntries([...keys].map((key) => [key, Math.max(a[key] ?? 0, b[key] ?? 0)]));
}
