/** Asks for the objects that are looked at from near, again for each moment, one question at a time. */

import { wake } from "../../base/frame_clock.ts";
import type { Moment, ObjectId } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { change, facts } from "../state/store.ts";
import { SLIDE_LIMIT } from "./rate.ts";

let asked: { readonly moment: Moment | null; readonly key: string } = { moment: null, key: "" };
let inFlight = false;

const keyOf = (wanted: readonly ObjectId[]) =>
	wanted.map(({ cache, serial, index }) => `${cache}/${serial}/${index}`).join(" ");

/** What is near now. Faster than can be read, nothing is asked. */
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
	change({ pending: facts().pending + 1 });
	try {
		change({ closeUps: await engine().objects(moment.position, wanted) });
	} catch {
		change({ closeUps: [] });
	}
	inFlight = false;
	change({ pending: facts().pending - 1 });
	wake();
}
