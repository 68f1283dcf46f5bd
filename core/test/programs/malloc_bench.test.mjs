// malloc_bench.test.mjs - `bench --malloc`, small, and that docs/malloc.md is what its script writes. Linux only.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { PROGRAMS, page } from "../../bench/malloc.mjs";
import { COMMAND, CORE, json, refuses, run, succeeds } from "../command/command.mjs";

const OURS = ["slub", "slab", "unified", "slob", "slob-segregated"];
const SAMPLE = join(CORE, "..", "traces", "program-inbox.slabtrace.gz");

test("docs/malloc.md is what its script writes from the figures", () => {
	const figures = JSON.parse(readFileSync(join(CORE, "bench/malloc.json"), "utf8"));
	assert.equal(readFileSync(join(CORE, "../docs/malloc.md"), "utf8"), page(figures));
	const programs = new Set(figures.rows.map((row) => row.program));
	assert.equal(programs.size, 3 + PROGRAMS.length);
	for (const { time_ratio, memory_ratio } of figures.rows)
		assert.ok(time_ratio > 0 && memory_ratio > 0);
});

describe("bench --malloc", { skip: process.platform !== "linux" && "needs Linux" }, () => {
	test("gives each load under each allocator, as ratios", () => {
		const { reference, rows } = json(["bench", "--malloc", "--scale", "0.001", "-q", SAMPLE]);
		assert.equal(reference, "glibc");
		const of = (row) => `${row.program} ${row.threads}`;
		const loads = ["pairs 1", "random 1", "recorded 1", "pairs 2", "random 2", "recorded 2"];
		assert.deepEqual([...new Set(rows.map(of))], loads);
		for (const load of loads) {
			const here = rows.filter((row) => of(row) === load);
			assert.equal(here[0].time_ratio, 1);
			assert.equal(here[0].memory_ratio, 1);
			for (const name of OURS) {
				const row = here.find((r) => r.allocator === name);
				assert.ok(row.time_ratio > 0 && row.peak_bytes > 0, `${load} ${name}`);
			}
		}
	});

	test("measures a program", () => {
		const { rows } = JSON.parse(succeeds(["bench", "--malloc", "--json", "-q", "--", "true"]));
		assert.ok(rows.every((row) => row.program === "true" && row.threads === 0));
		assert.ok(OURS.every((name) => rows.some((row) => row.allocator === name)));
		assert.ok(rows.every((row) => typeof row.too_short === "boolean"));
	});

	test("does one load in this process", () => {
		const done = run(["bench", "--malloc", "--load", "random,2", "--scale", "0.001"]);
		assert.match(done.out, /^\d+\.\d+ 1\n$/);
		// A library that is not there is noticed: the dynamic linker only warns.
		const env = { ...process.env, LD_PRELOAD: "libno-such.so" };
		const args = ["bench", "--malloc", "--load", "pairs", "--scale", "0.001"];
		assert.match(spawnSync(COMMAND, args, { encoding: "utf8", env }).stdout, / 0\n$/);
	});

	test("refuses calls that cannot be", () => {
		refuses(["bench", "--malloc", "--load", "heaps"], 2, /expected pairs, random or recorded/);
		refuses(["bench", "--malloc", "--scale", "0"], 2, /expected a number above 0/);
		refuses(["bench", "--malloc", "-q", "--", "false"], 1, /does not run to its end under glibc/);
	});
});
