/** The facts as panels show them: throttle.ts decides when they follow. All panels follow in one frame, so that few frames are long. */
import { create } from "zustand";
import { facts } from "./store.ts";
import { onWords } from "./throttle.ts";

/** As useFacts, for panels that show the position. */
export const useCalm = create(facts);

onWords(() => useCalm.setState(facts()));
