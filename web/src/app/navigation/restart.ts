/** Replaces a simulator that stopped, with the same trace, machine and event. */

import { LOCAL, SANDBOX } from "../link/fields.ts";
import { type View, viewOf } from "../link/url.ts";
import { disconnect, engine } from "../platform/engine_link.ts";
import { ownModule } from "../platform/page_files.ts";
import { attempt, dropRequests } from "../playback/player.ts";
import { openSandbox } from "../sandbox/open_sandbox.ts";
import { busy, change, facts } from "../state/store.ts";
import {
	keptAs,
	lastOpened,
	listRecent,
	openAgain,
	openRecent,
	openSample,
} from "../trace/actions.ts";

/** `fromStart`: goes to the first event, because at this one it would only stop again. */
export async function restart(fromStart: boolean): Promise<void> {
	const here = viewOf(facts());
	const view = fromStart ? { ...here, op: 0, step: 0 } : here;
	disconnect();
	dropRequests();
	change({ crash: null, error: "", playing: false, progress: null, pending: 0, closeUps: [] });
	await busy(() => attempt(() => begin(view)));
	change({ restarts: facts().restarts + 1 });
}

async function begin(view: View): Promise<void> {
	await engine().open(ownModule());
	if (!(await reopen(view)) && facts().error === "" && facts().crash === null)
		change({ error: "The simulator runs again. Open your trace again." });
}

async function reopen(view: View): Promise<boolean> {
	if (view.trace === SANDBOX) return openSandbox(view);
	if (!view.trace.startsWith(LOCAL)) return openSample(view.trace, view);
	await listRecent();
	const kept = keptAs(view);
	if (kept) return openRecent(kept.key, view);
	return LOCAL + lastOpened() === view.trace ? openAgain(view) : false;
}
