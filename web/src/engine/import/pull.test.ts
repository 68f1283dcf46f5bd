/** Tests that a large file is read on another thread, or on this one if there is no other. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { sourceOf } from "./pull.ts";
import { Reading } from "./reading.ts";

const SIZE = (17 << 20) + 5;
const bytes = Uint8Array.from({ length: SIZE }, (_, i) => (i * 31) >> 7);
const file = new Blob([bytes]);

afterEach(() => vi.unstubAllGlobals());

/** Stands in for reader_worker.ts on this thread; it fails before it has sent `fails` pieces. */
function stubWorker(failsAt: number, how: "error" | "sentence") {
	const seen = { buffers: 0, isOver: false };
	class FakeWorker extends EventTarget {
		#reading: Reading | undefined;
		#work: Promise<unknown> = Promise.resolve();
		#pieces = 0;

		postMessage(data: Blob | ArrayBuffer) {
			if (data instanceof Blob) this.#reading = new Reading(data);
			else this.#work = this.#work.then(() => this.#answer(data));
		}

		async #answer(buffer: ArrayBuffer) {
			seen.buffers++;
			if (this.#pieces === failsAt && how === "error") {
				this.dispatchEvent(new Event("error"));
				return;
			}
			const piece =
				this.#pieces === failsAt ? "The disk is gone." : await this.#reading?.next(buffer);
			this.#pieces++;
			this.dispatchEvent(new MessageEvent("message", { data: piece ?? null }));
		}

		terminate() {
			seen.isOver = true;
		}
	}
	vi.stubGlobal("Worker", FakeWorker);
	return seen;
}

async function all(): Promise<Uint8Array> {
	const source = sourceOf(file);
	const pieces: Uint8Array<ArrayBuffer>[] = [];
	try {
		for (let piece = await source.pull(); piece; piece = await source.pull())
			pieces.push(piece.slice());
	} finally {
		source.close();
	}
	return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

describe("a large file", () => {
	it("is read on this thread if there are no workers", async () => {
		vi.stubGlobal("Worker", undefined);
		expect(Buffer.compare(await all(), bytes)).toBe(0);
	});

	it("comes in order from a worker, which gets its buffers back", async () => {
		const seen = stubWorker(-1, "error");
		expect(Buffer.compare(await all(), bytes)).toBe(0);
		expect(seen.buffers).toBeGreaterThan(4);
		expect(seen.isOver).toBe(true);
	});

	it("is read on this thread if the worker does not start", async () => {
		stubWorker(0, "error");
		expect(Buffer.compare(await all(), bytes)).toBe(0);
	});

	it("reports a failed read with its sentence", async () => {
		const seen = stubWorker(2, "sentence");
		await expect(all()).rejects.toThrow("The disk is gone.");
		expect(seen.isOver).toBe(true);
	});

	it("reports a reader that dies half-way", async () => {
		stubWorker(2, "error");
		await expect(all()).rejects.toThrow("could not be read to the end");
	});
});
