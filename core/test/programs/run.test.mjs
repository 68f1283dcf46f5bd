// run.test.mjs - `slabscope run`: programs on each allocator, their recordings, their reports, and how they end. Linux
// only.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { COMMAND, CORE, json, refuses, run } from "../command/command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(SCRATCH, { recursive: true, force: true }));

const LONG = Boolean(process.env.LONG);
const STORM = join(CORE, "test", "programs", "storm", "storm.c");
const MACHINES = [
	["--preset", "linux-6.1"],
	["--preset", "linux-7.2"],
	["--allocator", "slab"],
	["--allocator", "unified"],
	["--allocator", "slob"],
	["--allocator", "slob-segregated"],
];

const VICTIM = `
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static char *volatile p, *volatile q;
void make(void) { p = malloc(24); q = malloc(64); }
void overrun(void) { memset(p, 'A', 28); memset(q, 'B', 66); }
void release(void) { free(p); free(q); }
void use_after_free(void)
{
	q = malloc(128);
	free(q);
	q[5] = 'X';
	for (int i = 0; i < 40; i++) p = malloc(128);
}
void free_twice(void) { p = malloc(200); free(p); free(p); }

/* What is damaged, and not touched again. */
static __attribute__((noinline)) void leave_damage(void)
{
	p = malloc(24);
	q = malloc(128);
	p[24] = 1;
	free(q);
	q[5] = 'X';
	for (int i = 0; i < 2; i++) {
		q = malloc(50);
		q[50] = 'Y';
	}
}

/* A correct program: large objects live, and then do not, where small ones were, and are followed by small ones. */
static void reuse(void)
{
	static char *all[20000];
	for (int round = 0; round < 4; round++) {
		const int nr = round % 2 ? 1500 : 20000, bytes = round % 2 ? 600 : 16;
		for (int i = 0; i < nr; i++) memset(all[i] = malloc(bytes), 1, bytes);
		for (int i = 0; i < nr; i++) if (round < 3 || i % 2) free(all[i]);
	}
}

static volatile int nr_caught;
void count(int signal) { nr_caught++; }
static void fill_record(void) { for (int i = 0; i < 10000; i++) free(malloc(32)); }

/* A signal of the library's writes never comes; the program's own, which waits, is kept. */
static int limited(void)
{
	sigset_t own, pending;
	signal(SIGXFSZ, count);
	fill_record();
	if (nr_caught) return 1;
	sigemptyset(&own);
	sigaddset(&own, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &own, NULL);
	fill_record();
	if (sigpending(&pending) || sigismember(&pending, SIGXFSZ)) return 2;
	raise(SIGXFSZ);
	fill_record();
	if (nr_caught) return 3;
	sigprocmask(SIG_UNBLOCK, &own, NULL);
	return nr_caught == 1 ? 7 : 4;
}

/* Until it is cancelled, and never inside malloc. */
static void *churn(void *unused)
{
	for (;;) {
		for (int i = 0; i < 3000; i++) free(malloc(i));
		pthread_testcancel();
	}
}

void interrupt(int signal) { free(malloc(32)); }

int main(int argc, char **argv)
{
	const char *what = argv[1];
	if (!strcmp(what, "faults")) { make(); overrun(); release(); use_after_free(); free_twice(); }
	if (!strcmp(what, "untouched")) leave_damage();
	if (!strcmp(what, "before")) { p = malloc(50); p[-1] = 5; free(p); }
	if (!strcmp(what, "dies")) { make(); overrun(); release(); raise(SIGABRT); }
	if (!strcmp(what, "full")) for (int i = 0; i < 300; i++) p = malloc(100000);
	if (!strcmp(what, "kill")) raise(SIGKILL);
	if (!strcmp(what, "leave")) { p = malloc(1 << 20); puts("left"); fflush(stdout); _exit(9); }
	if (!strcmp(what, "again")) { puts("again"); fflush(stdout); execl(argv[0], argv[0], "leave", NULL); }
	if (!strcmp(what, "odd")) {
		volatile size_t huge = SIZE_MAX / 2;
		if (malloc(huge) || errno != ENOMEM || calloc(huge, 4) || reallocarray(NULL, huge, 4)) return 1;
		if (malloc(0) == malloc(0) || realloc(malloc(5), 0) || aligned_alloc(24, 8)) return 2;
		if ((uintptr_t)valloc(1) % 4096 || (uintptr_t)aligned_alloc(1 << 21, 1) % (1 << 21)) return 3;
		p = malloc(6 << 20);
		p[5 << 20] = 7;
		p = realloc(p, 9 << 20);
		if (p[5 << 20] != 7) return 4;
		free(p);
		free((char *)main + 16);
	}
	if (!strcmp(what, "quick")) { p = malloc(1 << 20); quick_exit(8); }
	if (!strcmp(what, "alone") && getenv("PATH")) { char *const none[] = { NULL }; execve("/proc/self/exe", argv, none); }
	if (!strcmp(what, "cancel")) {
		pthread_t thread;
		for (int i = 0; i < 20; i++) {
			pthread_create(&thread, NULL, churn, NULL);
			pthread_cancel(thread);
			pthread_join(thread, NULL);
		}
	}
	if (!strcmp(what, "inside")) { p = malloc(100000); free(p + 16); free(p); }
	if (!strcmp(what, "reuse")) reuse();
	if (!strcmp(what, "limited")) return limited();
	if (!strcmp(what, "signals")) {
		struct itimerval often = { { 0, 500 }, { 0, 500 } };
		signal(SIGALRM, interrupt);
		setitimer(ITIMER_REAL, &often, NULL);
		for (;;) free(p = malloc(64));
	}
	if (!strcmp(what, "sizes"))
		for (int i = 2; i < argc; i++) {
			size_t usable = malloc_usable_size(p = malloc(atoi(argv[i])));
			printf("%zu ", usable);
			memset(p, 1, usable);
			free(p);
		}
	return 7;
}
`;

const storm = join(SCRATCH, "storm");
const victim = join(SCRATCH, "victim");
const file = (name) => join(SCRATCH, name);

const DEBUGGED = ["--set", "red_zone=on", "--set", "poison=on"];

/** Runs a program; its JSON goes to a file, so that standard output is the program's. */
function served(options, program) {
	const path = file("totals.json");
	const done = run(["run", "--json", "-o", path, ...options, "--", ...program]);
	return { ...done, totals: JSON.parse(readFileSync(path, "utf8")) };
}

describe("run", { skip: process.platform !== "linux" && "needs Linux" }, () => {
	before(() => {
		writeFileSync(file("victim.c"), VICTIM);
		const flags = ["-w", "-O1", "-fno-builtin", "-pthread", "-rdynamic"];
		for (const [program, source] of [
			[storm, STORM],
			[victim, file("victim.c")],
		]) {
			const done = spawnSync("cc", [...flags, source, "-o", program], { stdio: "inherit" });
			assert.equal(done.status, 0);
		}
	});

	for (const machine of MACHINES)
		test(`threads and forks keep their objects on ${machine[1]}, and a replay has the same totals`, () => {
			const trace = file("storm.slabtrace");
			const program = [storm, "8", LONG ? "10000" : "120", LONG ? "100" : "4"];
			const { status, out, totals } = served(["--record", trace, ...machine], program);
			assert.equal(out, "0 wrong\n");
			assert.equal(status, 0);
			assert.ok(totals.complete && totals.ops > 500 && totals.bad_frees === 0, `${totals.ops}`);
			assert.ok(totals.processes >= 9, `${totals.processes}`);
			const replayed = json(["replay", trace]);
			// A replay's state has the table of its trace; its machine line has the preset's parameters.
			const apart = ["state_hash", "preset", "kernel"];
			for (const key of Object.keys(totals))
				if (key in replayed && !apart.includes(key))
					assert.deepEqual(totals[key], replayed[key], key);
			assert.ok("caches" in totals && "cpu_rows" in totals && "waste" in totals);
		});

	test("serves 64 threads at once", () => {
		const { status, totals } = served(["--cpus", "16"], [storm, "64", LONG ? "60000" : "400", "0"]);
		assert.equal(status, 0);
		assert.ok(totals.ops > 1000);
	});

	test("reports overruns, a use after free and a double free, each with object, slab and call site", () => {
		const { status, err, totals } = served(DEBUGGED, [victim, "faults"]);
		assert.equal(status, 7);
		const reports = err.split(/^BUG /m).slice(1);
		assert.equal(reports.length, 4, err);
		const all = (report, ...patterns) => {
			for (const pattern of patterns) assert.match(report, pattern);
		};
		all(
			reports[0],
			/^kmalloc-32: kmalloc Redzone overwritten/,
			/First byte 0x41 instead of 0xcc/,
			/Requested 24 bytes of 32/,
			/Allocated by make\+0x[0-9a-f]+ \[victim\+/,
			/Found in a call by release\+/,
		);
		all(
			reports[1],
			/^kmalloc-64: Right Redzone overwritten/,
			/First byte 0x42 instead of 0xcc/,
			/^ {2}Slab \d+ objects=\d+ used=\d+/m,
			/^ {2}Object \d+ at 0x/m,
			/Allocated by make\+/,
		);
		all(
			reports[2],
			/^kmalloc-128: Poison overwritten/,
			/First byte 0x58 instead of 0x6b/,
			/Freed by use_after_free\+/,
		);
		all(reports[3], /Object already free/, /Found in a call by free_twice\+/);
		// The JSON contains what was printed.
		assert.match(err, /^ {2}4 reports of damaged memory$/m);
		assert.equal(totals.reports_found, 4);
		assert.ok(totals.reports.every((report) => err.includes(`${report.text}\n`)));
		const [rest, right, poison] = totals.reports;
		assert.equal(rest.check, "kmalloc Redzone overwritten");
		assert.deepEqual([rest.requested, rest.len, rest.found, rest.freed], [24, 4, 0x41, null]);
		assert.equal(right.check, "Right Redzone overwritten");
		assert.match(right.allocated.call_site, /^make\+0x/);
		assert.match(right.found_by.call_site, /^release\+0x/);
		assert.match(poison.freed.call_site, /^use_after_free\+0x/);
	});

	test("reports damage that was never touched again at the end, and names functions that are not exported", () => {
		const { err, totals } = served(DEBUGGED, [victim, "untouched"]);
		const found = totals.reports.map((report) => [report.cache, report.requested, report.found]);
		assert.deepEqual(found, [
			["kmalloc-128", undefined, 0x58],
			["kmalloc-32", 24, 1],
			["kmalloc-64", 50, 0x59],
			["kmalloc-64", 50, 0x59],
		]);
		for (const report of totals.reports) {
			assert.match(report.allocated.call_site, /^leave_damage\+0x/);
			assert.equal(report.found_by, null);
			assert.match(report.text, /\n {2}Found at the end of the program$/);
		}
		const [, address] = err.match(/addr2line -f -e \S+\/victim 0x([0-9a-f]+)\n/);
		assert.ok(totals.reports[0].allocated.call_site.endsWith(`[victim+0x${address}]`));
		assert.doesNotMatch(run(["run", ...DEBUGGED, "--", victim, "leave"]).err, /addr2line|damaged/);
	});

	test("does not claim that an object was freed when it could not be, and keeps the reports of a program that dies", () => {
		const [report, ...others] = served(DEBUGGED, [victim, "before"]).totals.reports;
		assert.equal(others.length, 0);
		assert.match(report.text, /Left Redzone overwritten.*not freed.*Found in a call by main/s);
		assert.equal(report.freed, null);
		const dead = served(DEBUGGED, [victim, "dies"]);
		assert.equal(dead.totals.complete, false);
		assert.equal(dead.totals.reports.length, 2);
		assert.match(dead.err, /^ {2}2 reports of damaged memory$/m);
	});

	test("says that requests were mapped because the machine's memory was full", () => {
		const { err, totals } = served(["--memory", "16M"], [victim, "full"]);
		assert.ok(totals.mapped > 100 && totals.mapped === totals.mapped_when_full, `${totals.mapped}`);
		assert.match(
			err,
			/requests mapped, peak [\d,]+ bytes: \d+ because the machine's memory was full/,
		);
	});

	test("--record names call sites, in the program and in libraries", () => {
		const trace = file("sites.slabtrace");
		assert.equal(run(["run", "-q", "--record", trace, "--", victim, "faults"]).status, 7);
		const text = readFileSync(trace, "utf8");
		assert.doesNotMatch(text, /#module|site=0x/);
		assert.match(text, /^slabtrace 1\nmachine .*\n[\s\S]*\n#exit\n#end \d+\n$/);
		assert.equal(text.match(/^k \d+ (24|64) .* site=make\+0x[0-9a-f]+$/gm)?.length, 2);
		assert.equal(text.match(/^k \d+ 128 .* site=use_after_free\+0x[0-9a-f]+$/gm)?.length, 41);
		assert.equal(text.match(/^f \d+ .* site=release\+0x/gm)?.length, 2);
		// The second free of free_twice().
		assert.equal(json(["info", trace]).skipped_lines, 1);
	});

	for (const debugging of [
		["red_zone=on"],
		["red_zone=on", "poison=on", "store_user=on"],
		["poison=on"],
		["sanity_checks=on", "store_user=on"],
	])
		test(`a correct program is served without a report, with ${debugging.join(", ")}`, () => {
			const options = debugging.flatMap((setting) => ["--set", setting]);
			const { status, totals } = served(options, [victim, "reuse"]);
			assert.deepEqual([status, totals.reports_found, totals.bad_frees], [7, 0, 0]);
		});

	test("does not free a pointer into the middle of a large object", () => {
		const { status, totals } = served([], [victim, "inside"]);
		assert.deepEqual([status, totals.bad_frees, totals.large_bytes], [7, 1, 0]);
	});

	test("without debugging a double free is counted and nothing else happens", () => {
		const { status, totals } = served([], [victim, "faults"]);
		assert.equal(status, 7);
		assert.equal(totals.bad_frees, 1);
	});

	test("answers requests at the limits as malloc does", () => {
		const { status, totals } = served([], [victim, "odd"]);
		assert.equal(status, 7);
		assert.ok(totals.mapped >= 2 && totals.mapped_bytes_peak >= 9 << 20);
		assert.equal(totals.bad_frees, 1);
	});

	// Requests, and the sizes of the caches that kmalloc has for them.
	const SLOTS = {
		1: 8,
		17: 32,
		65: 96,
		97: 128,
		129: 192,
		193: 256,
		600: 1024,
		8192: 8192,
		8193: 16384,
	};
	const usable = (...machine) => {
		const done = run(["run", "-q", ...machine, "--", victim, "sizes", ...Object.keys(SLOTS)]);
		assert.equal(done.err, "");
		return done.out.trim().split(" ").map(Number);
	};

	test("malloc_usable_size is the size of kmalloc's slot, or the requested size if a red zone follows", () => {
		const slots = Object.values(SLOTS);
		assert.deepEqual(usable(), slots);
		// SLAB's smallest cache.
		assert.deepEqual(usable("--allocator", "slab"), [32, ...slots.slice(1)]);
		assert.deepEqual(usable("--allocator", "unified"), slots);
		const requests = Object.keys(SLOTS).map(Number);
		const debugged = usable("--set", "red_zone=on");
		for (const [i, bytes] of debugged.entries())
			assert.ok(bytes === requests[i] || bytes === slots[i], `${bytes}`);
		assert.equal(debugged[6], 600);
	});

	test("a cancelled thread does not keep the lock", () => {
		const { status, totals } = served(["--record", file("cancel.slabtrace")], [victim, "cancel"]);
		assert.equal(status, 7);
		assert.ok(totals.complete);
	});

	test("ends a program that it cannot serve, with one sentence", () => {
		const command = `ulimit -v 3000000; exec "$0" run --json -- "$1" leave`;
		const done = spawnSync("sh", ["-c", command, COMMAND, victim], { encoding: "utf8" });
		assert.equal(
			done.stderr,
			"slabscope: run: cannot reserve 4 GiB of address space for the allocator: is there a limit (ulimit -v)?\n",
		);
		assert.equal(done.status, 126);
	});

	test("a signal handler that allocates during malloc ends the program and damages nothing", () => {
		const done = run(["run", "--", victim, "signals"]);
		assert.equal(done.status, 126);
		assert.match(done.err, /^slabscope: run: a signal handler called malloc or free while .*\n$/);
	});

	test("reports at _exit and exec, but not when the program is killed", () => {
		const { status, out, totals } = served([], [victim, "again"]);
		assert.equal(status, 9);
		assert.equal(out, "again\nleft\n");
		assert.ok(totals.complete && totals.exit_status === 9);
		assert.ok(totals.large_bytes >= 1 << 20);
		const quick = served([], [victim, "quick"]);
		assert.ok(quick.status === 8 && quick.totals.complete && quick.totals.large_bytes >= 1 << 20);
		const alone = served(["--record", file("alone.slabtrace")], [victim, "alone"]);
		assert.match(alone.err, /not written, because the program left no events/);
		assert.match(alone.err, /went on, by exec, as one that did not load the library/);
		const killed = served([], [victim, "kill"]);
		assert.equal(killed.status, 137);
		assert.equal(killed.totals.complete, false);
		assert.match(killed.err, /signal 9 ended the program before it could report/);
	});

	/** What a shell prints and returns; "$@" is the call. */
	const shell = (script, ...call) =>
		spawnSync("sh", ["-c", script, "sh", COMMAND, "run", ...call], { encoding: "utf8" });

	test("a limit on file sizes stops the library from writing, but not the program from running", () => {
		const { status, stdout, stderr } = shell(
			'ulimit -f 12; exec "$@"',
			"--json",
			"--",
			victim,
			"limited",
		);
		assert.equal(status, 7, stderr);
		assert.match(stderr, /no totals: File too large; is there a limit \(ulimit -f\)\?\n$/);
		const totals = JSON.parse(stdout);
		assert.deepEqual([totals.complete, totals.processes, totals.exit_status], [false, 1, 7]);
		const trace = file("limited.slabtrace");
		const call = ["--record", trace, "--", victim, "limited"];
		const recorded = shell('ulimit -f 64; exec "$@"', ...call);
		assert.equal(recorded.status, 7, recorded.stderr);
		assert.match(recorded.stderr, /^slabscope: slub served 60,000 requests of /m);
		assert.match(
			recorded.stderr,
			/: cut off, so it is not kept: [\d,]+ events of the trace could not be written; is the disk/,
		);
		assert.ok(!existsSync(trace));
		// A program that ends well does so with a cut recording too.
		const well = ["--record", trace, "--", "python3", "-c", 'print("over")'];
		const over = shell('ulimit -f 8; exec "$@"', ...well);
		assert.deepEqual([over.status, over.stdout], [0, "over\n"], over.stderr);
		assert.match(over.stderr, /limited.slabtrace: cut off, so it is not kept: /);
		assert.ok(!existsSync(trace));
	});

	test("a program survives a report into a pipe that nobody reads", () => {
		// Only the writing end of the pipe stays open.
		const script = `mkfifo "$F"; exec 4<>"$F" 3>"$F" 4<&-; exec "$@"`;
		const call = [...DEBUGGED, "--", "sh", "-c", 'exec 2>&3; exec "$0" faults', victim];
		const done = shell(`F=${file("pipe")}; ${script}`, "-q", "--json", ...call);
		assert.equal(done.status, 7, done.stderr);
		assert.equal(JSON.parse(done.stdout).reports_found, 4);
	});

	test("writes only to files that the command made for this run", () => {
		const library = join(dirname(COMMAND), "lib", "slabscope", "run.so");
		const kept = ["result", "record", "reports"].map((name) => [name, file(`kept.${name}`)]);
		const content = Buffer.alloc(16384);
		for (const [, path] of kept) writeFileSync(path, content);
		const settings = kept.map(([name, path]) => `@${name}=${path}`);
		for (const key of ["", "@key=0", "@key=77"]) {
			const lines = [key, ...settings, "red_zone=on", "sanity_checks=on"];
			const env = { ...process.env, LD_PRELOAD: library, SLABSCOPE_RUN: lines.join("\n") };
			const done = spawnSync(victim, ["faults"], { env, encoding: "utf8" });
			assert.equal(done.status, 7, done.stderr);
			assert.match(done.stderr, /^BUG kmalloc-32: kmalloc Redzone overwritten/m);
			for (const [name, path] of kept) assert.deepEqual(readFileSync(path), content, name);
		}
	});

	test("a program that drops the library keeps its own exit status, also with --record", () => {
		const trace = file("dropped.slabtrace");
		const script = "exec env -i true";
		const done = run(["run", "--record", trace, "--", "sh", "-c", script]);
		assert.match(done.err, /not written, because the program left no events/);
		assert.match(done.err, /as one that did not load the library/);
		assert.equal(done.status, 0);
		assert.ok(!existsSync(trace));
	});

	test("prints its summary on standard error, and leaves standard output to the program", () => {
		const { out, err } = run(["run", "--", victim, "leave"]);
		assert.equal(out, "left\n");
		assert.match(err, /^slabscope: slub served \d+ requests? of .*victim, on a machine of \d+ CPU/);
		assert.match(err, /^ {2}at the end of the program: \d+ objects? live, /m);
		const record = file("leave.slabtrace");
		const named = run(["run", "--record", record, "--", victim, "leave"]).err;
		assert.ok(
			named.endsWith(`events recorded in ${record}; replay them: slabscope replay ${record}\n`),
		);
		assert.equal(run(["run", "-q", "--", victim, "leave"]).err, "");
		const { out: both } = run(["run", "-q", "--json", "--", victim, "leave"]);
		assert.ok(both.startsWith("left\n{") && JSON.parse(both.slice(5)).complete);
	});

	test("refuses calls that it cannot serve", () => {
		refuses(["run"], 2, /needs a program/);
		refuses(["run", "-o", file("x"), "--", victim, "leave"], 2, /-o names the file for --json/);
		refuses(["run", "--record", "-", "--", victim, "leave"], 2, /name a file/);
		refuses(["run", "--set", "cpus=none", "--", victim, "leave"], 2, /cpus/);
		assert.equal(run(["run", "--", file("nothing")]).status, 127);
	});
});
