// use_calm.test.ts - tests which positions panels show while new ones arrive at every frame.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Moment } from "../../engine/types.ts";

const FRAME_MS = 16;

let calm: typeof import("./use_calm.ts");
let store: typeof import("./store.ts");

beforeEach(async () => {
	vi.stubGlobal("window", globalThis);
	vi.useFakeTimers({ now: 10_000 });
	vi.stubGlobal("requestAnimationFrame", (run: (now: number) => void) =>
		setTimeout(() => run(performance.now()), FRAME_MS),
	);
	vi.resetModules();
	store = await import("./store.ts");
	calm = await import("./use_calm.ts");
});

afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllGlobals();
});

function shown(): number {
	return calm.useCalm.getState().moment?.position.op ?? -1;
}

function come(op: number, afterMs: number): void {
	vi.advanceTimersByTime(afterMs);
	store.change({ moment: { position: { op, step: 0 } } as Moment });
}

it("shows a single position at once", () => {
	come(7, 1000);
	expect(shown()).toBe(7);
});

it("follows only a few positions of a rush, at most one every second and a half", () => {
	come(0, 1000);
	const seen = new Set<number>();
	for (let op = 1; op <= 200; op++) {
		come(op, FRAME_MS);
		seen.add(shown());
	}
	expect(seen.size).toBeGreaterThan(2);
	expect(seen.size).toBeLessThanOrEqual(2 + (200 * FRAME_MS) / 1500);
});

it("shows the last position of a rush once it settles", () => {
	for (let op = 0; op < 100; op++) come(op, FRAME_MS);
	vi.advanceTimersByTime(110);
	expect(shown()).toBe(99);
});

it("shows another machine or cache at once, even during a rush", () => {
	for (let op = 0; op < 100; op++) come(op, FRAME_MS);
	store.change({ cache: "dentry" });
	expect(shown()).toBe(99);
	expect(calm.useCalm.getState().cache).toBe("dentry");
});
