/** Tests that scenes replay without faults, and that their actions show what their sentences promise. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compile, KmemSession, stepKind } from "#wasm";
import { type Sandbox, textOf } from "../state/sandbox_text.ts";
import { nextTry, SCENES } from "./scenes.ts";

const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));
const module = compile(new Uint8Array(wasm));

/** A step that only this action takes. */
const SHOWS: Readonly<Record<string, readonly string[]>> = {
	empty: ["ALLOC_SLAB", "ALLOC_FASTPATH", "FREE_SLOWPATH"],
	"one-left": ["ALLOC_FASTPATH", "ALLOC_SLAB", "CPU_PARTIAL_FREE"],
	drain: ["CPU_PARTIAL_FREE", "CPU_PARTIAL_FREE", "CPU_PARTIAL_DRAIN"],
	"double-free": ["DOUBLE_FREE", "ALLOC_FASTPATH"],
};

async function lastSteps(sandbox: Sandbox): Promise<string[]> {
	const session = await KmemSession.open(await module);
	session.importBegin();
	session.importChunk(new TextEncoder().encode(textOf(sandbox)));
	expect(session.importEnd().problems).toEqual([]);
	session.build();
	return session.steps(session.nrOps - 1).rows.map((row) => stepKind(row).name);
}

describe("a starter", () => {
	it.each(SCENES)("$name offers its actions one after another", async ({ name, begins, tries }) => {
		let sandbox = begins;
		for (const [i, offered] of tries.entries()) {
			expect(nextTry(sandbox)).toBe(offered);
			sandbox = { ...sandbox, acts: [...sandbox.acts, offered.act] };
			expect(await lastSteps(sandbox)).toContain(SHOWS[name]?.[i]);
		}
		expect(nextTry(sandbox)).toBeUndefined();
	});

	it("ends with any other action", () => {
		const other = { ...SCENES[0]?.begins, acts: [{ kind: "grace" }] } as Sandbox;
		expect(nextTry(other)).toBeUndefined();
	});
});
