/** The facts as panels show them: throttle.ts decides when they follow. */
import { create } from "zustand";
import { type Facts, facts, START } from "./store.ts";
import { onWords } from "./throttle.ts";

/** As useFacts, for panels that show the position. */
export const useCalm = create<Facts>(() => START);

const follow = () => useCalm.setState(facts());
// Changes before the first subscription.
follow();
onWords(follow);
