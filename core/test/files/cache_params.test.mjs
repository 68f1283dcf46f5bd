// cache_params.test.mjs - `--cache-params` and `--machine-state`: your settings win over a snapshot of a machine, in
// every command; snapshots of two machines never mix.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { COMMAND, CORE, json, run, succeeds } from "../command/command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-cache-params-"));
after(() => rmSync(SCRATCH, { recursive: true }));

function file(name, text) {
	const path = join(SCRATCH, name);
	writeFileSync(path, text);
	return path;
}

const HEADER =
	"cache,order,objs_per_slab,object_size,slab_size,min_partial,cpu_partial,sheaf_capacity\n";
const PARAMS = file("machine.csv", `${HEADER}filp,2,85,184,192,6,9,8\n`);
const OTHER = file("other.csv", "cache,order,slab_size\nfilp,3,256\n");

/** Bursts on two CPUs that fill slabs and empty them: every parameter below changes something. */
const ops = [];
for (let round = 0; round < 3; round++) {
	for (let i = 0; i < 600; i++) ops.push(`a ${i} c cpu=${i % 2}`);
	for (let i = 0; i < 600; i++) ops.push(`f ${i} cpu=${(i + round) % 2}`);
}
const trace = (machine) =>
	`slabtrace 1\nmachine cpus=2 ${machine}\ncache c size=184 name=filp\n${ops.join("\n")}\n`;
const TRACE = file("bursts.slabtrace", trace(""));
const WITH = ["--cache-params", PARAMS];

const cacheOf = (args, path = TRACE) => json(["replay", path, ...WITH, ...args]).caches[0];
const shape = ({ size, order, min_partial, cpu_partial, sysfs }) => ({
	size,
	order,
	min_partial,
	cpu_partial,
	sheaf_capacity: Number(sysfs.sheaf_capacity ?? 0),
});
const FROM_FILE = { size: 192, order: 2, min_partial: 6, cpu_partial: 9, sheaf_capacity: 8 };

const SETTINGS = [
	["min_partial=1", { min_partial: 1 }],
	["cpu_partial=600", { cpu_partial: 600 }],
	["max_order=0", { order: 0 }],
	["sheaf_capacity=4", { sheaf_capacity: 4 }],
	["sheaf_capacity=0", { sheaf_capacity: 0 }],
	["cpu_partial_lists=off", { cpu_partial: 0 }],
	["min_partial_rule=static", { min_partial: 5 }],
];

describe("--cache-params", () => {
	test("decides what you leave unset", () => {
		assert.deepEqual(shape(cacheOf([])), FROM_FILE);
		assert.deepEqual(shape(cacheOf(["--cpus", "4"])), FROM_FILE);
	});

	for (const [setting, changed] of SETTINGS) {
		test(`--set ${setting} wins`, () => {
			const [key, value] = setting.split("=");
			const want = { ...FROM_FILE, ...changed };
			assert.deepEqual(shape(cacheOf(["--set", setting])), want);
			const path = file("set.slabtrace", trace(setting));
			assert.deepEqual(shape(cacheOf([], path)), want);
			const { runs } = json([
				"compare",
				TRACE,
				...WITH,
				"--with",
				"slub",
				"--with",
				`slub,${setting}`,
			]);
			assert.deepEqual(
				runs.map((run) => shape(run.caches[0])),
				[FROM_FILE, want],
			);
			const { cells } = json([
				"sweep",
				TRACE,
				...WITH,
				"--x",
				`${key}=${value}`,
				"--metric",
				"cycles",
			]);
			assert.equal(cells[0].value, json(["replay", TRACE, ...WITH, "--set", setting]).cycles);
			assert.notEqual(cells[0].value, json(["replay", TRACE, ...WITH]).cycles);
		});
	}

	test("a preset wins: linux-6.1 has no sheaves, whatever the snapshot says", () => {
		const old = json(["replay", TRACE, ...WITH, "--preset", "linux-6.1"]);
		assert.equal(old.totals.sheaf_refill, undefined);
		const without = json(["replay", TRACE, "--preset", "linux-6.1"]).caches[0];
		assert.deepEqual(shape(old.caches[0]), { ...shape(without), size: FROM_FILE.size });
		assert.ok(json(["replay", TRACE, ...WITH]).totals.sheaf_refill > 0);
		const steps = succeeds([
			"sweep",
			TRACE,
			...WITH,
			"--x",
			"preset=6.1,6.18",
			"--metric",
			"sheaf_refill",
		]);
		assert.match(steps, /does not have/);
	});

	test("a sweep of min_partial under a preset shows its effect", () => {
		const args = ["--preset", "linux-6.18", "--x", "min_partial=0,5", "--metric", "free_slab"];
		const [none, five] = json(["sweep", TRACE, ...WITH, ...args]).cells;
		assert.ok(none.value > five.value, `${none.value} and ${five.value}`);
		assert.doesNotMatch(succeeds(["sweep", TRACE, ...WITH, ...args]), /does not change/);
	});

	test("is read once from a pipe, for every machine of a comparison", () => {
		const machines = "--with slub --with slub,min_partial=1";
		const line = `cat '${PARAMS}' | '${COMMAND}' compare '${TRACE}' --json ${machines}`;
		const out = execFileSync("sh", ["-c", `${line} --cache-params /dev/stdin`]);
		for (const { caches } of JSON.parse(out).runs) assert.equal(caches[0].order, 2);
	});
});

describe("--machine-state, formerly --overlay", () => {
	test("the later of two files replaces the earlier one, and the command says so", () => {
		const both = run(["replay", TRACE, "--machine-state", `${PARAMS},${OTHER}`, "--json"]);
		assert.match(both.err, /--machine-state: .*other\.csv replaces caches of the files before it/);
		const [filp] = JSON.parse(both.out).overlay;
		assert.deepEqual(filp, json(["replay", TRACE, "--overlay", OTHER]).overlay[0]);
		assert.equal(filp.min_partial.machine, null);
		assert.equal(filp.order.machine, 3);
	});

	test("it can differ from the file of --cache-params", () => {
		const { caches, overlay } = json(["replay", TRACE, ...WITH, "--overlay", OTHER]);
		assert.deepEqual(shape(caches[0]), FROM_FILE);
		assert.deepEqual(overlay[0].order, { model: 2, machine: 3 });
		assert.deepEqual(overlay[0].cpu_partial, { model: 9, machine: null });
	});

	test("works with a generated trace", () => {
		const { overlay } = json(["replay", "workload:hackbench?loops=1", "--overlay", OTHER]);
		assert.equal(overlay.length, 1);
	});

	test("reads the files before the trace", () => {
		const done = run(["replay", join(CORE, "nowhere.trace"), "--overlay", join(SCRATCH, "none")]);
		assert.match(done.err, /none: cannot be opened/);
		assert.equal(done.status, 1);
	});
});

test("a snapshot without kmalloc-cg-… sends accounted objects to the plain caches", () => {
	const accounted = file("accounted.slabtrace", "slabtrace 1\nk 1 64 cpu=0 type=accounted\n");
	const cachesWith = (text) =>
		json([
			"replay",
			accounted,
			"--cache-params",
			file("kmalloc.csv", `${HEADER}${text}`),
		]).caches.map(({ name }) => name);
	const plain = "kmalloc-64,0,64,64,64,5,30,-1\n";
	assert.deepEqual(cachesWith(plain), ["kmalloc-64"]);
	assert.deepEqual(cachesWith(`${plain}kmalloc-cg-64,0,64,64,64,5,30,-1\n`), ["kmalloc-cg-64"]);
	assert.deepEqual(cachesWith("filp,2,85,184,192,6,9,8\n"), ["kmalloc-cg-64"]);
});

test("a snapshot without kmalloc-cg-… also names caches where nothing is replayed", () => {
	const site = "call_site=f+0x1/0x2 ptr=00000000abcd0040 bytes_req=64 bytes_alloc=64";
	const head = "cat-1 [000] ..... 1.000001: kmalloc:";
	const accounted = file(
		"accounted.txt",
		`${head} ${site} gfp_flags=GFP_KERNEL_ACCOUNT node=-1 accounted=false\n`,
	);
	const plain = file("plain.csv", `${HEADER}kmalloc-64,0,64,64,64,5,30,-1\n`);
	const named = (...args) => json(["info", accounted, ...args]).caches.map(({ name }) => name);
	assert.deepEqual(named(), ["kmalloc-cg-64"]);
	assert.deepEqual(named("--cache-params", plain), ["kmalloc-64"]);
	assert.match(succeeds(["convert", accounted, "--cache-params", plain]), /type=normal/);
	assert.doesNotMatch(succeeds(["convert", accounted]), /type=normal/);
	const life = ["lookup", accounted, "--ptr", "0xabcd0040", "--cache-params", plain];
	assert.equal(json(life).lives[0].cache, "kmalloc-64");
});

test("sites names caches that the kernel has merged; find and life take the file too", () => {
	const merged = file("merged.csv", `${HEADER}:0000192,0,21,184,192,5,30,-1\n`);
	const aliases = file("aliases.csv", "sysfs_name,sysfs_dir\nfilp,:0000192\ndentry,:0000192\n");
	const params = ["--cache-params", `${merged},${aliases}`];
	const { caches } = json(["sites", TRACE, ...params]);
	assert.equal(caches.find(({ name }) => name === "filp").aliases, "dentry");
	assert.match(succeeds(["sites", TRACE, ...params]), /filp is merged with dentry/);
	for (const args of [
		["find", TRACE, "--when", "new-slab"],
		["life", TRACE, "--slab", "filp/0"],
	])
		succeeds([...args, ...WITH]);
});
