/**
 * A passage of a trace, from one event to another: playing stops at its end and starts again, in a lesson or in an
 * embedded page.
 */

import type { Unit } from "../../engine/types.ts";
import { facts, store } from "../state/store.ts";
import { pause, play, playNoFurtherThan } from "./player.ts";

interface Passage {
	readonly loop: boolean;
	/** The unit that it plays by, overriding the visitor's. */
	readonly unit?: Unit;
	/** Its last event, which may not be known until later. */
	readonly to: () => number;
	/** Goes back to its start. */
	readonly begin: () => void | Promise<void>;
	/** Whether it may start over: the viewer may have left it. */
	readonly isWatched?: () => boolean;
}

/** How long the end is shown before the passage starts over. */
const REST_MS = 900;

/** Whether the position on screen is at or past the passage's end. */
export function isOver({ to }: Passage): boolean {
	const { moment } = facts();
	if (!moment) return false;
	const { op, step } = moment.position;
	return op > to() || (op === to() && step >= moment.nrSteps - 1);
}

/** Keeps playing within the passage until the returned function is called. */
export function keepTo(passage: Passage): () => void {
	const { loop, to, begin, isWatched = () => true } = passage;
	let resting = 0;
	const again = async () => {
		// Unless the viewer has gone elsewhere in the meantime.
		if (facts().playing || facts().moment?.position.op !== to() || !isWatched()) return;
		await begin();
		play();
	};
	playNoFurtherThan(to, passage.unit);
	const unsubscribe = store.subscribe((now, before) => {
		if (!now.playing || !isOver(passage)) return;
		if (!before.playing) {
			// Play was pressed at the end.
			void begin();
		} else if (now.moment !== before.moment) {
			pause();
			if (loop) resting = window.setTimeout(() => void again(), REST_MS);
		}
	});
	return () => {
		window.clearTimeout(resting);
		playNoFurtherThan(undefined);
		unsubscribe();
	};
}
