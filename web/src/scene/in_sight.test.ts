/** Tests what counts as something to look at. */
import { expect, it } from "vitest";
import { hasAnything, nearestThing } from "./find.ts";
import { EMPTY_SCENE, type Scene } from "./scene.ts";

const zone = { kind: "zone", key: "z", x: 500, y: 0, w: 100, h: 50, value: 0 };
const scene = { ...EMPTY_SCENE, width: 1000, height: 500, panels: [zone] } as unknown as Scene;

it("finds every spot that a view can be held at", () => {
	const onZone = { x: 590, y: 10, w: 20, h: 10 };
	expect(nearestThing(scene, onZone)).toBe(zone);
	expect(hasAnything(scene, onZone)).toBe(true);
	expect(hasAnything(scene, { x: 550, y: 10, w: 20, h: 10 })).toBe(false);
	expect(hasAnything(scene, { x: 0, y: 0, w: 20, h: 10 })).toBe(false);
});
