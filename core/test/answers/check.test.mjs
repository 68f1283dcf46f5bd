// check.test.mjs - `slabscope check`: a real kernel's run, a part of which is in core/test/reality, and states that harm.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CORE, json, refuses, succeeds } from "../command/command.mjs";

const folder = mkdtempSync(join(tmpdir(), "slabscope-check-"));
after(() => rmSync(folder, { recursive: true }));

const file = (kind) => join(CORE, "test", "reality", `compile-8cpus.${kind}.gz`);
const [TRACE, START, STOP] = ["trace", "start.state", "stop.state"].map(file);
const start = gunzipSync(readFileSync(START)).toString();

/** Writes the text of a state to a file, and returns its path. */
function written(text) {
	const path = join(folder, "start.state");
	writeFileSync(path, text);
	return path;
}

const refusesState = (text, sentence) =>
	refuses(["check", TRACE, "--start", written(text)], 1, sentence);
const damaged = (pattern, instead, sentence) => {
	assert.match(start, pattern);
	refusesState(start.replace(pattern, instead), sentence);
};

describe("slabscope check: five caches of Linux 6.1 on 4 nodes and 8 CPUs", () => {
	const found = json(["check", TRACE, "--start", START, "--stop", STOP]);

	test("gives every allocation the recorded slab and index, without help", () => {
		assert.equal(found.allocations, 1687);
		assert.equal(found.right, found.allocations);
		assert.deepEqual([found.resynchronised, found.moves, found.divergence], [0, 0, null]);
	});

	test("ends with the kernel's counters, slabs and lists", () => {
		const { counters, caches, stop_lists: lists } = found;
		assert.ok(counters.cells > 20 && caches.all === 5 && lists.all > 60);
		assert.equal(counters.within_1_percent, counters.cells);
		assert.equal(counters.within_10_percent, counters.cells);
		assert.equal(caches.within_2, caches.all);
		assert.equal(lists.equal, lists.all);
	});

	test("gets fewer right when the model is made wrong on purpose", () => {
		assert.equal(found.controls.length, 3);
		for (const { setting, right } of found.controls)
			assert.ok(right < found.right, `${setting}: ${right}`);
	});

	test("describes the first difference from both sides if the start state differs", () => {
		const turned = start.replace(
			/ (free|partial)=(\S+)/g,
			(_, key, list) => ` ${key}=${list.split(",").reverse().join(",")}`,
		);
		const other = json(["check", TRACE, "--start", written(turned)]);
		assert.ok(other.right < found.right / 2);
		const { event, kernel, model, why } = other.divergence;
		assert.ok(event >= 1);
		assert.match(kernel, /on CPU \d: object \d+ of slab 0xffff888/);
		assert.match(model, /, from (a |the )/);
		assert.match(why, /\.$/);
	});

	test("compares the trace's own counter lines if there is no stop state", () => {
		const path = join(folder, "counted.txt");
		const trace = gunzipSync(readFileSync(TRACE)).toString();
		const [line] = /.* kmem_cache_alloc: call_site=alloc_pid.*/.exec(trace);
		const stat = line.replace(/kmem_cache_alloc: .*/, "slub_stat: op=ALLOC_SLAB name=pid\n");
		writeFileSync(path, trace + stat.repeat(20));
		const { counters, caches } = json(["check", path, "--start", START]);
		assert.deepEqual([counters.cells, counters.within_10_percent, caches.all], [1, 0, 0]);
	});

	test("says nothing about the kernel's slabs if there is no stop state", () => {
		const call = ["check", TRACE, "--start", START];
		assert.ok(found.by_cache.every((row) => Number.isInteger(row.kernel_slabs)));
		assert.ok(json(call).by_cache.every((row) => row.kernel_slabs === null));
		assert.match(succeeds(call), /^ {2}pid +[\d,]+ +[\d,]+ +[\d.]+ +– +[+-]\d+$/m);
	});

	test("prints the same figures as text", () => {
		const text = succeeds(["check", TRACE, "--start", START, "--stop", STOP]);
		assert.match(text, /allocations in the recorded slab and index +1,687 of 1,687 \(100\.000 %\)/);
	});
});

describe("slabscope check --infer-order", () => {
	const lines = gunzipSync(readFileSync(TRACE)).toString().trim().split("\n");
	const head = lines.filter((line) => line.startsWith("#"));
	const events = lines.filter((line) => !line.startsWith("#"));
	const check = (rows, ...more) => {
		const path = join(folder, "trace.txt");
		writeFileSync(path, `${[...head, ...rows].join("\n")}\n`);
		return json(["check", path, "--start", START, "--stop", STOP, ...more]);
	};

	test("moves no events where the recorded order explains everything", () => {
		const found = check(events, "--infer-order");
		assert.deepEqual([found.right, found.moves, found.moved], [found.allocations, 0, []]);
	});

	test("finds the event whose line came late, and moves only that one", () => {
		// 39 lines of other CPUs overtake this line, as if its CPU had been interrupted behind the effect.
		const [from, to] = [2936, 2975];
		const time = (line) => / \d+\.\d+: /.exec(line)[0];
		const late = events[from].replace(time(events[from]), time(events[to]));
		assert.match(late, /kmem_cache_alloc: call_site=alloc_pid/);
		const rows = [...events.slice(0, from), ...events.slice(from + 1, to + 1), late];
		rows.push(...events.slice(to + 1));

		const recorded = check(rows);
		assert.ok(recorded.right < recorded.allocations);
		const found = check(rows, "--infer-order");
		assert.equal(found.right_in_recorded_order, recorded.right);
		assert.deepEqual([found.right, found.moves], [found.allocations, 1]);
		assert.equal(found.stop_lists.equal, found.stop_lists.all);
		const [{ event, before_event: before, cache }] = found.moved;
		assert.equal(cache, "pid");
		assert.ok(before < event && event - before < 40);
	});
});

describe("slabscope check --infer-order: lines of slub_stat", () => {
	// CPU 0 has one free object. Who frees to the full slab first gets it on the list of his CPU; CPU 1's list is full then.
	const [A, B, C] = [1, 2, 3].map((nr) => `ffff88810000${nr}`);
	const STATE = [
		"C thing size=1024 object_size=1024 order=0 objs=4 min_objs=4 min_partial=5 cpu_partial=4 " +
			"cpu_partial_slabs=1 defrag=1000",
		`P thing 0 slab=${A}000 free=3 nfree=1 partial= npartial=0`,
		`P thing 1 slab=0 free= nfree=0 partial=${C}000 npartial=1`,
		"N thing 0 nr_partial=0 partial=",
		`L thing ${A}000 nid=0 order=0 objects=4 inuse=4 frozen=1 free=`,
		`L thing ${B}000 nid=0 order=0 objects=4 inuse=4 frozen=0 free=`,
		`L thing ${C}000 nid=0 order=0 objects=4 inuse=3 frozen=1 free=0`,
		"E complete\n",
	].join("\n");
	let micros = 100000;
	const line = (cpu, event) => `task-${cpu + 1} [00${cpu}] ..... 1.${micros++}: ${event}\n`;
	const alloc = (cpu, ptr) =>
		line(
			cpu,
			`kmem_cache_alloc: call_site=f+0x1/0x2 ptr=${ptr} bytes_req=1024 bytes_alloc=1024 ` +
				"gfp_flags=GFP_KERNEL node=-1 accounted=false name=thing",
		);
	const free = (cpu, ptr) =>
		line(cpu, `kmem_cache_free: call_site=f+0x1/0x2 ptr=${ptr} name=thing`);
	const stats = (cpu, ...ops) =>
		ops.map((op) => line(cpu, `slub_stat: op=${op} name=thing`)).join("");
	const drained = ["free_add_partial", "cpu_partial_drain", "cpu_partial_free"];
	const checkFrom = (state, ...lines) => {
		const trace = join(folder, "stat.trace");
		writeFileSync(trace, lines.join(""));
		return json(["check", trace, "--start", written(state), "--infer-order"]);
	};
	const check = (...lines) => checkFrom(STATE, ...lines);
	const frees = () => [free(0, `${B}400`), free(1, `${B}800`)];
	// The slab is not on CPU 0's list, but what CPU 1 had to put back is on the node's.
	const allocs = (object = `${C}000`) => [
		alloc(0, `${A}c00`),
		stats(0, "alloc_slowpath", "deactivate_bypass", "alloc_from_partial"),
		alloc(0, object),
	];

	test("say where an event took effect, so no event has to be moved", () => {
		const stat = [stats(1, "free_slowpath", ...drained), stats(0, "free_slowpath", "free_frozen")];
		const found = check(...frees(), ...stat, ...allocs());
		assert.deepEqual([found.allocations, found.right_in_recorded_order], [2, 1]);
		assert.deepEqual([found.right, found.moves, found.given_up], [2, 0, 0]);
	});

	test("show an event that took effect before its last line", () => {
		const stat = [
			stats(1, "free_slowpath"),
			stats(0, "free_slowpath", "free_frozen"),
			stats(1, ...drained),
		];
		const found = check(...frees(), ...stat, ...allocs());
		assert.deepEqual([found.right, found.moves], [2, 1]);
		assert.ok(found.moved[0].event <= 2 && found.moved[0].before_event !== null);
	});

	test("reveal the order of nodes, which shows only after a late event", () => {
		const [D, E] = [4, 5].map((nr) => `ffff88810000${nr}`);
		const other = (slab, node) =>
			`N thing ${node} nr_partial=1 partial=${slab}000\n` +
			`L thing ${slab}000 nid=${node} order=0 objects=4 inuse=3 frozen=0 free=0\n`;
		const nodes = "P thing 2 slab=0 free= nfree=0 partial= npartial=0\n";
		const state = STATE.replace("min_partial=5", "min_partial=0").replace(
			"E complete",
			`${nodes}${other(D, 1)}${other(E, 2)}E complete`,
		);
		const stat = [
			stats(1, "free_slowpath"),
			stats(0, "free_slowpath", "free_frozen"),
			stats(1, ...drained),
		];
		const again = [1, 2, 3, 4, 5].map(() => free(0, `${C}000`) + alloc(0, `${C}000`));
		const remote = [
			stats(0, "alloc_slowpath", "deactivate_bypass", "alloc_from_partial"),
			alloc(0, `${E}000`),
		];
		const found = checkFrom(state, ...frees(), ...stat, ...allocs(), ...again, ...remote);
		assert.deepEqual([found.allocations, found.right_in_recorded_order], [8, 1]);
		assert.deepEqual([found.right, found.moves], [8, 1]);
		assert.deepEqual(found.fallback[0], [2, 1]);
	});

	test("move no object if no order explains their path", () => {
		const odd = [free(1, `${C}400`), stats(1, "free_slowpath", "free_slab")];
		const stat = [stats(1, "free_slowpath", ...drained), stats(0, "free_slowpath", "free_frozen")];
		const found = check(...odd, ...frees(), ...stat, ...allocs(`${C}400`));
		assert.deepEqual([found.right, found.moves, found.given_up], [2, 0, 0]);
	});
});

test("gives up on events that no order explains, and still gets the rest of the cache right", () => {
	// Two live objects have each other's pointers from here on: no order makes the model choose them.
	const trace = gunzipSync(readFileSync(TRACE)).toString();
	const lines = trace.split("\n");
	const pids = lines.flatMap((line, i) =>
		/kmem_cache_alloc: call_site=alloc_pid/.test(line) ? [i] : [],
	);
	const [p, q] = [pids[10], pids[40]].map((i) => / ptr=(\w+)/.exec(lines[i])[1]);
	const other = { [p]: q, [q]: p };
	const odd = lines.map((line, i) =>
		i < pids[10]
			? line
			: line.replace(/ ptr=(\w+)/, (all, x) => (other[x] ? ` ptr=${other[x]}` : all)),
	);
	const path = join(folder, "odd.txt");
	writeFileSync(path, odd.join("\n"));
	const found = json(["check", path, "--start", START, "--infer-order"]);
	assert.ok(found.given_up >= 1 && found.given_up < 30, `${found.given_up}`);
	assert.ok(found.allocations - found.right <= 30, `${found.right}`);
	assert.equal(found.given_up_event, found.divergence.event);
	const words = succeeds(["check", path, "--start", START, "--infer-order"]);
	assert.match(words, /The search gave up .*first at event/);
});

test("leaves out what came before, after and between the states' trace markers", () => {
	const lines = gunzipSync(readFileSync(TRACE)).toString().split("\n");
	const events = lines.filter((line) => line && !line.startsWith("#"));
	const marked = (line, word) => line.replace(/(\d: ).*/, `$1tracing_mark_write: ${word}`);
	const around = (line, between) => [
		marked(line, "state-begins"),
		...between,
		marked(line, "state-ends"),
	];
	const [first, last] = [events[0], events.at(-1)];
	const path = join(folder, "marked.trace");
	const all = [
		...events.slice(40, 60),
		...around(first, events.slice(60, 64)),
		...events,
		...around(last, events.slice(100, 110)),
	];
	writeFileSync(path, `${all.join("\n")}\n`);
	const found = json(["check", path, "--start", START, "--stop", STOP]);
	assert.deepEqual([found.allocations, found.right], [1687, 1687]);
	assert.ok(found.left_out.beside >= 34);
	assert.equal(found.stop_lists.equal, found.stop_lists.all);
});

describe("slabscope check: SLAB on one CPU", () => {
	const [A, B, C] = [1, 2, 3].map((nr) => `ffff88810000${nr}`);
	const STATE = [
		"C thing size=1024 object_size=1024 order=0 num=4 limit=4 batchcount=2 shared=0",
		"T thing allochit=0 allocmiss=0 freehit=0 freemiss=0 grown=2",
		`P thing 0 avail=1 limit=4 batchcount=2 touched=1 entries=${A}800`,
		`N thing 0 free_limit=8 free_touched=0 shared_limit=-1 alien= partial=${A}000 empty=`,
		`L thing ${A}000 nid=0 order=0 objects=4 inuse=3`,
		`L thing ${B}000 nid=0 order=0 objects=4 inuse=4`,
		"E complete\n",
	].join("\n");
	let seconds = 1;
	const line = (event) => `cat-1 [000] ..... ${seconds++}.000001: ${event}\n`;
	const alloc = (ptr) =>
		line(
			`kmem_cache_alloc: call_site=f+0x1/0x2 ptr=${ptr} bytes_req=1024 bytes_alloc=1024 ` +
				"gfp_flags=GFP_KERNEL node=-1 accounted=false name=thing",
		);
	const free = (ptr) => line(`kmem_cache_free: call_site=f+0x1/0x2 ptr=${ptr} name=thing`);
	const check = (state, ...events) => {
		const trace = join(folder, "slab.trace");
		writeFileSync(trace, events.join(""));
		return ["check", trace, "--start", written(state)];
	};

	test("takes objects from the array, then from slabs, then from new slabs; accepts any free object of a slab", () => {
		const right = [
			alloc(`${A}800`), // in the array
			alloc(`${A}c00`), // the free object, which no line names
			alloc(`${C}400`), // two of a new slab are in the array, the second one on top
			alloc(`${C}000`),
			free(`${B}000`),
			free(`${A}000`), // older objects
			free(`${A}c00`),
			alloc(`${A}c00`), // has a name by now
			alloc(`${A}000`),
		];
		const found = json(check(STATE, ...right));
		assert.deepEqual([found.allocations, found.right, found.right_by_slab], [6, 6, 1]);
		assert.equal(found.divergence, null);
		assert.deepEqual(
			found.controls.map(({ setting }) => setting),
			["limit + 1", "batchcount + 1", "slabs to the head after a free"],
		);
		right.splice(7, 2, alloc(`${A}000`), alloc(`${A}c00`));
		const other = json(check(STATE, ...right));
		assert.equal(other.right, 4);
		assert.equal(other.divergence.event, 8);
		assert.match(other.divergence.model, /^object 3 of slab 0xffff888100001000, from the array/);
		assert.match(other.divergence.why, /was in the array cache of CPU 0, after others\.$/);
	});

	test("refuses harmful states, several CPUs and shared arrays in one sentence", () => {
		const refused = (from, to, sentence) =>
			refuses(check(STATE.replace(from, to), alloc(`${A}800`)), 1, sentence);
		refused("inuse=3", "inuse=0", /partial and free at once/);
		refused("inuse=4\n", "inuse=9\n", /does not fit SLAB/);
		refused("batchcount=2 s", "batchcount=0 s", /does not fit SLAB/);
		refused("limit=4", "limit=4000000000", /line 1: expected limit= and a number of at most/);
		refused("avail=1", "avail=2", /line 3: avail=, limit= and the length/);
		refused(
			/free_touched=\d/,
			"free_touched=9",
			/expected free_touched= and a number of at most 1,/,
		);
		refused(`=${A}800`, `=${C}800`, /object twice, or one of no slab/);
		refused(/avail=1 (.*)$/m, `avail=2 $1,${A}800`, /object twice, or one of no slab/);
		refused("shared_limit=-1", "shared_limit=8", /lacks the objects in shared arrays/);
		refused("P thing 0", "P thing 1", /lacks the objects in shared arrays/);
		const [, ...rest] = check(STATE, alloc(`${A}800`));
		refuses(["replay", ...rest], 1, /so no replay can start from it; check can compare it/);
	});
});

describe("slabscope check refuses, in one sentence", () => {
	test("harmful states", () => {
		damaged(/E complete\n/, "", /was cut off/);
		damaged(/(free=(\d+)),\d+/, "$1,$2", /names an object twice|differ|add up/);
		damaged(/inuse=\d+/, "inuse=4294967295", /line \d+: expected inuse= and a number/);
		damaged(/(N \S+ \d+ nr_partial=)\d+/, "$14294967295", /line \d+: .*nr_partial=/);
		damaged(/(nr_partial=)1( .*partial=)(\w+)\n/, "$12$2$3,$3\n", /on a list already/);
		damaged(/(nr_partial=1 .*partial=)\w+\n/, "$1ffff88812345000\n", /no L line/);
		damaged(/(L \S+ )\w+/, "$1123", /a multiple of 4096/);
	});

	test("a state from the wrong end, from another run or from another machine", () => {
		refuses(["check", TRACE, "--start", STOP], 1, /is a stop state: its V line says so/);
		refuses(["check", TRACE, "--start", START, "--stop", START], 1, /is a start state/);
		const at = (ts) => start.replace(/^V .*/m, `V 1 start ts=${ts}`);
		refusesState(
			at(1000000000),
			/the start state was read 1000 ms after boot, .* at 53296 ms: events between them are missing, or/,
		);
		refusesState(at(999000000000), /at 53296 ms: it is of another run$/m);
		refuses(
			["check", TRACE, "--start", written(at(999000000000)), "--stop", STOP],
			1,
			/older than/,
		);
		// Its CPUs from 1 on, or its caches, are others.
		refusesState(
			start.replace(/^P \S+ [1-9].*\n/gm, "").replace(/^V.*/m, "V 1 start"),
			/events on more CPUs/,
		);
		refusesState(
			start
				.replace(/^([CTPNL] )pid /gm, "$1other ")
				.replace(/^([CTPNL] )task_struct /gm, "$1more "),
			/from another machine: more than a tenth/,
		);
		refuses(
			["check", TRACE, "--start", START, "--set", "allocator=slob"],
			1,
			/cannot start from the slabs of the start state/,
		);
	});

	test("a trace that does not start at the state, even without a V line or a time", () => {
		const stop = gunzipSync(readFileSync(STOP)).toString();
		const objects = /of the \d+ objects in it that the trace uses, \d+ are freed while free, or/;
		for (const v of ["", "V 1 start\n", "V 1\n"])
			refusesState(stop.replace(/^V .*\n/m, v), objects);
		const { right, allocations } = json([
			...["check", TRACE, "--start", written(start.replace(/^V .*\n/m, ""))],
		]);
		assert.equal(right, allocations);
		// The first third of the events is missing, and no time tells.
		const lines = gunzipSync(readFileSync(TRACE)).toString().split("\n");
		const cut = join(folder, "cut.trace");
		writeFileSync(cut, lines.slice(lines.length / 3).join("\n"));
		refuses(["check", cut, "--start", written(start.replace(/ ts=\d+/, ""))], 1, objects);
		// All slabs of the state lie elsewhere.
		const away = start.replace(/ ts=\d+/, "").replace(/\bffff888/g, "ffff899");
		refusesState(away, /none of the trace's \d+ slabs is in it; events between them are missing/);
	});

	test("a trace without pointers to compare", () => {
		const converted = join(folder, "converted.slabtrace");
		const call = ["convert", TRACE, "-q", "-o", converted];
		const none = /no event of the trace has a pointer .* `convert --keep pointers,tasks` wrote$/m;
		succeeds(call);
		refuses(["check", converted, "--start", START], 1, none);
		succeeds([...call, "--keep", "pointers,tasks"]);
		assert.equal(json(["check", converted, "--start", START]).right, 1687);
		const unknown = (pattern, instead) => {
			const path = join(folder, "unknown.trace");
			const trace = gunzipSync(readFileSync(TRACE)).toString();
			writeFileSync(path, trace.replace(pattern, instead));
			return ["check", path, "--start", START];
		};
		refuses(unknown(/ptr=ffff888./g, "ptr=00000000"), 1, /pointers are hashed, so none shows/);
		refuses(unknown(/ptr=\w+/g, "ptr=(____ptrval____)"), 1, none);
		refuses(unknown(/^.*(kmem_cache_alloc|kmalloc): .*\n/gm, ""), 1, /no allocations to compare/);
	});

	test("a file that is not a state, and a call without a state", () => {
		refusesState(
			"hello\n",
			/line 1: expected a line V, C, T, P, N, L, S, B, F, Z or E, found `hello`/,
		);
		refusesState("", /no state of a kernel found/);
		refuses(["check", TRACE], 2, /check needs --start STATE/);
	});
});
