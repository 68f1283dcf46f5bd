/** Shows one sentence about the last press for a while, beside the timeline, and for screen readers. */
import { change } from "./store.ts";

/** How long it stays: long enough to be read, even aloud. */
const SAID_MS = 6000;
let forgetting = 0;

export function say(said: string): void {
	change({ said });
	window.clearTimeout(forgetting);
	forgetting = window.setTimeout(() => change({ said: "" }), SAID_MS);
}
