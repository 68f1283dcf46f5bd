/** Where the bytes of a recording come from: a file, memory, or an address from which the worker fetches them itself. */

/** An address is absolute. */
export type Input = Blob | ArrayBuffer | string;

/** Asked for before anybody has opened an engine (web/build/early_script.js). */
const begun = new Map<string, Promise<Response>>();

export function beginFetch(url: string): void {
	const response = fetch(url);
	// Whoever loads it is told of a failure.
	response.catch(() => {});
	begun.set(url, response);
}

async function fetched(url: string): Promise<Response> {
	const response = await (begun.get(url) ?? fetch(url));
	begun.delete(url);
	if (response.ok) return response;
	const name = decodeURIComponent(url.split("/").at(-1) ?? url);
	throw new Error(`The recording ${name} is not on this server (${response.status}).`);
}

export async function blobOf(input: Input): Promise<Blob> {
	if (input instanceof Blob) return input;
	return typeof input === "string" ? (await fetched(input)).blob() : new Blob([input]);
}

export type Packing = "" | "gzip" | "zstd";

export function packingOf(head: Uint8Array): Packing {
	if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
	if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) return "zstd";
	return "";
}

/** Its bytes as they come, out of gzip if they are in it. Servers may have unpacked them, whatever the name says. */
export async function textOf(input: Input): Promise<ReadableStreamDefaultReader<Uint8Array>> {
	const { body } = typeof input === "string" ? await fetched(input) : new Response(input);
	if (!body) throw new Error("There is nothing to read.");
	const reader = body.getReader();
	const { value: head } = await reader.read();
	const all = new ReadableStream<Uint8Array<ArrayBuffer>>({
		start: (controller) => {
			if (head) controller.enqueue(head);
		},
		pull: async (controller) => {
			const { value } = await reader.read();
			if (value) controller.enqueue(value);
			else controller.close();
		},
	});
	const text =
		head && packingOf(head) === "gzip" ? all.pipeThrough(new DecompressionStream("gzip")) : all;
	return text.getReader();
}
