/** A passage of a trace on one machine, event by event: scenes are laid out when they are looked at, all on one plan. */
import type { PassageRun } from "../../../engine/answers.ts";
import { momentOf } from "../../../engine/moment.ts";
import type { Moment } from "../../../engine/types.ts";
import { type Capacities, capacitiesOf } from "../../../scene/layout/capacity.ts";
import { makePlan } from "../../../scene/layout/plan.ts";
import { shapeOf } from "../../../scene/layout/shape.ts";
import { EMPTY_SCENE, type Scene } from "../../../scene/scene.ts";
import { sceneOf } from "../../../stage/shown.ts";
import type { Size } from "../../../ui/use_element.ts";
import { withHelper } from "../model/helper.ts";
import { type Place, playedAt } from "../model/places.ts";
import { largest, placesUsed } from "./reel.ts";

export interface Passage {
	readonly run: PassageRun;
	/** One after each event. */
	readonly moments: readonly Moment[];
	/** The most that each place holds in the passage. */
	readonly capacities: Capacities;
}

const kept = new Map<string, Promise<Passage>>();

/** The same question gives the same passage. */
export function passageOf(
	{ trace, machine, cache = "" }: Place,
	from: number,
	to: number,
): Promise<Passage> {
	const key = JSON.stringify([trace, machine, cache, from, to]);
	const known = kept.get(key);
	if (known) return known;
	const passage = withHelper(async (helper) =>
		helper.passage(await playedAt({ trace, machine }), cache, from, to),
	).then((run): Passage => {
		const moments = run.film.moments.map(momentOf);
		const capacities = moments.reduce<Capacities>(
			(all, { frame }) => largest(all, capacitiesOf(frame.places)),
			{},
		);
		return { run, moments, capacities };
	});
	kept.set(key, passage);
	passage.catch(() => kept.delete(key));
	return passage;
}

/** Lays out the scene after the nth event of the passage. */
export function scenesOf(
	{ run, moments, capacities }: Passage,
	{ width, height }: Size,
): (nr: number) => Scene {
	const { built } = run.film;
	const { nodeOfCpu, nrNodes } = built;
	const places = placesUsed(moments);
	const plan = makePlan(shapeOf(places, { width, height, nodeOfCpu, nrNodes }, capacities));
	return (nr) => {
		const moment = moments[nr];
		return moment ? sceneOf(plan, built, moment, EMPTY_SCENE) : EMPTY_SCENE;
	};
}
