// The warm-up draws a scene like a first view: a card for every CPU, lists for every node, a slab in each place.

import { expect, it } from "vitest";
import { sceneToRehearse } from "./warm_up.ts";

it("cards, shelves and slabs are all there, on the stage and with names", () => {
	const size = { width: 900, height: 600 };
	const { panels, labels, slabs } = sceneToRehearse(size);
	expect(panels.filter((p) => p.kind === "cpu")).toHaveLength(8);
	expect(slabs).toHaveLength(8 * 2 + 4 * 2);
	expect(labels.map((l) => l.text)).toEqual(expect.arrayContaining(["CPU 0", "Node 3"]));
	for (const { x, y, w, h } of slabs) {
		expect(Math.min(x, y, w, h)).toBeGreaterThanOrEqual(0);
		expect(x + w).toBeLessThanOrEqual(size.width);
		expect(y + h).toBeLessThanOrEqual(size.height);
	}
});
