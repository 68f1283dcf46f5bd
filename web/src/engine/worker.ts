/** The worker: the session lives here, and the page speaks to it through Engine. */
import { expose } from "comlink";
import { guarded } from "./guard.ts";
import { beginFetch } from "./input.ts";
import { quickStart } from "./quick_start.ts";

/** A script of the page names what a first view is going to need before anybody has opened an engine for it. */
addEventListener("message", ({ data }: MessageEvent<{ readonly beginFetch?: unknown }>) => {
	if (Array.isArray(data.beginFetch)) for (const url of data.beginFetch) beginFetch(String(url));
});
expose(guarded(quickStart()));
