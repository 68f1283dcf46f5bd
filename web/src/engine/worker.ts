/** The worker: the session lives here, and the page speaks to it through Engine. */
import { expose } from "comlink";
import { SessionEngine } from "./session_engine.ts";

expose(new SessionEngine());
