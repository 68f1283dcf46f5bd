/** The way into the sandbox, for the code that is there from the start. */
import { loadCode } from "../../base/load_code.ts";
import type { View } from "../link/url.ts";
import { showError } from "../playback/player.ts";

/** Opens the sandbox, whose code is loaded when it is first wanted. */
export async function openSandbox(view?: View): Promise<boolean> {
	try {
		const { openSandbox: open } = await loadCode(() => import("./sandbox.ts"));
		return await open(view);
	} catch (error) {
		showError(error);
		return false;
	}
}
