/** Where a stop of a walk, or the subject of a Why card, is on the stage. */
import { About } from "#abi";
import type { Frame } from "../../engine/frame.ts";
import { holdsObjects } from "../../engine/place_kinds.ts";
import { isSubject, readSubject } from "../../engine/subject.ts";
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

/** The area of a subject (engine/subject.ts); undefined: it is not on the stage. */
export function subjectRect(
	scene: Scene,
	plan: Plan,
	frame: Frame,
	text: string,
): Rect | undefined {
	const subject = readSubject(text);
	if (!subject) return undefined;
	const { about, cpu, node } = subject;
	if (about === About.ABOUT_CPU) return panelBy(scene, `cpu:${cpu}`);
	if (about === About.ABOUT_NODE) return plan.nodes.find((n) => n.node === node)?.column;
	if (about === About.ABOUT_PAGES) return panelBy(scene, `zone:${node}/`);
	const place = frame.places.findIndex((p) => isSubject(subject, p));
	return place < 0 ? undefined : areaOf(scene, plan, frame, place);
}

/** A key that ends in a slash is the beginning of several. */
function panelBy({ panels }: Scene, key: string): Rect | undefined {
	return panels.find((p) => (key.endsWith("/") ? p.key.startsWith(key) : p.key === key));
}
