// binary.test.ts - the module reads perf.data and trace.dat in chunks of any size, and says what it can't read.

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { KmemSession } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

const CORPUS = new URL("../../core/test/corpus/trace/", import.meta.url);
const FILES = [
	["file.perf.data", "perf.data", 24, 3],
	["pipe.perf.data", "perf.data", 24, 3],
	["packed.perf.data", "perf.data", 24, 3],
	["6.trace.dat", "trace.dat", 28, 13],
	["7.trace.dat", "trace.dat", 28, 13],
	["7-plain.trace.dat", "trace.dat", 28, 13],
	["7-zlib.trace.dat", "trace.dat", 28, 13],
] as const;

let module: WebAssembly.Module;
beforeAll(async () => {
	module = await loadModule();
});

async function read(bytes: Uint8Array, chunkBytes: number) {
	const session = await KmemSession.open(module);
	session.importBegin();
	for (let from = 0; from < bytes.length; from += chunkBytes) {
		session.importChunk(bytes.subarray(from, from + chunkBytes));
	}
	const report = session.importEnd();
	session.build();
	return report;
}

describe("binary recordings in the module", () => {
	it.each(FILES)("%s", async (file, format, events, lost) => {
		const bytes = readFileSync(new URL(file, CORPUS));
		const report = await read(bytes, 1000);
		expect(report).toMatchObject({ format, events, lost, skippedLines: 0, lines: 0 });
		expect(await read(bytes, bytes.length)).toEqual(report);
	});

	it("reads a file that is cut off as far as it goes, and says where it ends", async () => {
		const whole = readFileSync(new URL("7-plain.trace.dat", CORPUS));
		const cut = whole.subarray(0, whole.length - 1000);
		const { events, truncated, problems } = await read(cut, 3000);
		expect(events).toBeGreaterThan(0);
		expect(truncated).toBe(1);
		expect(problems[0]?.reason).toContain(`it ends at byte ${cut.length}`);
	});

	it("refuses a perf.data whose event description is cut off, and says what is missing", async () => {
		const bytes = readFileSync(new URL("file.perf.data", CORPUS)).subarray(0, 3000);
		await expect(read(bytes, 3000)).rejects.toThrow(
			"This perf.data is cut off: the description of its events",
		);
	});
});
