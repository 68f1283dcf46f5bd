/** Workers other than the stage's. Each one replays traces to compute numbers, and ends when it's no longer needed. */
import { type Remote, wrap } from "comlink";
import { carryErrors } from "../../base/errors.ts";
import type { Workbench } from "../../engine/worker/workbench.ts";
import { ownModule, startWorker } from "./page_files.ts";

export interface Hand {
	readonly helper: Remote<Workbench>;
	/** Stops the worker. Its pending calls are never answered. */
	release(): void;
}

export async function hire(): Promise<Hand> {
	carryErrors();
	const worker = startWorker();
	const helper = wrap<Workbench>(worker);
	const failed = new Promise<never>((_, reject) => {
		worker.addEventListener("error", (event) => {
			event.preventDefault();
			reject(new Error(`A worker failed (${event.message || "not loaded"}).`));
		});
	});
	const release = () => worker.terminate();
	try {
		await Promise.race([helper.assist(ownModule()), failed]);
	} catch (error) {
		release();
		throw error;
	}
	return { helper, release };
}

/** How many workers are useful at once on this computer. */
export function mostHands(): number {
	return Math.min(Math.max(navigator.hardwareConcurrency || 2, 1), 8);
}
