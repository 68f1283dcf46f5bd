/** A link may select a slab or object that the trace never has: then the selection is removed, and reported. */

import { selectionText } from "../link/link_parts.ts";
import { historyOf } from "../playback/object_history.ts";
import { cacheNumber } from "../playback/player.ts";
import { change, type Facts, facts, type Selection, store } from "../state/store.ts";

/** A slab that merely does not exist now stays selected: it exists at other positions. */
export async function checkHeld(held: Selection): Promise<void> {
	const { moment } = await settled();
	if (!moment || facts().selected !== held) return;
	const fault = await faultOf(held);
	if (fault === "" || facts().selected !== held) return;
	const { error } = facts();
	change({ selected: null, error: error === "" ? fault : `${error} ${fault}` });
}

/** Waits until the requested position is shown, or cannot be. */
function settled(): Promise<Facts> {
	return new Promise((resolve) => {
		const look = (f: Facts): boolean => {
			if (!f.moment && f.progress === null && f.error === "" && !f.crash) return false;
			resolve(f);
			return true;
		};
		if (look(facts())) return;
		const stop = store.subscribe((f) => {
			if (look(f)) stop();
		});
	});
}

async function faultOf(held: Selection): Promise<string> {
	const { moment, cache } = facts();
	if (!moment) return "";
	const { slabs } = moment.frame;
	const row = slabs.serial.indexOf(held.serial);
	const sel = `The link's sel=${selectionText(held)}`;
	if (row < 0) {
		const thing = { cache: cacheNumber(), slab: held.serial };
		const history = await historyOf(thing, moment.position.op).catch(() => undefined);
		const isThere = history !== undefined && history.bornOp >= 0;
		return isThere
			? ""
			: `${sel} is ignored: ${cache} never has a slab ${held.serial} in this trace.`;
	}
	const nr = slabs.objects[row] ?? 0;
	return held.index < nr
		? ""
		: `${sel} is ignored: slab ${held.serial} has ${nr} objects, counted from 0.`;
}
