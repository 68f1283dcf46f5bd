// machine.test.mjs - `order --machine`: the caches of a real machine under two order rules, recounted from the rules' own words.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { CORE, json, refuses, rowsOf, SHARED, succeeds } from "../command/command.mjs";
import { sysfsOfState } from "./sysfs_of_state.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-machine-"));
after(() => rmSync(SCRATCH, { recursive: true }));

function file(name, text) {
	const path = join(SCRATCH, name);
	writeFileSync(path, text);
	return path;
}

const slabinfo = (rows) =>
	`slabinfo - version: 2.1\n# name <active_objs> …\n${rows
		.map(
			([name, active, all, size, objects, pages, slabs]) =>
				`${name} ${active} ${all} ${size} ${objects} ${pages} : tunables 0 0 0 : slabdata ${slabs} ${slabs} 0\n`,
		)
		.join("")}`;
const MACHINE = file(
	"slabinfo",
	slabinfo([
		["dentry", 91234, 91245, 192, 21, 1, 4345],
		["inode_cache", 20011, 20020, 632, 25, 4, 801],
		["big", 77, 90, 4232, 7, 8, 13],
		["odd", 1000, 1001, 1456, 11, 4, 91],
		["empty", 0, 0, 4000, 8, 8, 0],
	]),
);

const PAGE_SIZES = [4096, 8192, 16384, 32768, 65536];
const LARGEST_ORDER = 10;
const TRIED_ORDER = 3;
const MOST_OBJECTS = 32767;

const least = (page, bytes) => Math.max(0, Math.ceil(Math.log2(bytes / page)));
const bitLength = (n) => Math.floor(Math.log2(n)) + 1;

/** The first order that holds this many objects and wastes at most 1/fraction of the slab at its tail. */
function within(page, size, objects, most, fraction) {
	for (let order = least(page, objects * size); order <= most; order++) {
		const slab = page * 2 ** order;
		if (slab >= size && slab % size <= Math.floor(slab / fraction)) return order;
	}
	return undefined;
}

/** calculate_order() of 6.1, and with the proposal of 2023: fractions from 16 + page / 4096, down to one object. */
function orderOf(rule, page, cpus, size) {
	if (Math.floor(page / size) > MOST_OBJECTS) return least(page, size * MOST_OBJECTS) - 1;
	const proposed = rule === "rfc-2023";
	const first = proposed && page > 4096 ? 16 + page / 4096 : 16;
	const most = Math.min(4 * (bitLength(cpus) + 1), Math.floor((page * 2 ** TRIED_ORDER) / size));
	for (let objects = most; objects >= (proposed ? 1 : 2); objects--)
		for (let fraction = first; fraction >= 4; fraction = Math.floor(fraction / 2)) {
			const order = within(page, size, objects, TRIED_ORDER, fraction);
			if (order !== undefined) return order;
		}
	const one = proposed ? undefined : within(page, size, 1, TRIED_ORDER, 1);
	return one ?? within(page, size, 1, LARGEST_ORDER, 1);
}

function expected(page, cpus, { size, objects, slots }) {
	const row = {};
	for (const [name, rule] of [
		["a", "mainline"],
		["b", "rfc-2023"],
	]) {
		const order = orderOf(rule, page, cpus, size);
		const inSlab = Math.min(MOST_OBJECTS, Math.floor((page * 2 ** order) / size));
		row[`order_${name}`] = order;
		row[`objects_${name}`] = inSlab;
		row[`pages_${name}`] = objects < 0 ? 0 : Math.ceil(objects / inSlab) * 2 ** order;
		row[`slot_pages_${name}`] = slots < 0 ? 0 : Math.ceil(slots / inSlab) * 2 ** order;
	}
	return row;
}

const ask = (path, page, cpus) =>
	json(["order", "--machine", path, "--page-size", String(page), "--cpus", String(cpus)]);

function recount(path, page, cpus) {
	const { caches, page_sizes } = ask(path, page, cpus);
	const sums = { pages_a: 0, pages_b: 0, slot_pages_a: 0, slot_pages_b: 0, changed: 0 };
	for (const row of caches) {
		const want = expected(page, cpus, row);
		for (const key of Object.keys(want))
			assert.equal(row[key], want[key], `${row.cache} ${key} ${page} ${cpus}`);
		for (const key of Object.keys(sums)) sums[key] += want[key] ?? 0;
		sums.changed += want.order_a !== want.order_b ? 1 : 0;
	}
	for (const key of Object.keys(sums)) assert.equal(page_sizes[0][key], sums[key], key);
	return { caches, totals: page_sizes[0] };
}

describe("order --machine", () => {
	test("equals a recount, for every page size and few or many CPUs", () => {
		for (const page of PAGE_SIZES) for (const cpus of [1, 5, 160]) recount(MACHINE, page, cpus);
		const { totals, caches } = recount(MACHINE, 65536, 1);
		assert.equal(totals.caches, 5);
		assert.ok(totals.changed > 0 && totals.pages_a !== totals.pages_b);
		assert.equal(caches.find(({ cache }) => cache === "dentry").objects, 91234);
	});

	test("without a page size gives the totals of all, as JSON, CSV and text", () => {
		const { page_sizes, caches } = json(["order", "--machine", MACHINE]);
		assert.deepEqual(
			page_sizes.map((row) => row.page_size),
			PAGE_SIZES,
		);
		assert.equal(caches, undefined);
		const rows = rowsOf(succeeds(["order", "--machine", MACHINE, "--csv"]));
		assert.equal(rows.length, 5 * PAGE_SIZES.length);
		const sum = rows.reduce((n, r) => n + (r.page_size === "16384" ? Number(r.pages_b) : 0), 0);
		assert.equal(sum, page_sizes[2].pages_b);
		assert.match(succeeds(["order", "--machine", MACHINE]), / 65,536 +5 /);
	});

	test("says what is wrong with the question", () => {
		const order = ["order", "--machine", MACHINE];
		refuses([...order, "--page-size", "5000"], 2, /a page has 4096, 8192/);
		refuses([...order, "--against", "none"], 2, /order_rule/);
		refuses([...order, "--cpus", "0"], 2, /1 to 4096 CPUs/);
		refuses([...order, "--size", "64"], 2, /needs --size BYTES, --all or --machine/);
	});
});

const LIVE = join(SHARED, "oracle", "live.csv");

describe("the caches of a running machine", { skip: !existsSync(LIVE) }, () => {
	test("give the numbers that docs/fidelity.md states for the proposal of 2023", () => {
		const text = readFileSync(join(CORE, "..", "docs", "fidelity.md"), "utf8").replaceAll(
			"\n",
			" ",
		);
		const { totals } = recount(LIVE, 65536, 160);
		assert.equal(totals.changed, 0);
		assert.ok(text.includes(`doesn't change the order of any of the ${totals.caches} caches`));
		const changes = [];
		for (const page of PAGE_SIZES)
			for (const cpus of [1, 2, 4, 8, 16, 32, 64, 160]) {
				const { totals: t } = recount(LIVE, page, cpus);
				changes.push({ page, cpus, part: t.per_object_b / t.per_object_a - 1, n: t.changed });
			}
		const most = changes.reduce((a, b) => (b.part < a.part ? b : a));
		const percent = (-100 * most.part).toFixed(2);
		const words = `${percent} %, with ${most.page / 1024} KiB pages and ${most.cpus} CPU`;
		assert.ok(text.includes(words), words);
		const widest = Math.max(...changes.map(({ n }) => n));
		assert.ok(
			text.includes(`never changes the order of more than ${widest} caches`),
			String(widest),
		);
		assert.ok(changes.filter(({ page }) => page === 4096).every(({ n }) => n === 0));
	});
});

const STATES = join(SHARED, "groundtruth", "states");
const RUNS = [
	["slub-1node-1cpu-hackbench", "1"],
	["slub-4nodes-8cpus-compile", "4"],
];

/** Slabs of each cache in such a file of sysfs. */
const slabsIn = (sysfs) =>
	new Map([...sysfs.matchAll(/slab\/([^/]+)\/slabs:(\d+)/g)].map(([, name, n]) => [name, +n]));

describe("--warm on runs of real kernels", { skip: !existsSync(STATES) }, () => {
	for (const [run, nodes] of RUNS)
		test(`${run}: slabs change more like the kernel's than from an empty machine`, () => {
			const start = sysfsOfState(join(STATES, `${run}.start.state.xz`));
			const [before, stop] = [start, sysfsOfState(join(STATES, `${run}.stop.state.xz`))].map(
				slabsIn,
			);
			const path = file(`${run}.sysfs`, start);
			const trace = execFileSync("xz", ["-dc", join(STATES, `${run}.trace.xz`)], {
				maxBuffer: 1 << 28,
			});
			const text = file(`${run}.trace`, trace);
			const near = (args, begins) => {
				const { caches, kernel } = json(["replay", text, "--nodes", nodes, ...args]);
				const known = caches.filter(({ name }) => before.has(name));
				const close = known.filter(({ name, slabs }) => {
					const model = slabs - (begins ? before.get(name) : 0);
					return Math.abs(model - (stop.get(name) - before.get(name))) <= 2;
				});
				return { close: close.length, all: known.length, start: kernel.start ?? "" };
			};
			const cold = near(["--cache-params", path, "--cold"], false);
			const warm = near(["--warm", path], true);
			assert.match(cold.start, /^Start from empty, a guess: /);
			assert.match(warm.start, /^Start from slabinfo: /);
			assert.ok(warm.close > cold.close, `${warm.close} and ${cold.close} of ${warm.all}`);
			assert.ok(warm.close / warm.all > 0.7, `${warm.close} of ${warm.all}`);
		});
});
