/** The worker: it owns the session, and the page calls it through Engine. */
import { expose } from "comlink";
import { carryErrors } from "../../base/errors.ts";
import { awaitFetch, endFetch } from "../input.ts";
import { guarded } from "./guard.ts";
import { twoStageEngine } from "./two_stage_engine.ts";

/** A script of the page names the files of a first view before an engine is opened for it. */
interface Early {
	readonly fetching?: unknown;
	readonly fetched?: unknown;
	readonly bytes?: unknown;
}

addEventListener("message", ({ data }: MessageEvent<Early>) => {
	if (typeof data.fetching === "string") awaitFetch(data.fetching);
	if (typeof data.fetched === "string")
		endFetch(data.fetched, data.bytes instanceof ArrayBuffer ? data.bytes : undefined);
});
carryErrors();
expose(guarded(twoStageEngine()));
