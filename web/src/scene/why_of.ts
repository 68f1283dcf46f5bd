/** The place, CPU or node that a point of the stage asks about: by the label, array or panel there. */
import { type Frame, NONE, type Place } from "../engine/frame.ts";
import type { WhyOf } from "../engine/subject.ts";
import { type Hit, isIn } from "./hit.ts";
import type { Label, Scene } from "./scene.ts";

/** Keys of labels, arrays and panels: `list:1/2`, `cpu:4`, `box:1/9/0`. */
const KEY = /^([a-z]+):(\d+)(?:\/(\d+))?(?:\/(\d+))?$/;

/** undefined: nothing there can be explained. */
export function whyOf(
	{ labels }: Scene,
	hit: Hit | undefined,
	x: number,
	y: number,
	{ places }: Frame,
): WhyOf | undefined {
	const label =
		labels.find((l) => isIn(boxOf(l), x, y)) ?? labels.find((l) => isIn(boxOf(l, TARGET), x, y));
	for (const key of [label?.key, hit?.array?.key, hit?.panel?.key]) {
		const of = key === undefined ? undefined : ofKey(key, places);
		if (of) return of;
	}
	return undefined;
}

/** Height of the target around a label. */
const TARGET = 24;

/** A label stands on its y. */
function boxOf({ x, y, w, size }: Label, h = size * 1.3) {
	return { x, y: y - size * 0.35 - h / 2, w, h };
}

/** A CPU's array or queue, or the words over its sheaf. */
const OF_CPU = /^(?:array:cpu\/|sheaf:)(\d+)\/(\d+)$/;

function ofKey(key: string, places: readonly Place[]): WhyOf | undefined {
	const [, cpu, kind] = OF_CPU.exec(key)?.map(Number) ?? [];
	if (cpu !== undefined && kind !== undefined) return { kind, cpu, node: NONE };
	const [, word = "", first = "", second = "", third] = KEY.exec(key) ?? [];
	const owner = Number(first);
	switch (word) {
		case "cpu":
			return { kind: "cpu", cpu: owner };
		case "node":
			return { kind: "node", node: owner };
		case "pages":
		case "zone":
			return { kind: "pages", node: owner };
		case "list":
			return { kind: Number(second), cpu: NONE, node: owner, bytes: Number(third ?? 0) };
		case "arrays":
			return { kind: Number(second), cpu: NONE, node: owner };
		case "array":
		case "box":
			return ofNode(places, owner, Number(second))[Number(third)];
		default:
			return undefined;
	}
}

function ofNode(places: readonly Place[], node: number, kind: number): Place[] {
	return places.filter((p) => p.node === node && p.cpu === NONE && p.kind === kind);
}
