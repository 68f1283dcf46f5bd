/** Questions of the story to the engine: the cost of an event, and where the next object of a cache lands. */
import { useEffect, useState } from "react";
import { engine } from "../../../app/platform/engine_link.ts";
import { SLIDE_LIMIT } from "../../../app/playback/rate.ts";
import { busy } from "../../../app/state/store.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { awaitChange } from "../../../base/frame_clock.ts";
import type { EventCost, Moment, NextObject } from "../../../engine/types.ts";
import { useAsync } from "../../../ui/use_async.ts";

/** Longer than the time between two positions while an arrow key is held down. */
const REST_MS = 80;

/** Figures that do not arrive leave their places empty: the story can be read without them. */
const nothing = () => undefined;

/** Undefined until the whole simulator is there, and while events pass faster than anybody can read. */
export function useEventCost(op: number): EventCost | undefined {
	const built = useFacts((f) => f.built);
	const isWhole = useFacts((f) => f.isWhole);
	const isFast = useFacts((f) => f.playing && f.speed > SLIDE_LIMIT);
	const ask = () => busy(() => engine().eventCost(op)).catch(nothing);
	const { value, isCurrent } = useAsync(isFast ? undefined : ask, [op, built, isWhole, isFast]);
	return isCurrent && value?.op === op ? value : undefined;
}

/** On each CPU, once the position rests; until then those of the previous position. Undefined while the trace plays. */
export function useNextObjects(
	{ position: { op, step }, nrSteps }: Moment,
	cache: number,
): readonly NextObject[] | undefined {
	const built = useFacts((f) => f.built);
	const isWhole = useFacts((f) => f.isWhole);
	const playing = useFacts((f) => f.playing);
	const [answer, setAnswer] = useState<{
		cache: number;
		rows: readonly NextObject[] | undefined;
	}>();
	// The core answers between events: within an event, as before it.
	const ops = step >= nrSteps - 1 ? op + 1 : op;
	useEffect(() => {
		if (playing || !built) return;
		let isWanted = true;
		const isThere = awaitChange();
		const timer = window.setTimeout(async () => {
			const rows = await busy(() => engine().nextObjects(ops, cache)).catch(nothing);
			if (isWanted) setAnswer({ cache, rows });
			isThere();
		}, REST_MS);
		return () => {
			isWanted = false;
			window.clearTimeout(timer);
			isThere();
		};
	}, [ops, cache, built, isWhole, playing]);
	return !playing && answer?.cache === cache ? answer.rows : undefined;
}
