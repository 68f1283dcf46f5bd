// Tests that bytes are the same wherever they come from, and that an error names the trace if an address does not have it.

import { gzipSync } from "node:zlib";
import { afterEach, expect, it, vi } from "vitest";
import { awaitFetch, blobOf, endFetch, type Input, textOf } from "./input.ts";

const TEXT = "slabtrace 1\ncache c size=64\n".repeat(5000);
const URL_OF_IT = "http://here/traces/a%20trace.txt";

afterEach(() => vi.unstubAllGlobals());

function serve(bytes: BodyInit | null, status = 200) {
	const fetched = vi.fn(async () => new Response(bytes, { status }));
	vi.stubGlobal("fetch", fetched);
	return fetched;
}

async function textIn(input: Input): Promise<string> {
	const text = await textOf(input);
	const pieces: Uint8Array[] = [];
	for (;;) {
		const { value } = await text.read();
		if (!value) return Buffer.concat(pieces).toString();
		pieces.push(value);
	}
}

it("reads a trace plain or packed, from memory, a file or an address", async () => {
	for (const bytes of [new Uint8Array(Buffer.from(TEXT)), new Uint8Array(gzipSync(TEXT))]) {
		serve(bytes);
		for (const input of [bytes.buffer, new Blob([bytes]), URL_OF_IT])
			expect(await textIn(input)).toBe(TEXT);
	}
	expect(await textIn(new ArrayBuffer(0))).toBe("");
});

it("uses what the page has fetched for the first read, and fetches it again for the next", async () => {
	const fetched = serve("from the server");
	awaitFetch(URL_OF_IT);
	endFetch(URL_OF_IT, new TextEncoder().encode(TEXT).buffer);
	expect(await textIn(URL_OF_IT)).toBe(TEXT);
	expect(fetched).toHaveBeenCalledTimes(0);
	expect(await (await blobOf(URL_OF_IT)).text()).toBe("from the server");
	expect(fetched).toHaveBeenCalledTimes(1);
});

it("waits for what the page has asked for, and asks for it itself if the page failed", async () => {
	for (const [bytes, asked] of [
		[new TextEncoder().encode("sent").buffer, 0],
		[undefined, 1],
	] as const) {
		const fetched = serve("asked here");
		awaitFetch(URL_OF_IT);
		const text = textIn(URL_OF_IT);
		endFetch(URL_OF_IT, bytes);
		expect(await text).toBe(bytes ? "sent" : "asked here");
		expect(fetched).toHaveBeenCalledTimes(asked);
	}
});

it("names a trace that is missing", async () => {
	serve(null, 404);
	await expect(textOf(URL_OF_IT)).rejects.toThrow("a trace.txt is not on this server (404)");
});
