/** Replaces page_files.ts in a page that is opened from a disk: the page's only script contains all the files. */
import { FILES } from "virtual:own-files";
import type { Input } from "../../engine/input.ts";
import EngineWorker from "../../engine/worker/worker.ts?worker&inline";

function bytesOf(base64: string): Blob {
	return new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]);
}

export function ownModule(): string | Blob {
	return bytesOf(FILES["kmem.wasm"] ?? "");
}

/** There is nothing to fetch early. */
export function smallModule(): string | undefined {
	return undefined;
}

export async function ownRecording(file: string): Promise<Input> {
	const base64 = FILES[`traces/${file}`];
	if (base64 === undefined) throw new Error(`The trace ${file} is not on this page.`);
	return bytesOf(base64);
}

/** The page's only script contains the worker too, so there is nothing to wait for. */
export function startEarly(): void {}

export function startWorker(): Worker {
	return new EngineWorker({ name: "slabscope" });
}
