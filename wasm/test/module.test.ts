// module.test.ts - what the built module promises to its hosts: no imports, small, all of kmem.h, the same layout.

import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { ABI_HASH, Status } from "../src/abi.ts";
import { instantiate, KmemError, type KmemExports } from "../src/core.ts";
import { loadModule } from "../src/node.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url));

/** The names in kmem.h's text. */
const PUBLIC = [
	...["../../core/kmem.h", "../../core/kmem_doctor.h", "../../core/kmem_own.h"]
		.map((path) => read(path).toString())
		.join("")
		.matchAll(/^KMEM_API [^;]*?\b(kmem_\w+)\(/gm),
].map((match) => match[1] ?? "");

describe("kmem.wasm", () => {
	let module: WebAssembly.Module;

	beforeAll(async () => {
		module = await loadModule();
	});

	it("imports nothing", () => {
		expect(WebAssembly.Module.imports(module)).toEqual([]);
	});

	it("stays small on the wire", () => {
		expect(brotliCompressSync(read("../dist/kmem.wasm")).length).toBeLessThanOrEqual(264_000);
	});

	it("exports every function of kmem.h, with types in abi.ts", () => {
		expect(PUBLIC.length).toBeGreaterThan(30);
		const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
		expect(PUBLIC.filter((name) => !exported.has(name))).toEqual([]);
		const typed = read("../src/abi.ts").toString();
		expect(PUBLIC.filter((name) => !typed.includes(`\t${name}(`))).toEqual([]);
	});

	it("has the layout that abi.ts was generated from", async () => {
		const kmem = await instantiate(module);
		expect(kmem.kmem_abi_hash() >>> 0).toBe(ABI_HASH);
	});

	it("starts small: memory grows with use", async () => {
		const kmem = await instantiate(module);
		expect(kmem.memory.buffer.byteLength).toBeLessThanOrEqual(1 << 20);
	});
});

it("refuses a module of another layout with a sentence", async () => {
	// (module (memory (export "memory") 1) (func (export "kmem_abi_hash") (result i32) i32.const 1))
	const other = await WebAssembly.compile(
		new Uint8Array([
			...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 5, 3, 1, 0, 1],
			...[7, 26, 2, 6, ...Buffer.from("memory"), 2, 0, 13, ...Buffer.from("kmem_abi_hash"), 0, 0],
			...[10, 6, 1, 4, 0, 0x41, 1, 0x0b],
		]),
	);
	const refusal: Promise<KmemExports> = instantiate(other);
	await expect(refusal).rejects.toThrow(KmemError);
	await expect(refusal).rejects.toMatchObject({
		code: Status.KMEM_ESTATE,
		message: expect.stringContaining("node wasm/build.mjs"),
	});
});
