/** Paths and traffic: the first view does not need them, so their code is fetched with the first path. */
import { eventSteps } from "../app/playback/event_path.ts";
import type { Levels } from "../app/state/store.ts";
import type { Traffic } from "../engine/query/traffic.ts";
import type { EventPath, Moment } from "../engine/types.ts";
import { pathOn, type ScenePath } from "../scene/layout/path.ts";
import type { Plan } from "../scene/layout/plan.ts";
import { bandsOn } from "../scene/layout/traffic.ts";
import { boxesOfPath, boxesOfTraffic, drawPath, drawTraffic } from "./draw/draw_path.ts";
import type { Held } from "./draw/paint.ts";

export type Ways = Pick<Held, "path" | "ways">;

export function waysOfEvent(plan: Plan, moment: Moment, of: EventPath, levels: Levels): Ways {
	return waysOfPath(pathOn(plan, eventSteps(moment, of, levels.rows)));
}

export function waysOfPath(path: ScenePath | undefined): Ways {
	if (!path) return {};
	const draw = (...on: DrawnOn) => drawPath(path, ...on);
	return { path, ways: { draw, boxes: (view) => boxesOfPath(path, view) } };
}

export function waysOfTraffic(plan: Plan, traffic: Traffic): Ways {
	const bands = bandsOn(plan, traffic);
	const draw = (...on: DrawnOn) => drawTraffic(bands, ...on);
	return { ways: { draw, boxes: (view) => boxesOfTraffic(bands, view) } };
}

type DrawnOn = Parameters<NonNullable<Held["ways"]>["draw"]>;
