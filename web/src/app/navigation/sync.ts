/**
 * Keeps three things in step with the facts: the URL, the theme, and the idle mark that tests wait for. Browsers
 * limit history changes per second, so the URL is written once the position settles.
 */

import { afterLayout, isAwake, isComplete, onTurn } from "../../base/frame_clock.ts";
import { MADE } from "../../engine/generated_trace.ts";
import { addressOnScreen, addressTo, queryIn } from "../link/address.ts";
import { LOCAL, SANDBOX } from "../link/fields.ts";
import {
	chapterOf,
	factsAtOnce,
	faultsOf,
	fromQuery,
	toQuery,
	type View,
	viewOf,
} from "../link/url.ts";
import { disconnect, engine } from "../platform/engine_link.ts";
import { ownModule } from "../platform/page_files.ts";
import { setBreakpoints } from "../playback/breakpoints.ts";
import { marksToShow } from "../playback/marks.ts";
import { known } from "../playback/opened.ts";
import { attempt, dropRequests, go, isMoving } from "../playback/player.ts";
import { openFork, openSandbox } from "../sandbox/scenes.ts";
import { stageKeys } from "../state/stage_keys.ts";
import { busy, change, facts, habitsDiffer, keep, stopKey, store } from "../state/store.ts";
import { isTextCurrent } from "../state/throttle.ts";
import { useCalm } from "../state/use_calm.ts";
import {
	beginAs,
	keptAs,
	lastOpened,
	listRecent,
	openAgain,
	openRecent,
	openSample,
	setMachine,
} from "../trace/actions.ts";

const REST_MS = 150;
/** The timer of a change to the view that is not in the URL yet. */
let resting = 0;

/** The address of a refused link, kept until the visitor does something: a newer page can still read it. */
let refused: { readonly shown: string } | "" = "";

export function keepRefusedAddress(): void {
	refused = { shown: "" };
}

/** Whether the address is still that of a refused link. */
function isRefused(address: string): boolean {
	if (refused === "") return false;
	if (refused.shown === "") refused = { shown: address };
	if (refused.shown === address) return true;
	refused = "";
	return false;
}

/** Views restored from the browser's history. */
let restoring = 0;

export function startSync(): void {
	let written = chapterOf(facts());
	const write = () => {
		const f = facts();
		const isBusy = f.progress !== null || f.pending > 0 || isMoving() || restoring > 0;
		if (!f.moment || isBusy || f.embed) return;
		const address = addressTo(toQuery(viewOf(f)), location);
		const wasRefused = refused !== "";
		if (isRefused(address) || address === addressOnScreen(location)) return;
		const now = chapterOf(f);
		const push = wasRefused || (now !== written && queryIn(location) !== "");
		written = now;
		if (push) history.pushState(null, "", address);
		else history.replaceState(null, "", address);
	};
	let look = () => {};
	let changedMs = 0;
	const rest = () => {
		const leftMs = changedMs + REST_MS - performance.now();
		resting = leftMs > 0 ? window.setTimeout(rest, leftMs) : 0;
		if (resting > 0) return;
		write();
		look();
	};
	store.subscribe((f, before) => {
		if (!f.embed && habitsDiffer(f, before)) keep(f);
		changedMs = performance.now();
		if (resting === 0) resting = window.setTimeout(rest, REST_MS);
	});
	window.addEventListener("popstate", () => {
		restoring++;
		void restoreAll(fromQuery(queryIn(location))).then(() => {
			restoring--;
			written = chapterOf(facts());
		});
	});
	look = markIdle();
}

/** Everything that an opened link restores: a link inside the page leaves these facts alone. */
async function restoreAll(view: View): Promise<void> {
	if (view.isRefused) {
		keepRefusedAddress();
		change({ error: view.faults.join(" ") });
		return;
	}
	change({ series: view.series, unknown: view.unknown });
	setBreakpoints(view.breakpoints);
	await restore(view);
	const { trace, fileKey, built } = facts();
	if (built && trace === view.trace) change(marksToShow(trace, fileKey, built.nrOps, view.marks));
}

/** Goes to a view of this trace, or opens another one first. */
export async function restore(view: View): Promise<boolean> {
	change({ ...factsAtOnce(view), lessonShown: stopKey(view.lesson), playing: false });
	const f = facts();
	if (view.trace === SANDBOX && (f.trace !== SANDBOX || view.sandbox !== f.sandboxCode))
		return openSandbox(view);
	if (view.trace !== f.trace || !f.fileKey.startsWith(view.file)) {
		const kept = keptAs(view);
		if (kept) return openRecent(kept.key, view);
		const known = f.samples.some((s) => s.file === view.trace) || view.trace.startsWith(MADE);
		if (known) return openSample(view.trace, view);
	}
	if (JSON.stringify(view.machine) !== JSON.stringify(f.machine)) await setMachine(view.machine);
	if (view.trace === f.trace) await beginAs(view);
	const isOtherFork = view.sandbox !== f.sandboxCode || view.future !== f.future;
	if (view.trace === f.trace && view.trace !== SANDBOX && isOtherFork) return openFork(view);
	const { built, trace, startState } = facts();
	if (!built) return false;
	const { caches, nrOps } = built;
	const wrong = faultsOf(view, { open: trace, caches, nrOps, startState });
	const { error } = facts();
	if (wrong !== "") change({ error: error === "" ? wrong : `${wrong} ${error}` });
	const isKnown = known(built, view.cache) !== undefined;
	if (isKnown) change({ cache: view.cache, wanted: view.cache });
	const selected = isKnown || view.cache === "" ? view.selected : null;
	change({ selected, range: view.range, why: view.why });
	stageKeys.look(view.zoom);
	if (view.op >= 0) go({ kind: "at", op: view.op, step: view.step >= 0 ? view.step : "last" });
	return true;
}

/** Whether nothing is loading, moving or being computed. */
function isQuiet(): boolean {
	const f = facts();
	return (
		!f.progress &&
		f.pending === 0 &&
		!isMoving() &&
		!f.playing &&
		!isAwake() &&
		resting === 0 &&
		isTextCurrent() &&
		isComplete() &&
		(f.moment !== null || f.error !== "" || f.crash !== null)
	);
}

/**
 * Sets `data-idle` on the root element: nothing has changed for at least a frame. A sentence that needs another line
 * makes the stage smaller, which the stage only learns at layout. Returns a function that checks again.
 */
function markIdle(): () => void {
	// The element's value is remembered instead of read: it is checked several times per frame.
	let marked: boolean | undefined;
	const mark = (idle: boolean) => {
		if (idle === marked) return;
		marked = idle;
		document.documentElement.dataset.idle = String(idle);
	};
	let callOff: (() => void) | undefined;
	const look = () => {
		callOff?.();
		callOff = undefined;
		if (!isQuiet()) mark(false);
		else if (!marked) callOff = afterLayout(() => mark(isQuiet()));
	};
	store.subscribe(look);
	useCalm.subscribe(look);
	onTurn(look);
	look();
	return look;
}

/* Replaces a simulator that stopped, with the same trace, machine and event. */

/** `fromStart`: go to the first event, because at this one the simulator would only stop again. */
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
		change({ error: "The simulator is running again: open your trace once more." });
}

async function reopen(view: View): Promise<boolean> {
	if (view.trace === SANDBOX) return openSandbox(view);
	if (!view.trace.startsWith(LOCAL)) return openSample(view.trace, view);
	await listRecent();
	const kept = keptAs(view);
	if (kept) return openRecent(kept.key, view);
	return LOCAL + lastOpened() === view.trace ? openAgain(view) : false;
}
