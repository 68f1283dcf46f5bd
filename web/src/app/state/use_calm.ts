/**
 * The facts as panels show them: throttle.ts decides when they follow. While positions come as fast as frames, the
 * panels that cost most follow a frame or two later than the others, so that no frame renders them all.
 */
import { create, type StoreApi } from "zustand";
import { onFrame } from "../../base/frame_clock.ts";
import { type Facts, facts, START } from "./store.ts";
import { isRushing, onlyMoves, onWords } from "./throttle.ts";

const panels = () => create<Facts>(() => START);

/** As useFacts, for panels that show the position. */
export const useCalm = panels();
/** The same for the stairs. */
export const useCalmStairs = panels();
/** The same for the story. */
export const useCalmStory = panels();

const LATER: readonly StoreApi<Facts>[] = [useCalmStairs, useCalmStory];

let late: StoreApi<Facts>[] = [];

function follow(): void {
	const isMove = onlyMoves(facts(), useCalm.getState());
	useCalm.setState(facts());
	late = [...LATER];
	if (isMove && isRushing()) onFrame(oneMore);
	else while (late.length > 0) oneMore();
}

/** One late panel shows the position that the text beside it shows. */
function oneMore(): boolean {
	late.shift()?.setState(useCalm.getState());
	return late.length > 0;
}

// Changes before the first subscription.
follow();
onWords(follow);
