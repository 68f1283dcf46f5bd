/** Workers beside the one that serves the stage: each replays for numbers alone, and is let go when it is not needed. */
import { type Remote, wrap } from "comlink";
import { carryErrors } from "../../base/errors.ts";
import type { Helper } from "../../engine/worker/workbench.ts";
import { ownModule, startWorker } from "./page_files.ts";

export interface Hand {
	readonly helper: Remote<Helper>;
	/** Stops whatever it does. What it was asked for is never answered then. */
	letGo(): void;
}

export async function hire(): Promise<Hand> {
	carryErrors();
	const worker = startWorker();
	const helper = wrap<Helper>(worker);
	const failed = new Promise<never>((_, reject) => {
		worker.addEventListener("error", (event) => {
			event.preventDefault();
			reject(new Error(`A worker failed (${event.message || "not loaded"}).`));
		});
	});
	await Promise.race([helper.assist(ownModule()), failed]);
	return { helper, letGo: () => worker.terminate() };
}

/** As many as have something to do at once on this machine. */
export function mostHands(): number {
	return Math.min(Math.max(navigator.hardwareConcurrency || 2, 1), 8);
}
