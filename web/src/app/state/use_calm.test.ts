// The panels show one position: while positions come as fast as frames, some a frame or two later than others.

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

/** The positions in the title, on the stairs and in the story. */
function shown(): number[] {
	return [calm.useCalm, calm.useCalmStairs, calm.useCalmStory].map(
		(panel) => panel.getState().moment?.position.op ?? -1,
	);
}

function come(op: number, afterMs: number): void {
	vi.advanceTimersByTime(afterMs);
	store.change({ moment: { position: { op, step: 0 } } as Moment });
}

it("a single position is in all panels at once", () => {
	come(7, 1000);
	expect(shown()).toEqual([7, 7, 7]);
});

it("in a rush one panel follows after the other, all of them with the same position", () => {
	const seen = new Set<string>();
	for (let op = 0; op < 200; op++) {
		come(op, FRAME_MS);
		seen.add(shown().join());
	}
	const late = [...seen].map((s) => s.split(",").map(Number)).filter(([a, , c]) => a !== c);
	expect(late.length).toBeGreaterThan(0);
	for (const op of new Set(late.map(([title]) => title))) {
		const complete = [op, op, op].join();
		expect(seen).toContain(complete);
	}
});

it("after a rush all panels show its last position", () => {
	for (let op = 0; op < 100; op++) come(op, FRAME_MS);
	vi.advanceTimersByTime(110);
	expect(shown()).toEqual([99, 99, 99]);
});

it("another machine or cache is in all panels at once, in a rush as well", () => {
	for (let op = 0; op < 100; op++) come(op, FRAME_MS);
	store.change({ cache: "dentry" });
	expect(shown()).toEqual([99, 99, 99]);
	expect(calm.useCalmStory.getState().cache).toBe("dentry");
});
