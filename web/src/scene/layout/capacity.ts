/**
 * How many slabs each list is planned for. Lists change every few events; their plans only move along a ladder, up at
 * once and down late, so that the stage stands still while the trace plays. Lists that fill up at about the same time
 * grow together, because each new plan moves things on the stage.
 */
import { NONE, type Place } from "../../engine/frame.ts";
import { holdsObjects, PLACE } from "../../engine/place_kinds.ts";
import { TILES_MOST } from "../tiles.ts";
import { listKey } from "./shape.ts";

/** By capacityKey. Missing lists are planned as empty. */
export type Capacities = Readonly<Record<string, number>>;

/** The capacity of a list that is a histogram, whose height does not depend on how many slabs it has. */
const LONG = TILES_MOST + 1;
const FIRST_RUNG = 3;
const NEXT_RUNG = 1.15;
/** A list has to be this much shorter than planned before its plan changes. */
const SHRINKS_BELOW = 0.5;
/** When one list outgrows its plan, lists that would outgrow theirs with this much more grow too. */
const HEADROOM = 1.08;

export function capacityKey(node: number, list: string): string {
	return `${node}:${list}`;
}

/** Whether a list of this capacity is a histogram. It becomes tiles again when only half as many slabs are left. */
export function isLong(capacity: number): boolean {
	return capacity > TILES_MOST;
}

/** Returns the lowest rung of the ladder for n slabs: 0, 3, 4, 5, 6, 7, 9, 11 and so on; the last one is for anything more. */
export function rungFor(n: number): number {
	if (n === 0) return 0;
	if (n > TILES_MOST) return LONG;
	let rung = FIRST_RUNG;
	while (rung < n) rung = Math.ceil(rung * NEXT_RUNG);
	return Math.min(TILES_MOST, rung);
}

/**
 * Returns the capacities for these places; `before` itself if it still fits. Without `before` they depend only on the places,
 * so a position looks the same however you jumped there.
 */
export function capacitiesOf(places: readonly Place[], before?: Capacities): Capacities {
	const now = capacitiesBy(places, (n, key) => nextRung(before?.[key], n));
	if (!before) return now;
	const fits = Object.keys(now).every((key) => now[key] === before[key]);
	return fits ? before : capacitiesBy(places, (n, key) => nextRung(before[key], n, HEADROOM));
}

function capacitiesBy(
	places: readonly Place[],
	capacity: (nrSlabs: number, key: string) => number,
): Capacities {
	const now: Record<string, number> = {};
	for (const place of places) {
		const { kind, cpu, node, nrSlabs } = place;
		if (cpu !== NONE || kind === PLACE.TRANSIT || holdsObjects(kind)) continue;
		const key = capacityKey(node, listKey(place));
		now[key] = capacity(nrSlabs, key);
	}
	return now;
}

/** `headroom`: how many times its slabs a list that has grown needs room for. */
function nextRung(was: number | undefined, n: number, headroom = 1): number {
	if (was === undefined) return rungFor(n);
	// But not so much that tiles would become a histogram.
	const wanted = n > TILES_MOST ? n : Math.min(TILES_MOST, Math.ceil(n * headroom));
	if (wanted > was) return rungFor(wanted);
	const shorter = rungFor(Math.max(1, n));
	return n < was * SHRINKS_BELOW && was > 0 ? Math.min(was, shorter) : was;
}
