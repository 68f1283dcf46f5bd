/** The worker: the session lives here, and the page speaks to it through Engine. */
import { expose } from "comlink";
import { guarded } from "./guard.ts";
import { quickStart } from "./quick_start.ts";

expose(guarded(quickStart()));
