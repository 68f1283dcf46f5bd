/** A question of the story to the engine: where the next object of a cache lands on each CPU. */
import { useEffect } from "react";
import { engine } from "../../../app/platform/engine_link.ts";
import { busy, change } from "../../../app/state/store.ts";
import { isRushing } from "../../../app/state/throttle.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { awaitChange } from "../../../base/frame_clock.ts";
import type { Moment, NextObject } from "../../../engine/types.ts";

/** Longer than the time between two positions while an arrow key is held down. */
const REST_MS = 80;

/** Figures that do not arrive leave their places empty: the story can be read without them. */
const nothing = () => undefined;

/** On each CPU, once the position rests; until then those of the previous position. Undefined while the trace plays. */
export function useNextObjects(
	{ position: { op, step }, nrSteps }: Moment,
	cache: number,
): readonly NextObject[] | undefined {
	const built = useFacts((f) => f.built);
	const isWhole = useFacts((f) => f.isWhole);
	const playing = useFacts((f) => f.playing);
	const answer = useFacts((f) => f.next);
	// The core answers between events: within an event, as before it.
	const ops = step >= nrSteps - 1 ? op + 1 : op;
	useEffect(() => {
		if (playing || !built) return;
		let isWanted = true;
		const isThere = awaitChange();
		const ask = async () => {
			const rows = await busy(() => engine().nextObjects(ops, cache)).catch(nothing);
			if (isWanted) change({ next: rows ? { ops, cache, rows } : null });
			isThere();
		};
		// The text follows a drag as well, which the answer would hold up.
		const rest = () => {
			timer = isRushing() ? window.setTimeout(rest, REST_MS) : 0;
			if (timer === 0) void ask();
		};
		let timer = window.setTimeout(rest, REST_MS);
		return () => {
			isWanted = false;
			window.clearTimeout(timer);
			isThere();
		};
	}, [ops, cache, built, isWhole, playing]);
	return !playing && answer?.cache === cache ? answer.rows : undefined;
}
