// new_allocator.test.mjs - adds the allocator of test/new_allocator to a copy of the core by the recipe of
// docs/architecture.md: its folder and one row. The copy is built, replays a sample, shows rows and keeps the invariants. It is
// built by clang, another compiler than the core's: what the other allocators say must still be the texts that are kept.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	cpSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { C_WARNINGS } from "../support/warnings.mjs";

const CORE = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const TRACES = join(CORE, "..", "traces");
const SAMPLE = join(TRACES, "two-nodes.slabtrace");
const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-new-allocator-"));
const COPY = join(SCRATCH, "core");
const NOT_COPIED = ["build", "test/corpus", "test/oracle"].map((name) =>
	join(CORE, ...name.split("/")),
);
const GOLDEN = join("test", "golden");
const SAID = /\.txt$/;
/** What was measured; what workload_test compares itself; and states with the counts of one allocator less. */
const NOT_SAID = ["seeds.txt", "workloads.txt", "hashes.txt"];
const texts = readdirSync(join(CORE, GOLDEN), { recursive: true }).filter(
	(name) => SAID.test(name) && !NOT_SAID.includes(name),
);
const TESTS = ["model_test", "golden_test", "workload_test", "seek_test"];

function run(program, args, env = {}) {
	const options = { cwd: COPY, encoding: "utf8", maxBuffer: 1 << 26 };
	return execFileSync(program, args, { ...options, env: { ...process.env, ...env } });
}

const runTest = (name, args, env) => run(join("build", "debug", "test", name), args, env);

const slabscope = (...args) =>
	run(join("build", "debug", "slabscope"), [...args, "--allocator", "bump"]);

/** Before the #endif that closes the rows. */
function addRow(row) {
	const table = join(COPY, "tables", "allocators.def");
	const text = readFileSync(table, "utf8");
	const last = text.lastIndexOf('#include "alloc/');
	const end = text.indexOf("\n", last) + 1;
	writeFileSync(table, `${text.slice(0, end)}${row}\n${text.slice(end)}`);
}

describe("a new allocator is a folder and one row", () => {
	before(() => {
		const isCopied = (path) =>
			!NOT_COPIED.some((folder) => path === folder || path.startsWith(folder + sep));
		cpSync(CORE, COPY, { recursive: true, filter: isCopied });
		cpSync(join(CORE, "test", "new_allocator", "bump"), join(COPY, "alloc", "bump"), {
			recursive: true,
		});
		addRow('#include "alloc/bump/bump.def"');
		for (const name of texts) rmSync(join(COPY, GOLDEN, name));
		symlinkSync(TRACES, join(SCRATCH, "traces"));
		const programs = ["slabscope", ...TESTS.map((name) => `test/${name}`)];
		const flags = `CFLAGS_debug=-O0 ${C_WARNINGS.join(" ")}`;
		const files = programs.map((name) => `build/debug/${name}`);
		run("make", ["-s", "-j2", "MODE=debug", "CC=clang", flags, ...files]);
	});
	after(() => rmSync(SCRATCH, { recursive: true }));

	it("replays a sample", () => {
		const text = slabscope("replay", SAMPLE, "--json", "-q");
		assert.equal(JSON.parse(text).ops, 113);
		assert.match(text, /"bump_take": 55\b/);
	});

	it("shows rows of its places, and sentences of its steps", () => {
		const { places, slabs } = JSON.parse(slabscope("state", SAMPLE, "--at", "40", "--json", "-q"));
		assert.ok(places.some(({ kind, nr_slabs }) => kind === "bump" && nr_slabs === 1));
		assert.equal(slabs.length, 6);
		assert.match(slabscope("steps", SAMPLE, "--op", "3", "-q"), /the next in line; 6 left there/);
	});

	it("has a parameter that no other allocator has", () => {
		const params = JSON.parse(slabscope("params", "--json"));
		assert.deepEqual(params.find(({ key }) => key === "bump_order").allocators, ["bump"]);
		const larger = slabscope("steps", SAMPLE, "--op", "0", "-q", "--set", "bump_order=1");
		assert.match(larger, /was made from 2 pages/);
	});

	it("keeps the invariants, after every event of random traces", () => {
		for (const seed of ["1", "2", "3"]) {
			const text = runTest("model_test", ["bump", "--seed", seed], { SHALLOWER: "1" });
			assert.match(text, /1 passed, 0 failed/);
		}
	});

	it("leaves every text of the other allocators as in gcc's core", () => {
		runTest("golden_test", ["--write"]);
		assert.ok(texts.length > 60);
		for (const name of texts) {
			const now = readFileSync(join(COPY, GOLDEN, name), "utf8");
			assert.equal(now, readFileSync(join(CORE, GOLDEN, name), "utf8"), name);
		}
	});

	for (const name of ["workload_test", "seek_test"])
		it(`passes ${name}`, () => assert.match(runTest(name, []), /\b0 failed\n$/));
});
