// validation.test.mjs - a bad call is refused before the trace is read: here the trace is a pipe that stays silent and never
// ends, so a command that waits for it hangs.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { COMMAND, CORE, json, run } from "./command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-validation-"));
after(() => rmSync(SCRATCH, { recursive: true }));

/** Status and words of a command whose standard input stays open; `first` comes before the silence. */
function withSilentInput(args, first = "") {
	return new Promise((resolve, reject) => {
		const child = spawn(COMMAND, args, { stdio: ["pipe", "ignore", "pipe"] });
		let err = "";
		child.stderr.setEncoding("utf8").on("data", (text) => {
			err += text;
		});
		child.stdin.on("error", () => {});
		if (first !== "") child.stdin.write(first);
		child.on("error", reject);
		child.on("close", (status) => {
			child.stdin.destroy();
			resolve({ status, err });
		});
	});
}

const BAD = [
	[["replay", "-", "--preset", "linux-9"], /--preset: unknown preset `linux-9`/],
	[
		["replay", "-", "--set", "min_partal=3"],
		/--set: unknown parameter `min_partal`: did you mean min_partial\?/,
	],
	[["replay", "-", "--set", "min_partial=many"], /min_partial: expected .*; found `many`/],
	[["replay", "-", "--allocator", "slob2"], /allocator: expected .*; found `slob2`/],
	[
		["replay", "-", "--allocator", "slab", "--set", "min_partial=3"],
		/--set: slab has no min_partial, which is a parameter of: slub unified/,
	],
	[
		["replay", "-", "--set", "min_order=3", "--set", "max_order=1"],
		/min_order is larger than max_order/,
	],
	[
		["replay", "-", "--cpus", "4", "--set", "cpu_node=0,0"],
		/cpu_node: expected 4 entries.*; found 2/,
	],
	[["replay", "-", "--nodes", "2", "--zones", "1,1,1"], /zones: expected 2 entries.*; found 3/],
	[["replay", "-", "--nodes", "2", "--set", "cpu_node=0,2"], /cpu_node puts CPU 1 on node 2/],
	[["replay", "-", "--memory", "256T", "--page-size", "4096"], /memory is more than 2\^31 pages/],
	[["replay", "-", "--memory", "16M", "--nodes", "256", "--page-size", "4096"], /64 pages/],
	[["replay", "-", "--overlay", join(SCRATCH, "none")], /none: cannot be opened/],
	[["replay", "-", "--cache-params", join(CORE, "Makefile")], /No machine state found/],
	[["replay", "-", "--columns", "evnt=what"], /--columns: `evnt=what` is not ROLE=COLUMN/],
	[["replay", "-", "--json", "--csv"], /--json and --csv exclude each other/],
	[["info", "-", "--columns", "evnt=what"], /--columns: /],
	[["placements", "-", "--set", "limit=0"], /limit: expected .*; found `0`/],
	[["steps", "-", "--op", "3", "--preset", "5"], /unknown preset `5`/],
	[["state", "-", "--object", "dentry"], /--object dentry: expected CACHE\/SLAB\/INDEX/],
	[["life", "-", "--slab", "dentry"], /--slab dentry: expected CACHE\/N/],
	[["life", "-", "--slab", "a/1", "--cache", "a"], /give only one of --cache/],
	[
		["find", "-", "--when", "new-slap"],
		/--when: unknown condition `new-slap`: did you mean new-slab\?/,
	],
	[["find", "-", "--object", "3"], /--object 3: find expects a place/],
	[["compare", "-", "--with", "slub"], /compare needs --with at least twice/],
	[
		["compare", "-", "--with", "slub", "--with", "moon"],
		/--with moon: allocator: expected slub, .*; found `moon`/,
	],
	[
		["compare", "-", "--with", "slub", "--with", "slab,min_partial=3"],
		/--with slab,min_partial=3: slab has no min_partial/,
	],
	[
		["compare", "-", "--with", "slub", "--with", "min_partial=3,allocator=slab"],
		/slab has no min_partial/,
	],
	[
		["compare", "-", "--with", "slub", "--with", "slub,min_order=2,max_order=1"],
		/min_order is larger/,
	],
	[["sweep", "-", "--x", "min_partal=1"], /--x: unknown parameter `min_partal`/],
	[["sweep", "-", "--x", "min_partial=1,x"], /--x: min_partial: expected a number .*; found `x`/],
	[["sweep", "-", "--x", "min_partial=1", "--y", "preset=6.1,9"], /--y: unknown preset `9`/],
	[
		["sweep", "-", "--x", "min_partial=1", "--y", "min_partial=2"],
		/--x and --y both set min_partial/,
	],
	[
		["sweep", "-", "--x", "min_partial=1", "--metric", "slaps"],
		/--metric: unknown number `slaps`: did you mean slabs\?/,
	],
	[
		["sweep", "-", "--x", "min_order=2,3", "--y", "max_order=0,1"],
		/no valid combination in this grid: min_order is larger/,
	],
	[["sweep", "-", "--x", "threads=2"], /threads is a key of workloads/],
	[["convert", "-", "--to", "csv"], /--to: expected slabtrace or ftrace, found `csv`/],
	[
		["convert", "-", "-o", join(SCRATCH, "no", "folder.slabtrace")],
		/cannot be written: No such file/,
	],
	[["convert", "-", "-o", SCRATCH], /it is a directory/],
	[["convert", "-", "--set", "work=3"], /with --by-clocks the machine decides/],
	[["counters", "-", "--preset", "6"], /--preset: unknown preset `6`: expected linux-/],
	[["bench", "-", "--set", "queue=1"], /queue: expected .*; found `1`/],
];

describe("a bad call is refused before the trace is read", () => {
	for (const [args, sentence] of BAD) {
		test(args.join(" ").replaceAll(SCRATCH, "").replaceAll(CORE, ""), async () => {
			const { status, err } = await withSilentInput(args);
			assert.match(err, sentence);
			assert.ok(status === 1 || status === 2, `${status}`);
		});
	}

	test("leaves nothing of an output file that is refused", async () => {
		const path = join(SCRATCH, "out.slabtrace");
		await withSilentInput([
			"convert",
			"-",
			"-o",
			path,
			"--by-clocks",
			"--set",
			"max_order=1",
			"--set",
			"min_order=2",
		]);
		assert.ok(!existsSync(path));
	});
});

describe("a setting is refused as soon as the trace can no longer set it", () => {
	const event = "  sh-1  [000] .....  1.000001: kfree: call_site=f ptr=0xffff888000001000\n";
	const many = event.repeat(20000);
	test("immediately for a recording, which never sets the machine", async () => {
		const { status, err } = await withSilentInput(["replay", "-", "--set", "min_order=4"], many);
		assert.match(err, /min_order is larger than max_order/);
		assert.equal(status, 2);
	});
	const head = "slabtrace 1\nmachine cpus=1 max_order=1\ncache c size=100\n";
	test("at the first event of a slabtrace", async () => {
		const text = `${head}${"a 1 c cpu=0\nf 1 cpu=0\n".repeat(60000)}`;
		const { status, err } = await withSilentInput(["replay", "-", "--set", "min_order=2"], text);
		assert.match(err, /min_order is larger than max_order/);
		assert.equal(status, 2);
	});
	test("not at all if a slabtrace makes it possible", () => {
		const text = `${head.replace("max_order=1", "max_order=5")}a 1 c cpu=0\n`;
		const [cache] = json(["replay", "-", "--set", "min_order=4"], text).caches;
		assert.equal(cache.order, 4);
	});
	test("not at all if a side of a grid completes the machine", () => {
		const text = `${head.replace("max_order=1", "")}a 1 c cpu=0\n`;
		const args = ["sweep", "-", "--set", "min_order=4", "--x", "max_order=3,5"];
		const { cells } = json(args, text);
		assert.deepEqual(
			cells.map((cell) => cell.value === null),
			[true, false],
		);
		const spec = ["--with", "slub,max_order=5", "--with", "slub,max_order=6"];
		const done = run(
			["compare", "-", "--set", "min_order=4", "--set", "max_order=3", ...spec],
			text,
		);
		assert.equal(done.status, 0, done.err);
	});
});
