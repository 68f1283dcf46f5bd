/**
 * Where the page's own files come from: its server. If the page is opened from a disk, page_files_on_disk.ts replaces
 * this file.
 */
import wasmUrl from "../../../../wasm/dist/kmem.wasm?url";
import smallUrl from "../../../../wasm/dist/kmem-first.wasm?url";
import { ownWorker } from "../../base/load_code.ts";
import type { Input } from "../../engine/input.ts";
import workerUrl from "../../engine/worker/worker.ts?worker&url";

/** Returns the simulator's module, for Engine.open. */
export function ownModule(): string | Blob {
	return new URL(wasmUrl, location.href).href;
}

/** Requests that build/early_script.js has started. */
interface Early {
	readonly worker: Worker;
	readonly hasFailed: boolean;
}

declare global {
	interface Window {
		slabscopeEarly?: Early;
	}
}

/** Returns the address of the smaller module, which is enough for a first view; also for Engine.open. */
export function smallModule(): string | undefined {
	return new URL(smallUrl, location.href).href;
}

/** Returns a sample trace for Engine.load; the worker fetches it. */
export async function ownRecording(file: string): Promise<Input> {
	return new URL(`traces/${file}`, location.href).href;
}

/** Starts the requests early, unless build/early_script.js already has; later calls do nothing. */
export function startEarly(): void {
	window.slabscopeEarly ??= { worker: newWorker(), hasFailed: false };
}

let isEarlyTaken = false;

export function startWorker(): Worker {
	const early = isEarlyTaken ? undefined : window.slabscopeEarly;
	isEarlyTaken = true;
	return early && !early.hasFailed ? early.worker : newWorker();
}

function newWorker(): Worker {
	return ownWorker(new URL(workerUrl, location.href).href, { name: "slabscope" });
}
