/** Tests that what doesn't fit is refused early, with what it would need and what to do instead. */
import { describe, expect, it } from "vitest";
import { foresee, mostToFetch, wholeOf } from "./memory_limit.ts";

const GIB = 2 ** 30;
const MIB = 2 ** 20;
/** Acts like a browser with this much memory. */
const having = (bytes: number) => (asked: number) => asked <= bytes;

describe("a forecast", () => {
	it("waits for the first megabytes, or for the whole of a small file", () => {
		const sofar = { ops: 1e6, doneBytes: MIB, totalBytes: 4096 * MIB };
		expect(foresee(sofar, having(0))).toBeUndefined();
		expect(foresee({ ...sofar, totalBytes: MIB }, having(0))).toBeUndefined();
	});

	it("lets a 2 GB text pass if the browser gives all the memory", () => {
		const sofar = { ops: 30_000, doneBytes: 4 * MIB, totalBytes: 2 * GIB };
		expect(foresee(sofar, having(4 * GIB))).toBeUndefined();
	});

	it("refuses what exceeds the address space, whatever the browser has", () => {
		const sofar = { ops: 30_000, doneBytes: 4 * MIB, totalBytes: 40 * GIB };
		const refusal = foresee(sofar, having(64 * GIB));
		expect(refusal?.sentence).toContain("307 million events");
		expect(refusal?.sentence).toMatch(/4\.\d+ GiB.*4 GiB/);
		expect(refusal?.ways.join(" ")).toMatch(/by time.*caches.*native command/);
	});

	it("refuses what does not fit in the browser's memory, and says which part would", () => {
		const sofar = { ops: 30_000, doneBytes: 4 * MIB, totalBytes: 8 * GIB };
		const refusal = foresee(sofar, having(GIB));
		expect(refusal?.share).toBeGreaterThan(0.2);
		const { share = 0 } = refusal ?? {};
		const part = { ...sofar, totalBytes: sofar.totalBytes * share };
		expect(foresee(part, having(GIB))).toBeUndefined();
	});
});

describe("what a server sends", () => {
	it("is read only as far as a page can hold, even if it never ends", async () => {
		let sent = 0;
		let isStopped = false;
		const endless = new ReadableStream({
			pull: (to) => {
				sent += 1000;
				to.enqueue(new Uint8Array(1000));
			},
			cancel: () => {
				isStopped = true;
			},
		});
		await expect(wholeOf(new Response(endless), "example.org", 10_000)).rejects.toThrow(
			/^example\.org sends more than 9\.77 KiB, .* download the file and drop it here\.$/,
		);
		expect(sent).toBeLessThan(20_000);
		expect(isStopped).toBe(true);
		const whole = await wholeOf(new Response("x".repeat(10_000)), "example.org", 10_000);
		expect(whole.size).toBe(10_000);
	});

	it("may be up to a gibibyte, or less if the browser has less", () => {
		expect(mostToFetch(having(4 * GIB))).toBe(GIB);
		expect(mostToFetch(having(0))).toBe(GIB / 2);
	});
});
