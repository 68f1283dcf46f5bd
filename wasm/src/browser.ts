// browser.ts - the package's entry in a browser or worker: everything of index.ts, and the module fetched from beside this file.

import { compile } from "./core.ts";
import { KmemSession } from "./session.ts";

export * from "./index.ts";

/** Fetches and compiles the module, once for any number of sessions. `url` is where kmem.wasm is served. */
export async function loadModule(
	url: string | URL = new URL("../dist/kmem.wasm", import.meta.url),
): Promise<WebAssembly.Module> {
	const response = await fetch(url);
	if (!response.ok) throw new Error(`${url}: expected kmem.wasm, found HTTP ${response.status}`);
	return compile(await response.arrayBuffer());
}

/** Opens an empty session; its module comes from loadModule(). */
export async function openSession(module?: WebAssembly.Module): Promise<KmemSession> {
	return KmemSession.open(module ?? (await loadModule()));
}
