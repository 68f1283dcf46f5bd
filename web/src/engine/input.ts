/** The source of a trace's bytes: a file, memory, or an address from which the worker fetches them itself. */

/** An address is absolute. */
export type Input = Blob | ArrayBuffer | string;

/** Files that the page fetches before an engine is opened (web/build/early_script.js). */
const begun = new Map<string, Promise<Response>>();

/** Pieces of a text, one after another; undefined behind the last. */
export interface Pieces {
	readonly read: () => Promise<{ readonly value?: Uint8Array | undefined }>;
}

const awaited = new Map<string, (response: Response | Promise<Response>) => void>();

/** The page fetches it, and sends the bytes. */
export function awaitFetch(url: string): void {
	begun.set(url, new Promise((resolve) => awaited.set(url, resolve)));
}

/** Takes the bytes from the page; without bytes the worker fetches them. */
export function endFetch(url: string, bytes: ArrayBuffer | undefined): void {
	awaited.get(url)?.(bytes ? new Response(bytes) : fetch(url));
	awaited.delete(url);
}

/** The response of an address, using the fetch that may have begun before. */
export async function responseFrom(url: string): Promise<Response> {
	const response = begun.get(url) ?? fetch(url);
	begun.delete(url);
	return response;
}

async function fetched(url: string): Promise<Response> {
	const response = await responseFrom(url);
	if (response.ok) return response;
	const name = decodeURIComponent(url.split("/").at(-1) ?? url);
	throw new Error(`The trace ${name} is not on this server (${response.status}).`);
}

export async function blobOf(input: Input): Promise<Blob> {
	if (input instanceof Blob) return input;
	return typeof input === "string" ? (await fetched(input)).blob() : new Blob([input]);
}

/** The simulator's module. */
export async function moduleBytes(wasm: string | Blob): Promise<ArrayBuffer> {
	const response = typeof wasm === "string" ? await fetch(wasm) : new Response(wasm);
	if (!response.ok)
		throw new Error(`The simulator could not be loaded (${response.status}). Reload the page.`);
	return response.arrayBuffer();
}

type Packing = "" | "gzip" | "zstd" | "zip" | "xz";

export function packingOf(head: Uint8Array): Packing {
	if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
	const word =
		(head[0] ?? 0) | ((head[1] ?? 0) << 8) | ((head[2] ?? 0) << 16) | ((head[3] ?? 0) << 24);
	if (word === 0x04034b50) return "zip";
	if (word >>> 0 === 0x587a37fd) return "xz";
	// A frame of zstd, or one without text in front of it, which has sixteen numbers.
	return word >>> 0 === 0xfd2fb528 || word >>> 4 === 0x184d2a5 ? "zstd" : "";
}

/** Its bytes as they arrive, unpacked if they are gzip. Servers may have unpacked them, whatever the name says. */
export async function textOf(input: Input): Promise<Pieces> {
	const { body } = typeof input === "string" ? await fetched(input) : new Response(input);
	if (!body) throw new Error("The server's answer is empty.");
	const reader = body.getReader();
	const head = await reader.read();
	if (head.value && packingOf(head.value) === "gzip") return unpacked(head.value, reader);
	return continued(head, reader);
}

function continued(head: { readonly value?: Uint8Array | undefined }, rest: Pieces): Pieces {
	let next: typeof head | undefined = head;
	return {
		read: async () => {
			const now = next;
			next = undefined;
			return now ?? rest.read();
		},
	};
}

function unpacked(
	head: Uint8Array<ArrayBuffer>,
	rest: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): Pieces {
	const all = new ReadableStream<Uint8Array<ArrayBuffer>>({
		start: (controller) => controller.enqueue(head),
		pull: async (controller) => {
			const { value } = await rest.read();
			if (value) controller.enqueue(value);
			else controller.close();
		},
	});
	return all.pipeThrough(new DecompressionStream("gzip")).getReader();
}
