// oracle.test.mjs - checks the command against tables that real kernels produced (tables/): sizes of every allocator, and
// placements row by row.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { CORE, json, rowsOf, succeeds } from "../command/command.mjs";

const ORACLE = join(CORE, "test", "oracle", "tables");

describe("tables of real kernels", () => {
	const tables = [
		["slub_order.csv", "mainline", "min_partial", []],
		["slub_order_patched.csv", "rfc-2023", "min_partial", []],
		["slub_order_67.csv", "linux-6.7", "min_partial", []],
		[
			"slub_order_2008.csv",
			"linux-2.6.26",
			"min_partial_static",
			["--set", "min_partial_rule=static"],
		],
		[
			"slub_order_2008.csv",
			"linux-2.6.26",
			"min_partial_dynamic",
			["--set", "min_partial_rule=rfc-2008"],
		],
	];
	for (const [name, rule, minPartial, more] of tables) {
		test(`order --all: ${name}, ${minPartial}`, () => {
			const table = rowsOf(readFileSync(join(ORACLE, name), "utf8"));
			for (const [key, rows] of groupBy(table, (row) => `${row.page_size} ${row.nr_cpus}`)) {
				const [pageSize, cpus] = key.split(" ");
				const machine = ["--page-size", pageSize, "--cpus", cpus, "--rule", rule, ...more];
				const out = succeeds(["order", "--all", "--to", "1048576", ...machine]);
				const ours = bySize(out);
				const partial = (row) =>
					row.cpu_partial_slabs === undefined ? [] : ["cpu_partial_objects", "cpu_partial_slabs"];
				same(rows, `${name}: page ${pageSize}, ${cpus} CPUs`, (row) => {
					const have = ours.get(row.size);
					const keys = ["order", "objects", ...partial(row)];
					return [
						[...keys.map((key) => row[key]), row[minPartial]],
						[...keys.map((key) => have?.[key]), have?.min_partial],
					];
				});
			}
		});
	}

	test("order --all: slub_order_72.csv", () => {
		const table = rowsOf(readFileSync(join(ORACLE, "slub_order_72.csv"), "utf8"));
		for (const [key, rows] of groupBy(table, (row) => `${row.page_size} ${row.nr_cpus}`)) {
			const [pageSize, cpus] = key.split(" ");
			const machine = ["--page-size", pageSize, "--cpus", cpus, "--preset", "linux-7.2"];
			const out = succeeds(["order", "--all", "--to", "1048576", ...machine]);
			const ours = bySize(out);
			same(rows, `page ${pageSize}, ${cpus} CPUs`, ({ page_size: _, nr_cpus: __, ...want }) => {
				const have = ours.get(want.size);
				return [Object.values(want), Object.keys(want).map((column) => have?.[column])];
			});
		}
	});

	const slabTables = [
		["slab_order.csv", "linux-6.1"],
		["slab_order_2624_model.csv", "linux-2.6.24"],
	];
	for (const [name, era] of slabTables) {
		test(`order --all --allocator slab: ${name}`, () => {
			const table = rowsOf(readFileSync(join(ORACLE, name), "utf8"));
			const groups = groupBy(table, (row) => `${row.page_size} ${row.nr_cpus ?? 2}`);
			for (const [key, rows] of groups) {
				const [pageSize, cpus] = key.split(" ");
				const machine = ["--page-size", pageSize, "--cpus", cpus, "--set", `slab_era=${era}`];
				const all = ["order", "--all", "--to", "1048576", "--allocator", "slab", ...machine];
				const ours = bySize(succeeds(all));
				same(rows, `${name}: ${cpus} CPUs`, (row) => {
					const have = ours.get(row.size);
					return [Object.values(row), Object.keys(row).map((column) => have?.[column])];
				});
			}
		});
	}
});

/** What a table wants of each row and what we have, compared as texts: an assertion for each of 100,000 rows takes seconds. */
function same(rows, where, pairOf) {
	for (const row of rows) {
		const [want, got] = pairOf(row).map((values) => values.join());
		if (got !== want) assert.fail(`${where}, size ${row.size}: ${got} instead of ${want}`);
	}
}

/** Rows by size; split when asked for, as most are not. */
function bySize(csv) {
	const lines = csv.split("\n");
	const keys = lines[0].split(",");
	const at = keys.indexOf("size");
	const bySize = new Map(lines.map((line) => [line.split(",", at + 1)[at], line]));
	const get = (size) => {
		const cells = bySize.get(size)?.split(",");
		return cells && Object.fromEntries(keys.map((key, i) => [key, cells[i]]));
	};
	return { get };
}

function groupBy(rows, key) {
	const groups = new Map();
	for (const row of rows) {
		const group = groups.get(key(row)) ?? [];
		group.push(row);
		groups.set(key(row), group);
	}
	return groups;
}

function slabtraceLines(golden) {
	return rowsOf(golden).map((row) => {
		const node = row.node === "-1" ? "" : ` node=${row.node}`;
		if (row.op === "alloc") {
			return `a ${row.id} c0 cpu=${row.cpu}${node}`;
		}
		if (row.op === "tick") {
			return `tick ${row.id}`;
		}
		if (row.op === "reap" || row.op === "expire") {
			return `${row.op} cpu=${row.cpu}`;
		}
		return row.op === "free" ? `f ${row.id} cpu=${row.cpu}` : `${row.op} c0`;
	});
}

// "[[0, 2], [1, 3]]" as the group of each CPU.
function llcGroups(golden) {
	const groups = JSON.parse(/llc_groups=(\[\[.*?\]\])/.exec(golden)[1]);
	const cpus = groups.flat().sort((a, b) => a - b);
	return cpus.map((cpu) => groups.findIndex((group) => group.includes(cpu))).join(",");
}

// A golden file's operations as a slabtrace. Of SLUB the objects per slab of its header follow from min_objects, of
// SLAB from the size.
function slabtraceOf(golden, builtOtherwise = "") {
	const head = Object.fromEntries(
		[...golden.matchAll(/(\w+)=(\S+)/g)].map((m) => [m[1], m[2]]).reverse(),
	);
	const tunables =
		head.kernel === "7.2"
			? `preset=linux-7.2 sheaf_capacity=${head.sheaf_capacity} min_partial=${head.min_partial}`
			: head.allocator === "SLAB"
				? `allocator=slab limit=${head.limit} batchcount=${head.batchcount} shared_factor=${head.shared}`
				: head.allocator === "UnifiedV4"
					? `allocator=unified queue=${head.queue} batch=${head.batch} llc_groups=${llcGroups(golden)}`
					: `min_partial=${head.min_partial} min_objects=${head.objects} min_order=${head.order}`;
	const machine = `cpus=${head.cpus} nodes=${head.nodes} page_size=${head.page_size}`;
	return `slabtrace 1
machine ${machine} ${tunables}${builtOtherwise}
cache c0 size=${head.size} name=golden
${slabtraceLines(golden).join("\n")}
`;
}

const GOLDEN = join(ORACLE, "golden");
function goldensOf(prefix) {
	return readdirSync(GOLDEN).filter((name) => name.startsWith(prefix));
}

// All rows, and every line about a state, must be among ours.
function placementsEqual(name, builtOtherwise = "") {
	const golden = readFileSync(join(GOLDEN, name), "utf8");
	const out = succeeds(["placements", "-", "--state"], slabtraceOf(golden, builtOtherwise));
	// Which CPU asked for a flush or shrink of all, or saw the clock go on, is not in a slabtrace.
	const rows = (csv) =>
		rowsOf(csv).map((row) => (/alloc|free|reap|expire/.test(row.op) ? row : { ...row, cpu: "" }));
	assert.deepEqual(rows(out), rows(golden));
	const lines = new Set(out.split("\n"));
	for (const line of golden.split("\n").filter((each) => /^# (state|totals|final)/.test(each))) {
		assert.ok(lines.has(line), line);
	}
}

describe("placements of the real SLUB of Linux 6.1", () => {
	const builtOtherwise = {
		nocpupartial: " cpu_partial_lists=off",
		cpupartial0: " cpu_partial=0",
		skipnode: " node_search=skip-checked",
	};
	for (const name of goldensOf("slub61_")) {
		test(name, () => placementsEqual(name, builtOtherwise[name.split("_")[1]]));
	}
});

describe("placements of the real SLUB of Linux 7.2", () => {
	for (const name of goldensOf("slub72_")) {
		test(name, () => placementsEqual(name));
	}
});

// A golden file's last state, as /sys/kernel/slab and /proc/slabinfo show it.
function sysfsEquals(name) {
	const golden = readFileSync(join(GOLDEN, name), "utf8");
	const [, files, slabinfo, slabs] =
		/^# sysfs_final (.*) slabinfo=(.*) : (.*)$/m.exec(golden) ?? assert.fail(name);
	const trace = slabtraceOf(golden);
	const [view] = json(["state", "-"], trace).cache_views;
	for (const [file, want] of files.split(" ").map((pair) => pair.split("="))) {
		assert.equal(view.sysfs[file].split(" ")[0], want, file);
	}
	const line = succeeds(["state", "-", "--slabinfo"], trace)
		.split("\n")
		.find((each) => each.startsWith("golden "));
	const words = line.split(/[\s:]+/);
	assert.deepEqual([words.slice(1, 6).join(" "), words.slice(11, 13).join(" ")], [slabinfo, slabs]);
}

describe("sysfs and slabinfo of the real SLUB of Linux 7.2", () => {
	for (const name of goldensOf("slub72_")) {
		test(name, () => sysfsEquals(name));
	}
});

describe("placements of the real SLAB of Linux 6.1", () => {
	for (const name of goldensOf("slab61_")) {
		test(name, () => placementsEqual(name));
	}
});

describe("placements of an independent model of UnifiedV4", () => {
	for (const name of goldensOf("unifiedv4_")) {
		test(name, () => placementsEqual(name));
	}
});

// SLOB's golden files: the third column is the object, of cache_alloc rows the cache as well (11 and 12 are aligned).
function slobTrace(golden) {
	const caches = new Map();
	const lines = rowsOf(golden).map((row) => {
		if (row.op === "kmalloc") {
			return `k ${row.arg} ${row.size} cpu=0`;
		}
		if (row.op === "cache_alloc") {
			const align = row.arg === "10" ? "" : " align=64";
			caches.set(row.arg, `cache c${row.arg} size=${row.size}${align}`);
			return `a ${row.arg} c${row.arg} cpu=0`;
		}
		return `f ${row.arg} cpu=0`;
	});
	const pageSize = /page_size=(\d+)/.exec(golden)[1];
	const head = ["slabtrace 1", `machine cpus=1 page_size=${pageSize}`];
	return [...head, ...caches.values(), ...lines, ""].join("\n");
}

function slobEquals(name, allocator) {
	const golden = readFileSync(join(GOLDEN, name), "utf8");
	const args = ["placements", "-", "--state", "--allocator", allocator];
	const out = succeeds(args, slobTrace(golden));
	assert.deepEqual(rowsOf(out), rowsOf(golden));
	const lines = new Set(out.split("\n"));
	for (const line of golden.split("\n").filter((each) => /^# (state|final)/.test(each))) {
		assert.ok(lines.has(line), line);
	}
}

describe("placements of the real SLOB of Linux 6.1", () => {
	for (const name of goldensOf("slob61_")) {
		test(name, () => slobEquals(name, "slob"));
	}
});

describe("placements of a model of the segregated SLOB", () => {
	for (const name of goldensOf("slobseg_")) {
		test(name, () => slobEquals(name, "slob-segregated"));
	}
});
