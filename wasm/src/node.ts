// node.ts - the module and recordings from files, for node: tests, benchmarks, scripts.

import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile } from "./core.ts";
import type { Report } from "./rows.ts";
import { KmemSession } from "./session.ts";
import { Unpacker } from "./unpacker.ts";

const MODULE = fileURLToPath(new URL("../dist/kmem.wasm", import.meta.url));
const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

/** dist/kmem.wasm, as wasm/build.mjs leaves it. */
export async function loadModule(): Promise<WebAssembly.Module> {
	return compile(await readFile(MODULE));
}

/** The bytes of a file in chunks, each of which is gone once the next is asked for; gzip and zstd, known by their first
 * bytes, are unpacked. */
export async function* readTrace(path: string): AsyncGenerator<Uint8Array, void, void> {
	const file = await open(path);
	const { buffer: magic } = await file.read(new Uint8Array(4), 0, 4, 0);
	await file.close();
	const begins = (signature: readonly number[]) => signature.every((byte, i) => magic[i] === byte);
	const pieces = createReadStream(path, { highWaterMark: 1 << 20 });
	if (!begins(GZIP) && !begins(ZSTD)) {
		yield* pieces;
		return;
	}
	const unpacker = await Unpacker.open(await loadModule());
	for await (const piece of pieces) yield* unpacker.all([piece as Uint8Array]);
	unpacker.end();
	yield* unpacker.all([]);
}

/** Imports a file into a session. */
export async function importFile(session: KmemSession, path: string): Promise<Report> {
	session.importBegin();
	for await (const chunk of readTrace(path)) {
		session.importChunk(chunk);
	}
	return session.importEnd();
}

/** An empty session. */
export async function openSession(): Promise<KmemSession> {
	return KmemSession.open(await loadModule());
}

/** A session with a recording in it, ready for parameters and build. */
export async function openTrace(path: string): Promise<KmemSession> {
	const session = await openSession();
	await importFile(session, path);
	return session;
}
