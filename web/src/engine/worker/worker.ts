/** The worker: the session lives here, and the page speaks to it through Engine. */
import { expose } from "comlink";
import { carryErrors } from "../../base/errors.ts";
import { awaitFetch, beginFetch, endFetch } from "../input.ts";
import { guarded } from "./guard.ts";
import { quickStart } from "./two_stage_engine.ts";

/** A script of the page names what a first view is going to need before anybody has opened an engine for it. */
interface Early {
	readonly beginFetch?: unknown;
	readonly fetching?: unknown;
	readonly fetched?: unknown;
	readonly bytes?: unknown;
}

addEventListener("message", ({ data }: MessageEvent<Early>) => {
	if (typeof data.beginFetch === "string") beginFetch(data.beginFetch);
	if (typeof data.fetching === "string") awaitFetch(data.fetching);
	if (typeof data.fetched === "string")
		endFetch(data.fetched, data.bytes instanceof ArrayBuffer ? data.bytes : undefined);
});
carryErrors();
expose(guarded(quickStart()));
