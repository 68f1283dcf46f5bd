/**
 * Where the page's own files come from: the server that it came from. In a page that is opened from a disk
 * place_on_disk.ts stands in for this file.
 */
import wasmUrl from "../../../wasm/dist/kmem.wasm?url";
import smallUrl from "../../../wasm/dist/kmem-first.wasm?url";

/** The simulator's module, for Engine.open. */
export function ownModule(): string | Blob {
	return new URL(wasmUrl, location.href).href;
}

let small: Promise<WebAssembly.Module> | undefined;

/** A part of it that is enough for a first view, for Engine.open as well. Compiled here while the worker starts. */
export function smallModule(): Promise<WebAssembly.Module | undefined> {
	small ??= compiled(smallUrl);
	return small;
}

async function compiled(url: string): Promise<WebAssembly.Module> {
	const response = await fetch(url);
	if (!response.ok)
		throw new Error(`The simulator could not be loaded (${response.status}). Load the page again.`);
	return WebAssembly.compile(await response.arrayBuffer());
}

/** A file beside the page. */
export function ownFile(path: string): Promise<Response> {
	return fetch(path);
}

let early: Worker | undefined;

/** Before anybody asks for it. */
export function startEarly(): void {
	early = newWorker();
	// Whoever opens the engine is told of a failure.
	smallModule().catch(() => {});
}

export function startWorker(): Worker {
	const worker = early ?? newWorker();
	early = undefined;
	return worker;
}

function newWorker(): Worker {
	return new Worker(new URL("../engine/worker.ts", import.meta.url), {
		type: "module",
		name: "slabscope",
	});
}
