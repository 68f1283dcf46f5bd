// travel.test.mjs - the commands that go through time: life and find, against what steps says about every event.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { CORE, json, refuses, run, succeeds } from "./command.mjs";

/** Twenty objects of a KiB in two slabs, freed from another CPU; a name with a slash; a kmalloc that is too large. */
const TRACE = `slabtrace 1
machine cpus=2 page_size=4096
cache c size=1024 name=teaching
cache d size=64 name=fs/inode
${Array.from({ length: 20 }, (_, i) => `a ${i} c cpu=0`).join("\n")}
a x d cpu=0
k big 100000 cpu=1
${Array.from({ length: 20 }, (_, i) => `f ${i} cpu=1`).join("\n")}
a y c cpu=1
f x cpu=0
f big cpu=1
shrink c
`;
const NR_OPS = 46;

const folder = mkdtempSync(join(tmpdir(), "slabscope-"));
const trace = join(folder, "teaching.slabtrace");
writeFileSync(trace, TRACE);
after(() => rmSync(folder, { recursive: true }));

const steps = json(["steps", trace, "--op", "0", "--count", String(NR_OPS)]);
const opsWhere = (holds) => [...new Set(steps.filter(holds).map(({ op }) => op))];

function refused(args, pattern) {
	const done = run(args);
	assert.equal(done.status, 2, done.err);
	assert.match(done.err, pattern);
	assert.equal(done.err.trim().split("\n").length, 1, done.err);
}

describe("life", () => {
	test("lists every event with a step in the cache", () => {
		const life = json(["life", trace, "--cache", "teaching"]);
		const ops = opsWhere(({ cache }) => cache === 0);
		assert.deepEqual(
			life.rows.map(({ op }) => op),
			ops,
		);
		assert.equal(life.ops, ops.length);
		assert.deepEqual(
			[life.allocs, life.frees, life.slabs_made, life.objects_peak, life.born_op],
			[21, 20, 2, 20, 0],
		);
		assert.equal(life.objects_peak_op, 19);
		assert.equal(life.slabs_peak_op, 16);
	});

	test("lists every event with a step that names the slab, backwards and in parts too", () => {
		const rows = (...more) => json(["life", trace, "--slab", "teaching/1", ...more]).rows;
		const all = rows();
		assert.deepEqual(
			all.map(({ op }) => op),
			opsWhere(({ cache, args }) => cache === 0 && args.slab === 1),
		);
		assert.deepEqual(rows("--back"), all.toReversed());
		const from = all[2].op + 1;
		assert.deepEqual(rows("--from", String(from), "--count", "2"), all.slice(2, 4));
		assert.deepEqual(rows("--from", String(from), "--back"), all.slice(0, 2).toReversed());
		assert.ok(all[0].what.includes("new-slab"));
	});

	test("finds an object by its event and by its place", () => {
		const life = json(["life", trace, "--object", "1"]);
		assert.deepEqual([life.object.alloc_op, life.object.free_op], [0, 22]);
		assert.equal(life.object.number, 0);
		const place = `teaching/${life.slab}/${life.index}`;
		assert.deepEqual(json(["life", trace, "--object", place]).rows, life.rows);
		assert.match(succeeds(["life", trace, "--object", "1"]), /freed +event 23\n/);
	});

	test("follows objects outside slabs, and a cache with a slash in its name", () => {
		const { object, rows } = json(["life", trace, "--object", "22"]);
		assert.deepEqual([object.alloc_op, object.free_op, rows], [21, 44, []]);
		assert.equal(json(["life", trace, "--slab", "fs/inode/0"]).cache, "fs/inode");
	});

	test("finds an object from before the trace by the event that frees it", () => {
		const older = join(CORE, "../traces/linux-6.1-files-and-counters.ftrace.txt.gz");
		const life = json(["life", older, "--object", "1"]);
		assert.deepEqual([life.object.alloc_op, life.object.free_op], [-1, 0]);
		assert.deepEqual([life.cache, life.frees, life.objects_at_start], ["maple_node", 1, 1]);
		assert.match(
			succeeds(["life", older, "--object", "1"]),
			/allocated +before the trace\n +freed +event 1\n/,
		);
		refused(["life", older, "--object", "1", "--cold"], /--object 1: the event has no object/);
	});

	test("lists a cache's events under SLAB and Unified too", () => {
		for (const allocator of ["slab", "unified"]) {
			const own = json(["steps", trace, "--op", "0", "--count", "46", "--allocator", allocator]);
			const ops = new Set(own.filter(({ cache }) => cache === 0).map(({ op }) => op));
			const life = json(["life", trace, "--cache", "teaching", "--allocator", allocator]);
			assert.deepEqual(
				life.rows.map(({ op }) => op),
				[...ops],
			);
		}
	});

	test("refuses a call without a cache, slab or object", () => {
		refused(["life", trace], /^slabscope: life needs --cache NAME/);
		refused(["life", trace, "--slab", "teaching"], /--slab teaching: expected CACHE\/N/);
		refused(["life", trace, "--slab", "teaching/99"], /no such slab in the whole trace/);
		refused(["life", trace, "--object", "teaching/1"], /--object teaching\/1: expected/);
		refused(["life", trace, "--object", "999"], /--object 999: the event has no object/);
		refused(["life", trace, "--cache", "teachin"], /did you mean teaching/);
		refused(["life", trace, "--cache", "a", "--slab", "a/1"], /give only one of --cache/);
	});
});

describe("find", () => {
	const places = (...args) => json(["find", trace, ...args]).map(({ op, step }) => [op, step]);
	const where = (holds) => steps.filter(holds).map(({ op, step }) => [op, step]);

	test("finds every step of a kind, forwards and backwards", () => {
		const made = where(({ kind }) => kind === "ALLOC_SLAB");
		assert.deepEqual(places("--when", "new-slab", "--all"), made);
		assert.deepEqual(places("--when", "alloc_slab", "--all"), made);
		assert.deepEqual(places("--when", "ALLOC_SLAB", "--all", "--back"), made.toReversed());
		assert.deepEqual(places("--when", "new-slab", "--back", "--from", "17"), made.slice(0, 1));
		assert.deepEqual(places("--when", "new-slab", "--all", "--back", "--count", "2"), [
			...made.slice(-2).toReversed(),
		]);
	});

	test("takes several conditions at once, or only a slab", () => {
		const kinds = ["CACHE_CREATE", "LARGE_ALLOC", "SHRINK_DISCARD"];
		const several = places("--when", "large,shrink-discard,first-use", "--all");
		assert.deepEqual(
			several,
			where(({ kind }) => kinds.includes(kind)),
		);
		assert.ok(several.length >= 3);
		const touched = opsWhere(({ cache, args }) => cache === 0 && args.slab === 1);
		const ops = new Set(places("--slab", "teaching/1", "--all").map(([op]) => op));
		assert.deepEqual([...ops], touched);
	});

	test("says so if there is no match", () => {
		assert.deepEqual(json(["find", trace, "--when", "order-fallback"]), []);
		assert.match(succeeds(["find", trace, "--when", "order-fallback", "--back"]), /^No such event/);
	});

	test("refuses a call without a condition", () => {
		refused(["find", trace], /^slabscope: expected --when CONDITION/);
		refused(["find", trace, "--when", "new-slap"], /did you mean new-slab/);
		refused(["find", trace, "--object", "3"], /find expects a place/);
	});
});

describe("next and chapters", () => {
	const path = join(CORE, "..", "traces", "one-slab-after-another.slabtrace");

	for (const allocator of ["slub", "slab", "unified"]) {
		test(`${allocator}: names exactly where the next allocation lands`, () => {
			const machine = ["--allocator", allocator, "-q"];
			const events = json(["placements", path, ...machine]);
			const allocations = events.filter(({ op }) => op === "alloc");
			assert.ok(allocations.length > 20);
			for (const event of allocations.slice(0, 40)) {
				const at = String(event.step - 1);
				const { next } = json(["next", path, "--at", at, ...machine]);
				const row = next.find(({ is_event }) => is_event);
				assert.deepEqual([row.cpu, row.slab, row.index], [event.cpu, event.slab, event.index], at);
				assert.ok(row.cycles > 0 && row.level !== "");
			}
		});
	}

	test("slob: has a chapter about the longest list, whose step says so", () => {
		const machine = ["--allocator", "slob", "-q"];
		const { chapters } = json(["chapters", path, ...machine]);
		const list = chapters.find(({ kind }) => kind === "list");
		const steps = json(["steps", path, "--op", "0", "--count", "100000", ...machine]);
		const lengths = steps.filter(({ kind }) => kind === "PAGE_TO_LIST_HEAD");
		const longest = Math.max(...lengths.map(({ args }) => args.nr_pages));
		assert.match(list.title, new RegExp(`^The longest list: ${longest} pages? of all caches\\.$`));
	});

	test("slob: names page and byte offset as placements does", () => {
		const machine = ["--allocator", "slob", "-q"];
		const events = json(["placements", path, ...machine]);
		const allocations = events.filter(({ op }) => op === "cache_alloc");
		assert.ok(allocations.length > 20);
		for (const event of allocations.slice(0, 10)) {
			const { next } = json(["next", path, "--at", String(event.step - 1), ...machine]);
			const row = next.find(({ is_event }) => is_event);
			assert.deepEqual([row.page, row.offset_bytes], [event.page, event.offset_bytes]);
		}
	});

	test("prints a row for each CPU of a cache", () => {
		const { next } = json(["next", path, "--at", "30", "--cache", "lesson", "--cpus", "8", "-q"]);
		assert.deepEqual(
			next.map(({ cpu, cache }) => [cpu, cache]),
			Array.from({ length: 8 }, (_, cpu) => [cpu, "lesson"]),
		);
		assert.match(succeeds(["next", path, "--at", "30", "-q"]), /CPU 1 .*slab \d+ +object \d+/);
	});

	test("refuses a position past the end", () => {
		refuses(["next", path, "--at", "9999"], 2, /--at 9999 is past the end/);
	});

	test("finds chapters, and levels whose shares add up to the whole", () => {
		const { chapters, levels } = json(["chapters", path, "-q"]);
		assert.deepEqual(new Set(chapters.map(({ kind }) => kind)).size, chapters.length);
		assert.ok(chapters.some(({ kind }) => kind === "slow"));
		assert.equal(
			levels.reduce((sum, { share }) => sum + share, 0),
			10_000,
		);
		const text = succeeds(["chapters", path, "-q"]);
		for (const { op, title } of chapters) assert.ok(text.includes(`${op + 1}  ${title}`), title);
	});
});

test("finds chapters in the first trace for the five things that the page's tour shows", () => {
	const path = join(CORE, "..", "traces", "linux-6.1-hackbench-4-nodes.ftrace.txt.gz");
	const { chapters } = json(["chapters", path, "--nodes", "4", "--cold", "-q"]);
	const kinds = chapters.map(({ kind }) => kind);
	assert.deepEqual(kinds, ["fast", "drain", "far", "cost", "walk", "slow", "list"]);
	assert.deepEqual([chapters[0].op, chapters[0].last_op, chapters[0].number], [1964, 1966, 3]);
	// The event that everything written about this trace explains: six zones of other nodes in vain, then pages.
	const slow = chapters.find(({ kind }) => kind === "slow");
	assert.deepEqual([slow.op, slow.number, slow.cpu], [16_423, 654, chapters[0].cpu]);
	assert.match(slow.title, /goes down to the page allocator: 654 model cycles/);
	const remote = chapters.find(({ kind }) => kind === "far");
	const steps = json(["steps", path, "--nodes", "4", "--cold", "--op", String(remote.op), "-q"]);
	assert.ok(steps.every(({ kind }) => kind !== "CPU_PARTIAL_DRAIN"));
});

describe("why", () => {
	const path = join(CORE, "..", "traces", "linux-6.1-hackbench-4-nodes.ftrace.txt.gz");
	const machine = ["--nodes", "4", "--cold", "-q"];

	test("explains how 56 slabs got onto a list that nobody takes from", () => {
		const list = ["--at", "16805", "--list", "1/partial", "--cache", "kmalloc-cg-512"];
		const why = json(["why", path, ...list, ...machine]);
		assert.deepEqual(why.sources, [
			{ cpu: 4, things: 56, events: 14, drains: 14, first_op: 16_630, last_op: 16_804 },
		]);
		const { cache, slabs, objects, free_objects, empty_slabs, taken_op, what_if } = why;
		assert.deepEqual(
			{ cache, slabs, objects, free_objects, empty_slabs, taken_op, what_if },
			{
				cache: "kmalloc-cg-512",
				slabs: 56,
				objects: 1792,
				free_objects: 94,
				empty_slabs: 0,
				taken_op: 16_341,
				what_if: { key: "cpu_partial", value: "0" },
			},
		);
		const text = succeeds(["why", path, ...list, ...machine]);
		assert.match(
			text,
			/All 56 slabs were put here by CPU 4 of node 2, in 14 drains since event 16,631\./,
		);
		assert.match(text, /95 % of their objects are in use: 94 of 1,792 are free\./);
		assert.equal(why.title, "Why are 56 slabs here?");
		assert.equal(why.events.length, 14);
		assert.deepEqual([why.events[0], why.events.at(-1)], [16_630, 16_804]);
	});

	const whyOf = (list, ...more) =>
		json(["why", path, "--at", "16805", "--list", list, ...machine, ...more]);
	const CACHE = ["--cache", "kmalloc-cg-512"];

	test("shows what a CPU can allocate from, and where its next object comes from", () => {
		const why = whyOf("cpu4", ...CACHE);
		assert.deepEqual([why.about, why.cpu, why.kind, why.slabs], ["cpu", 4, null, 1]);
		assert.deepEqual([why.taken_op, why.put_op], [-1, 16_804]);
		const { next } = json(["next", path, "--at", "16805", ...CACHE, ...machine]);
		const row = next.find(({ cpu }) => cpu === 4);
		const sentence = `object ${row.index} of slab ${row.slab}: ${row.cycles} cycles`;
		assert.ok(
			why.facts.some((fact) => fact.includes(sentence)),
			why.facts.join(),
		);
		assert.equal(whyOf("cpu3").cache, "");
	});

	test("shows what a node has, and which caches took its pages", () => {
		const node = whyOf("node1", ...CACHE);
		assert.deepEqual([node.about, node.node, node.slabs], ["node", 1, 80]);
		assert.equal(node.slabs, whyOf("1/partial", ...CACHE).slabs + whyOf("1/full", ...CACHE).slabs);
		const pages = [0, 1, 2, 3].map((n) => whyOf(`${n}/pages`).pages);
		assert.equal(
			pages.reduce((sum, n) => sum + n, 0),
			whyOf("pages").pages,
		);
		assert.match(whyOf("1/pages").facts.join(" "), /kmalloc-cg-512: 332 pages in 83 slabs/);
	});

	test("explains full slabs, and one alien cache of several", () => {
		assert.match(whyOf("1/full", ...CACHE).facts.join(" "), /on no list/);
		const alien = whyOf("1/alien/2", "--allocator", "slab");
		assert.deepEqual([alien.node, alien.kind], [1, "alien_array"]);
	});

	test("answers for the lists of every allocator", () => {
		const lists = {
			slub: "cpu4/partial",
			slab: "cpu4/array",
			unified: "cpu4/queue",
			slob: "small",
			"slob-segregated": "class",
		};
		for (const [allocator, own] of Object.entries(lists))
			for (const list of [own, "cpu4", "node1", "1/pages", "pages"]) {
				const args = ["why", path, "--at", "9000", "--list", list, "--allocator", allocator];
				const why = json([...args, ...machine]);
				assert.ok(why.facts.length > 0, `${allocator} ${list}`);
				assert.ok(why.title.endsWith("?"), why.title);
				// No allocation asks the full ones.
				if (list === "cpu4") {
					const order = why.facts.find((fact) => /in this order/.test(fact));
					assert.match(order, /, page allocator\.$/);
					assert.doesNotMatch(order, /full/);
				}
			}
	});

	test("refuses a list that does not exist", () => {
		refuses(["why", path, ...machine], 2, /expected --list NODE\/partial/);
		refuses(["why", path, "--list", "x/partial", ...machine], 2, /expected NODE\/LIST/);
		refuses(["why", path, "--list", "7/partial", ...machine], 2, /this machine has 4 nodes/);
		refuses(
			["why", path, "--list", "cpu1/nothing", ...machine],
			2,
			/not a list after 20,000 events; the lists are cpuN\/slab, cpuN\/partial, NODE\/partial, NODE\/full$/m,
		);
		const begin = ["--list", "0/partial", "--at", "0", ...machine];
		refuses(["why", path, ...begin], 2, /not a list after 0 events; no cache is in use yet/);
		refuses(
			["why", path, "--list", "cpu99", ...machine],
			2,
			/this machine has [0-9,]+ CPUs?, numbered from 0/,
		);
		refuses(
			["why", path, "--list", "node9", ...machine],
			2,
			/this machine has [0-9,]+ nodes?, numbered from 0/,
		);
		refuses(
			["why", path, "--list", "9/pages", ...machine],
			2,
			/this machine has [0-9,]+ nodes?, numbered from 0/,
		);
		for (const list of ["cpu", "1", "1/", "/1", "cpu1/pages", "1/alien/x", "-1/partial", ""])
			refuses(["why", path, "--list", list, ...machine], 2, /expected NODE\/LIST/);
	});
});
