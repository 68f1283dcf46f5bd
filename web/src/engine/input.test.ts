// Bytes are the same wherever they come from, and an address without a recording is told by its name.

import { gzipSync } from "node:zlib";
import { afterEach, expect, it, vi } from "vitest";
import { beginFetch, blobOf, type Input, textOf } from "./input.ts";

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

it("plain or packed, in memory, in a file or at an address", async () => {
	for (const bytes of [new Uint8Array(Buffer.from(TEXT)), new Uint8Array(gzipSync(TEXT))]) {
		serve(bytes);
		for (const input of [bytes.buffer, new Blob([bytes]), URL_OF_IT])
			expect(await textIn(input)).toBe(TEXT);
	}
	expect(await textIn(new ArrayBuffer(0))).toBe("");
});

it("what has been asked for is not asked for again, but anew once it has been read", async () => {
	const fetched = serve(TEXT);
	beginFetch(URL_OF_IT);
	expect(await textIn(URL_OF_IT)).toBe(TEXT);
	expect(fetched).toHaveBeenCalledTimes(1);
	expect(await (await blobOf(URL_OF_IT)).text()).toBe(TEXT);
	expect(fetched).toHaveBeenCalledTimes(2);
});

it("a recording that is not there is told by its name", async () => {
	serve(null, 404);
	await expect(textOf(URL_OF_IT)).rejects.toThrow("a trace.txt is not on this server (404)");
});
