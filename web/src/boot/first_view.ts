/**
 * Opens the first sample when the address asks for nothing: replays and draws it before React and the panels are
 * loaded. They are fetched once there is something to see.
 */

import index from "../../../traces/index.json";
import { queryIn } from "../app/link/address.ts";
import { engine, onProgress } from "../app/platform/engine_link.ts";
import { ownModule, ownRecording, smallModule } from "../app/platform/page_files.ts";
import { inFull, latestLoad, newLoad, SOMEWHERE, showOpened } from "../app/playback/opened.ts";
import { sentenceOf } from "../app/playback/player.ts";
import { change, facts, type Sample, START, store } from "../app/state/store.ts";

/** A network that is slow to deliver the trace must not hold back the buttons. */
const PATIENCE_MS = 2000;

export const isPlainVisit = (): boolean => queryIn(location).length <= 1;

/** The page's samples, whose files are beside it. */
export const SAMPLES: readonly Sample[] = index;

export async function openEngine(): Promise<void> {
	await engine().open(ownModule(), smallModule());
}

let begun: Promise<boolean> | undefined;

/** Resolves to whether there is something to see; if not, the facts say why. */
export function firstView(): Promise<boolean> {
	begun ??= begin().catch((error: unknown) => {
		change({ error: sentenceOf(error) });
		return false;
	});
	return begun;
}

async function begin(): Promise<boolean> {
	const mine = newLoad();
	const trace = SAMPLES[0]?.file;
	if (!trace) throw new Error("This page has no sample traces: open one of your own files.");
	const opened = openEngine();
	const source = await ownRecording(trace);
	const { machine } = START;
	// The worker goes from one to the next on its own, whatever holds the page up.
	const [loaded] = await Promise.all([
		engine().load(source, inFull(trace, machine), onProgress),
		opened,
	]);
	if (!("report" in loaded))
		throw new Error(`The trace ${trace} could not be read. Open another one.`);
	if (mine !== latestLoad()) return false;
	// Visitors who have explored before see a fuller machine.
	const op = facts().explored ? -1 : (SAMPLES[0]?.first ?? -1);
	showOpened(trace, machine, loaded, { ...SOMEWHERE, op, step: 0 }, {});
	return facts().error === "";
}

/** Resolves once the first position is drawn, or cannot be, or has taken long enough. */
export function untilSeen(): Promise<void> {
	return new Promise((resolve) => {
		const stop = store.subscribe(({ moment, error, crash }) => {
			if (!moment && error === "" && !crash) return;
			stop();
			// The stage draws in the frame that the new position requested.
			requestAnimationFrame(() => window.setTimeout(resolve));
		});
		window.setTimeout(resolve, PATIENCE_MS);
	});
}
