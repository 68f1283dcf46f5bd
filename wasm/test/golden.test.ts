// golden.test.ts - the texts of core/test/golden, written again through wasm and TypeScript: byte for byte the same as
// with gcc and clang (core/test/support/golden_text.c). They have every decision of every trace with its numbers and
// its sentence; for the samples, under every allocator, all of a teaching trace and a short form of a recorded one.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { COUNTER_NAMES } from "../src/abi.ts";
import { KmemSession, NOWHERE, type StepRow, stepKind } from "../src/index.ts";
import { importFile, loadModule } from "../src/node.ts";

const FOLDER = new URL("../../core/test/golden/", import.meta.url);
const TRACES = new URL("../../traces/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, FOLDER), "utf8");
const NAMES = readdirSync(FOLDER)
	.filter((file) => file.endsWith(".slabtrace"))
	.map((file) => file.replace(".slabtrace", ""))
	.sort();
const SAMPLES = readdirSync(TRACES)
	.filter((file) => file.endsWith(".slabtrace") || file.endsWith(".txt.gz"))
	.sort();
const ALLOCATORS = readdirSync(new URL("samples/", FOLDER));
/** Events of a recorded trace that are written in full. */
const FIRST_OPS = 50;
/** Steps of every event that are hashed: a search of SLOB has thousands. */
const HASHED_STEPS = 16;

let module: WebAssembly.Module;
const hashes = new Map<string, string>();
beforeAll(async () => {
	module = await loadModule();
});

async function openSmallTrace(name: string): Promise<KmemSession> {
	const session = await KmemSession.open(module);
	session.importBegin();
	session.importChunk(new TextEncoder().encode(read(`${name}.slabtrace`)));
	expect(session.importEnd().skippedLines).toBe(0);
	return session;
}

async function openSample(file: string, allocator: string): Promise<KmemSession> {
	const session = await KmemSession.open(module);
	await importFile(session, fileURLToPath(new URL(file, TRACES)));
	session.set("allocator", allocator);
	if (file.includes("-4-nodes")) {
		session.set("nodes", "4");
	}
	return session;
}

/** As C's (s16): -1 stands for none. */
function signed(id: number): number {
	return (id << 16) >> 16;
}

function tellStep(step: StepRow, numbers: boolean): string {
	if (!numbers) {
		return `  ${step.sentence}\n`;
	}
	const where = `cpu=${step.cpu} cache=${signed(step.cache)} node=${signed(step.node)}`;
	return `  ${stepKind(step).name} ${where} ${step.args.join(",")}: ${step.sentence}\n`;
}

function tellOp(session: KmemSession, op: number, numbers: boolean): string {
	const { sentence } = session.op(op);
	const steps = session.steps(op).rows.map((step) => tellStep(step, numbers));
	const { slab, index } = session.op(op);
	const place = slab === NOWHERE ? "" : `  -> slab ${slab}, index ${index}\n`;
	session.checkLaws();
	return `\n${op} ${sentence}\n${steps.join("")}${place}`;
}

function tellOps(session: KmemSession, nr: number, numbers: boolean): string {
	return Array.from({ length: nr }, (_, op) => tellOp(session, op, numbers)).join("");
}

function tellEnd(session: KmemSession): string {
	const { slabs, partial, liveObjects, cycles } = session.totals();
	return `\nend: ${slabs} slabs, ${partial} partial, ${liveObjects} live objects, ${cycles} cycles\n`;
}

function begin(session: KmemSession, name: string): string {
	session.build();
	hashes.set(name, session.hash());
	session.seek(0);
	return `${session.machine().text}\n`;
}

function tell(session: KmemSession, name: string): string {
	return begin(session, name) + tellOps(session, session.nrOps, true) + tellEnd(session);
}

/** FNV-1a, word by word. */
function mix(hash: number, word: number): number {
	return Math.imul(hash ^ word, 16777619);
}

function mixStep(hash: number, step: StepRow): number {
	const name = [...stepKind(step).name].map((letter) => letter.charCodeAt(0));
	return [...name, step.cpu, step.cache, step.node, ...step.args].reduce(mix, hash);
}

function tellAllSteps(session: KmemSession): string {
	let hash = 2166136261;
	let nr = 0;
	for (let op = 0; op < session.nrOps; op++) {
		const { rows, total } = session.steps(op, 0, HASHED_STEPS);
		hash = rows.reduce(mixStep, hash);
		nr += total;
	}
	const hex = (hash >>> 0).toString(16).padStart(8, "0");
	return `\nall: ${session.nrOps} operations, ${nr} steps, ${hex}\n`;
}

function tellCounters(session: KmemSession): string {
	const { counters } = session.totals();
	return COUNTER_NAMES.map((name, i) => (counters[i] ? `${name} ${counters[i]}\n` : "")).join("");
}

function tellShort(session: KmemSession, name: string): string {
	const head = begin(session, name) + tellOps(session, FIRST_OPS, false);
	const all = tellAllSteps(session);
	session.checkLaws();
	return head + all + tellEnd(session) + tellCounters(session);
}

it.each(NAMES)("%s has the same sentences", async (name) => {
	expect(tell(await openSmallTrace(name), name)).toBe(read(`${name}.txt`));
});

describe.each(ALLOCATORS)("samples by %s", (allocator) => {
	it.each(SAMPLES)("%s has the same sentences", async (file) => {
		const session = await openSample(file, allocator);
		const name = `samples/${allocator}/${file}`;
		const told = file.endsWith(".slabtrace") ? tell(session, name) : tellShort(session, name);
		expect(told).toBe(read(`${name}.txt`));
	});
});

it("the states at the end are the same byte for byte", () => {
	const kept = read("hashes.txt").trim().split("\n");
	expect(Object.fromEntries(kept.map((line) => line.split(" ").reverse()))).toEqual(
		Object.fromEntries(hashes),
	);
});
