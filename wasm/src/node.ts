// node.ts - the package's entry in node: everything of index.ts, and the module and traces from files.

import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile } from "./core.ts";
import type { Report } from "./rows.ts";
import { KmemSession } from "./session.ts";
import { Unpacker } from "./unpacker.ts";

export * from "./index.ts";

const MODULE = fileURLToPath(new URL("../dist/kmem.wasm", import.meta.url));
const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

/** Reads and compiles dist/kmem.wasm, once for any number of sessions. */
export async function loadModule(): Promise<WebAssembly.Module> {
	return compile(await readFile(MODULE));
}

/** Yields a file's bytes in chunks, each valid until the next one is requested. Unpacks gzip and zstd, which it recognises by
 * their first bytes. */
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

/** Opens an empty session; its module comes from loadModule(). */
export async function openSession(module?: WebAssembly.Module): Promise<KmemSession> {
	return KmemSession.open(module ?? (await loadModule()));
}

/** Opens a session with a trace from a file in it, ready for parameters and build. */
export async function openTrace(path: string): Promise<KmemSession> {
	const session = await openSession();
	await importFile(session, path);
	return session;
}
