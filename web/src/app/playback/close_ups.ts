/** Fetches the objects that are shown in close-up, again at each position, one call at a time. */

import { wake } from "../../base/frame_clock.ts";
import type { Moment, ObjectId } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { asker } from "../state/resource.ts";
import { change, facts } from "../state/store.ts";
import { SLIDE_LIMIT } from "./player.ts";

interface Wanted {
	readonly moment: Moment;
	/** As cache/serial/index, a word each. */
	readonly objects: string;
}

const [ask] = asker({
	oneAtATime: true,
	ask: ({ moment, objects }: Wanted) => engine().objects(moment.position, idsIn(objects)),
	put: (closeUps) => {
		change({ closeUps });
		wake();
	},
});

function idsIn(objects: string): ObjectId[] {
	return objects.split(" ").map((word) => {
		const [cache = 0, serial = 0, index = 0] = word.split("/").map(Number);
		return { cache, serial, index };
	});
}

/** The objects in close-up now. When they change faster than anybody can read, none are fetched. */
export function lookClosely(wanted: readonly ObjectId[]): void {
	const { moment, playing, speed, closeUps } = facts();
	if (playing && speed > SLIDE_LIMIT) return;
	if (wanted.length === 0 || !moment) {
		ask(undefined);
		if (closeUps.length > 0) change({ closeUps: [] });
		return;
	}
	const words = wanted.map(({ cache, serial, index }) => `${cache}/${serial}/${index}`);
	ask({ moment, objects: words.join(" ") });
}
