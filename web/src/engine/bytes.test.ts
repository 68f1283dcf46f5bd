/** Files as text: packed or not, whole or cut off. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CutOff, readBytes } from "./bytes.ts";

const TEXT = Array.from({ length: 40_000 }, (_, i) => `line ${i} of ${(i * 7919) % 10_007}`).join(
	"\n",
);

async function textOf(bytes: Uint8Array<ArrayBuffer>): Promise<{ text: string; error: unknown }> {
	const decoder = new TextDecoder();
	let text = "";
	let error: unknown;
	const take = async (piece: Uint8Array) => {
		text += decoder.decode(piece, { stream: true });
	};
	await readBytes(new Blob([bytes]), take, () => {}).catch((e: unknown) => {
		error = e;
	});
	return { text, error };
}

describe("a file", () => {
	it("is read as it is when it is not packed", async () => {
		expect(await textOf(new TextEncoder().encode(TEXT))).toEqual({ text: TEXT, error: undefined });
	});

	it("is unpacked when it is gzip, by its bytes and not by its name", async () => {
		expect(await textOf(new Uint8Array(gzipSync(TEXT)))).toEqual({ text: TEXT, error: undefined });
	});

	it("that is cut off gives what came before the cut, and one sentence", async () => {
		const packed = new Uint8Array(gzipSync(TEXT));
		const { text, error } = await textOf(packed.slice(0, packed.length / 2));
		expect(error).toBeInstanceOf(CutOff);
		expect(TEXT.startsWith(text)).toBe(true);
		expect(text.length).toBeGreaterThan(TEXT.length / 4);
	});
});
