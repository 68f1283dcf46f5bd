// export.test.mjs - `slabscope export`: each table equals a count of the trace's lines or another command's answer, and
// DuckDB runs the recipes of docs/query.md where it is installed, as a command or as a module of python3.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { CORE, json, refuses, rowsOf, succeeds } from "./command.mjs";

const TRACE = join(CORE, "..", "traces", "linux-6.18-fork-and-tcp.ftrace.txt.gz");
const TABLES = ["events", "objects", "slabs", "steps", "caches"];
const folder = mkdtempSync(join(tmpdir(), "slabscope-export-"));
after(() => rmSync(folder, { recursive: true }));

const csv = Object.fromEntries(
	TABLES.map((table) => {
		const path = join(folder, `${table}.csv`);
		succeeds(["export", TRACE, "--table", table, "-o", path, "-q"]);
		return [table, rowsOf(readFileSync(path, "utf8"))];
	}),
);

/** Each object of the lines: the events that allocate and free it. */
function objectsOf(text) {
	const live = new Map();
	const objects = [];
	const events = text.split("\n").filter((line) => /^[akf] /.test(line));
	for (const [op, line] of events.entries()) {
		const [word, id] = line.split(" ");
		const cpu = / cpu=(\d+)/.exec(line)[1];
		const site = / site=(\S+)/.exec(line)?.[1] ?? "";
		if (id === "-") continue;
		if (word !== "f") {
			live.set(id, { alloc: op, cpu, site, free: "" });
			objects.push(live.get(id));
		} else if (live.has(id)) {
			Object.assign(live.get(id), { free: String(op), freeCpu: cpu });
			live.delete(id);
		}
	}
	return objects;
}

describe("slabscope export", () => {
	const objects = objectsOf(succeeds(["convert", TRACE]));

	test("lists the objects of the trace's lines", () => {
		const byAlloc = csv.objects
			.filter(({ alloc_op }) => alloc_op !== "")
			.toSorted((a, b) => Number(a.alloc_op) - Number(b.alloc_op));
		assert.deepEqual(
			byAlloc.map((o) => [o.alloc_op, o.free_op, o.alloc_cpu, o.free_cpu, o.alloc_site]),
			objects.map((o) => [String(o.alloc), o.free, o.cpu, o.freeCpu ?? "", o.site]),
		);
		const frees = csv.objects.map(({ free_op }) => free_op).filter(Boolean);
		assert.deepEqual(
			frees,
			frees.toSorted((a, b) => Number(a) - Number(b)),
		);
	});

	test("puts events where placements does, at the cost of their steps", () => {
		const placed = rowsOf(succeeds(["placements", TRACE]));
		assert.equal(csv.events.length, placed.length);
		const spent = new Map();
		const nr = new Map();
		for (const { op, cycles } of csv.steps) {
			spent.set(op, (spent.get(op) ?? 0) + Number(cycles));
			nr.set(op, (nr.get(op) ?? 0) + 1);
		}
		for (const [i, event] of csv.events.entries()) {
			assert.equal(Number(event.cycles), spent.get(event.op) ?? 0);
			assert.equal(Number(event.steps), nr.get(event.op) ?? 0);
			if (event.kind === "alloc") assert.equal(event.slab, placed[i].slab, event.op);
		}
	});

	test("lists the slabs and caches of replay", () => {
		const { caches } = json(["replay", TRACE]);
		for (const cache of caches) {
			const own = csv.slabs.filter((slab) => slab.cache === cache.name);
			const kept = own.filter(({ discarded_op }) => discarded_op === "");
			assert.equal(kept.length, cache.slabs, cache.name);
			const row = csv.caches.find(({ name }) => name === cache.name);
			for (const key of ["slab_bytes", "requested_bytes", "live_objects", "slabs_peak", "cycles"])
				assert.equal(Number(row[key]), cache[key], `${cache.name} ${key}`);
			const live = csv.objects.filter((o) => o.cache === cache.name && o.free_op === "");
			assert.equal(live.length, cache.live_objects, cache.name);
		}
	});

	test("names the trace in every row, and says what a bad call should be", () => {
		for (const table of TABLES) assert.ok(csv[table].every(({ trace }) => trace === TRACE));
		refuses(["export", TRACE], 2, /expected --table events, objects/);
		refuses(["export", TRACE, "--table", "moon"], 2, /expected events, objects, slabs/);
	});

	/** Rows of the last statement, run in the folder of the tables; undefined without DuckDB. */
	function ask(sql) {
		const python =
			"import duckdb,json,sys\nr=None\nfor q in sys.stdin.read().split(';'):\n if q.strip(): r=duckdb.sql(q) or r\n" +
			"print(json.dumps([dict(zip(r.columns,row)) for row in r.fetchall()],default=float))";
		const options = { cwd: folder, encoding: "utf8", input: sql };
		const own = spawnSync("duckdb", ["-json"], options);
		const done = own.error ? spawnSync("python3", ["-c", python], options) : own;
		if (done.error || /No module named .duckdb/.test(done.stderr)) return undefined;
		assert.equal(done.status, 0, `${sql}\n${done.stderr}`);
		return JSON.parse(done.stdout.trim().split("\n").join("") || "[]");
	}

	test("DuckDB runs the recipes", { skip: ask("SELECT 1 AS one;") ? false : "no DuckDB" }, () => {
		const text = readFileSync(join(CORE, "..", "docs", "query.md"), "utf8");
		const recipes = [...text.matchAll(/```sql\n-- (\w+)\n(.*?)```/gs)];
		const answers = Object.fromEntries(recipes.map(([, name, sql]) => [name, ask(sql)]));
		assert.equal(recipes.length, 8);
		for (const [name, rows] of Object.entries(answers)) assert.ok(rows.length > 0, name);
		const sum = (rows, key) => rows.reduce((all, row) => all + Number(row[key]), 0);
		const live = objects.filter(({ free }) => free === "");
		assert.equal(sum(answers.live_at_end, "objects"), live.length);
		const oldest = Math.min(...live.map(({ alloc }) => alloc));
		assert.equal(Math.min(...answers.live_at_end.map((row) => Number(row.oldest_op))), oldest);
		const remote = objects.filter(({ free, cpu, freeCpu }) => free !== "" && cpu !== freeCpu);
		assert.equal(sum(answers.remote_frees, "remote_frees"), remote.length);
		const freed = objects.filter(({ free }) => free !== "");
		const longest = Math.max(...freed.map(({ alloc, free }) => Number(free) - alloc));
		assert.equal(Math.max(...answers.lifetimes.map((row) => Number(row.longest_events))), longest);
		assert.equal(Number(answers.parquet[0].objects), objects.length);
		const costs = csv.events.map(({ cycles }) => Number(cycles)).toSorted((a, b) => b - a);
		assert.deepEqual(
			answers.costliest.map(({ cycles }) => Number(cycles)),
			costs.slice(0, 10),
		);
	});
});
