/** What is kept and what is let go, on a file system of a few lines; and nothing breaks where there is none. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Card, keyOf, Shelf } from "./shelf.ts";

class Folder {
	readonly files = new Map<string, Uint8Array>();

	async getDirectoryHandle(): Promise<Folder> {
		return this;
	}

	async *keys(): AsyncGenerator<string> {
		yield* [...this.files.keys()];
	}

	async removeEntry(name: string): Promise<void> {
		this.files.delete(name);
	}

	async getFileHandle(name: string, options?: { create: boolean }) {
		if (!options?.create && !this.files.has(name)) throw new Error("NotFoundError");
		const put = (bytes: Uint8Array) => this.files.set(name, bytes);
		const bytes = () => this.files.get(name) ?? new Uint8Array(0);
		if (options?.create) put(bytes());
		return {
			getFile: async () => new File([bytes() as Uint8Array<ArrayBuffer>], name),
			createSyncAccessHandle: async () => ({
				truncate: (n: number) => put(bytes().slice(0, n)),
				write: (more: Uint8Array) => {
					put(Uint8Array.from([...bytes(), ...more]));
					return more.length;
				},
				close: () => {},
			}),
		};
	}
}

function card(key: string, openedMs: number): Card {
	return {
		version: 1,
		key,
		name: `${key}.txt`,
		sizeBytes: 1,
		events: 1,
		openedMs,
		textBytes: 4,
		imageBytes: 0,
		module: "",
		report: {} as Card["report"],
		note: "",
	};
}

function shelfOn(folder: Folder): Shelf {
	return new Shelf(async () => folder as unknown as FileSystemDirectoryHandle);
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
	for (const text of texts) yield new TextEncoder().encode(text);
}

afterEach(() => vi.unstubAllGlobals());

describe("a shelf", () => {
	it("gives back what was put on it, latest first", async () => {
		const shelf = shelfOn(new Folder());
		for (const [key, ms] of [
			["a", 1],
			["b", 3],
			["c", 2],
		] as const) {
			expect(await shelf.write(key, "gz", pieces("te", "xt"))).toBe(4);
			await shelf.writeCard(card(key, ms));
		}
		expect((await shelf.list()).map((r) => r.key)).toEqual(["b", "c", "a"]);
		expect(await (await shelf.read("b", "gz"))?.text()).toBe("text");
		expect(await shelf.read("b", "image")).toBeUndefined();
		await shelf.remove("b");
		expect((await shelf.list()).map((r) => r.key)).toEqual(["c", "a"]);
	});

	it("forgets what was never finished, what is damaged and what is of a later version", async () => {
		const folder = new Folder();
		const shelf = shelfOn(folder);
		await shelf.write("cut", "gz", pieces("text"));
		await shelf.writeCard(card("whole", 1));
		folder.files.set("bad.json", new TextEncoder().encode("{"));
		folder.files.set("new.json", new TextEncoder().encode('{"version":2,"key":"new"}'));
		expect((await shelf.list()).map((r) => r.key)).toEqual(["whole"]);
		await shelf.sweep();
		expect(folder.files.has("cut.gz")).toBe(false);
	});

	it("lets the oldest go when there is no room, but not what is being kept", async () => {
		const folder = new Folder();
		const shelf = shelfOn(folder);
		for (const [i, key] of ["old", "older", "new"].entries())
			await shelf.writeCard(card(key, [2, 1, 3][i] ?? 0));
		const estimate = async () => ({ quota: 3, usage: folder.files.size });
		vi.stubGlobal("navigator", { storage: { estimate } });
		expect(await shelf.makeRoom(2, "new")).toBe(2);
		expect((await shelf.list()).map((r) => r.key)).toEqual(["new"]);
		expect(await shelf.makeRoom(9, "new")).toBe(2);
		expect((await shelf.list()).map((r) => r.key)).toEqual(["new"]);
	});

	it("is empty and quiet where the browser has no such files", async () => {
		const shelf = new Shelf(() => Promise.reject(new Error("SecurityError")));
		expect(await shelf.list()).toEqual([]);
		expect(await shelf.has()).toBe(false);
		await shelf.sweep();
		await shelf.clear();
	});

	it("knows a file by its name, size, time, head and tail", async () => {
		const file = (name: string, text: string, lastModified = 1) =>
			new File([text], name, { lastModified });
		const key = await keyOf(file("a", "text"));
		expect(key).toMatch(/^[0-9a-f]{32}$/);
		expect(await keyOf(file("a", "text"))).toBe(key);
		const others = [file("b", "text"), file("a", "next"), file("a", "text", 2), file("a", "texts")];
		for (const other of others) expect(await keyOf(other)).not.toBe(key);
	});
});
