/**
 * The facts as panels show them: throttle.ts decides when they follow. All panels follow in the same frame, so that
 * only a few frames are long.
 */
import { create } from "zustand";
import { type Facts, facts, START } from "./store.ts";
import { onWords } from "./throttle.ts";

/** Like useFacts, but for panels that show the position. It starts with what the page's HTML shows. */
export const useCalm = create<Facts>(() => START);

const follow = () => useCalm.setState(facts(), true);

// Catches changes from before the first subscription.
follow();
onWords(follow);
