/**
 * Tests that a trace kept by the browser opens with the same figures or is reported as damaged, and never opens with different ones.
 */
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryFolder } from "../../../test/fixtures/memory_folder.ts";
import type { Loaded } from "../answers.ts";
import { RecentStore } from "../recent/recent_store.ts";
import type { Machine } from "../types.ts";
import { SessionEngine } from "./session_engine.ts";

const PLAIN: Machine = { preset: "", values: {} };
const quiet = () => {};
const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));
const MODULE = `data:application/wasm;base64,${wasm.toString("base64")}`;

function recording(objects: number): File {
	const lines = Array.from(
		{ length: objects },
		(_, i) => `a ${i} c${i % 3} cpu=${i % 2}\n${i % 3 === 0 ? `f ${i} cpu=0\n` : ""}`,
	);
	const caches = [64, 192, 520].map((size, i) => `cache c${i} size=${size}\n`).join("");
	return new File([`slabtrace 1\n${caches}${lines.join("")}`], "mine.slabtrace", {
		lastModified: 1,
	});
}

let folder: MemoryFolder;
beforeEach(() => {
	folder = new MemoryFolder();
	const estimate = async () => ({ quota: 1e12, usage: 0 });
	vi.stubGlobal("navigator", { storage: { estimate } });
});
afterEach(() => vi.unstubAllGlobals());

async function engine(): Promise<SessionEngine> {
	const made = new SessionEngine({ store: new RecentStore(folder.asRoot()) });
	await made.open(MODULE);
	return made;
}

function opened(answer: unknown): Loaded {
	if (!(answer instanceof Object && "built" in answer && "report" in answer))
		throw new Error("it was not opened");
	return answer as Loaded;
}

/** The packed original states how many CPUs there are even if the file doesn't; that changes none of the figures. */
function figures({ report, built }: Loaded) {
	const { params, ...rest } = built;
	return { report, ...rest };
}

/** Opens the file, and waits until it is kept. */
async function keep(file: File): Promise<Loaded> {
	const first = await engine();
	const loaded = opened(await first.load(file, PLAIN, quiet));
	expect(await first.kept()).toBe("");
	return loaded;
}

/** Opens what is kept in a new engine, as after a reload. */
async function again(key: string): Promise<Loaded> {
	const next = await engine();
	const loaded = opened(await next.loadRecent(key, PLAIN, quiet));
	await next.kept();
	return loaded;
}

function flip(name: string, at: number, bit: number): void {
	const bytes = folder.files.get(name)?.slice();
	if (!bytes) throw new Error(`there is no ${name}`);
	bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
	folder.files.set(name, bytes);
}

/** Positions in the head, in the tail and anywhere in the body, the same on every run. */
function* places(lenBytes: number, nr: number): Generator<[at: number, bit: number]> {
	let x = 14;
	const random = (below: number) => {
		x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
		return (x >>> 8) % below;
	};
	for (let i = 0; i < nr; i++) {
		const near = random(Math.min(64, lenBytes));
		const at = [near, lenBytes - 1 - near, random(lenBytes)][i % 3] ?? 0;
		yield [at, random(8)];
	}
}

describe.each([
	["that is long", 16_000],
	["that is short", 300],
])("a kept trace %s", (_, objects) => {
	const file = recording(objects);
	const damagedOriginal = /damaged.*packed original.*Open the file itself again/;

	it("opens with the same figures", async () => {
		const loaded = await keep(file);
		const kept = await again(loaded.key);
		expect(figures(kept)).toEqual(figures(loaded));
		expect(kept.note).toBe("");
	});

	it.each([".json", ".copy"])("survives a flipped bit in %s", async (ending) => {
		const loaded = await keep(file);
		const saved = new Map(folder.files);
		const name = loaded.key + ending;
		for (const [at, bit] of places(saved.get(name)?.length ?? 0, 4)) {
			for (const [known, bytes] of saved) folder.files.set(known, bytes);
			flip(name, at, bit);
			expect(figures(await again(loaded.key)), `bit ${bit} of byte ${at}`).toEqual(figures(loaded));
		}
	});

	it("notices every flipped bit in its packed original", async () => {
		const loaded = await keep(file);
		const saved = new Map(folder.files);
		const name = `${loaded.key}.gz`;
		for (const [at, bit] of places(saved.get(name)?.length ?? 0, 8)) {
			for (const [known, bytes] of saved) folder.files.set(known, bytes);
			flip(name, at, bit);
			await expect(again(loaded.key), `bit ${bit} of byte ${at}`).rejects.toThrow(damagedOriginal);
		}
	});

	it("that is damaged is replaced by the file when that is opened again", async () => {
		const loaded = await keep(file);
		flip(`${loaded.key}.gz`, 20, 3);
		expect(figures(await keep(file))).toEqual(figures(loaded));
		const kept = await again(loaded.key);
		expect(figures(kept)).toEqual(figures(loaded));
		expect(kept.note).toBe("");
	});

	it("with a part cut off counts as damaged too", async () => {
		const loaded = await keep(file);
		const text = folder.files.get(`${loaded.key}.gz`);
		folder.files.set(`${loaded.key}.gz`, text?.slice(0, -1) ?? new Uint8Array(0));
		await expect(again(loaded.key)).rejects.toThrow(damagedOriginal);
	});
});

it("is listed and opens even if both copies of its card are damaged or cut, and gets a new card", async () => {
	const loaded = await keep(recording(16_000));
	const key = loaded.key;
	flip(`${key}.json`, 9, 1);
	folder.files.set(
		`${key}.copy`,
		folder.files.get(`${key}.copy`)?.slice(0, 40) ?? new Uint8Array(),
	);
	const [listed] = await (await engine()).recent();
	expect(listed).toMatchObject({ key, name: "trace without a name" });
	const kept = await again(key);
	expect(figures(kept)).toEqual(figures(loaded));
	expect(kept.note).toMatch(/^This trace has lost its name/);
	const later = await again(key);
	expect(figures(later)).toEqual(figures(loaded));
	expect(later.note).toBe("");
	// The file itself brings the name back.
	await keep(recording(16_000));
	expect((await (await engine()).recent()).map(({ name }) => name)).toEqual(["mine.slabtrace"]);
});

it("loses nothing when a file is too large for the storage, and says so in one sentence", async () => {
	const mine = await keep(recording(300));
	const before = new Map(folder.files);
	const used = () => [...folder.files.values()].reduce((sum, { length }) => sum + length, 0);
	const most = used() + 1000;
	vi.stubGlobal("navigator", {
		storage: { estimate: async () => ({ quota: most, usage: used() }) },
	});
	folder.mostBytes = most;
	const next = await engine();
	const much = new File([await recording(16_000).text()], "much.slabtrace");
	expect(opened(await next.load(much, PLAIN, quiet)).report.events).toBeGreaterThan(16_000);
	expect(await next.kept()).toMatch(
		/^much\.slabtrace is not kept under Recent: the browser gives this page no more than .* of storage\. The trace is open/,
	);
	expect(folder.files).toEqual(before);
	expect(opened(await next.loadRecent(mine.key, PLAIN, quiet)).report.events).toBe(400);
	expect(await next.kept()).toBe("");
});

it("does not keep what another page supplied, however large, and drops nothing to make room for it", async () => {
	const mine = await keep(recording(300));
	const before = new Map(folder.files);
	const next = await engine();
	const give = (file: File) => next.load(file, PLAIN, quiet, "", false, true);
	for (let i = 0; i < 30; i++) {
		const given = new File([`slabtrace 1\nk 1 ${i + 1} cpu=0\n`], "theirs", { lastModified: 0 });
		expect(opened(await give(given)).report.events).toBe(1);
	}
	expect(opened(await give(recording(300)))).toMatchObject({ key: mine.key, wasKept: false });
	expect(await next.kept()).toBe("");
	expect(folder.files).toEqual(before);
	expect((await next.recent()).map(({ key }) => key)).toEqual([mine.key]);
});
