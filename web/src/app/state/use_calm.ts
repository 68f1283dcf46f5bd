/** The facts as panels show them: words.ts says when they follow. */
import { create } from "zustand";
import { type Facts, facts, START } from "./store.ts";
import { onWords } from "./throttle.ts";

/** As useFacts, for what panels show of the moment. */
export const useCalm = create<Facts>(() => START);

const follow = () => useCalm.setState(facts());
// What has changed before anybody looked.
follow();
onWords(follow);
