/** A step's arguments as text: names for numbers, the same as in `slabscope steps --json`. */
import * as abi from "#abi";
import { NONE } from "../engine/frame.ts";

/** The names for an argument's numbers; each starts with the name of its enum. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
	reason: abi.REASON_NAMES,
	what: abi.WHAT_NAMES,
	outcome: abi.OUTCOME_NAMES,
	owner: abi.OWNER_NAMES,
	zone_kind: abi.ZONE_KIND_NAMES,
	list: abi.PLACE_KIND_NAMES,
	end: abi.END_NAMES,
	queue: abi.QUEUE_NAMES,
	touched: abi.TOUCHED_NAMES,
	management: abi.MANAGEMENT_NAMES,
	check: abi.CHECK_NAMES,
	fix: abi.FIX_NAMES,
	effect: abi.EFFECT_NAMES,
	sheaf: abi.SHEAF_NAMES,
};

/** Arguments that are nodes or CPUs, and the word for "none" in each. */
const PLACES: Readonly<Record<string, string>> = {
	want_node: "any",
	asked_node: "any",
	slab_node: "none",
	owner_cpu: "none",
	flushed_cpu: "none",
};

/** Arguments that may be below 0. */
const SIGNED = new Set(["at", "counted"]);

export function argumentText(name: string, value: number): string {
	const key = NAMES[name]?.[value];
	if (key !== undefined) return key.slice(key.indexOf("_") + 1).toLowerCase();
	if (name === "param") return abi.PARAM_KEYS[value] ?? "";
	const absent = PLACES[name];
	if (absent !== undefined && value === NONE) return absent;
	return String(SIGNED.has(name) ? value | 0 : value);
}
