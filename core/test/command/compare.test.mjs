// compare.test.mjs - `slabscope compare`: each run is what replay says of it, and the first divergence is the first event
// whose decisions or placement differ, found here by looking at every event.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { CORE, json, run } from "./command.mjs";

const TRACES = join(CORE, "..", "traces");
const SMALL = join(TRACES, "two-nodes.slabtrace");
const LARGE = join(TRACES, "linux-6.1-hackbench-4-nodes.ftrace.txt.gz");

const options = (spec) => {
	const [allocator, ...settings] = spec.split(",");
	return ["--allocator", allocator, ...settings.flatMap((s) => ["--set", s])];
};
const withAll = (specs) => specs.flatMap((spec) => ["--with", spec]);

/** Returns what was decided in each event, as text. */
function decisions(trace, spec) {
	const of = [];
	for (const { op, kind, args, sentence } of json([
		"steps",
		trace,
		"--op",
		"0",
		"--count",
		"100000",
		...options(spec),
	])) {
		assert.ok(args);
		const node = /node (\d+)/.exec(sentence)?.[1] ?? "";
		of[op] = `${of[op] ?? ""} ${kind}@${node}`;
	}
	const placed = run(["placements", trace, ...options(spec)])
		.out.trim()
		.split("\n");
	return placed.slice(1).map((line, op) => {
		const [, , , , , slab, index] = line.split(",");
		return `${of[op]} ${slab}/${index}`;
	});
}

describe("slabscope compare", () => {
	test("starts all machines empty if one of them cannot start from the trace's older slabs", () => {
		const totals = (...args) => json([...args]).totals;
		const { runs } = json(["compare", LARGE, ...withAll(["slub", "slab"])]);
		const cold = totals("replay", LARGE, "--cold");
		assert.deepEqual(runs[0].totals, cold);
		assert.notDeepEqual(totals("replay", LARGE), cold);
		assert.equal(runs[0].kernel.begins_with, undefined);
		const { out } = run(["compare", LARGE, ...withAll(["slub", "slab"])]);
		assert.match(
			out,
			/All start from empty, because B cannot start from all the slabs that the trace.s pointers/,
		);
		const slabs = (spec) =>
			json(["compare", LARGE, ...withAll(["slub", spec])]).runs.map(
				({ kernel }) => kernel.begins_with?.slabs ?? 0,
			);
		const [a, b] = slabs("slub,min_partial=0");
		assert.ok(a > 0 && b === a);
		// Slabs of other orders do not have objects where all pointers are.
		assert.deepEqual(slabs("slub,max_order=1"), [0, 0]);
	});

	for (const specs of [
		["slub", "slub,node_search=skip-checked"],
		["slub", "slub,min_partial=0,cpu_partial=0"],
		["slub,order_rule=mainline", "slub,order_rule=seed-2023"],
		["slub", "unified"],
	]) {
		test(specs.join(" and "), () => {
			const { runs, first_divergence: first } = json(["compare", SMALL, ...withAll(specs)]);
			const [a, b] = specs.map((spec) => decisions(SMALL, spec));
			const differs = a.findIndex((text, op) => text !== b[op]);
			assert.equal(first?.op ?? -1, differs);
			for (const [i, spec] of specs.entries()) {
				const alone = json(["replay", SMALL, ...options(spec)]);
				const { with: name, ...compared } = runs[i];
				assert.equal(name, spec);
				assert.deepEqual(compared, alone);
			}
		});
	}

	test("compares four machines on a recording, with options for all of them", () => {
		const specs = ["slub", "slab", "unified", "slub,preset=linux-2.6.26"];
		const { runs, first_divergence: first } = json([
			"compare",
			LARGE,
			...withAll(specs),
			"--nodes",
			"4",
		]);
		assert.equal(first.op, 1);
		assert.match(first.reason, /^slub: .* (slab|unified|slub,preset=linux-2.6.26): /);
		assert.equal(runs.length, 4);
		for (const { machine } of runs) assert.match(machine, /nodes=4/);
	});

	test("gives the totals at the end, however early the machines diverge", () => {
		const specs = ["slub", "slub,cpu_partial=2"];
		const { runs, first_divergence: first } = json(["compare", LARGE, ...withAll(specs)]);
		for (const [i, spec] of specs.entries()) {
			const { totals, ops } = json(["replay", LARGE, ...options(spec)]);
			assert.deepEqual(runs[i].totals, totals);
			assert.ok(first.op < ops / 2);
		}
	});

	test("finds no divergence between two equal machines", () => {
		const { first_divergence: first } = json([
			"compare",
			LARGE,
			"--with",
			"slub",
			"--with",
			"slub,preset=6.1",
		]);
		assert.equal(first, null);
	});

	test("does not print 0 for a number that an allocator does not have", () => {
		const text = run(["compare", SMALL, ...withAll(["slub", "slab", "slob"])]).out;
		assert.match(text, /^ {2}alloc_fastpath +[\d,]+ +– +–$/m);
		assert.match(text, /^ {2}allochit +– +[\d,]+ +–$/m);
		assert.match(text, /^ {2}any-node searches +4 +– +–$/m);
		assert.match(text, /^ {2}zones looked at +16 +– +–$/m);
		assert.match(text, /^ {2}searches of shared pages +– +– +55$/m);
		assert.match(text, /^ {2}pages looked at +– +– +\d+$/m);
		const widths = text.match(/^ {2}(model cycles|any-node searches|allochit) .*$/gm);
		assert.equal(new Set(widths.map((line) => line.length)).size, 1, "columns are in line");
		const [slub, slab] = json(["compare", SMALL, ...withAll(["slub", "slab"])]).runs;
		assert.ok(!("allochit" in slub.totals) && !("alloc_fastpath" in slab.totals));
	});

	test("applies a machine parameter to every allocator", () => {
		const specs = ["slob,work=10", "slob-segregated,cpus=2"];
		assert.equal(json(["compare", SMALL, ...withAll(specs)]).runs.length, 2);
	});

	for (const [args, sentence] of [
		[["--with", "slub"], /needs --with at least twice/],
		[["--with", "slub", "--with", "slub,zzz=1"], /--with slub,zzz=1: unknown parameter `zzz`/],
		[["--with", "slub", "--with", "slub,zzz"], /allocator: expected slub, .*; found `slub,zzz`/],
		[
			["--with", "slub", "--with", "slob,min_partial=3"],
			/--with slob,min_partial=3: slob has no min_partial, which is a parameter of: slub unified/,
		],
		[["--with", "slub", "--with", "moon"], /allocator: expected slub, .*; found `moon`/],
		[withAll(["slub", "slub", "slub", "slub", "slub"]), /4 times/],
	]) {
		test(`refuses a bad call: ${args.join(" ")}`, () => {
			const { status, err } = run(["compare", SMALL, ...args]);
			assert.equal(status, 2);
			assert.match(err, sentence);
		});
	}
});
