/**
 * Tests that reading perf.data and trace.dat by ranges gives the same result as reading from start to end, and
 * reads no more of the file than is needed.
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { loadModule } from "../../../../wasm/src/node.ts";
import type { Report } from "../../../../wasm/src/rows.ts";
import { KmemSession } from "../../../../wasm/src/session.ts";
import { isReadByRange, readRanges } from "./ranges.ts";

const CORPUS = new URL("../../../../core/test/corpus/trace/", import.meta.url);
const FILES = [
	"file.perf.data",
	"pipe.perf.data",
	"packed.perf.data",
	"6.trace.dat",
	"7.trace.dat",
];

let module: WebAssembly.Module;
beforeAll(async () => {
	module = await loadModule();
});

/** Where the rows are in the module's memory depends on what was there before. */
function withoutPlaces(report: Report): Partial<Report> {
	return Object.fromEntries(Object.entries(report).filter(([key]) => !key.endsWith("At")));
}

async function byRange(file: Blob) {
	const session = await KmemSession.open(module);
	let done = 0;
	session.importBegin();
	await readRanges(file, session, {
		take: async (bytes) => session.importChunk(bytes),
		onRead: async (n) => {
			done = n;
		},
	});
	const report = withoutPlaces(session.importEnd());
	return { report, done, memoryBytes: session.memoryBytes };
}

async function fromFrontToBack(bytes: Uint8Array) {
	const session = await KmemSession.open(module);
	session.importBegin();
	session.importChunk(bytes);
	return { report: withoutPlaces(session.importEnd()), memoryBytes: session.memoryBytes };
}

/** Makes a pipe's perf.data that repeats its records as long as there is room. */
function large(lenBytes: number): Buffer {
	const bytes = readFileSync(new URL("pipe.perf.data", CORPUS));
	const records = bytes.subarray(4944);
	const nr = Math.floor((lenBytes - 4944) / records.length);
	return Buffer.concat([bytes.subarray(0, 4944), ...Array<Buffer>(nr).fill(records)]);
}

describe("a file read by ranges", () => {
	it.each(FILES)("%s gives the same as when it is read from start to end", async (name) => {
		const bytes = readFileSync(new URL(name, CORPUS));
		const file = new Blob([bytes]);
		expect(await isReadByRange(file)).toBe(true);
		const { report, done } = await byRange(file);
		expect(report).toEqual((await fromFrontToBack(bytes)).report);
		expect(done).toBeLessThanOrEqual(bytes.length);
	});

	it("is never treated as text", async () => {
		expect(await isReadByRange(new Blob(["slabtrace 1\n"]))).toBe(false);
	});

	it("is neither held in memory nor treated as a pipe", async () => {
		const bytes = large(24 << 20);
		const { report, memoryBytes } = await byRange(new Blob([new Uint8Array(bytes)]));
		expect(report.events).toBeGreaterThan(150_000);
		expect(memoryBytes).toBeLessThan(24 << 20);
		expect((await fromFrontToBack(bytes)).memoryBytes).toBeLessThan(24 << 20);
	});
});
