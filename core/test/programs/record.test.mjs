// record.test.mjs - `slabscope record`: the calls of a small program, counted exactly, however it ends. Linux only.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { COMMAND, CORE, json, refuses, run, succeeds } from "../command/command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(SCRATCH, { recursive: true, force: true }));

const TRACES = join(CORE, "..", "traces");

const PROGRAM = `
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;
static void leak(void) { kept = malloc(40); }
static void pair(void) { free(malloc(24)); }
static void pairs(int n) { while (n--) pair(); }

static void calls(void)
{
	void *p;
	for (int i = 0; i < 7; i++) leak();
	free(calloc(10, 10));
	if (posix_memalign(&p, 64, 100)) exit(9);
	free(p);
	free(aligned_alloc(64, 128));
	free(memalign(32, 33));
	free(valloc(9));
	free(pvalloc(10));
	p = realloc(malloc(100), 120);
	p = reallocarray(realloc(p, 5000), 1000, 10);
	p = realloc(p, 0);
	free(malloc(0));
	free(NULL);
	kept = malloc((size_t)1 << 62);
	free(malloc((size_t)100 << 20));
}

static void *worker(void *arg) { pairs(1000); return malloc(48); }

static void threads(int at_once)
{
	pthread_t t[4];
	void *p;
	for (int i = 0; i < at_once; i++) pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < at_once; i++) { pthread_join(t[i], &p); free(p); }
}

int main(int argc, char **argv)
{
	const char *what = argv[1];
	if (!strcmp(what, "calls")) { calls(); return 5; }
	if (!strcmp(what, "threads")) { threads(4); for (int i = 0; i < 20; i++) threads(1); }
	if (!strcmp(what, "pairs")) pairs(20);
	if (!strcmp(what, "many")) pairs(10000);
	if (!strcmp(what, "kill")) { pairs(2000); leak(); raise(SIGKILL); }
	if (!strcmp(what, "exit")) { pairs(3); _exit(0); }
	if (!strcmp(what, "fork")) {
		pair();
		leak();
		if (!fork()) { pairs(50); free(kept); leak(); _exit(3); }
		wait(NULL);
		execl(argv[0], argv[0], "pairs", NULL);
	}
	if (!strcmp(what, "daemon")) {
		int ready[2];
		leak();
		if (pipe(ready)) return 1;
		pid_t pid = fork();
		if (!pid) {
			leak();
			close(1);
			close(2);
			if (write(ready[1], "", 1) == 1) sleep(60);
			_exit(0);
		}
		char text[16] = { 0 };
		if (read(ready[0], text, 1) != 1) return 1;
		for (int at = 14, n = pid; n; n /= 10) text[at--] = '0' + n % 10;
		for (int at = 0; at < 15; at++) if (text[at]) { if (write(1, text + at, 15 - at) < 0) return 1; break; }
	}
	return 0;
}
`;

const program = join(SCRATCH, "program");
const trace = (name) => join(SCRATCH, `${name}.slabtrace`);

function record(name, ...options) {
	return run(["record", "-o", trace(name), ...options, "--", program, name]);
}

function recorded(name, ...options) {
	const done = record(name, ...options);
	return { ...done, info: json(["info", trace(name)]) };
}

describe("record", { skip: process.platform !== "linux" && "needs Linux" }, () => {
	before(() => {
		const source = join(SCRATCH, "program.c");
		writeFileSync(source, PROGRAM);
		const flags = ["-O0", "-fno-builtin", "-pthread", "-o", program, source];
		assert.equal(spawnSync("cc", flags, { stdio: "inherit" }).status, 0);
	});

	test("records every kind of call, and exits as the program does", () => {
		const { status, info } = recorded("calls");
		assert.equal(status, 5);
		assert.deepEqual(info.events_by_kind, {
			malloc: 9,
			calloc: 1,
			posix_memalign: 1,
			aligned_alloc: 1,
			memalign: 1,
			valloc: 1,
			pvalloc: 1,
			// The first keeps its slot; the second and reallocarray allocate and free; the last frees.
			realloc: 4,
			reallocarray: 2,
			free: 7,
		});
		assert.equal(info.live_at_end, 7);
		assert.equal(info.skipped_lines, 0);
		assert.match(readFileSync(trace("calls"), "utf8"), /\n#exit\n#end \d+\n$/);
		assert.equal(readFileSync(trace("calls"), "utf8").match(/^# left out/gm).length, 2);
	});

	test("names call sites by function", () => {
		const [first] = json(["sites", trace("calls")]).sites;
		assert.match(first.call_site, /^leak\+0x/);
		assert.equal(first.live_objects, 7);
		assert.equal(first.live_bytes_requested, 280);
	});

	test("writes a trace that replays and that other commands read", () => {
		assert.equal(json(["replay", trace("calls"), "--allocator", "slab"]).live_at_end, 7);
		assert.equal(run(["doctor", trace("calls")]).status, 0);
		const why = ["why", trace("calls"), "--at", "7", "--list", "cpu0", "--json"];
		assert.equal(run(why).status, 0);
	});

	test("each thread is a virtual CPU, and a new thread reuses the number of one that has ended", () => {
		const { status, info } = recorded("threads");
		assert.equal(status, 0);
		assert.ok(info.cpus >= 2 && info.cpus <= 5, `${info.cpus}`);
		assert.equal(info.events_by_kind.malloc, 24 * 1001);
		assert.equal(info.events_by_kind.free, 24 * 1001);
		assert.equal(info.orphan_frees, 0);
		assert.equal(info.unseen_frees, 0);
	});

	test("records children, each with its own objects; exec and a child's exit free what is live", () => {
		const { status, err, info } = recorded("fork");
		assert.equal(status, 0);
		assert.match(err, /events of 2 threads in 2 processes\n$/);
		assert.equal(info.events_by_kind.malloc, 1 + 1 + 20 + 51);
		// Leaked before the exec, and in the child.
		assert.equal(info.unseen_frees, 2);
		// The child frees what its parent had allocated.
		assert.equal(info.orphan_frees, 1);
		assert.equal(info.live_at_end, 0);
		const tasks = json(["sites", trace("fork"), "--by", "task"]).sites.map((row) => row.task);
		assert.equal(new Set(tasks).size, 2);
		assert.ok(tasks.every((task) => /^program-\d+$/.test(task)));
		const [row] = json(["sites", trace("fork"), "--by", "site"]).sites.filter((r) =>
			r.call_site.startsWith("pair+"),
		);
		assert.equal(row.allocations, 71);
	});

	test("records programs that children start, and names those that did not load the library", () => {
		const script = `${program} pairs; env -i ${program} pairs; ${program} pairs`;
		const done = run(["record", "-o", trace("sh"), "--", "sh", "-c", script]);
		assert.equal(done.status, 0);
		assert.match(done.err, /1 program not recorded, such as \S*program: /);
		const text = readFileSync(trace("sh"), "utf8");
		assert.match(
			text,
			/^# not recorded, as it did not load the library: process \d+, \S*program$/m,
		);
		const mine = [...text.matchAll(/^k .* task=program-(\d+) site=pair\+/gm)];
		assert.equal(mine.length, 2 * 20);
		assert.equal(new Set(mine.map(([, pid]) => pid)).size, 2);
	});

	test("reports a process that outlives the first one", () => {
		const done = record("daemon");
		const [pid] = done.out.split("\n");
		assert.ok(process.kill(Number(pid), "SIGKILL"));
		assert.match(done.err, /1 process still running: the calls that follow are missing/);
		const text = readFileSync(trace("daemon"), "utf8");
		assert.match(text, /^# still running when the first process ended, .*: processes 1$/m);
		// Its objects have not been freed.
		assert.equal(json(["info", trace("daemon")]).live_at_end, 2);
	});

	test("keeps apart the calls of threads, forks and programs that run at once", () => {
		const storm = join(SCRATCH, "storm");
		const source = join(CORE, "test", "programs", "storm", "storm.c");
		const flags = ["-w", "-O1", "-fno-builtin", "-pthread", source, "-o", storm];
		assert.equal(spawnSync("cc", flags, { stdio: "inherit" }).status, 0);
		const done = run(["record", "-o", trace("storm"), "--", storm, "4", "20", "6"]);
		assert.equal(done.out, "0 wrong\n");
		// Grandchildren call nothing.
		assert.match(done.err, / in 7 processes\n/);
		const info = json(["info", trace("storm")]);
		assert.equal(info.skipped_lines, 0);
		assert.equal(info.lost, 0);
	});

	test("keeps every call of a program that is killed", () => {
		const { status, info } = recorded("kill");
		assert.equal(status, 128 + 9);
		assert.equal(info.allocs, 2001);
		assert.equal(info.live_at_end, 1);
		assert.equal(recorded("exit").info.allocs, 3);
	});

	test("past the limit the trace says how much is missing, also after convert", () => {
		const { err, info } = recorded("many", "--most", "1000");
		assert.match(err, /19,000 events more did not fit/);
		assert.equal(info.events, 1000);
		assert.equal(info.lost, 19000);
		assert.ok(info.truncated);
		const copy = trace("copy");
		run(["convert", trace("many"), "-o", copy]);
		assert.equal(json(["info", copy]).lost, 19000);
		assert.doesNotMatch(readFileSync(trace("many"), "utf8"), /^#exit/m);
	});

	test("records the events of the lesson's sample from the lesson's program", () => {
		const [source, inbox] = [join(TRACES, "inbox.c"), join(SCRATCH, "inbox")];
		assert.equal(spawnSync("cc", ["-g", "-o", inbox, source]).status, 0);
		assert.equal(run(["record", "-q", "-o", trace("inbox"), "--", inbox]).status, 0);
		const events = (file) => {
			const rows = json(["sites", file, "--by", "site"]).sites;
			// Offsets are the compiler's.
			const named = rows.map((r) => [r.call_site.replace(/\+.*/, ""), r.allocations, r.frees]);
			return [json(["info", file]).events, named.sort()];
		};
		const [nr, rows] = events(trace("inbox"));
		assert.deepEqual([nr, rows], events(join(TRACES, "program-inbox.slabtrace.gz")));
		assert.deepEqual(
			rows.find(([site]) => site === "read_line"),
			["read_line", 750, 720],
		);
		// The starred bodies: a program that has ended needs no frees to compare with.
		const { leak, why } = json(["sites", trace("inbox")]).caches.find(
			(c) => c.name === "kmalloc-512",
		);
		assert.equal(leak, "suspect");
		assert.match(why, /^63 of 309 objects were not freed when the program ended/);
	});

	test("records python's own objects", () => {
		const env = { ...process.env, PYTHONMALLOC: "malloc" };
		const code = "x = [[i] for i in range(20000)]; print(len(x))";
		const args = ["record", "-q", "-o", trace("python"), "--", "python3", "-c", code];
		const done = spawnSync(COMMAND, args, { encoding: "utf8", env });
		assert.equal(done.stdout, "20000\n", done.stderr);
		const info = json(["info", trace("python")]);
		assert.ok(info.allocs > 40000);
		assert.equal(info.skipped_lines, 0);
	});

	test("refuses an invalid call in one sentence", () => {
		refuses(["record"], 2, /record needs a program: slabscope record -- PROGRAM/);
		refuses(["record", "ls"], 2, /expected -- before the program: slabscope record -- ls/);
		refuses(["record", "-o", "-", "--", "ls"], 2, /name a file, -o FILE/);
		refuses(["record", "-o", trace("no"), "--", "/no/such"], 127, /cannot be started/);
		assert.throws(() => readFileSync(trace("no")));
	});

	test("never overwrites the program, nor a file among its arguments or its input", () => {
		const script = "#!/bin/sh\necho ran\n";
		const path = join(SCRATCH, "script");
		const link = join(SCRATCH, "link");
		writeFileSync(path, script, { mode: 0o755 });
		symlinkSync("script", link);
		const env = { ...process.env, PATH: `${SCRATCH}:${process.env.PATH}` };
		const calls = [
			["record", "-o", path, "--", path],
			["record", "-o", path, "--", link],
			["record", "-o", link, "--", "script"],
			["record", "-o", path, "--", "sh", path],
			["run", "--record", path, "--", path],
			["run", "--json", "-o", path, "--", path],
		];
		for (const call of calls) {
			const done = spawnSync(COMMAND, call, { encoding: "utf8", env });
			assert.equal(done.status, 2, call.join(" "));
			assert.match(done.stderr, /: is the input itself \(.*\): write to another file/);
			assert.equal(done.stdout, "");
		}
		const input = spawnSync("sh", ["-c", 'exec "$0" record -o "$1" -- cat <"$1"', COMMAND, path]);
		assert.equal(input.status, 2);
		assert.equal(readFileSync(path, "utf8"), script);
		assert.deepEqual(succeeds(["record", "-q", "-o", trace("beside"), "--", path]), "ran\n");
	});
});
