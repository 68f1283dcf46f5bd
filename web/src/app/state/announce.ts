/** What the page has to say of a press, in one sentence, for a while: beside the timeline, and read out. */
import { change } from "./store.ts";

/** Long enough to be read, and to be read out. */
const SAID_MS = 6000;
let forgetting = 0;

export function say(said: string): void {
	change({ said });
	window.clearTimeout(forgetting);
	forgetting = window.setTimeout(() => change({ said: "" }), SAID_MS);
}
