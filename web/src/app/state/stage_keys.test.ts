/** Tests what happens to requests that are sent to the stage before it exists. */
import { expect, it } from "vitest";
import { stageKeys } from "./stage_keys.ts";

it("keeps the view that a link asks for until there is a stage to show it on", () => {
	const zoom = { k: 30, x: 0.13, y: 0.74 };
	stageKeys.look(zoom);
	expect(stageKeys.asked).toEqual(zoom);
	stageKeys.look(null);
	expect(stageKeys.asked).toBeNull();
});
