/** Where a stop of a walk is on the stage. */
import type { Frame } from "../../engine/frame.ts";
import { holdsObjects } from "../../engine/place_kinds.ts";
import { slabBySerial, whereIs } from "../find.ts";
import { cellRects } from "../geometry.ts";
import type { Rect, Scene } from "../scene.ts";
import type { Stop } from "../walk.ts";
import type { Plan } from "./plan.ts";
import { seatsOn } from "./seats.ts";

/** undefined: it is not on the stage. */
export function rectOf(scene: Scene, plan: Plan, frame: Frame, stop: Stop): Rect | undefined {
	const { slab, object } = stop;
	if (!slab) return object ? whereIs(scene, object).at(-1) : areaOf(scene, plan, frame, stop.place);
	const box = slabBySerial(scene, slab.serial, slab.cache);
	return object && box ? cellRects(box, object.index)[0] : box;
}

/** A place's area; for an array, its box. */
function areaOf(scene: Scene, plan: Plan, frame: Frame, at: number): Rect | undefined {
	const place = frame.places[at];
	const seats = seatsOn(plan, frame.places);
	if (!place) return undefined;
	if (!holdsObjects(place.kind)) return seats.spots[at]?.area;
	const onCpu = seats.cpus.find(({ own }) => own.includes(at));
	if (onCpu) return onCpu.plan.parts.get(place.kind);
	const node = seats.nodes.find(({ own }) => own.includes(at));
	const alike = node?.own.filter((i) => frame.places[i]?.kind === place.kind) ?? [];
	const key = `array:${node?.plan.node}/${place.kind}/${alike.indexOf(at)}`;
	return scene.arrays.find((a) => a.key === key);
}
