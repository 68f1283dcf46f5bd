/**
 * Parts of the stage that words can point at: "slab 3", "object 3/5", or a list, a CPU or a node as links name them
 * (engine/subject.ts): "cpu0/slab", "cpu0/partial", "0/partial", "cpu1", "node0", "0/pages".
 */

import { type Frame, NONE } from "../../engine/frame.ts";
import { placeSubject, readSubject, subjectOf, type WhyOf } from "../../engine/subject.ts";
import { slabBySerial, whereIs } from "../find.ts";
import type { Hit } from "../hit.ts";
import type { Rect, Scene } from "../scene.ts";
import type { Plan } from "./plan.ts";
import { subjectRect } from "./walk.ts";

const SLAB = /^slab (\d+)$/;
const OBJECT = /^object (\d+)\/(\d+)$/;

export function isPart(part: string): boolean {
	return SLAB.test(part) || OBJECT.test(part) || readSubject(part) !== undefined;
}

/** Returns the slab of a part, for pictures that show nothing else. */
export function slabOfPart(part: string): number | undefined {
	const [, serial] = SLAB.exec(part) ?? OBJECT.exec(part) ?? [];
	return serial === undefined ? undefined : Number(serial);
}

/** Returns the box around a part; undefined if the scene does not have it. */
export function partRect(scene: Scene, plan: Plan, frame: Frame, part: string): Rect | undefined {
	const [, slab] = SLAB.exec(part) ?? [];
	if (slab !== undefined) return slabBySerial(scene, Number(slab));
	const [, serial, index] = OBJECT.exec(part) ?? [];
	if (serial === undefined) return subjectRect(scene, plan, frame, part);
	const cache = slabBySerial(scene, Number(serial))?.cache ?? NONE;
	return whereIs(scene, { cache, serial: Number(serial), index: Number(index) })[0];
}

/** Returns the parts under the pointer, the innermost first. */
export function partsAt(hit: Hit | undefined, asks: WhyOf | undefined, frame: Frame): string[] {
	const parts: string[] = [];
	const serial = hit?.object?.serial ?? hit?.slab?.serial;
	if (hit?.object) parts.push(`object ${hit.object.serial}/${hit.object.index}`);
	if (serial !== undefined) {
		parts.push(`slab ${serial}`);
		const row = frame.slabs.serial.indexOf(serial);
		const place = row < 0 ? undefined : frame.places[frame.slabs.place[row] ?? 0];
		if (place) parts.push(placeSubject(place), ...owners(place));
	}
	if (asks) {
		parts.push(subjectOf(asks));
		if ("cpu" in asks && asks.kind !== "cpu") parts.push(...owners(asks));
	}
	return parts.filter((part) => part !== "");
}

const owners = ({ cpu, node }: { readonly cpu: number; readonly node: number }) => [
	...(cpu === NONE ? [] : [`cpu${cpu}`]),
	...(node === NONE ? [] : [`node${node}`]),
];
