/** Tests what is kept and what is dropped, on a file system of a few lines, and that nothing breaks if there is none. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { MemoryFolder } from "../../../test/fixtures/memory_folder.ts";
import { type Card, isFileOf, keyOf, RecentStore } from "./recent_store.ts";

function card(key: string, openedMs: number): Card {
	return {
		version: 2,
		key,
		name: `${key}.txt`,
		sizeBytes: 1,
		events: 1,
		openedMs,
		textBytes: 4,
		textSum: "",
		report: {} as Card["report"],
		note: "",
	};
}

function storeOn(folder: MemoryFolder): RecentStore {
	return new RecentStore(folder.asRoot());
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
	for (const text of texts) yield new TextEncoder().encode(text);
}

afterEach(() => vi.unstubAllGlobals());

describe("a store", () => {
	it("returns what was stored, latest first", async () => {
		const store = storeOn(new MemoryFolder());
		for (const [key, ms] of [
			["a", 1],
			["b", 3],
			["c", 2],
		] as const) {
			expect((await store.write(key, pieces("te", "xt"))).bytes).toBe(4);
			await store.writeCard(card(key, ms));
		}
		expect((await store.list()).map((r) => r.key)).toEqual(["b", "c", "a"]);
		expect(await (await store.read("b"))?.text()).toBe("text");
		expect(await store.read("other")).toBeUndefined();
		await store.remove("b");
		expect((await store.list()).map((r) => r.key)).toEqual(["c", "a"]);
	});

	it("forgets what was never finished, is damaged, or comes from a later version", async () => {
		const folder = new MemoryFolder();
		const store = storeOn(folder);
		await store.write("cut", pieces("text"));
		await store.writeCard(card("whole", 1));
		folder.files.set("bad.json", new TextEncoder().encode("{"));
		folder.files.set("new.json", new TextEncoder().encode('{"version":3,"key":"new"}'));
		expect((await store.list()).map((r) => r.key)).toEqual(["whole"]);
		await store.sweep();
		expect(folder.files.has("cut.gz")).toBe(false);
	});

	it("drops the oldest when there is no room, but not what is being stored", async () => {
		const folder = new MemoryFolder();
		const store = storeOn(folder);
		for (const [i, key] of ["old", "older", "new"].entries())
			await store.writeCard(card(key, [2, 1, 3][i] ?? 0));
		const estimate = async () => ({ quota: 6, usage: folder.files.size });
		vi.stubGlobal("navigator", { storage: { estimate } });
		expect(await store.makeRoom(4, "new")).toBe(4);
		expect((await store.list()).map((r) => r.key)).toEqual(["new"]);
		expect(await store.makeRoom(9, "new")).toBe(4);
		await store.writeCard(card("old", 2));
		expect(await store.makeRoom(9, "new"), "not enough even without the old one").toBe(2);
		expect((await store.list()).map((r) => r.key)).toEqual(["new", "old"]);
		await store.remove("old");
		expect((await store.list()).map((r) => r.key)).toEqual(["new"]);
	});

	it("lists a trace only once all of its files are on disk", async () => {
		const folder = new MemoryFolder();
		const store = storeOn(folder);
		await store.write("a", pieces("text"));
		expect(await store.list()).toEqual([]);
		await store.writeCard(card("a", 1));
		expect(folder.flushed).toEqual(["a.gz", "a.json", "a.copy"]);
	});

	it("gives the same checksum for the same bytes, however they arrive", async () => {
		const store = storeOn(new MemoryFolder());
		const { sum } = await store.write("a", pieces("text"));
		expect(sum).toMatch(/^[0-9a-f]{32}$/);
		expect((await store.write("b", pieces("te", "x", "t"))).sum).toBe(sum);
		expect((await store.write("c", pieces("texts"))).sum).not.toBe(sum);
	});

	it("reads cards of version 1, and removes the images that older pages kept", async () => {
		const folder = new MemoryFolder();
		const { textSum, ...old } = { ...card("a", 1), version: 1 };
		folder.files.set("a.json", new TextEncoder().encode(JSON.stringify(old)));
		folder.files.set("a.image", new Uint8Array(9));
		expect(await storeOn(folder).cards()).toEqual([card("a", 1)]);
		await storeOn(folder).sweep();
		expect([...folder.files.keys()]).toEqual(["a.json"]);
	});

	it("is silently empty if the browser has no such file system", async () => {
		const store = new RecentStore(() => Promise.reject(new Error("SecurityError")));
		expect(await store.list()).toEqual([]);
		expect(await store.has()).toBe(false);
		await store.sweep();
		await store.clear();
	});

	it("identifies a file by its name, size, time, head and tail", async () => {
		const file = (name: string, text: string, lastModified = 1) =>
			new File([text], name, { lastModified });
		const key = await keyOf(file("a", "text"));
		expect(key).toMatch(/^[0-9a-f]{32}$/);
		expect(await keyOf(file("a", "text"))).toBe(key);
		const others = [file("b", "text"), file("a", "next"), file("a", "text", 2), file("a", "texts")];
		for (const other of others) expect(await keyOf(other)).not.toBe(key);
		// Links name a file by its content, so a copy is the same file.
		const digits = key.slice(0, 10);
		for (const copy of [file("b", "text"), file("a", "text", 2)])
			expect(await isFileOf(digits, copy)).toBe(true);
		for (const other of [file("a", "next"), file("a", "texts")])
			expect(await isFileOf(digits, other)).toBe(false);
	});
});
