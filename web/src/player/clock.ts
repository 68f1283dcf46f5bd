/**
 * The one requestAnimationFrame of the page. Listeners say whether they want another frame; while none does the
 * clock stands still and costs nothing.
 */

/** Called with milliseconds; true asks for one more frame. */
export type FrameListener = (nowMs: number) => boolean;

const listeners = new Set<FrameListener>();
const watchers = new Set<() => void>();
let scheduled = 0;

function frame(nowMs: number): void {
	scheduled = 0;
	let again = false;
	for (const listener of listeners) again = listener(nowMs) || again;
	if (again) wake();
}

/** Listeners run in the order in which they came: the player before the stage, so moving comes before drawing. */
export function onFrame(listener: FrameListener): () => void {
	listeners.add(listener);
	wake();
	return () => listeners.delete(listener);
}

export function wake(): void {
	if (scheduled !== 0) return;
	scheduled = requestAnimationFrame(frame);
	for (const tell of watchers) tell();
}

/** Told at once whenever the clock starts. */
export function onWake(tell: () => void): void {
	watchers.add(tell);
}

/** Whether a frame is due: something is moving or is about to. */
export function isAwake(): boolean {
	return scheduled !== 0;
}

let awaited = 0;
/** For what a part that has come asks for at first. */
const SETTLES_MS = 60;

/** A part of the page is being loaded. Returns what says that it is there. */
export function awaitPart(): () => void {
	awaited++;
	return () => {
		window.setTimeout(() => {
			awaited--;
		}, SETTLES_MS);
	};
}

/** Whether all of the page that is to be seen is there. */
export function isComplete(): boolean {
	return awaited === 0;
}
