/** The page's end of the worker: made once, spoken to through Engine. */
import { type Remote, wrap } from "comlink";
import type { Engine } from "../engine/engine.ts";

let link: Remote<Engine> | undefined;

export function engine(): Remote<Engine> {
	link ??= wrap<Engine>(
		new Worker(new URL("../engine/worker.ts", import.meta.url), {
			type: "module",
			name: "slabscope",
		}),
	);
	return link;
}
