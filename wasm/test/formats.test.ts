// formats.test.ts - the module reads the other text formats in chunks of any size and reaches the state of the native
// command. It asks for columns it doesn't know, and shows a machine's caches beside the model's.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { Role } from "../src/abi.ts";
import { ALL, KmemError, KmemSession } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

const CORPUS = new URL("../../core/test/corpus/trace/", import.meta.url);
const COMMAND = fileURLToPath(new URL("../../core/build/slabscope", import.meta.url));
const FILES = [
	["recorded.bpftrace", "bpftrace", 42, 0],
	["recorded.perf-trace", "perf trace", 22, 0],
	["recorded.csv", "csv", 41, 0],
	["home-made.csv", "csv", 4, 2],
	["glibc.mtrace", "mtrace", 28, 2],
	["threads.ltrace", "ltrace", 17, 2],
	["malloc.ostep", "OSTEP malloc list", 10, 1],
	["short.rep", "CS:APP malloc lab", 11, 0],
] as const;

const bytesOf = (text: string) => new TextEncoder().encode(text);

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
	return { report, hash: session.hash() };
}

describe("text formats in the module", () => {
	it.each(FILES)("%s", async (file, format, events, skippedLines) => {
		const url = new URL(file, CORPUS);
		const bytes = readFileSync(url);
		const whole = await read(bytes, bytes.length);
		expect(whole.report).toMatchObject({ format, events, skippedLines });
		expect(await read(bytes, 7)).toEqual(whole);
		const native = JSON.parse(
			execFileSync(COMMAND, ["replay", fileURLToPath(url), "--cold", "--json", "-q"], {
				encoding: "utf8",
			}),
		) as { state_hash: string };
		expect(native.state_hash).toBe(whole.hash);
	});
});

describe("columns", () => {
	const text = bytesOf("when;what;where;n\n1;alloc;0x50;24\n2;free;0x50;0\n");

	it("are asked for where their names don't say enough, and used once they are given", async () => {
		const session = await KmemSession.open(module);
		session.importBegin();
		expect(() => {
			session.importChunk(text);
			session.importEnd();
		}).toThrow(KmemError);
		const { columns, missing } = session.columns();
		expect(missing).toEqual([Role.ROLE_EVENT, Role.ROLE_PTR, Role.ROLE_REQ]);
		expect(columns.map((c) => [c.name, c.sample])).toEqual([
			["when", "1"],
			["what", "alloc"],
			["where", "0x50"],
			["n", "24"],
		]);
		session.importBegin();
		session.importColumns("event=what,ptr=where,req=4,time=1");
		session.importChunk(text);
		expect(session.importEnd()).toMatchObject({ events: 2, timeLast: 2 });
		expect(session.columns().columns[2]).toMatchObject({ role: Role.ROLE_PTR, given: true });
	});
});

describe("a machine state", () => {
	it("shows the machine's numbers beside the model's, and gives caches its parameters on request", async () => {
		const session = await KmemSession.open(module);
		session.importBegin();
		session.importChunk(bytesOf("slabtrace 1\ncache c size=184 name=filp\na 1 c cpu=0\n"));
		session.importEnd();
		session.build();
		session.readMachineState([
			bytesOf("/sys/kernel/slab/filp/slab_size:256\n/sys/kernel/slab/filp/ord"),
			bytesOf("er:1\n/sys/kernel/slab/else/order:3\n"),
		]);
		session.applyMachineState(true);
		session.build();
		expect(session.machineState()).toMatchObject([
			{ name: "filp", cache: 0, size: 256, order: 1, slabs: 0xffffffff },
			{ name: "else", cache: ALL, order: 3 },
		]);
		expect(session.caches()[0]).toMatchObject({ name: "filp", size: 256, order: 1 });
	});
});
