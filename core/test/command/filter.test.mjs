// filter.test.mjs - convert with a filter: every figure against a count of the recorded text.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CORE, json, refuses, succeeds } from "./command.mjs";

const TRACE = join(CORE, "..", "traces", "linux-6.1-fork-and-tcp.ftrace.txt.gz");
const folder = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(folder, { recursive: true }));

/** The recorded allocations and frees, straight from the text. An allocation of a live pointer frees it first. */
const LINE =
	/^\s*(.+-\d+)\s+(?:\(.+?\)\s+)?\[(\d+)\] \S+\s+(\d+\.\d+): (\w+): call_site=(\S+)(?: \[\w+\])? ptr=(\w+)(?:.* bytes_req=(\d+) bytes_alloc=(\d+))?/;
const events = [];
for (const line of gunzipSync(readFileSync(TRACE)).toString().split("\n")) {
	const [, task, cpu, time, kind, site, ptr, req, slot] = LINE.exec(line) ?? [];
	if (kind) events.push({ task, cpu: +cpu, time: +time, kind, site, ptr, req: +req, slot: +slot });
}

/** Allocations, frees, and bytes requested of what is live at the end, of chosen allocations. */
function recount(isChosen) {
	const live = new Map();
	let allocs = 0;
	let frees = 0;
	for (const event of events) {
		if (!/alloc/.test(event.kind)) {
			if (live.delete(event.ptr)) frees++;
			continue;
		}
		if (live.delete(event.ptr)) frees++;
		if (!isChosen(event)) continue;
		allocs++;
		live.set(event.ptr, event.req);
	}
	const bytes = [...live.values()].reduce((sum, req) => sum + req, 0);
	return { allocs, frees, live: live.size, bytes };
}

function replayOf(...options) {
	const path = join(folder, "part.slabtrace");
	succeeds(["convert", TRACE, "-q", ...options, "-o", path]);
	const got = json(["replay", path]);
	return {
		allocs: got.allocs,
		frees: got.frees,
		live: got.live_at_end,
		bytes: got.requested_bytes,
	};
}

test("replays a cache, a CPU and a call site as a count of the text does", () => {
	const isCache = ({ kind, slot }) => kind === "kmem_cache_alloc" && slot === 152;
	assert.ok(recount(isCache).allocs > 100);
	assert.deepEqual(replayOf("--cache", "vm_area_struct"), recount(isCache));
	assert.deepEqual(
		replayOf("--cpu", "0"),
		recount(({ cpu }) => cpu === 0),
	);
	assert.deepEqual(
		replayOf("--call-site", "copy_process", "--call-site", "alloc_fdtable"),
		recount(({ site }) => /^(copy_process|alloc_fdtable)\+/.test(site)),
	);
});

test("replays a task as a count of the text does, by name or with its number", () => {
	const name = ({ task }) => task.replace(/-\d+$/, "");
	const allocs = events.filter(({ kind }) => /alloc/.test(kind));
	const nrOf = (task) => allocs.filter((event) => event.task === task).length;
	const [task] = [...new Set(allocs.map((event) => event.task))].sort((a, b) => nrOf(b) - nrOf(a));
	assert.ok(recount((event) => event.task === task).allocs > 50);
	assert.deepEqual(
		replayOf("--task", task),
		recount((event) => event.task === task),
	);
	const [comm] = task.split(/-\d+$/);
	assert.deepEqual(
		replayOf("--task", comm, "--cpu", "0"),
		recount((event) => name(event) === comm && event.cpu === 0),
	);
});

test("starts an excerpt with the objects that are live at that point", () => {
	const [from, to] = [3.4, 3.45];
	const live = new Map();
	let [allocs, frees] = [0, 0];
	for (const { time, kind, ptr } of events) {
		const inside = time >= from && time <= to;
		if (time > to) break;
		const isAlloc = /alloc/.test(kind);
		// A window keeps frees of NULL and of objects from before the recording, too.
		if ((live.delete(ptr) || !isAlloc) && inside) frees++;
		if (!isAlloc) continue;
		live.set(ptr, inside);
		if (inside) allocs++;
	}
	const path = join(folder, "cut.slabtrace");
	const done = json(["convert", TRACE, "--from-time", `${from}`, "--to-time", `${to}`, "-o", path]);
	const got = json(["replay", path]);
	assert.equal(got.allocs, allocs + got.events_by_kind.live_before);
	assert.equal(got.frees, frees);
	assert.equal(got.live_at_end, live.size);
	assert.equal(done.events_before, got.events_by_kind.live_before);
	assert.ok(allocs > 50 && frees > 50 && done.events_before > 10);
});

test("gives the same pseudonyms for the same file, and leaves no names", () => {
	const names = [...new Set(events.map(({ site }) => site.split("+")[0]))];
	const whole = succeeds(["convert", TRACE, "--anonymise", "-o", "-"]);
	const part = succeeds(["convert", TRACE, "--anonymise", "--cpu", "1", "-o", "-"]);
	assert.ok(names.length > 50);
	assert.deepEqual(
		names.filter((name) => whole.includes(name)),
		[],
	);
	const plain = succeeds(["convert", TRACE, "-o", "-"]).split("\n");
	const pairs = new Map();
	whole.split("\n").forEach((line, i) => {
		const [site, name] = [line, plain[i]].map((text) => / site=(\S+)/.exec(text)?.[1]);
		if (site) assert.equal(pairs.set(site, pairs.get(site) ?? name).get(site), name);
	});
	assert.equal(new Set(pairs.values()).size, pairs.size);
	for (const line of part.split("\n").filter((text) => / site=/.test(text)))
		assert.ok(whole.includes(line.replace(/^\w+ \S+ \S+/, "").slice(1)), line);
});

test("gives each task its own pseudonym, the same in a part of the file", () => {
	const tasksOf = (text) => text.split("\n").map((line) => / task=(\S+)/.exec(line)?.[1]);
	const write = (...options) =>
		succeeds(["convert", TRACE, "-q", "--keep", "tasks", ...options, "-o", "-"]);
	const names = tasksOf(write());
	const text = write("--anonymise");
	const pairs = new Map();
	for (const [i, pseudonym] of tasksOf(text).entries()) {
		if (!pseudonym) continue;
		assert.match(pseudonym, /^task-\d+$/);
		assert.equal(pairs.set(pseudonym, pairs.get(pseudonym) ?? names[i]).get(pseudonym), names[i]);
	}
	assert.equal(new Set(pairs.values()).size, pairs.size);
	assert.equal(pairs.size, new Set(events.map(({ task }) => task)).size);
	for (const name of pairs.values()) assert.ok(!text.includes(decodeURIComponent(name)), name);
	const [pseudonym, name] = [...pairs].at(-1);
	const part = tasksOf(write("--anonymise", "--task", decodeURIComponent(name)));
	assert.ok(part.includes(pseudonym));
});

test("names every mistake", () => {
	const convert = (...options) => ["convert", TRACE, ...options, "-o", join(folder, "no")];
	refuses(convert("--cache", "dentri"), 2, /--cache `dentri`.*run info for a list/);
	refuses(convert("--cpu", "0-x"), 2, /--cpu `0-x`: expected CPUs such as/);
	refuses(convert("--from-event", "9999"), 2, /--from-event 9999: the trace has only 3055 events/);
	refuses(convert("--task", "nobody"), 2, /--task `nobody`: no event is from this task/);
	refuses(convert("--from-time", "soon"), 2, /--from-time `soon`: expected seconds/);
	refuses(convert("--from-event", "9", "--to-event", "4"), 1, /no event meets every condition/);
});
