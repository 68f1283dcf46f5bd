/**
 * The page's only requestAnimationFrame loop. Listeners return whether they want another frame; while none does, the
 * clock stands still and costs nothing.
 */

/** Called with milliseconds; returning true asks for one more frame. */
export type FrameListener = (nowMs: number) => boolean;

const listeners = new Set<FrameListener>();
const watchers = new Set<() => void>();
let scheduled = 0;

const tell = () => {
	for (const watcher of watchers) watcher();
};

function frame(nowMs: number): void {
	scheduled = 0;
	let again = false;
	for (const listener of listeners) again = listener(nowMs) || again;
	if (again) wake();
	else tell();
}

/** Listeners run in the order in which they were added: the player before the stage, so moving comes before drawing. */
export function onFrame(listener: FrameListener): () => void {
	listeners.add(listener);
	wake();
	return () => listeners.delete(listener);
}

export function wake(): void {
	if (scheduled !== 0) return;
	scheduled = requestAnimationFrame(frame);
	tell();
}

/** Called at once whenever the clock starts or stops, and when a part of the page has loaded. */
export function onTurn(watcher: () => void): void {
	watchers.add(watcher);
}

/**
 * Calls back once the current page has been laid out and resize observers have run. Returns a function that cancels
 * it.
 */
export function afterLayout(then: () => void): () => void {
	let timer = 0;
	const request = requestAnimationFrame(() => {
		timer = window.setTimeout(then);
	});
	return () => {
		cancelAnimationFrame(request);
		window.clearTimeout(timer);
	};
}

/** Whether a frame is due: something is moving or is about to. */
export function isAwake(): boolean {
	return scheduled !== 0;
}

let awaited = 0;
/** Lets a part that has just loaded make its first requests. */
const SETTLES_MS = 60;

/** Says that a part of the page is being loaded. Returns a function to call when it has loaded. */
export function awaitPart(): () => void {
	const isThere = awaitChange();
	return () => {
		window.setTimeout(isThere, SETTLES_MS);
	};
}

/** Says that something on screen is not final yet. Returns a function to call when it is. */
export function awaitChange(): () => void {
	let isAwaited = true;
	awaited++;
	return () => {
		if (!isAwaited) return;
		isAwaited = false;
		awaited--;
		tell();
	};
}

/** Whether every visible part of the page has loaded. */
export function isComplete(): boolean {
	return awaited === 0;
}
