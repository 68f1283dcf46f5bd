/** The worker: it owns the session, and the page calls it through Engine. */
import { expose } from "comlink";
import { carryErrors } from "../../base/errors.ts";
import { awaitFetch, endFetch } from "../input.ts";
import type { Machine } from "../types.ts";
import { guarded } from "./guard.ts";
import { twoStageEngine } from "./two_stage_engine.ts";

/** A script in the page (web/build/early_script.js) names the files of a first view before the page asks for it. */
interface Early {
	readonly fetching?: unknown;
	readonly fetched?: unknown;
	readonly bytes?: unknown;
	/** The files of a plain visit, both on their way. */
	readonly first?: {
		readonly module: string;
		readonly recording: string;
		readonly machine: Machine;
	};
}

const engine = twoStageEngine();

addEventListener("message", ({ data }: MessageEvent<Early>) => {
	if (data.first) engine.begin(data.first.module, data.first.recording, data.first.machine);
	if (typeof data.fetching === "string") awaitFetch(data.fetching);
	if (typeof data.fetched === "string")
		endFetch(data.fetched, data.bytes instanceof ArrayBuffer ? data.bytes : undefined);
});
carryErrors();
expose(guarded(engine));
