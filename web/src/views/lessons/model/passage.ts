/** Plays a passage of a trace, once or repeatedly, until the visitor does something else. */
import { isOver, keepTo } from "../../../app/playback/passage.ts";
import { play } from "../../../app/playback/player.ts";
import { change, facts, isInLessons, store } from "../../../app/state/store.ts";
import { goTo, type Place } from "./places.ts";

export interface Passage {
	readonly from: number;
	readonly to: number;
	readonly loop: boolean;
}

let stop = () => {};

export async function playPassage(place: Place, { from, to, loop }: Passage): Promise<void> {
	stop();
	const begin = () => goTo({ ...place, op: from, step: 0 });
	await begin();
	change({ unit: "step" });
	play();
	const isWatched = () => isInLessons(facts());
	const passage = { loop, to: () => to, begin, isWatched };
	const leave = keepTo(passage);
	// A visitor who pauses in the middle may continue past its end.
	const unsubscribe = store.subscribe((f, before) => {
		if (before.playing && !f.playing && !(loop && isOver(passage))) stop();
	});
	stop = () => {
		leave();
		unsubscribe();
		stop = () => {};
	};
}

export function stopPassage(): void {
	stop();
}
