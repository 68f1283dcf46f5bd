// start.test.mjs - `--start STATE`: a replay of the whole trace that starts from a kernel's slabs, lists and freelists.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { CORE, json, refuses, run, succeeds } from "../command/command.mjs";

const folder = mkdtempSync(join(tmpdir(), "slabscope-start-"));
after(() => rmSync(folder, { recursive: true }));

const file = (kind) => join(CORE, "test", "reality", `compile-8cpus.${kind}.gz`);
const [TRACE, START, STOP] = ["trace", "start.state", "stop.state"].map(file);
const textOf = (path) => gunzipSync(readFileSync(path)).toString();

/** Reads the kernel's slabs of each cache from the L lines of a state. */
function slabsIn(path) {
	const slabs = {};
	for (const [, name] of textOf(path).matchAll(/^L (\S+) /gm)) slabs[name] = (slabs[name] ?? 0) + 1;
	return slabs;
}

/** Three counters of each cache, over its CPUs: ALLOC_SLOWPATH, ALLOC_SLAB and FREE_SLAB of enum stat_item. */
function grown(path) {
	const sums = {};
	for (const [, name, rest] of textOf(path).matchAll(/^T (\S+) \d+ (.*)$/gm)) {
		const counters = rest.split(" ").map(Number);
		sums[name] ??= [0, 0, 0];
		for (const [i, at] of [1, 8, 11].entries()) sums[name][i] += counters[at];
	}
	return sums;
}

describe("--start: a replay starts from the kernel's slabs", () => {
	const replay = json(["replay", TRACE, "--start", START]);

	test("has the kernel's machine and slabs, and frees go where the kernel's went", () => {
		assert.match(replay.machine, /cpus=8 nodes=4 .*cpu_node=0,0,1,1,2,2,3,3 distance=10,/);
		assert.match(
			replay.kernel.start,
			/^Start from kernel state: 5 caches start with .* the trace frees \d+ of these objects\.$/,
		);
		const kernel = slabsIn(STOP);
		for (const { name, slabs } of replay.caches) {
			assert.ok(Math.abs(slabs - kernel[name]) <= 2, `${name}: ${slabs}, not ${kernel[name]}`);
		}
	});

	test("ends with the kernel's counters", () => {
		const kernel = grown(STOP);
		for (const [name, at] of Object.entries(grown(START)))
			for (const i of at.keys()) kernel[name][i] -= at[i];
		for (const { name, counters } of replay.caches) {
			const { alloc_slab, free_slab, alloc_slowpath } = counters;
			assert.deepEqual([alloc_slowpath, alloc_slab, free_slab], kernel[name], name);
		}
	});

	test("frees an object from before the trace when the trace does", () => {
		const [first] = succeeds(["placements", TRACE, "--start", START])
			.split("\n")
			.filter((row) => /,nothing,/.test(row) && /FREE_/.test(row));
		const [op, , , , , slab, index] = first.split(",");
		assert.ok(slab !== "" && index !== "");
		const steps = succeeds(["steps", TRACE, "--start", START, "--op", `${op - 1}`]);
		assert.match(steps, new RegExp(`object ${index} (was pushed onto|on) the`));
	});

	test("works with every command that replays; compare reads the trace for each machine", () => {
		for (const command of ["state", "next", "chapters", "memory", "doctor"])
			assert.match(succeeds([command, TRACE, "--start", START]), /\S/);
		for (const command of ["find --when new-slab", "life --cache pid", "export --table caches"])
			assert.match(
				run([...command.split(" "), TRACE, "--start", START]).out,
				/task_struct|pid|was made/,
			);
		const { begins_with } = json(["life", TRACE, "--start", START, "--cache", "pid"]).kernel;
		assert.equal(begins_with.slabs, 579);
		const tracks = join(folder, "memory.perfetto-trace");
		assert.ok(json(["tracks", TRACE, "--start", START, "-o", tracks]).output_bytes > 1000);
		const twice = ["--with", "slub", "--with", "slub,defrag_gate=open"];
		const { runs } = json(["compare", TRACE, "--start", START, ...twice]);
		for (const run of runs) assert.match(run.kernel.start, /start with 579 slabs/);
		assert.equal(runs[0].state_hash, replay.state_hash);
	});
});

describe("--start where events name slabs and older objects", () => {
	test("export lists the state's slabs that events touch, beside those that events made", () => {
		const table = succeeds(["export", TRACE, "--start", START, "--table", "slabs", "-q"]);
		const rows = table.trim().split("\n").slice(1);
		const { caches } = json(["replay", TRACE, "--start", START]);
		const made = caches.reduce((sum, { counters }) => sum + counters.alloc_slab, 0);
		const isMade = (row) => row.split(",")[3] !== "";
		assert.equal(rows.filter(isMade).length, made);
		const older = rows.filter((row) => !isMade(row));
		assert.ok(older.length > 60, `${older.length} older slabs`);
	});

	test("shows an object from before the trace in life and export, and finds it by its free", () => {
		const table = succeeds(["export", TRACE, "--start", START, "--table", "objects", "-q"]);
		const older = table.split("\n").filter((row) => row.split(",")[1] === "");
		const { start } = json(["replay", TRACE, "--start", START]).kernel;
		assert.equal(older.length, Number(/frees (\d+) of these/.exec(start)[1]));
		const [, , op, cache, slab, index] = older[0].split(",");
		const place = `${cache}/${slab}/${index}`;
		const life = json(["life", TRACE, "--start", START, "--object", place]);
		assert.deepEqual([life.objects_at_start, life.frees - life.allocs], [1, 1]);
		assert.deepEqual([life.rows[0].op, life.rows[0].what], [Number(op), ["free"]]);
		const found = succeeds([
			"find",
			TRACE,
			"--start",
			START,
			"--when",
			"free",
			"--object",
			place,
			"-q",
		]);
		assert.match(found, new RegExp(`^ *${Number(op) + 1}\\.`));
	});

	test("sites finds the nodes of CPUs, and the caches of frees that name no cache", () => {
		const nodes = (...start) =>
			json(["sites", TRACE, ...start]).sites.reduce((sum, s) => sum + s.cross_node_frees, 0);
		assert.equal(nodes(), 0);
		assert.equal(nodes("--start", START), 363);
		const unnamed = join(folder, "unnamed.trace");
		writeFileSync(unnamed, textOf(TRACE).replace(/kmem_cache_free: (.*) name=pid$/gm, "kfree: $1"));
		const orphans = (...start) =>
			json(["sites", unnamed, ...start]).caches.find(({ name }) => name === "pid").orphan_frees;
		assert.equal(orphans(), 0);
		assert.equal(orphans("--start", START), 3);
	});
});

describe("--start on another machine", () => {
	const replays = (...more) => json(["replay", TRACE, "--start", START, ...more]);

	test("keeps the same objects in use on a kernel without per-CPU partial lists", () => {
		for (const more of [
			["--preset", "7.0"],
			["--preset", "6.18"],
			["--preset", "2.6.26"],
			["--set", "cpu_partial_lists=off"],
		]) {
			assert.match(replays(...more).kernel.start, /start with/);
		}
	});

	test("starts another allocator from empty, and says so", () => {
		assert.match(replays("--allocator", "slab").kernel.start, /from empty: this allocator cannot/);
	});

	test("refuses fewer CPUs, a different page size, two starts and a trace without pointers, each in a sentence", () => {
		const refused = (status, sentence, ...more) =>
			refuses(["replay", TRACE, "--start", START, ...more], status, sentence);
		refused(2, /has slabs on 8 CPUs and 4 nodes/, "--cpus", "4");
		refused(2, /has pages of 4096 bytes/, "--page-size", "16384");
		refused(2, /exclude each other/, "--warm", START);
		refuses(
			["replay", "workload:hackbench?scale=0.01", "--start", START],
			2,
			/pointers were not kept/,
		);
		const other = join(folder, "other.state.gz");
		writeFileSync(other, gzipSync(textOf(START).replace(/E complete\n/, "")));
		refuses(["replay", TRACE, "--start", other], 1, /was cut off/);
	});
});
