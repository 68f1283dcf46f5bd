/**
 * Tests files as text: packed or not, in one part or several, whole, damaged or cut off, and with buffers that are reused.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { loadModule } from "../../../../wasm/src/node.ts";
import { Reading } from "./reading.ts";
import { CutOff, readBytes } from "./unpack.ts";

const TEXT = Array.from({ length: 40_000 }, (_, i) => `line ${i} of ${(i * 7919) % 10_007}`).join(
	"\n",
);

/** Makes bytes that barely shrink when they are packed. */
function noise(lenBytes: number): Buffer {
	let x = 1;
	return Buffer.from(
		Uint8Array.from({ length: lenBytes }, () => {
			x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
			return x >>> 24;
		}),
	);
}

/** A size of more than one piece of a file. */
const LARGE = Buffer.from(noise(7 << 20).toString("base64"));
/** The half MiB that is unpacked at a time. */
const MOST_AT_ONCE = 512 << 10;

let module: WebAssembly.Module;
beforeAll(async () => {
	module = await loadModule();
});
afterEach(() => vi.unstubAllGlobals());

interface Read {
	readonly bytes: Buffer;
	readonly error: unknown;
	/** The largest piece. */
	readonly most: number;
	readonly done: number;
}

async function read(file: Uint8Array<ArrayBuffer>): Promise<Read> {
	const pieces: Buffer[] = [];
	let error: unknown;
	let most = 0;
	let done = 0;
	const take = async (piece: Uint8Array) => {
		most = Math.max(most, piece.length);
		pieces.push(Buffer.from(piece));
	};
	const onRead = async (n: number) => {
		done = n;
	};
	await readBytes(new Blob([file]), module, { take, onRead }).catch((e: unknown) => {
		error = e;
	});
	return { bytes: Buffer.concat(pieces), error, most, done };
}

async function textOf(file: Uint8Array<ArrayBuffer>): Promise<{ text: string; error: unknown }> {
	const { bytes, error } = await read(file);
	return { text: bytes.toString(), error };
}

const plain = (bytes: Buffer) => new Uint8Array(bytes);

describe("a file", () => {
	it("is read unchanged if it is not packed", async () => {
		expect(await textOf(new TextEncoder().encode(TEXT))).toEqual({ text: TEXT, error: undefined });
	});

	it("is unpacked if its bytes are gzip, whatever its name", async () => {
		expect(await textOf(plain(gzipSync(TEXT)))).toEqual({ text: TEXT, error: undefined });
	});

	it("with several gzip members, as cat and bgzip make them, is read to the last one", async () => {
		const members = plain(Buffer.concat([gzipSync(TEXT), gzipSync(""), gzipSync(TEXT)]));
		expect(await textOf(members)).toEqual({ text: TEXT + TEXT, error: undefined });
	});

	it("that is cut off gives what came before the cut and one sentence", async () => {
		const packed = plain(gzipSync(TEXT));
		const { text, error } = await textOf(packed.slice(0, packed.length / 2));
		expect(error).toBeInstanceOf(CutOff);
		expect(String(error)).toContain("gzip data are cut off");
		expect(TEXT.startsWith(text)).toBe(true);
		expect(text.length).toBeGreaterThan(TEXT.length / 4);
	});

	it("whose checksum does not match is damaged, even though all of it could be unpacked", async () => {
		const packed = plain(gzipSync(TEXT));
		packed[packed.length - 6] = (packed[packed.length - 6] ?? 0) ^ 1;
		const { text, error } = await textOf(packed);
		expect(error).toBeInstanceOf(CutOff);
		expect(String(error)).toContain("the checksum of a member does not match");
		expect(text).toBe(TEXT);
	});

	it("that unpacks to a great deal arrives in small pieces", async () => {
		const { bytes, error, most } = await read(plain(gzipSync(Buffer.alloc(64 << 20))));
		expect(error).toBeUndefined();
		expect(bytes.length).toBe(64 << 20);
		expect(most).toBeLessThanOrEqual(MOST_AT_ONCE);
	});

	it("is read no further once its reader stops", async () => {
		const packed = plain(gzipSync(Buffer.alloc(64 << 20)));
		let pieces = 0;
		const take = async () => {
			if (++pieces === 3) throw new Error("enough");
		};
		const reading = readBytes(new Blob([packed]), module, { take, onRead: async () => {} });
		await expect(reading).rejects.toThrow("enough");
		expect(pieces).toBe(3);
	});
});

/** Makes a zip file with a file of that name, deflated. */
function zipped(...files: readonly [name: string, text: string][]): Uint8Array<ArrayBuffer> {
	const all = zipSync(
		Object.fromEntries(files.map(([name, text]) => [name, new TextEncoder().encode(text)])),
	);
	return new Uint8Array(all);
}

describe("a zip file", () => {
	it("gives the text of its first file, not counting folders", async () => {
		expect(await textOf(zipped(["d/", ""], ["d/a.txt", TEXT]))).toEqual({
			text: TEXT,
			error: undefined,
		});
	});

	it("with several files says that only one is read", async () => {
		const { text, error } = await textOf(zipped(["a.txt", TEXT], ["b.txt", TEXT]));
		expect(text).toBe(TEXT);
		expect(String(error)).toMatch(/several files, .*bytes of text before that are replayed\.$/);
	});
});

const hasXz = !spawnSync("xz", ["--version"]).error;
const xz = (input: Buffer, ...options: string[]) =>
	plain(execFileSync("xz", ["-c", ...options], { input, maxBuffer: 1 << 28 }));

describe.skipIf(!hasXz)("an xz file", () => {
	it("is unpacked in small pieces, whether it has one block or several", async () => {
		const text = LARGE.subarray(0, 1 << 20);
		for (const options of [["-1"], ["-1", "--block-size=300000", "-C", "crc32"]]) {
			const { bytes, error, most } = await read(xz(text, ...options));
			expect(error).toBeUndefined();
			expect(bytes.equals(text)).toBe(true);
			expect(most).toBeLessThanOrEqual(MOST_AT_ONCE);
		}
	});

	it("that is cut off or damaged gives what came before and one sentence", async () => {
		const packed = xz(Buffer.from(TEXT), "-1");
		for (const wrong of [packed.slice(0, packed.length / 2), packed.with(packed.length / 2, 7)]) {
			const { text, error } = await textOf(wrong);
			expect(error).toBeInstanceOf(CutOff);
			expect(String(error)).toMatch(/xz data cannot be unpacked: it/);
			expect(TEXT.startsWith(text)).toBe(true);
		}
		expect(await textOf(xz(Buffer.from(TEXT)))).toEqual({ text: TEXT, error: undefined });
	});

	it("may have several streams with zeros between them, in pieces of any length", async () => {
		const rest = Buffer.from(TEXT.toUpperCase());
		const [first, next] = [xz(Buffer.from(TEXT)), xz(rest)];
		for (const between of [0, 4, 400]) {
			const parts = [first, Buffer.alloc(between), next, next];
			const { text, error } = await textOf(plain(Buffer.concat(parts)));
			expect(error).toBeUndefined();
			expect(text).toBe(TEXT + rest + rest);
		}
	});

	it("is abandoned if it unpacks to far too much, or if its reader stops", async () => {
		const packed = xz(Buffer.alloc(40 << 20), "-0");
		const take = async () => {};
		const onRead = async () => {};
		await expect(readBytes(new Blob([packed]), module, { take, onRead })).rejects.toThrow(
			"far more than any trace",
		);
		const stop = async () => {
			throw new Error("enough");
		};
		await expect(readBytes(new Blob([packed]), module, { take: stop, onRead })).rejects.toThrow(
			"enough",
		);
	});
});

/**
 * Stands in for reader_worker.ts on this thread. As with a real one, what is posted with a transfer list is
 * gone here.
 */
function stubWorker(): void {
	class FakeWorker extends EventTarget {
		#reading: Reading | undefined;
		#work: Promise<unknown> = Promise.resolve();

		postMessage(data: Blob | ArrayBuffer, transfer: ArrayBuffer[] = []) {
			if (data instanceof Blob) {
				this.#reading = new Reading(data);
				return;
			}
			const buffer = structuredClone(data, { transfer });
			this.#work = this.#work.then(() => this.#answer(buffer));
		}

		async #answer(buffer: ArrayBuffer) {
			const piece = (await this.#reading?.next(buffer)) ?? null;
			this.dispatchEvent(new MessageEvent("message", { data: piece }));
		}

		terminate() {}
	}
	vi.stubGlobal("Worker", FakeWorker);
}

const hasZstd = !spawnSync("zstd", ["--version"]).error;

function zstd(input: Buffer, ...options: string[]): Buffer {
	return execFileSync("zstd", ["-q", "-c", ...options], { input, maxBuffer: 1 << 28 });
}

describe.skipIf(!hasZstd)("a zstd file of megabytes", () => {
	const thread = (how: string) => {
		if (how === "another thread") stubWorker();
		else vi.stubGlobal("Worker", undefined);
	};

	it.each([
		["one frame", () => zstd(LARGE, "-1")],
		["a window of 128 MiB", () => zstd(LARGE, "-1", "--long=27")],
		["a size in its header", () => zstd(LARGE, "-1", `--stream-size=${LARGE.length}`)],
		[
			"several frames",
			() =>
				Buffer.concat([
					zstd(LARGE.subarray(0, 3 << 20), "-1"),
					zstd(LARGE.subarray(3 << 20, 4 << 20), "-1", "--no-check"),
					zstd(LARGE.subarray(4 << 20), "-1", "--long=27"),
				]),
		],
	])("is the same text, with %s", async (_, pack) => {
		thread("this one");
		const file = plain(pack());
		expect(file.length).toBeGreaterThan(4 << 20);
		const { bytes, error, most, done } = await read(file);
		expect(error).toBeUndefined();
		expect(bytes.equals(LARGE)).toBe(true);
		expect(most).toBeLessThanOrEqual(MOST_AT_ONCE);
		expect(done).toBe(file.length);
	});

	it("gives the same text if another thread reads it and gets its buffers back", async () => {
		thread("another thread");
		const twice = Buffer.concat([LARGE, LARGE]);
		const file = plain(Buffer.concat([zstd(twice, "-1"), zstd(LARGE, "-1")]));
		expect(file.length).toBeGreaterThan(16 << 20);
		const { bytes, error } = await read(file);
		expect(error).toBeUndefined();
		expect(bytes.equals(Buffer.concat([twice, LARGE]))).toBe(true);
	});

	it("that needs a larger window is refused with the size and a way out", async () => {
		const header = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0]);
		const { error } = await read(header);
		expect(error).not.toBeInstanceOf(CutOff);
		expect(String(error)).toMatch(/window of 2048 MiB.*at most 128 MiB.*zstd -d --long=31/);
	});
});
