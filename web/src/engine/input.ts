/** The source of a trace's bytes: a file, memory, or an address from which the worker fetches them itself. */

/** An address is absolute. */
export type Input = Blob | ArrayBuffer | string;

/** Files that the page fetches before an engine is opened (web/build/early_script.js). */
const begun = new Map<string, Promise<Arrived>>();

/** The bytes that the page has sent, or the response to the worker's own request. */
type Arrived = ArrayBuffer | Response;

type Bytes = Uint8Array<ArrayBuffer>;

interface Piece {
	readonly value?: Bytes | undefined;
}

/** Pieces of a text, one after another; undefined after the last. */
export interface Pieces {
	readonly read: () => Promise<Piece>;
}

const NO_MORE: Pieces = { read: async () => ({}) };

const awaited = new Map<string, (arrived: Arrived | Promise<Response>) => void>();

/** The page fetches it and sends the bytes. */
export function awaitFetch(url: string): void {
	begun.set(url, new Promise((resolve) => awaited.set(url, resolve)));
}

/** Takes the bytes from the page; without bytes the worker fetches them. */
export function endFetch(url: string, bytes: ArrayBuffer | undefined): void {
	awaited.get(url)?.(bytes ?? fetch(url));
	awaited.delete(url);
}

/**
 * Returns the contents of an address, using a fetch that may already have started. The caller reports a response that is not
 * ok.
 */
export async function arrived(url: string): Promise<Arrived> {
	const arriving = begun.get(url) ?? fetch(url);
	begun.delete(url);
	return arriving;
}

async function fetched(url: string): Promise<Arrived> {
	const here = await arrived(url);
	if (here instanceof ArrayBuffer || here.ok) return here;
	const name = decodeURIComponent(url.split("/").at(-1) ?? url);
	throw new Error(`The trace ${name} is not on this server (${here.status}).`);
}

export async function blobOf(input: Input): Promise<Blob> {
	if (input instanceof Blob) return input;
	const here = typeof input === "string" ? await fetched(input) : input;
	return here instanceof ArrayBuffer ? new Blob([here]) : here.blob();
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
	// A zstd frame, or one without text before it, which has sixteen numbers.
	return word >>> 0 === 0xfd2fb528 || word >>> 4 === 0x184d2a5 ? "zstd" : "";
}

/**
 * Returns its bytes as they arrive, unpacked if they are gzip. The server may already have unpacked them, whatever the name
 * says.
 */
export async function textOf(input: Input): Promise<Pieces> {
	const here = typeof input === "string" ? await fetched(input) : input;
	const rest = here instanceof ArrayBuffer ? pieceOf(here) : streamOf(here).getReader();
	const head = await rest.read();
	if (head.value && packingOf(head.value) === "gzip") return unpacked(head.value, rest);
	return continued(head, rest);
}

function streamOf(from: Blob | Response): ReadableStream<Bytes> {
	const stream = from instanceof Blob ? from.stream() : from.body;
	if (!stream) throw new Error("The server's answer is empty.");
	return stream;
}

function pieceOf(bytes: ArrayBuffer): Pieces {
	return continued({ value: bytes.byteLength > 0 ? new Uint8Array(bytes) : undefined }, NO_MORE);
}

function continued(head: Piece, rest: Pieces): Pieces {
	let next: Piece | undefined = head;
	return {
		read: async () => {
			const now = next;
			next = undefined;
			return now ?? rest.read();
		},
	};
}

function unpacked(head: Bytes, rest: Pieces): Pieces {
	const all = new ReadableStream<Bytes>({
		start: (controller) => controller.enqueue(head),
		pull: async (controller) => {
			const { value } = await rest.read();
			if (value) controller.enqueue(value);
			else controller.close();
		},
	});
	return all.pipeThrough(new DecompressionStream("gzip")).getReader();
}
