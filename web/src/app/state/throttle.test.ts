// Tests that text follows positions as fast as it can be read, always shows the last one, and follows anything else at once.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Moment } from "../../engine/types.ts";

const FRAME_MS = 16;

let texts: number[];
let words: typeof import("./throttle.ts");
let store: typeof import("./store.ts");

beforeEach(async () => {
	vi.stubGlobal("window", globalThis);
	vi.resetModules();
	vi.useFakeTimers({ now: 10_000 });
	store = await import("./store.ts");
	words = await import("./throttle.ts");
	texts = [];
	words.onWords(() => texts.push(store.facts().moment?.position.op ?? -1));
});

afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllGlobals();
});

function come(op: number, afterMs: number): void {
	vi.advanceTimersByTime(afterMs);
	store.change({ moment: { position: { op, step: 0 } } as Moment });
}

it("passes on each of four positions a second, but no more than that of eight", () => {
	for (let op = 0; op < 4; op++) come(op, 250);
	expect(texts).toEqual([0, 1, 2, 3]);
	for (let op = 4; op < 12; op++) come(op, 125);
	vi.advanceTimersByTime(200);
	expect(texts.length).toBeLessThan(4 + 7);
	expect(texts.at(-1)).toBe(11);
});

it("shows text during a rush every second and a half, and a tenth of a second after it", () => {
	for (let op = 0; op < 150; op++) come(op, FRAME_MS);
	expect(words.areWordsHeld()).toBe(true);
	expect(texts.length).toBeLessThanOrEqual(4);
	vi.advanceTimersByTime(110);
	expect(texts.at(-1)).toBe(149);
	expect(words.isTextCurrent()).toBe(true);
	expect(words.areWordsHeld()).toBe(false);
});

it("does not end a rush for one late position, but for two in a row", () => {
	for (let op = 0; op < 20; op++) come(op, FRAME_MS);
	const before = texts.length;
	come(20, 4 * FRAME_MS);
	for (let op = 21; op < 30; op++) come(op, FRAME_MS);
	expect(texts.length).toBe(before);
	for (let op = 30; op < 35; op++) come(op, 5 * FRAME_MS);
	vi.advanceTimersByTime(200);
	expect(texts.length).toBeGreaterThan(before + 1);
});

it("passes on at once what has nothing to do with time, with the current position", () => {
	for (let op = 0; op < 10; op++) come(op, FRAME_MS);
	store.change({ playing: !store.facts().playing });
	expect(texts.at(-1)).toBe(9);
});
