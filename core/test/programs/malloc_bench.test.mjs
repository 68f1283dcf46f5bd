// malloc_bench.test.mjs - a small run of bench/malloc.mjs, and that docs/malloc.md is what it writes. Linux only.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { bench, inFolder, LOAD, loads, OURS, PROGRAMS, page } from "../../bench/malloc.mjs";
import { CORE } from "../command/command.mjs";

const SAMPLE = join(CORE, "..", "traces", "program-inbox.slabtrace.gz");

test("docs/malloc.md matches what its script writes from the figures", () => {
	const figures = JSON.parse(readFileSync(join(CORE, "bench/malloc.json"), "utf8"));
	assert.equal(readFileSync(join(CORE, "../docs/malloc.md"), "utf8"), page(figures));
	const programs = new Set(figures.rows.map((row) => row.program));
	assert.equal(programs.size, 3 + PROGRAMS.length);
	for (const { time_ratio, memory_ratio } of figures.rows)
		assert.ok(time_ratio > 0 && memory_ratio > 0);
});

describe("malloc.mjs", { skip: process.platform !== "linux" && "needs Linux" }, () => {
	before(() => execFileSync("make", ["-s", "-C", CORE, "build/malloc_load"]));

	test("measures each load under each allocator, as ratios", () => {
		const { reference, rows } = inFolder((dir) => bench(loads(0.001, SAMPLE, dir)));
		assert.equal(reference, "glibc");
		const of = (row) => `${row.program} ${row.threads}`;
		const names = ["pairs 1", "random 1", "recorded 1", "pairs 2", "random 2", "recorded 2"];
		assert.deepEqual([...new Set(rows.map(of))], names);
		for (const load of names) {
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
		const { rows } = bench([{ program: "true", threads: 0, argv: ["true"] }]);
		assert.ok(rows.every((row) => row.program === "true" && row.threads === 0));
		assert.ok(OURS.every((name) => rows.some((row) => row.allocator === name)));
		assert.ok(rows.every((row) => typeof row.too_short === "boolean"));
	});

	test("a load uses the malloc of its process", () => {
		const done = spawnSync(LOAD, ["load", "random", "2", "0.001"], {
			encoding: "utf8",
			stdio: ["ignore", "ignore", "ignore", "pipe"],
		});
		assert.match(done.output[3], /^\d+\.\d+\n$/);
	});

	test("reports a program that fails", () => {
		const failing = { program: "false", threads: 0, argv: ["false"] };
		assert.throws(() => bench([failing]), /false: does not run to its end under glibc/);
	});
});
