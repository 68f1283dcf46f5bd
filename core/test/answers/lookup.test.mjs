// lookup.test.mjs - `lookup`, `find --ptr` and `life --ptr`, held against the lines of the trace's text.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CORE, json, refuses, succeeds } from "../command/command.mjs";

const TRACE = join(CORE, "..", "traces", "linux-6.1-hackbench-4-nodes.ftrace.txt.gz");
const HASHED = join(CORE, "..", "traces", "linux-6.1-fork-and-tcp.ftrace.txt.gz");

const LINE =
	/^\s*(\S+)-(\d+)\s+\[(\d+)\] \S+\s+(\d+)\.(\d+): (\w+): call_site=(\S+) ptr=(\S+)(?:.* bytes_alloc=(\d+))?(?:.* name=(\S+))?/;

/** Kmem events of the text; those without a pointer are left out. */
function eventsOf(path) {
	const rows = [];
	for (const line of gunzipSync(readFileSync(path)).toString().split("\n")) {
		const found = LINE.exec(line);
		if (!found || !/^k(malloc|free|mem_cache)/.test(found[6])) continue;
		const [, comm, pid, cpu, seconds, micros, name, site, pointer, bytes, cache] = found;
		rows.push({
			task: `${comm}-${pid}`,
			pid: Number(pid),
			cpu: Number(cpu),
			time: Number(seconds) * 1e9 + Number(micros) * 1e3,
			isFree: name.includes("free"),
			site,
			pointer,
			bytes: Number(bytes),
			cache,
		});
	}
	return rows;
}

const events = eventsOf(TRACE);
/** Event numbers of the core are those of the lines only if no free is implied: then the trace is complete. */
const unseen = json(["info", TRACE]).unseen_frees;
/** An allocation whose pointer has exactly one free after it and no other line. */
const lives = new Map();
events.forEach((event, op) => {
	lives.set(event.pointer, [...(lives.get(event.pointer) ?? []), op]);
});
const single = [...lives.values()].filter(
	(ops) =>
		ops.length === 2 &&
		!events[ops[0]].isFree &&
		events[ops[1]].isFree &&
		events[ops[0]].cache &&
		events[ops[0]].cpu !== events[ops[1]].cpu,
);

test("find --ptr lists the lines that have the pointer, and no others", () => {
	assert.equal(unseen, 0);
	const busiest = [...lives.values()].sort((a, b) => b.length - a.length)[0];
	const pointer = events[busiest[0]].pointer;
	const rows = json(["find", "-q", "--all", "--ptr", `0x${pointer}`, TRACE]);
	assert.deepEqual(
		rows.map((row) => [row.op, row.task]),
		busiest.map((op) => [op, events[op].task]),
	);
	const [first] = busiest;
	const cpu = String(events[first].cpu);
	const onCpu = json(["find", "-q", "--all", "--ptr", pointer, "--cpu", cpu, TRACE]);
	assert.deepEqual(
		onCpu.map((row) => row.op),
		busiest.filter((op) => events[op].cpu === events[first].cpu),
	);
	const last = json(["life", "-q", "--ptr", pointer, "--count", "1", TRACE]).object;
	assert.ok(busiest.includes(last.alloc_op));
	assert.equal(last.alloc_op, busiest.filter((op) => !events[op].isFree).at(-1));
	const early = json(["life", "-q", "--ptr", pointer, "--at", "1", "--count", "1", TRACE]).object;
	assert.ok([early.alloc_op, early.free_op].includes(first));
});

test("finds one life and its neighbours by a pointer or by an address inside the object", () => {
	const [alloc, free] = single[Math.floor(single.length / 2)];
	const { pointer, bytes, cache, site, task, cpu } = events[alloc];
	for (const into of [0n, 17n]) {
		const address = (BigInt(`0x${pointer}`) + into).toString(16);
		const found = json(["lookup", "--ptr", address, TRACE]);
		assert.equal(found.by_address, true);
		const [life] = found.lives;
		assert.deepEqual(
			[life.alloc_op, life.free_op, life.cache, life.slot_bytes, life.alloc_site],
			[alloc, free, cache, bytes, site],
		);
		assert.deepEqual(
			[life.alloc_task, life.alloc_cpu, life.free_task, life.free_cpu],
			[task, cpu, events[free].task, events[free].cpu],
		);
		assert.ok(found.neighbours.length > 1);
		for (const beside of found.neighbours) {
			const ops = (lives.get(beside.pointer) ?? []).filter((op) => op < found.moment);
			const last = ops.at(-1);
			const state = last === undefined ? "unknown" : events[last].isFree ? "free" : "live";
			assert.equal(beside.state, state, beside.pointer);
			assert.equal(
				beside.slot * bytes,
				Number(BigInt(`0x${beside.pointer}`) - BigInt(`0x${pointer}`)),
			);
		}
	}
});

/** What SLUB prints about an object with that life, in jiffies at 1000 Hz before the report. */
function report(alloc, free, base) {
	const now = events[free].time + 5e6;
	const age = (op) => Math.round((now - events[op].time) / 1e6);
	const track = (op) =>
		`${events[op].site} age=${age(op)} cpu=${events[op].cpu} pid=${events[op].pid}`;
	const stamp = `[${(now / 1e9).toFixed(6).padStart(12)}] `;
	return [
		`BUG ${events[alloc].cache} (Not tainted): Poison overwritten`,
		`Allocated in ${track(alloc)}`,
		`Freed in ${track(free)}`,
		`Slab 0xffffea0000000000 objects=16 used=3 fp=0x0000000000000000 flags=0x200(slab)`,
		`Object 0x${base} @offset=0 fp=0x0000000000000000`,
	]
		.map((line) => `${stamp}${line}\n`)
		.join("");
}

test("finds a report's object by address, or candidates that fit it", () => {
	const [alloc, free] = single[5];
	const byAddress = json(["lookup", TRACE], report(alloc, free, events[alloc].pointer));
	assert.equal(byAddress.by_address, true);
	assert.equal(byAddress.lives[0].alloc_op, alloc);
	assert.equal(byAddress.lives[0].free_op, free);
	const elsewhere = json(["lookup", TRACE, "-"], report(alloc, free, "ffff000000001000"));
	assert.equal(elsewhere.by_address, false);
	// The lives that fit best, counted again: same cache, call sites, CPUs and pids on both sides.
	const same = (a, b) =>
		events[a].site === events[b].site &&
		events[a].cpu === events[b].cpu &&
		events[a].pid === events[b].pid;
	const alike = new Set();
	const born = new Map();
	events.forEach((event, op) => {
		if (!event.isFree) born.set(event.pointer, op);
		else if (born.has(event.pointer)) {
			const from = born.get(event.pointer);
			born.delete(event.pointer);
			if (events[from].cache === events[alloc].cache && same(from, alloc) && same(op, free)) {
				alike.add(`${from} ${op}`);
			}
		}
	});
	assert.ok(alike.has(`${alloc} ${free}`));
	assert.ok(elsewhere.alike >= 1 && elsewhere.alike <= alike.size);
	for (const life of elsewhere.lives.slice(0, elsewhere.alike)) {
		assert.ok(alike.has(`${life.alloc_op} ${life.free_op}`));
	}
});

test("matches hashed pointers as recorded, and says that a report's addresses cannot", () => {
	const hashed = eventsOf(HASHED).find((event) => !event.isFree);
	const found = json(["lookup", "--ptr", hashed.pointer, HASHED]);
	assert.equal(found.by_address, true);
	assert.match(found.note, /hashed pointers/);
	const real = json(["lookup", "--ptr", "0xffff888003a9d040", HASHED]);
	assert.equal(real.can_match, false);
	assert.match(real.note, /none can match.*no_hash_pointers/);
	refuses(["lookup", HASHED, "-"], 1, /Expected a pointer/, "some words\n");
	assert.match(succeeds(["lookup", "--help"]), /12 bytes of memory an event/);
});
