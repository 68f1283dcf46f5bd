/**
 * Tests that the module in Chromium ends up in the same state as the native command, on every sample. It is called through
 * kmem.h, in the page of the built site, so that there is nothing in between but the browser's own WebAssembly.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "../support/shared.ts";

const path = (relative: string) => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
const samples = JSON.parse(readFileSync(path("traces/index.json"), "utf8")) as { file: string }[];

function nativeHash(file: string): string {
	const command = path("core/build/slabscope");
	const json = execFileSync(command, ["replay", path(`traces/${file}`), "--cold", "--json"], {
		encoding: "utf8",
		maxBuffer: 1 << 26,
	});
	return (JSON.parse(json) as { state_hash: string }).state_hash;
}

/** Runs in the page. */
async function replayHash({ wasm, trace }: { wasm: string; trace: string }): Promise<string> {
	const PAGE = 65536;
	const { instance } = await WebAssembly.instantiateStreaming(fetch(wasm), {});
	const kmem = instance.exports as unknown as {
		memory: WebAssembly.Memory;
		__heap_base: WebAssembly.Global<"i32">;
		kmem_open(base: number, size: bigint): number;
		kmem_import_begin(s: number): number;
		kmem_import_chunk(s: number, bytes: number, lenBytes: number): number;
		kmem_import_end(s: number): number;
		kmem_build(s: number, budgetBytes: bigint): number;
		kmem_hash(s: number): bigint;
	};
	const packed = await (await fetch(trace)).blob();
	const [first] = new Uint8Array(await packed.slice(0, 1).arrayBuffer());
	// Hosts differ in whether they say that a .gz is packed, and the browser has unpacked it then.
	const isPacked = first === 0x1f;
	const stream = packed.stream();
	const text = isPacked ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
	const bytes = new Uint8Array(await new Response(text).arrayBuffer());
	const scratch = Math.ceil(kmem.__heap_base.value / PAGE) * PAGE;
	const base = scratch + Math.ceil(bytes.length / PAGE) * PAGE;
	kmem.memory.grow(Math.max(0, Math.ceil((base - kmem.memory.buffer.byteLength) / PAGE)));
	const s = kmem.kmem_open(base, BigInt(2 ** 32 - base));
	new Uint8Array(kmem.memory.buffer).set(bytes, scratch);
	const results = [
		kmem.kmem_import_begin(s),
		kmem.kmem_import_chunk(s, scratch, bytes.length),
		kmem.kmem_import_end(s),
		kmem.kmem_build(s, 0n),
	];
	const hash = BigInt.asUintN(64, kmem.kmem_hash(s)).toString(16).padStart(16, "0");
	return results.every((result) => result === 0) ? hash : `failed: ${results.join(" ")}`;
}

for (const { file } of samples) {
	test(`${file} ends in the same state as in the native command`, async ({ page, baseURL }) => {
		const assets = readdirSync(path("web/dist/assets"));
		const wasm = `assets/${assets.find((name) => /^kmem-(?!first).*\.wasm$/.test(name))}`;
		await page.goto("/traces/index.json");
		const origin = new URL(baseURL ?? "").origin;
		const urls = { wasm: `${origin}/${wasm}`, trace: `${origin}/traces/${file}` };
		expect(await page.evaluate(replayHash, urls)).toBe(nativeHash(file));
	});
}
