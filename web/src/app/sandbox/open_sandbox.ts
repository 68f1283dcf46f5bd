/** Opens the sandbox or a fork, for code that is loaded from the start. */
import { loadCode } from "../../base/load_code.ts";
import { SANDBOX } from "../link/fields.ts";
import type { View } from "../link/url.ts";
import { showError } from "../playback/player.ts";
import type { Sandbox } from "../state/sandbox_text.ts";
import { facts, type StillFacts } from "../state/store.ts";

const code = () => loadCode(() => import("./sandbox.ts"));
const forks = () => loadCode(() => import("./fork.ts"));

async function attemptOf(work: () => Promise<boolean>): Promise<boolean> {
	try {
		return await work();
	} catch (error) {
		showError(error);
		return false;
	}
}

/** Loads the sandbox's code on first use, then opens it. */
export function openSandbox(view?: View): Promise<boolean> {
	return attemptOf(async () => (await code()).openSandbox(view));
}

/** Opens a scene in place of this tab's sandbox. */
export function openScene(scene: Sandbox): Promise<boolean> {
	return attemptOf(async () => (await code()).openScene(scene));
}

/** Opens the fork that a view has of the trace on screen, or leaves the fork if the view has none. */
export function openFork(view: View): Promise<boolean> {
	return attemptOf(async () => (await forks()).openFork(view));
}

/** Whether the trace on screen can be forked: it is not a sandbox, and has no fork yet. */
export function canFork(): boolean {
	return facts().moment !== null && isForkable(facts());
}

/** Whether its trace can be forked at the positions that it has. */
export function isForkable({ trace, sandbox, embed }: StillFacts): boolean {
	return sandbox === null && trace !== SANDBOX && !embed;
}

/** Forks the trace on screen after the event on screen. */
export function forkHere(): Promise<boolean> {
	return attemptOf(async () => (await forks()).forkHere());
}
