// counters.test.mjs - `slabscope counters`: which event a counter of the recorded kernel belongs to, how it is reported, and
// how near the model comes to real counters where recordings with them are available.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { CORE, json, rowsOf, run, SHARED, succeeds } from "./command.mjs";

const SAMPLE = join(CORE, "..", "traces", "linux-6.1-files-and-counters.ftrace.txt.gz");

let time = 0;
const line = (cpu, text) =>
	`  sh-1  [00${cpu}] .....  1.${String(++time).padStart(6, "0")}: ${text}`;
const stat = (op, name = "filp") => `slub_stat: op=${op} name=${name}`;
const alloc = (ptr) =>
	`kmem_cache_alloc: call_site=f+0x1/0x2 ptr=ffff88800000${ptr} bytes_req=232 bytes_alloc=256 gfp_flags=GFP_KERNEL node=-1 accounted=false name=filp`;
const free = (ptr) => `kmem_cache_free: call_site=f+0x1/0x2 ptr=ffff88800000${ptr} name=filp`;

const ofRow = (rows, counter) => rows.find((row) => row.counter === counter);

describe("slabscope counters", () => {
	test("prints no numbers for an allocator without the kernel's counters", () => {
		const args = ["counters", SAMPLE, "--allocator", "slab"];
		assert.match(succeeds(args), /^ {2}alloc_slab +[\d,]+ +[\d,]+ +[\d,]+ +– +–$/m);
		for (const { model } of json(args).rows) assert.equal(model, null);
		for (const { model } of rowsOf(succeeds([...args, "--csv"]))) assert.equal(model, "");
	});

	test("assigns a counter to the free before it or the allocation after it, on its CPU", () => {
		const text = [
			line(0, stat("alloc_slowpath")), // of 1000, the first event of its CPU
			line(0, stat("alloc_slab")),
			line(1, stat("free_slowpath")), // what CPU 1 did before the recording
			line(0, alloc("1000")),
			line(1, free("2000")), // an object from before
			line(0, free("1000")),
			line(1, stat("free_slowpath")), // of 2000
			line(0, stat("free_slowpath")), // of 1000
			line(1, stat("alloc_slowpath")), // of 3000
			line(1, stat("alloc_slab")),
			line(1, alloc("3000")),
			line(1, free("4000")), // from before
			line(1, stat("free_slowpath")),
			line(1, stat("free_slab", "dentry")),
		].join("\n");
		const {
			rows,
			caches,
			orphan_frees: orphans,
			why,
		} = json(["counters", "-", "--cold"], `${text}\n`);
		assert.equal(orphans, 2);
		assert.deepEqual(ofRow(rows, "alloc_slab"), {
			counter: "alloc_slab",
			kernel: 2,
			before: 0,
			here: 2,
			model: 2,
		});
		const { kernel, before, here } = ofRow(rows, "free_slowpath");
		assert.deepEqual([kernel, before, here], [4, 3, 1]);
		assert.equal(ofRow(rows, "alloc_slowpath").before, 0);
		assert.deepEqual(
			caches.map(({ name }) => name),
			["filp", "dentry"],
		);
		assert.deepEqual(ofRow(caches[1].rows, "free_slab"), {
			counter: "free_slab",
			kernel: 1,
			before: 1,
			here: 0,
			model: 0,
		});
		assert.match(why[0], /^2 frees in the trace are of objects .* the 4 counts/);
	});

	test("adds the caches up to the whole, and agrees with replay about the model", () => {
		const { rows, caches } = json(["counters", SAMPLE]);
		const { totals } = json(["replay", SAMPLE]);
		for (const { counter, kernel, before, here, model } of rows) {
			const ofCaches = caches.flatMap((cache) => ofRow(cache.rows, counter) ?? []);
			assert.equal(
				ofCaches.reduce((sum, row) => sum + row.kernel, 0),
				kernel,
			);
			assert.equal(here, kernel - before);
			assert.equal(model, totals[counter]);
		}
		const one = rowsOf(succeeds(["counters", SAMPLE, "--cache", "maple_node", "--csv"]));
		assert.ok(one.length > 3 && one.every((row) => row.cache === "maple_node"));
		const text = succeeds(["counters", SAMPLE, "--cache", "maple_node"]);
		const sum = one.find((row) => row.counter === "free_slowpath");
		assert.doesNotMatch(text, /Slow paths/);
		assert.match(succeeds(["counters", SAMPLE]), /Slow paths: 4\.40 % of the kernel's 4,201 /);
		assert.match(text, new RegExp(`free_slowpath +${Number(sum.kernel).toLocaleString("en")} `));
	});

	test("refuses a recording without counters, a cache without any, and an unknown counter", () => {
		const trace = join(CORE, "..", "traces", "linux-6.1-fork-and-tcp.ftrace.txt.gz");
		const none = run(["counters", trace]);
		assert.equal(none.status, 1);
		assert.match(none.err, /expected the kernel.s counters/);
		const cache = run(["counters", SAMPLE, "--cache", "moon"]);
		assert.equal(cache.status, 2);
		assert.match(cache.err, /counted nothing for a cache `moon`/);
		const text = [line(0, alloc("1000")), line(0, stat("free_moon")), line(0, stat("alloc_slab"))];
		const odd = run(["counters", "-"], `${text.join("\n")}\n`);
		assert.match(odd.err, /:2:\d+: expected a kernel counter/);
	});
});

const GUESTS = join(SHARED, "traces");
const DISTANCE = "distance=10,16,22,22,16,10,22,22,22,22,10,16,22,22,16,10";
const withoutGuests = !existsSync(GUESTS) && "the recordings of guests are not here";

describe("counters of real guests", { skip: withoutGuests }, () => {
	// By how many thousandths of the kernel's counter the model may be off.
	const inferred = {
		alloc_slowpath: 9,
		free_slowpath: 1,
		free_frozen: 7,
		free_add_partial: 17,
		alloc_refill: 10,
		alloc_slab: 27,
		free_slab: 9,
		cpu_partial_free: 21,
		cpu_partial_drain: 1,
	};
	const cold = {
		alloc_slowpath: 13,
		free_slowpath: 1,
		free_frozen: 11,
		cpu_partial_free: 75,
		free_slab: 75,
		cpu_partial_drain: 40,
	};
	for (const [file, machine] of [
		["guest-slub-1node-1cpu-files.trace.gz", []],
		["guest-slub-4nodes-8cpus-hackbench.trace.gz", ["--nodes", "4", "--set", DISTANCE]],
	]) {
		const ask = (...more) =>
			json(["counters", join(GUESTS, file), "--preset", "6.1", ...machine, ...more]);
		const compare = (rows, limits) => {
			for (const [counter, thousandths] of Object.entries(limits)) {
				const { here, model } = ofRow(rows, counter);
				assert.ok(
					Math.abs(model - here) * 1000 <= here * thousandths,
					`${counter}: ${here}, ${model}`,
				);
			}
		};
		test(file, () => compare(ask().rows, inferred));
		test(`${file}, from an empty machine`, () => {
			const { rows, why } = ask("--cold");
			compare(rows, cold);
			// The kernel had slabs with room when the recording began.
			assert.ok(ofRow(rows, "alloc_slab").model > ofRow(rows, "alloc_slab").here);
			assert.match(why[1], /had slabs with room/);
		});
	}
});
