/** From Compare, Reality to an event on the stage. */
import { goToEvent } from "../../../app/playback/why.ts";
import { change, facts } from "../../../app/state/store.ts";
import { chooseCache } from "../../../app/trace/actions.ts";
import { beginWithState } from "../../../app/trace/real_run.ts";

/** The stage replays the trace from the start state, as the check does, and shows the cache. The event counts from 1. */
export async function showOnStage({
	event,
	cache,
}: {
	event: number;
	cache: string;
}): Promise<void> {
	await beginWithState();
	if (facts().built?.caches.some(({ name }) => name === cache)) chooseCache(cache);
	goToEvent(event - 1);
	change({ tab: "explore" });
}
