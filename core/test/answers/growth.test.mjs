// growth.test.mjs - how near the model comes to what real machines counted: five recordings of distribution kernels that are
// kept beside the project. Skips where they, python3 or zstd are missing.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { CORE } from "../command/command.mjs";

const TOP = join(CORE, "..");
const SHARED = join(TOP, "..", "shared");
const TOOL = join(SHARED, "tools", "growth.py");
const RUNS = join(SHARED, "traces", "growth");
const has = (program) => spawnSync(program, ["--version"]).status === 0;
const missing =
	[TOOL, RUNS].every(existsSync) && has("python3") && has("zstd") ? false : "no recordings here";

/** What growth.py prints for every run and start: caches, changes in slabs, the sum of errors. */
function measure() {
	const runs = readdirSync(RUNS, { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map((entry) => join(RUNS, entry.name));
	const { stdout, stderr } = spawnSync("python3", [TOOL, "--json", ...runs], {
		cwd: TOP,
		encoding: "utf8",
		maxBuffer: 1 << 26,
	});
	assert.ok(stdout, stderr);
	return JSON.parse(stdout);
}

describe("growth of the caches of real machines", { skip: missing }, () => {
	const { runs, all } = missing ? {} : measure();

	test("is within 2 slabs for seven of ten changed caches by default", () => {
		assert.ok(
			all.default.changed_within_2 >= 0.7 * all.default.changed,
			JSON.stringify(all.default),
		);
	});

	test("comes closer by default than from an empty start, and is worse on no run", () => {
		assert.ok(all.default.error_slabs <= 0.75 * all.cold.error_slabs, JSON.stringify(all));
		for (const [name, run] of Object.entries(runs))
			assert.ok(run.default.error_slabs <= 1.05 * run.cold.error_slabs, name);
	});

	test("grows where the machine grew by more than 20 slabs", () => {
		for (const [name, run] of Object.entries(runs))
			if (Math.abs(run.default.net) > 20)
				assert.equal(Math.sign(run.default.net_model), Math.sign(run.default.net), name);
	});

	test("is within 2 slabs for eight of ten with a snapshot", () => {
		assert.ok(all.warm.changed_within_2 >= 0.8 * all.warm.changed, JSON.stringify(all.warm));
		assert.ok(all.warm.error_slabs <= 150, JSON.stringify(all.warm));
	});

	test("matches changed caches with the machine's, even before 6.18", () => {
		const run = Object.entries(runs).find(([name]) => name.startsWith("5.10"))[1];
		assert.ok(
			run.default.changed_within_2 >= 0.8 * run.default.changed,
			JSON.stringify(run.default),
		);
	});
});
