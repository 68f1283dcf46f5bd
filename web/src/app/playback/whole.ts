/**
 * Fetches the whole simulator by itself once the page rests: chapters, costs and next objects need it, and the first
 * scene does not. A visitor who saves data, an embedded page and a page without a network wait for the first sign that
 * somebody is there.
 */

import { onFirstSign } from "../../base/first_sign.ts";
import { awaitChange } from "../../base/frame_clock.ts";
import { engine } from "../platform/engine_link.ts";
import { change, facts, store } from "../state/store.ts";
import { startCacheCurves } from "./cache_curves.ts";
import { startChapters } from "./chapters.ts";

/** A page that never rests gets it after so long. */
const REST_WITHIN_MS = 1500;
/** Where the browser does not report when it rests. */
const REST_MS = 300;

/** The page is not idle until it is there, or is found not to come for now. */
let settled = () => {};
let fetching: Promise<void> | undefined;

/** Call when the first scene is on screen and React has its panels. */
export function fetchWholeAtRest(): void {
	onFirstSign(["pointermove", "pointerdown", "keydown"], () => void fetchWhole());
	window.addEventListener("online", () => void fetchWhole());
	if (facts().embed || savesData() || !navigator.onLine) return;
	settled = awaitChange();
	atRest(() => void fetchWhole());
}

/** Resolves when it is there, or does not come. Then the visitor's next press tries again. */
function fetchWhole(): Promise<void> {
	if (!facts().isWhole) fetching ??= fetchOnce();
	return fetching ?? Promise.resolve();
}

async function fetchOnce(): Promise<void> {
	settled();
	settled = awaitChange();
	const stop = store.subscribe((now) => {
		if (now.crash) settled();
	});
	try {
		const isThere = await engine().prepare();
		if (!isThere) {
			onFirstSign(["pointerdown", "keydown"], () => void fetchWhole());
			return;
		}
		change({ isWhole: true });
		startChapters();
		startCacheCurves();
	} finally {
		fetching = undefined;
		stop();
		settled();
	}
}

function savesData(): boolean {
	const { connection } = navigator as { connection?: { readonly saveData?: boolean } };
	return connection?.saveData === true;
}

function atRest(run: () => void): void {
	if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: REST_WITHIN_MS });
	else setTimeout(run, REST_MS);
}
