/** Fetches the objects that are shown in close-up, again at each position, one call at a time. */

import { wake } from "../../base/frame_clock.ts";
import type { Moment, ObjectId } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { busy, change, facts } from "../state/store.ts";
import { SLIDE_LIMIT } from "./player.ts";

let asked: { readonly moment: Moment | null; readonly key: string } = { moment: null, key: "" };
let inFlight = false;

const keyOf = (wanted: readonly ObjectId[]) =>
	wanted.map(({ cache, serial, index }) => `${cache}/${serial}/${index}`).join(" ");

/** The objects in close-up now. When they change faster than anybody can read, none are fetched. */
export function lookClosely(wanted: readonly ObjectId[]): void {
	const { moment, playing, speed } = facts();
	const key = keyOf(wanted);
	if (inFlight || (asked.moment === moment && asked.key === key)) return;
	if (playing && speed > SLIDE_LIMIT) return;
	asked = { moment, key };
	if (wanted.length === 0 || !moment) {
		if (facts().closeUps.length > 0) change({ closeUps: [] });
		return;
	}
	void ask(moment, wanted);
}

async function ask(moment: Moment, wanted: readonly ObjectId[]): Promise<void> {
	inFlight = true;
	const closeUps = await busy(() => engine().objects(moment.position, wanted)).catch(() => []);
	inFlight = false;
	change({ closeUps });
	wake();
}
