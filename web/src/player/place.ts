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

/** What build/early_script.js has begun. */
interface Early {
	readonly worker: Worker;
	readonly hasFailed: boolean;
	/** By their whole addresses. */
	readonly files: Map<string, Promise<Response>>;
}

declare global {
	interface Window {
		slabscopeEarly?: Early;
	}
}

/** A file that is on its way already, or asked for now. */
function fetchOnce(url: string): Promise<Response> {
	const files = window.slabscopeEarly?.files;
	const begun = files?.get(url);
	files?.delete(url);
	return begun ?? fetch(url);
}

let small: Promise<WebAssembly.Module> | undefined;

/** A part of it that is enough for a first view, for Engine.open as well. Compiled here while the worker starts. */
export function smallModule(): Promise<WebAssembly.Module | undefined> {
	small ??= compiled(new URL(smallUrl, location.href).href);
	return small;
}

async function compiled(url: string): Promise<WebAssembly.Module> {
	const response = await fetchOnce(url);
	if (!response.ok)
		throw new Error(`The simulator could not be loaded (${response.status}). Load the page again.`);
	return WebAssembly.compile(await response.arrayBuffer());
}

/** A file beside the page. */
export function ownFile(path: string): Promise<Response> {
	return fetchOnce(new URL(path, location.href).href);
}

let early: Worker | undefined;

/** Before anybody asks for it. */
export function startEarly(): void {
	const begun = window.slabscopeEarly;
	early = begun && !begun.hasFailed ? begun.worker : newWorker();
	// That script does nothing if it comes only now.
	window.slabscopeEarly ??= { worker: early, hasFailed: false, files: new Map() };
	// Whoever opens the engine is told of a failure.
	smallModule().catch(() => {});
}

export function startWorker(): Worker {
	const hasFailed = early === window.slabscopeEarly?.worker && window.slabscopeEarly?.hasFailed;
	const worker = early && !hasFailed ? early : newWorker();
	early = undefined;
	return worker;
}

function newWorker(): Worker {
	return new Worker(new URL("../engine/worker.ts", import.meta.url), {
		type: "module",
		name: "slabscope",
	});
}
