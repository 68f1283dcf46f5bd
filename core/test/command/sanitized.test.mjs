// sanitized.test.mjs - every subcommand, with each of its options once, under the address and undefined sanitizers.
//
// Answers are rows in memory that the next question releases. Only a build that poisons released rows shows a command
// that still reads them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { CORE } from "./command.mjs";

const COMMAND = join(CORE, "build", "asan", "slabscope");
const folder = mkdtempSync(join(tmpdir(), "slabscope-sanitized-"));

const corpus = (name) => join(CORE, "test", "corpus", "trace", name);
const reality = (name) => join(CORE, "test", "reality", `compile-8cpus.${name}.gz`);
const own = (name) => join(folder, name);

const TRACE = corpus("fields.ftrace");
const POINTER = "0xff19a340c1faf000";
const LESSON = join(CORE, "..", "traces", "two-nodes.slabtrace");
const COUNTED = corpus("bulk.ftrace");
const SLABINFO = corpus("slabinfo.state");
const [REAL, START, STOP] = [reality("trace"), reality("start.state"), reality("stop.state")];
const MACHINE = "--cpus 4 --nodes 2 --memory 4G --zones 1,1 --page-size 4096";

const SYMBOLS = own("kallsyms");
const CSV = own("columns.csv");
const OOPS = own("oops.txt");

/** The other allocators have their own places. */
const EACH = ["slub", "slab", "unified", "slob", "slob-segregated"];
const onEach = (call) => EACH.map((name) => `${call} --allocator ${name}`);

/** They take a minute, or measure the processor: the C tests have the generated trace. */
const LEFT_OUT = ["bench --events", "bench --live"];

/** Calls of each subcommand, without its name. */
const CALLS = {
	info: [
		`${TRACE} --shape --json --keep pointers,tasks --kallsyms ${SYMBOLS}`,
		`${TRACE} --markdown`,
	],
	replay: [
		`${TRACE} --cache-params ${SLABINFO} --machine-state ${SLABINFO} --before ${SLABINFO}`,
		`${LESSON} --by-clocks --json ${MACHINE}`,
		`${TRACE} --warm ${SLABINFO} --csv`,
		`${TRACE} --cold --preset linux-6.18 --markdown`,
	],
	steps: [
		...onEach(`${LESSON} --event 1 --count 113`),
		`${LESSON} --op 0 --json`,
		`${LESSON} --op 0 --csv`,
	],
	state: [
		...onEach(`${LESSON} --at 50`),
		`${LESSON} --at 50 --step 1 --cache lesson --json`,
		`${LESSON} --at 50 --object lesson/0/0`,
		`${LESSON} --slabinfo`,
	],
	placements: onEach(`${LESSON} --state`),
	order: [
		"--size 1000 --rule linux-6.7 --min-objects 8 --max-order 3",
		"--all --to 512 --csv",
		`--machine ${SLABINFO} --against rfc-2023 --json`,
	],
	params: ["--presets --json", "--preset linux-4.19", "--csv"],
	convert: [
		`${TRACE} -o ${own("cut.slabtrace")} --from-event 2 --to-event 9 --anonymise --json`,
		`${TRACE} --to ftrace --cpu 0-3 --node 0 --cache names* --call-site * --task *`,
		`${TRACE} --from-time 3.63 --to-time 3.64`,
		`${CSV} --columns ptr=addr,req=3`,
	],
	bench: [`${TRACE} --json`],
	life: [
		`${LESSON} --slab lesson/0 --json`,
		`${LESSON} --object 3 --from 1 --count 4`,
		`${LESSON} --cache lesson --back`,
		`${TRACE} --ptr ${POINTER} --at 3`,
	],
	find: [
		`${LESSON} --when new-slab,slab-freed --all --count 9`,
		`${LESSON} --cache lesson --cpu 1 --from 90 --back --json`,
		`${LESSON} --slab lesson/1`,
		`${LESSON} --object lesson/0/1`,
		`${TRACE} --ptr ${POINTER} --all --json`,
	],
	compare: [
		`${LESSON} --with slub --with slab --with unified --with slob --json`,
		`${LESSON} --with slub,min_partial=0 --with slub --jobs 2`,
		`${LESSON} --kernels --markdown --jobs 1`,
		`${TRACE} --against ${corpus("latency.ftrace")} --align time --count 3`,
	],
	workload: [`hackbench --seed 7 --scale 0.1 -o ${own("made.slabtrace")}`],
	sweep: [
		`${LESSON} --x min_partial=0,5 --y cpu_partial=0,2 --metric slab_bytes_peak,cycles --jobs 2`,
		`${LESSON} --x allocator=slub,slab --json --jobs 1`,
	],
	counters: [COUNTED, `${COUNTED} --json`, `${COUNTED} --csv`],
	reproduce: ["000 --scale 0.01 --jobs 1 --json", "slob --scale 0.01 --jobs 2"],
	next: [...onEach(`${LESSON} --at 50`), `${LESSON} --cache lesson --json`],
	chapters: [...onEach(LESSON), `${LESSON} --cache lesson --json`],
	why: [
		...onEach(`${LESSON} --list cpu0`),
		...onEach(`${LESSON} --list node1 --json`),
		`${LESSON} --at 50 --cache lesson --list 0/partial`,
		`${LESSON} --list 0/pages`,
	],
	memory: [
		...onEach(`${TRACE} --at 5`),
		`${LESSON} --csv --matrix`,
		`${LESSON} --cache lesson --json`,
	],
	doctor: [`${TRACE} --jobs 1`, `${LESSON} --json --jobs 2`, `${LESSON} --csv`],
	tracks: [
		`${LESSON} --every 1 --top 2 -o ${own("lesson.perfetto-trace")}`,
		`${LESSON} --cache lesson -o ${own("lesson.perfetto-trace")}`,
	],
	merge: [`${TRACE} ${corpus("latency.ftrace")} -o ${own("merged.slabtrace")} --json`],
	export: ["events", "objects", "slabs", "steps", "caches"].map(
		(table) => `${LESSON} --table ${table} -o ${own(table)}`,
	),
	lookup: [`${TRACE} ${OOPS}`, `${TRACE} --ptr ${POINTER} --json`],
	sites: [
		`${TRACE} --by site,cpu --from-event 5 --to-event 60 --csv`,
		`${TRACE} --cache names_cache --cpu 0 --node 0 --task bash --count 3`,
		`${TRACE} --pprof -o ${own("sites.pb.gz")}`,
	],
	check: [
		`${REAL} --start ${START} --stop ${STOP} --infer-order --json`,
		`${REAL} --start ${START}`,
	],
	...(process.platform === "linux" && {
		record: [`-o ${own("true.slabtrace")} --most 100 --quiet -- /bin/true`],
		run: [
			`--record ${own("run.slabtrace")} -o ${own("run.json")} --json --set poison=on -- /bin/sh -c :`,
		],
	}),
};

function call(words) {
	const done = spawnSync(COMMAND, words, {
		encoding: "utf8",
		maxBuffer: 1 << 28,
		env: { ...process.env, ASAN_OPTIONS: "detect_leaks=0", UBSAN_OPTIONS: "print_stacktrace=1" },
	});
	assert.doesNotMatch(done.stderr, /Sanitizer|runtime error/);
	assert.equal(done.status, 0, done.stderr);
	return done.stdout;
}

describe("under the sanitizers", () => {
	before(() => {
		const made = spawnSync("make", ["-s", "-C", CORE, "MODE=asan", "build/asan/slabscope"], {
			encoding: "utf8",
		});
		assert.equal(made.status, 0, made.stderr);
		writeFileSync(SYMBOLS, "ffffffff81000000 T _text\n");
		writeFileSync(CSV, "event,addr,3,alloc\nkmalloc,0xff40,8,8\n");
		writeFileSync(
			OOPS,
			`BUG: KASAN: slab-use-after-free in f+0x1/0x2\nRead of size 8 at addr ${POINTER}\n`,
		);
	});
	after(() => rmSync(folder, { recursive: true }));

	for (const [name, calls] of Object.entries(CALLS)) {
		test(name, () => {
			for (const words of calls) call([name, ...words.split(" ")]);
		});
	}
	test("covers every subcommand and every option", () => {
		const names = [...call(["--help"]).matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name);
		const all = Object.values(CALLS)
			.flat()
			.map((words) => ` ${words} `);
		const isCalled = (letter, option) =>
			all.some((words) => words.includes(` --${option} `) || words.includes(` ${letter} `));
		assert.deepEqual(
			names.filter((name) => !CALLS[name]),
			[],
		);
		const missing = names.flatMap((name) =>
			[...call([name, "--help"]).matchAll(/^ {2}(-.|..). --([a-z-]+)/gm)]
				.filter(([, letter, option]) => option !== "help" && !isCalled(letter, option))
				.map(([, , option]) => `${name} --${option}`),
		);
		assert.deepEqual(missing, LEFT_OUT);
	});
});
