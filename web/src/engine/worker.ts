/** The worker: the session lives here, and the page speaks to it through Engine. */
import { expose } from "comlink";
import { beginModule } from "./first_engine.ts";
import { guarded } from "./guard.ts";
import { quickStart } from "./quick_start.ts";

/** The boot script names the module before the page's own script is there to open the engine with it. */
addEventListener("message", ({ data }: MessageEvent<{ readonly beginModule?: unknown }>) => {
	if (typeof data.beginModule === "string") beginModule(data.beginModule);
});
expose(guarded(quickStart()));
