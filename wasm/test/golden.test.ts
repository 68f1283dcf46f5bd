// golden.test.ts - the texts of core/test/golden, told anew through wasm and TypeScript: byte for byte what gcc
// and clang tell (core/test/golden_test.c), every decision of every trace with its numbers and its sentence.

import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { KmemSession, NOWHERE, stepKind } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

const FOLDER = new URL("../../core/test/golden/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, FOLDER), "utf8");
const NAMES = readdirSync(FOLDER)
	.filter((file) => file.endsWith(".slabtrace"))
	.map((file) => file.replace(".slabtrace", ""))
	.sort();

let module: WebAssembly.Module;
beforeAll(async () => {
	module = await loadModule();
});

async function open(name: string): Promise<KmemSession> {
	const session = await KmemSession.open(module);
	session.importBegin();
	session.importChunk(new TextEncoder().encode(read(`${name}.slabtrace`)));
	expect(session.importEnd().skippedLines).toBe(0);
	session.build();
	return session;
}

/** In C's (s16): none is -1. */
function signed(id: number): number {
	return (id << 16) >> 16;
}

function tellOp(session: KmemSession, op: number): string {
	const { sentence } = session.op(op);
	const { rows } = session.steps(op);
	const steps = rows.map((step) => {
		const where = `cpu=${step.cpu} cache=${signed(step.cache)} node=${signed(step.node)}`;
		return `  ${stepKind(step).name} ${where} ${step.args.join(",")}: ${step.sentence}\n`;
	});
	const { slab, index } = session.op(op);
	const place = slab === NOWHERE ? "" : `  -> slab ${slab}, index ${index}\n`;
	session.checkLaws();
	return `\n${op} ${sentence}\n${steps.join("")}${place}`;
}

function tell(session: KmemSession): string {
	session.seek(0);
	const head = `${session.machine().text}\n`;
	const ops = Array.from({ length: session.nrOps }, (_, op) => tellOp(session, op));
	const { slabs, partial, liveObjects, cycles } = session.totals();
	const end = `\nend: ${slabs} slabs, ${partial} partial, ${liveObjects} live objects, ${cycles} cycles\n`;
	return head + ops.join("") + end;
}

it.each(NAMES)("%s is told in the same words", async (name) => {
	expect(tell(await open(name))).toBe(read(`${name}.txt`));
});

it("the worlds at the end are byte-equal", async () => {
	const lines = await Promise.all(
		NAMES.map(async (name) => `${(await open(name)).hash()} ${name}\n`),
	);
	expect(lines.join("")).toBe(read("hashes.txt"));
});
