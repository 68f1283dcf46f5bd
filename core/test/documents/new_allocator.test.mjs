// new_allocator.test.mjs - adds the allocator of test/new_allocator to a copy of the core by the recipe of
// docs/architecture.md: its folder and one row. The copy is built, replays a sample, shows rows and keeps the invariants.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const CORE = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const SAMPLE = join(CORE, "..", "traces", "two-nodes.slabtrace");
const COPY = mkdtempSync(join(tmpdir(), "slabscope-new-allocator-"));
const NOT_COPIED = ["build", "test/corpus", "test/golden", "test/oracle"].map((name) =>
	join(CORE, ...name.split("/")),
);

function run(program, args) {
	const options = { cwd: COPY, encoding: "utf8", maxBuffer: 1 << 26 };
	return execFileSync(program, args, { ...options, env: { ...process.env, SHALLOWER: "1" } });
}

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
		const programs = ["build/debug/slabscope", "build/debug/test/model_test"];
		run("make", ["-s", "-j2", "MODE=debug", "CFLAGS_debug=-O0", ...programs]);
	});
	after(() => rmSync(COPY, { recursive: true }));

	it("replays a sample", () => {
		const text = slabscope("replay", SAMPLE, "--json", "-q");
		assert.equal(JSON.parse(text).ops, 113);
		assert.match(text, /"bump_take": 55\b/);
	});

	it("shows rows of its own places, and sentences of its own steps", () => {
		const { places, slabs } = JSON.parse(slabscope("state", SAMPLE, "--at", "40", "--json", "-q"));
		assert.ok(places.some(({ kind, nr_slabs }) => kind === "bump" && nr_slabs === 1));
		assert.equal(slabs.length, 6);
		assert.match(slabscope("steps", SAMPLE, "--op", "3", "-q"), /the next in line; 6 left there/);
	});

	it("has its parameter, and no other allocator has it", () => {
		const params = JSON.parse(slabscope("params", "--json"));
		assert.deepEqual(params.find(({ key }) => key === "bump_order").allocators, ["bump"]);
		const larger = slabscope("steps", SAMPLE, "--op", "0", "-q", "--set", "bump_order=1");
		assert.match(larger, /was made from 2 pages/);
	});

	it("keeps the invariants, after every event of random traces", () => {
		for (const seed of ["1", "2", "3"]) {
			const text = run(join("build", "debug", "test", "model_test"), ["bump", "--seed", seed]);
			assert.match(text, /1 passed, 0 failed/);
		}
	});
});
