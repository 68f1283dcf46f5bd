/** Tests that each of the page's samples is replayed under the kernel that recorded it, chosen as the core would choose it. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { compile, KmemSession } from "#wasm";
import index from "../../../traces/index.json";
import type { Sample } from "../app/state/store.ts";
import { USUAL_PRESET } from "../app/trace/actions.ts";

const samples: readonly Sample[] = index;
let module: WebAssembly.Module;

beforeAll(async () => {
	module = await compile(readFileSync(new URL("../../../wasm/dist/kmem.wasm", import.meta.url)));
});

/** Returns the preset that the core chooses for a trace that names its kernel. */
async function presetFor(kernel: string): Promise<string> {
	const session = await KmemSession.open(module);
	const text = `slabtrace 1\nmachine cpus=1${kernel && ` kernel=${kernel}`}\nk 1 64 cpu=0\n`;
	session.importBegin();
	session.importChunk(new TextEncoder().encode(text));
	session.importEnd();
	for (const _ of session.buildSlices(0, 1000));
	return session.kernel().preset;
}

describe("the samples", () => {
	it.each(samples.map((s) => [s.file, s] as const))("%s has its kernel's preset", async (_, s) => {
		expect(s.preset ?? USUAL_PRESET).toBe(await presetFor(s.kernel));
	});

	it("start with one that needs no preset, so that the small module can replay it", () => {
		expect(samples[0]?.preset).toBeUndefined();
	});
});
