/** Stands in for place.ts where the page is opened from a disk: all files are in the page's one script. */
import { FILES } from "virtual:own-files";
import type { Input } from "../engine/input.ts";
import EngineWorker from "../engine/worker.ts?worker&inline";

function bytesOf(base64: string): Blob {
	return new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]);
}

export function ownModule(): string | Blob {
	return bytesOf(FILES["kmem.wasm"] ?? "");
}

/** All of it is here already. */
export async function smallModule(): Promise<WebAssembly.Module | undefined> {
	return undefined;
}

export async function ownFile(path: string): Promise<Response> {
	const base64 = FILES[path];
	return base64 === undefined ? new Response(null, { status: 404 }) : new Response(bytesOf(base64));
}

export async function ownRecording(file: string): Promise<Input> {
	return (await ownFile(`traces/${file}`)).arrayBuffer();
}

/** The page's one script holds the worker as well: there is nothing to wait for. */
export function startEarly(): void {}

export function startWorker(): Worker {
	return new EngineWorker({ name: "slabscope" });
}
