/** A passage of a recording that plays by itself, once or again and again, until the visitor does something else. */
import { pause, play } from "../player/player.ts";
import { change, type Facts, facts, store } from "../player/store.ts";
import { goTo, type Place } from "./places.ts";

export interface Passage {
	readonly from: number;
	readonly to: number;
	readonly loop: boolean;
}

let stop = () => {};

function isOver({ moment }: Facts, to: number): boolean {
	if (!moment) return false;
	const { op, step } = moment.position;
	return op > to || (op === to && step >= moment.nrSteps - 1);
}

/** At the end of a loop the last moment stays on screen for so long. */
const REST_MS = 900;

export async function playPassage(place: Place, { from, to, loop }: Passage): Promise<void> {
	stop();
	await goTo({ ...place, op: from, step: 0 });
	change({ unit: "step" });
	play();
	let resting = 0;
	const unsubscribe = store.subscribe((f, before) => {
		if (!f.playing && before.playing && resting === 0) stop();
		if (!f.playing || !isOver(f, to) || f.moment === before.moment) return;
		if (!loop) {
			pause();
			return;
		}
		resting = window.setTimeout(() => void again(), REST_MS);
		pause();
	});
	const again = async () => {
		resting = 0;
		await goTo({ ...place, op: from, step: 0 });
		if (facts().tab === "lessons") play();
	};
	stop = () => {
		window.clearTimeout(resting);
		unsubscribe();
		stop = () => {};
	};
}

export function stopPassage(): void {
	stop();
}
