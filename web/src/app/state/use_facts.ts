/**
 * The facts as components read them. Code that draws before React is loaded reads the store itself.
 *
 * While the trace plays, sixty positions arrive per second, and the page has more than a hundred selections of facts.
 * So those that do not depend on the position are not evaluated for each one.
 */
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { type Facts, facts, START, type StillFacts, store } from "./store.ts";

const STILL = (Object.keys(START) as (keyof Facts)[]).filter(
	(key) => key !== "moment" && key !== "before",
);

/** Returns the facts as of the last change to anything but the position. */
const still = createStore<Facts>(() => START);

// Catches changes from before the first component.
still.setState(facts(), true);
store.subscribe((now, before) => {
	const isFirst = (now.moment === null) !== (before.moment === null);
	if (isFirst || STILL.some((key) => now[key] !== before[key])) still.setState(now, true);
});

export function useFacts<T>(select: (f: StillFacts) => T): T {
	return useStore(still, select);
}

/** Whether the page has a position yet. */
export function useHasMoment(): boolean {
	return useStore(still, (f) => f.moment !== null);
}

/** For anything that changes with each position on screen. Text follows less often: see use_calm.ts. */
export function useEachPosition<T>(select: (f: Facts) => T): T {
	return useStore(store, select);
}
