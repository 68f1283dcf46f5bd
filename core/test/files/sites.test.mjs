// sites.test.mjs - `sites`: every figure recounted from the lines of the traces, and the table of perf kmem stat.
// Recordings of perf are looked for where command.mjs says; without them that test is left out.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Profile } from "pprof-format";
import { COMMAND, CORE, json, refuses, rowsOf, SHARED, succeeds } from "../command/command.mjs";

const TRACES = join(CORE, "..", "traces");
const textOf = (path) => gunzipSync(readFileSync(path)).toString();
const LINE = /^ *(.*?) *\[(\d+)\][^:]*?([\d.]+): +(?:kmem:)?(k\w+): (.*)$/;
const ZERO_SIZE = "0000000000000010";

/** The events of a trace's text that allocate or free something, in their order. */
function eventsOf(text) {
	return text.split("\n").flatMap((line) => {
		const match = LINE.exec(line);
		if (!match) return [];
		const [, task, cpu, time, kind, rest] = match;
		const fields = Object.fromEntries(rest.split(" ").map((word) => word.split("=")));
		const [seconds, fraction] = time.split(".");
		return {
			kind,
			task /* perf puts a blank between name and pid */: task.replace(/ +(-?\d+)$/, "-$1"),
			cpu: Number(cpu),
			ns: Number(seconds) * 1e9 + Number(fraction.padEnd(9, "0")),
			site: fields.call_site,
			ptr: fields.ptr.replace(/^0x/, ""),
			name: fields.name,
			req: Number(fields.bytes_req),
			alloc: Number(fields.bytes_alloc),
		};
	});
}

const bytesOfClass = (name) =>
	/^kmalloc(?:-(?:cg|rcl|dma))?-(\d+)(k?)$/
		.exec(name)
		?.slice(1, 3)
		.reduce((n, k) => (k === "k" ? n * 1024 : Number(n)));
const cacheOf = ({ kind, name, alloc }) =>
	kind.startsWith("kmalloc") ? `kmalloc of ${alloc}` : (name ?? `size-${alloc}`);
const known = (name) =>
	bytesOfClass(name) === undefined ? name : `kmalloc of ${Number(bytesOfClass(name))}`;

const siteAndCache = (event) => `${event.site} ${cacheOf(event)}`;

/** Counts by hand: a map of live pointers, and a row for each call site and cache, or whatever else groups them. */
function recount(events, nodeOf, keep = () => true, keyOf = siteAndCache) {
	const rows = new Map();
	const live = new Map();
	let op = 0;
	const end = (object, event) => {
		live.delete(event.ptr);
		if (!keep(object)) return;
		const row = rows.get(object.key);
		row.live_objects--;
		row.live_bytes -= object.alloc;
		if (event.kind.startsWith("k") && event.kind.includes("alloc")) {
			row.unseen_frees++;
			return;
		}
		row.frees++;
		row.cross_cpu_frees += Number(object.cpu !== event.cpu);
		row.cross_node_frees += Number(nodeOf(object.cpu) !== nodeOf(event.cpu));
		row.events.push(op - object.op);
		row.times.push(event.ns - object.ns);
	};
	for (const event of events) {
		const object = live.get(event.ptr);
		if (!event.kind.includes("alloc")) {
			if (object) end(object, event);
			op++;
			continue;
		}
		if (event.req === 0 || event.ptr === ZERO_SIZE || /^0*$|null/.test(event.ptr)) {
			op++;
			continue;
		}
		if (object) {
			end(object, event);
			op++; /* the free that was not recorded is an event of the replay */
		}
		const born = { ...event, op, key: keyOf(event) };
		live.set(event.ptr, born);
		op++;
		if (!keep(born)) continue;
		const row = rows.get(born.key) ?? {
			allocations: 0,
			frees: 0,
			unseen_frees: 0,
			bytes_requested: 0,
			bytes_allocated: 0,
			live_objects: 0,
			live_bytes: 0,
			cross_cpu_frees: 0,
			cross_node_frees: 0,
			peak: 0,
			events: [],
			times: [],
		};
		rows.set(born.key, row);
		row.allocations++;
		row.bytes_requested += born.req;
		row.bytes_allocated += born.alloc;
		row.live_bytes += born.alloc;
		row.peak = Math.max(row.peak, ++row.live_objects);
	}
	return { rows, live, ops: op };
}

const SUMS = [
	"allocations",
	"frees",
	"unseen_frees",
	"bytes_requested",
	"bytes_allocated",
	"live_objects",
	"live_bytes",
	"cross_cpu_frees",
	"cross_node_frees",
];
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Nearest rank: the smallest lifetime within which this many of 100 frees came. */
const rank = (lifetimes, perCent) =>
	lifetimes.toSorted((a, b) => a - b)[Math.ceil((lifetimes.length * perCent) / 100) - 1];

function agreeOnPercentiles(row, unit, lifetimes, parts) {
	for (const perCent of [50, 90, 99]) {
		const own = row[`lifetime_${unit}_p${perCent}`];
		const exact = rank(lifetimes, perCent);
		assert.ok(
			Math.abs(own - exact) <= exact / parts,
			`${row.call_site} ${row.task}: ${perCent} of 100 within ${own} ${unit}, not ${exact}`,
		);
	}
}

/** The command's rows against those by hand; kmalloc's types, which the recount does not know, are added up. */
function agree(
	{ sites, lifetime_parts },
	{ rows, live },
	keep = () => true,
	keyOf = (row) => `${row.call_site} ${known(row.cache)}`,
) {
	const byKey = new Map();
	for (const row of sites) {
		const key = keyOf(row);
		byKey.set(key, [...(byKey.get(key) ?? []), row]);
	}
	assert.deepEqual([...byKey.keys()].sort(), [...rows.keys()].sort());
	for (const [key, own] of byKey) {
		const hand = rows.get(key);
		for (const name of SUMS)
			assert.equal(sum(own.map((row) => row[name])), hand[name], `${key}: ${name}`);
		if (own.length > 1) continue;
		const [row] = own;
		assert.equal(row.peak_live_objects, hand.peak, key);
		const oldest = [...live.values()].filter((o) => o.key === key && keep(o)).map((o) => o.op);
		assert.equal(row.oldest_live_op, oldest.length ? Math.min(...oldest) : -1, key);
		if (hand.frees === 0) continue;
		const { events, times } = hand;
		assert.deepEqual(
			[row.lifetime_events_min, row.lifetime_events_mean, row.lifetime_events_max],
			[Math.min(...events), Math.floor(sum(events) / events.length), Math.max(...events)],
			key,
		);
		assert.deepEqual(
			[row.lifetime_time_min, row.lifetime_time_mean, row.lifetime_time_max],
			[Math.min(...times), Math.floor(sum(times) / times.length), Math.max(...times)],
			key,
		);
		assert.ok(lifetime_parts >= 32);
		agreeOnPercentiles(row, "events", events, lifetime_parts);
		agreeOnPercentiles(row, "time", times, lifetime_parts);
	}
}

describe("sites agrees with counts taken from the text of the trace", () => {
	for (const [name, cpus, nodes] of [
		["linux-6.1-hackbench-4-nodes.ftrace.txt.gz", 8, 4],
		["linux-6.18-fork-and-tcp.ftrace.txt.gz", 2, 2],
		["linux-5.10-fork-and-tcp.perf.txt.gz", 2, 2],
	]) {
		test(name, () => {
			const path = join(TRACES, name);
			const events = eventsOf(textOf(path));
			const nodeOf = (cpu) => Math.floor((cpu * nodes) / cpus);
			const done = json(["sites", path, "--nodes", String(nodes), "--cpus", String(cpus)]);
			const hand = recount(events, nodeOf);
			assert.equal(done.ops, hand.ops);
			agree(done, hand);
			const keep = (o) => o.cpu === 1;
			agree(
				json(["sites", path, "--nodes", String(nodes), "--cpus", String(cpus), "--cpu", "1"]),
				recount(events, nodeOf, keep),
				keep,
			);
		});
	}
	test("also by task, and for chosen tasks", () => {
		for (const trace of [
			"linux-6.1-hackbench-4-nodes.ftrace.txt.gz",
			"linux-5.10-fork-and-tcp.perf.txt.gz",
		]) {
			const path = join(TRACES, trace);
			const events = eventsOf(textOf(path));
			const here = () => 0;
			const sites = (...more) => json(["sites", path, "--nodes", "1", ...more]);
			const byTask = recount(
				events,
				here,
				() => true,
				(event) => event.task,
			);
			agree(
				sites("--by", "task"),
				byTask,
				() => true,
				(row) => row.task,
			);
			const all = [...byTask.rows.keys()];
			const [first, name] = [/\d+$/.exec(all[0])[0], all[1].replace(/-\d+$/, "")];
			const isMeant = (task) => task.endsWith(`-${first}`) || task.startsWith(`${name}-`);
			const tasks = all.filter(isMeant);
			assert.ok(tasks.length > 1 && tasks.length < all.length);
			const keep = (object) => tasks.includes(object.task);
			const key = (event) => `${event.cpu} ${event.task}`;
			const chosen = sites("--task", `${first},${name}`, "--by", "task,cpu");
			agree(chosen, recount(events, here, keep, key), keep, (row) => `${row.cpu} ${row.task}`);
			refuses(
				["sites", path, "--task", "nobody"],
				1,
				/no event of a task `nobody`; expected a name/,
			);
		}
	});
	test("rows grouped in any other way add up to the same totals", () => {
		const path = join(TRACES, "linux-6.1-hackbench-4-nodes.ftrace.txt.gz");
		const all = json(["sites", path, "--nodes", "4"]).sites;
		for (const by of ["site", "cache", "cpu", "node", "task,node", "site,cache,cpu"]) {
			const rows = json(["sites", path, "--nodes", "4", "--by", by]).sites;
			for (const name of SUMS)
				assert.equal(sum(rows.map((r) => r[name])), sum(all.map((r) => r[name])), `${by} ${name}`);
			const keys = rows.map(
				(r) => `${r.call_site} ${r.cache} ${r.cpu} ${by.includes("node") ? r.node : ""} ${r.task}`,
			);
			assert.equal(new Set(keys).size, rows.length, by);
		}
		const csv = rowsOf(succeeds(["sites", path, "--nodes", "4", "--csv"]));
		assert.equal(csv.length, all.length);
		assert.equal(csv[0].trace, path);
	});
});

test("--pprof gives the same numbers when another project reads the profile", () => {
	const path = join(TRACES, "linux-6.1-hackbench-4-nodes.ftrace.txt.gz");
	const binary = { encoding: "buffer", maxBuffer: 1 << 24 };
	for (const by of ["site,cache", "site,cpu,task"]) {
		const rows = json(["sites", path, "--nodes", "4", "--by", by]).sites;
		const args = ["sites", path, "--nodes", "4", "--by", by, "--pprof", "-o", "-"];
		const { stdout, status } = spawnSync(COMMAND, args, binary);
		assert.equal(status, 0);
		const profile = Profile.decode(gunzipSync(stdout));
		const text = (nr) => profile.stringTable.strings[Number(nr)];
		assert.equal(text(0), "");
		assert.deepEqual(
			profile.sampleType.map(({ type, unit }) => `${text(type)} ${text(unit)}`),
			["alloc_objects count", "alloc_space bytes", "inuse_objects count", "inuse_space bytes"],
		);
		const names = new Map(profile.function.map(({ id, name }) => [id, text(name)]));
		const sites = new Map(
			profile.location.map(({ id, line }) => [id, names.get(line[0].functionId)]),
		);
		assert.equal(sites.size, new Set(rows.map((row) => row.call_site)).size);
		const shown = profile.sample.map(({ locationId, label, value }) => ({
			call_site: sites.get(locationId[0]),
			...Object.fromEntries(
				label.map(({ key, str, num }) => [text(key), text(str) || Number(num)]),
			),
			values: value.map(Number),
		}));
		const asShown = (row) => ({
			call_site: row.call_site,
			...(by.includes("cache") ? { cache: row.cache } : {}),
			...(by.includes("cpu") ? { cpu: row.cpu, node: row.node, task: row.task } : {}),
			values: [row.allocations, row.bytes_allocated, row.live_objects, row.live_bytes],
		});
		const inOrder = (all) => all.map((row) => JSON.stringify(row)).sort();
		assert.deepEqual(inOrder(shown), inOrder(rows.map(asShown)));
	}
	refuses(["sites", path, "--pprof"], 2, /give --pprof together with -o FILE/);
	refuses(["sites", path, "--by", "cache", "--pprof", "-o", "-"], 1, /needs rows by call site/);
});

/** perf's rows: name+offset, bytes of slots, requested bytes, allocations, frees on another CPU. */
function perfRows(text) {
	return text.split("\n").flatMap((line) => {
		const match =
			/^ ([\w.]+\+[\da-f]+) +\| +(\d+)\/\d+ +\| +(\d+)\/\d+ +\| +(\d+) +\| +(\d+) /.exec(line);
		return match ? [[match[1], ...match.slice(2).map(Number)]] : [];
	});
}

/**
 * Frees of pointers that are free already, by the call site of the last allocation: the allocation in between was not recorded.
 * perf takes each for a free on another CPU.
 */
function secondFrees(events) {
	const last = new Map();
	const nr = {};
	for (const { kind, ptr, site } of events) {
		const pointer = last.get(ptr);
		if (kind.includes("alloc")) last.set(ptr, { site, isFree: false });
		else if (pointer?.isFree) nr[pointer.site] = (nr[pointer.site] ?? 0) + 1;
		else if (pointer) pointer.isFree = true;
	}
	return nr;
}

for (const kernel of ["5.10", "6.1", "6.12.107", "6.18.15", "7.2.12"]) {
	const folder = join(SHARED, "traces", `debian-${kernel}`);
	const table = join(folder, "perf-kmem-stat-caller-alloc.txt");
	test(`sites agrees with perf kmem stat on Linux ${kernel}`, { skip: !existsSync(table) }, () => {
		const perf = readFileSync(table, "utf8");
		const rows = perfRows(perf);
		const script = join(folder, "perf-script.txt.gz");
		const done = json(["sites", script, "--by", "site"]);
		const twice = secondFrees(eventsOf(textOf(script)));
		const own = new Map(done.sites.map((r) => [r.call_site.replace(/\+0x/, "+"), r]));
		assert.ok(rows.length > 20);
		for (const [site, allocated, requested, hits, pingPong] of rows) {
			const row = own.get(site);
			assert.deepEqual(
				[row.bytes_allocated, row.bytes_requested, row.allocations],
				[allocated, requested, hits],
				site,
			);
			assert.equal(row.cross_cpu_frees + (twice[row.call_site] ?? 0), pingPong, site);
		}
		const total = (words) => Number(new RegExp(`${words}: +(\\d+)`).exec(perf)[1]);
		assert.equal(sum(done.sites.map((r) => r.bytes_requested)), total("bytes requested"));
		assert.equal(sum(done.sites.map((r) => r.bytes_allocated)), total("bytes allocated"));
	});
}
