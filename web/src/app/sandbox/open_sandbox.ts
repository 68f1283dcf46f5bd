/** Opens the sandbox, for code that is loaded from the start. */
import { loadCode } from "../../base/load_code.ts";
import type { View } from "../link/url.ts";
import { showError } from "../playback/player.ts";

/** Loads the sandbox's code on first use, then opens it. */
export async function openSandbox(view?: View): Promise<boolean> {
	try {
		const { openSandbox: open } = await loadCode(() => import("./sandbox.ts"));
		return await open(view);
	} catch (error) {
		showError(error);
		return false;
	}
}
