// workload.test.mjs - `slabscope workload`, workload:NAME instead of a file, `info --shape`; and the figures of
// workload_reference.def computed again from the recordings, where these are available.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { CORE, json, run, SHARED, succeeds } from "./command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(SCRATCH, { recursive: true, force: true }));

const NAMES = ["netio", "kernel-build", "tcp-rr", "hackbench", "boot"];
/** Few enough events for a quick test. */
const FEW = "scale=0.05";

function refuses(args, sentence) {
	const done = run(args);
	assert.equal(done.status, 2, `${args.join(" ")}: ${done.err}`);
	assert.match(done.err, sentence);
	assert.equal(done.err.trim().split("\n").length, 1, done.err);
}

describe("workload", () => {
	test("lists all of them with their keys if no name is given", () => {
		const text = succeeds(["workload"]);
		const list = json(["workload"]);
		assert.deepEqual(
			list.map(({ name }) => name),
			NAMES,
		);
		for (const { name, keys } of list) {
			assert.match(text, new RegExp(`^${name} `, "m"));
			for (const { key } of keys) {
				assert.match(text, new RegExp(`^  ${key} `, "m"));
			}
		}
	});
	for (const name of NAMES) {
		test(`${name}: gives the same trace in a file, on standard output and as workload:${name}`, () => {
			const path = join(SCRATCH, `${name}.slabtrace`);
			const text = succeeds(["workload", name, "--set", FEW, "-q"]);
			const told = json(["workload", name, "--scale", "0.05", "-o", path]);
			assert.equal(readFileSync(path, "utf8"), text);
			assert.equal(told.output_bytes, text.length);
			assert.match(text, /^slabtrace 1\nmachine cpus=\d+ nodes=\d+/);
			const direct = json(["replay", `workload:${name}?${FEW}`]);
			const read = json(["replay", path]);
			assert.equal(direct.state_hash, read.state_hash);
			assert.equal(direct.ops, read.ops);
			assert.deepEqual(direct.caches, read.caches);
		});
	}
	test("describes its machine, which the command line can still change", () => {
		const four = json(["replay", "workload:kernel-build?nodes=4&files=1"]);
		assert.match(four.machine, /cpus=8 nodes=4 .*distance=10,16,22,22,/);
		const one = json(["replay", "workload:kernel-build?files=1", "--nodes", "1"]);
		assert.match(one.machine, /cpus=2 nodes=1 /);
		const text = succeeds(["workload", "boot", "--scale", "0.01", "--page-size", "65536", "-q"]);
		assert.match(text, /\nmachine cpus=2 nodes=1 page_size=65536\n/);
		const old = succeeds(["workload", "netio", "--preset", "2.6.26", "--set", FEW, "-q"]);
		assert.match(old, /\nmachine .*order_rule=linux-2\.6\.26 /);
	});
	test("can be given to steps and placements too", () => {
		const [step] = json(["steps", `workload:netio?${FEW}`, "--op", "0"]);
		assert.equal(step.op, 0);
		const rows = succeeds(["placements", `workload:netio?${FEW}`]).split("\n");
		assert.equal(rows.filter((row) => /^\d+,/.test(row)).length > 1000, true);
	});
	test("says what is impossible", () => {
		refuses(["workload", "netoi"], /unknown workload `netoi`: expected netio, kernel-build/);
		refuses(["workload", "netio", "--set", "loops=3"], /`loops` is neither .* payload/);
		refuses(["workload", "netio", "--seed", "one"], /seed: expected a number from 0 to 4294967295/);
		refuses(["workload", "netio", "--cpus", "0"], /cpus: expected .*; found `0`/);
		refuses(
			["workload", "netio", "--preset", "linux-9"],
			/unknown preset `linux-9`: expected linux-/,
		);
		refuses(["workload", "netio", "--json"], /the trace must go to a file: -o FILE/);
		refuses(["replay", "workload:netio?scale=-1"], /scale: expected a number from 0\.01/);
	});
});

describe("info --shape", () => {
	test("prints the same in words and as JSON", () => {
		const { shape } = json(["info", "workload:hackbench?loops=3", "--shape"]);
		const sum = (rows, key) => rows.reduce((total, row) => total + row[key], 0);
		assert.equal(sum(shape.sizes, "allocs"), shape.allocs);
		assert.equal(sum(shape.lifetimes, "frees"), shape.seen_frees);
		assert.equal(shape.live.length, 64);
		const text = succeeds(["info", "workload:hackbench?loops=3", "--shape"]);
		assert.match(text, /\d+\.\d % of frees on another CPU/);
		assert.match(text, /\n {2}lifetime in events, share of frees\n/);
		assert.equal(json(["info", "workload:hackbench?loops=3"]).shape, undefined);
	});
});

/** What workload_reference.def says of each recording. */
function references() {
	const text = readFileSync(join(CORE, "test", "session", "workload_reference.def"), "utf8");
	const of = (word, id) =>
		[...text.matchAll(new RegExp(`\\b${word}\\(${id}, (\\d+), (\\d+)\\)`, "g"))].map((m) => [
			Number(m[1]),
			Number(m[2]),
		]);
	const heads = /^REFERENCE\((\w+), "([^"]+)",\s*"[^"]+", "[^"]+", (\d+), (\d+), (\d+), (\d+),/gm;
	return [...text.matchAll(heads)].map(([, id, file, ...counts]) => ({
		file,
		counts: counts.map(Number),
		sizes: of("SIZE", id),
		lifetimes: of("LIFETIME", id),
	}));
}

describe("the recordings that workloads are compared with", () => {
	const missing = !existsSync(join(SHARED, "traces"));
	test("there are five", () => assert.equal(references().length, 5));
	for (const { file, counts, sizes, lifetimes } of references()) {
		test(file, { skip: missing && "the recordings are not at hand" }, () => {
			const { shape } = json(["info", join(SHARED, "traces", file), "--shape", "-q"]);
			const { allocs, kmallocs, seen_frees, remote_frees } = shape;
			assert.deepEqual(counts, [allocs, kmallocs, seen_frees, remote_frees]);
			assert.deepEqual(
				sizes,
				shape.sizes.map((row) => [row.bytes, row.allocs]),
			);
			assert.deepEqual(
				lifetimes,
				shape.lifetimes.map((row) => [row.at_least, row.frees]),
			);
		});
	}
});
