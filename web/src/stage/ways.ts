/** Paths and traffic: the first view does without them, so their code is fetched with the first path. */
import { eventSteps } from "../app/playback/event_steps.ts";
import type { Levels } from "../app/state/store.ts";
import type { Traffic } from "../engine/query/traffic.ts";
import type { EventPath, Moment } from "../engine/types.ts";
import { pathOn } from "../scene/layout/path.ts";
import type { Plan } from "../scene/layout/plan.ts";
import { bandsOn } from "../scene/layout/traffic.ts";
import { drawPath, drawTraffic } from "./draw/draw_path.ts";
import type { Held } from "./draw/paint.ts";

export type Ways = Pick<Held, "path" | "drawWays">;

export function waysOfEvent(plan: Plan, moment: Moment, of: EventPath, levels: Levels): Ways {
	const path = pathOn(plan, eventSteps(moment, of, levels.rows));
	return path ? { path, drawWays: (...on) => drawPath(path, ...on) } : {};
}

export function waysOfTraffic(plan: Plan, traffic: Traffic): Ways {
	const bands = bandsOn(plan, traffic);
	return { drawWays: (...on) => drawTraffic(bands, ...on) };
}
