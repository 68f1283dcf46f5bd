// malloc.mjs - measures the allocators as the malloc of eight programs, and writes docs/malloc.md.
//
//	npm run malloc                                  some minutes; jemalloc and mimalloc are left out where they are not installed
//	node core/bench/malloc.mjs --page               only the page again, from the figures in malloc.json
//	node core/bench/malloc.mjs 0.1 TRACE            a tenth of the loads, and of the calls of a trace, as JSON
//	node core/bench/malloc.mjs -- git log --stat    a program

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const COMMAND = path("../build/slabscope");
const LIBRARY = path("../build/lib/slabscope/run.so");
export const LOAD = path("../build/malloc_load");
const FIGURES = path("malloc.json");
const PAGE = path("../../docs/malloc.md");

const JSON_CODE = `import json
rows = [{"id": i, "name": "item %d" % i, "tags": ["a", "b"]} for i in range(3000)]
text = json.dumps(rows)
for i in range(4): rows = json.loads(text)
`;
export const INSERT = `create table t(id integer primary key, name text, size integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
insert into t select i, 'name ' || i, i * 7 from n; create index x on t(name); select count(*) from t;`;

/** python3 itself: the one in the PATH may be a script that finds it. */
export const PYTHON = () =>
	spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
		encoding: "utf8",
	}).stdout.trim();

/** The five programs, with their own files in a folder. */
export const PROGRAMS = [
	{ name: "python3, JSON", argv: () => [PYTHON(), "-c", JSON_CODE] },
	{ name: "sqlite3, bulk insert", argv: () => ["sqlite3", ":memory:", INSERT] },
	{ name: "git log", argv: () => ["git", "-C", path("../.."), "log", "--stat", "-n", "60"] },
	{ name: "xz -T2", argv: (dir) => ["xz", "-T2", "-3", "-k", "-c", join(dir, "text")] },
	{
		name: "gcc, a C file",
		argv: (dir) => ["cc", "-O1", "-w", "-c", join(dir, "a.c"), "-o", join(dir, "a.o")],
	},
];
const LOADS = { pairs: "pairs", random: "random sizes", recorded: "a recorded program" };

/** glibc's comes first: the others are compared with it. The machine has 32 GiB, the default of `slabscope run`. */
const PEERS = [
	{ name: "glibc", library: "" },
	{ name: "jemalloc", library: "libjemalloc.so.2", package: "libjemalloc2" },
	{ name: "mimalloc", library: "libmimalloc.so.2.0", package: "libmimalloc2.0" },
];
export const OURS = ["slub", "slab", "unified", "slob", "slob-segregated"];
const CANDIDATES = [...PEERS, ...OURS.map((name) => ({ name, library: LIBRARY }))];

const ROUNDS = 5;
/** A run that takes longer is not repeated. */
const MOST_SECONDS = 2;
/** Times of shorter runs say more about starting a process than about malloc. */
const LEAST_SECONDS = 0.05;

/** The dynamic linker continues without a library it cannot find. */
function isInstalled({ library }) {
	const env = { ...process.env, LD_PRELOAD: library };
	const maps = spawnSync("cat", ["/proc/self/maps"], { encoding: "utf8", env }).stdout;
	return library === LIBRARY || maps.includes(library.split(".")[0]);
}

/** Runs a program, or a load, once under an allocator. */
function runOnce({ program, argv, isLoad }, { name, library }) {
	const machine = `allocator=${name}\ncpus=${availableParallelism()}\nmemory=32G\n`;
	const { status, output } = spawnSync(LOAD, ["run", library, ...argv], {
		encoding: "utf8",
		env: { ...process.env, PYTHONMALLOC: "malloc", SLABSCOPE_RUN: machine },
		stdio: ["ignore", "ignore", "ignore", "pipe"],
	});
	const numbers = (output?.[3] ?? "").trim().split(/\s+/).map(Number);
	const [seconds, peak, ended] = numbers.slice(-3);
	if (status !== 0 || ended !== 0)
		throw new Error(`${program}: does not run to its end under ${name}`);
	return { seconds: isLoad ? numbers[0] : seconds, peak };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const rounded = (value) => Number(value >= 1000 ? value.toFixed(0) : value.toPrecision(4));

/** A row for each program and allocator; a round runs every allocator once, so other work of the computer affects all of them. */
export function bench(programs) {
	const here = CANDIDATES.filter(isInstalled);
	const runs = programs.map((program) => ({ ...program, of: here.map(() => []) }));
	for (let round = 0; round < ROUNDS; round++)
		for (const run of runs)
			for (const [c, candidate] of here.entries())
				if (c === 0 || !(run.of[c][0]?.seconds > MOST_SECONDS))
					run.of[c].push(runOnce(run, candidate));
	const row = ({ program, threads, of }, { name }, c) => {
		const ratio = (key) => rounded(median(of[c].map((r, i) => r[key] / of[0][i][key])));
		return {
			program,
			threads,
			allocator: name,
			rounds: of[c].length,
			time_ratio: ratio("seconds"),
			memory_ratio: ratio("peak"),
			seconds: rounded(median(of[c].map((r) => r.seconds))),
			peak_bytes: median(of[c].map((r) => r.peak)),
			too_short: median(of[0].map((r) => r.seconds)) < LEAST_SECONDS,
		};
	};
	return {
		reference: PEERS[0].name,
		not_installed: CANDIDATES.filter((c) => !here.includes(c)).map(({ name }) => name),
		rows: runs.flatMap((run) => here.map((candidate, c) => row(run, candidate, c))),
	};
}

/** The calls of malloc and free in a trace, for a load: objects of caches and bulk requests have none. */
function callsOf(trace) {
	const options = { encoding: "utf8", maxBuffer: 1 << 30 };
	const words = [];
	for (const line of spawnSync(COMMAND, ["convert", "-q", trace], options).stdout.split("\n")) {
		const [, kind, object, bytes] = /^([kf]) (\d+)(?: (\d+))?/.exec(line) ?? [];
		if (kind && object < 2 ** 31 && !/ why=(?!unseen)/.test(line))
			words.push(Number(object), kind === "k" ? Number(bytes) : 0xffffffff);
	}
	if (words.length === 0) throw new Error(`${trace}: contains no calls of malloc or kmalloc`);
	return new Uint8Array(Uint32Array.from(words).buffer);
}

/** Pairs, random sizes, and the calls of a trace if there is one, with one thread and with two. */
export function loads(scale, trace, dir) {
	const calls = join(dir, "calls");
	if (trace) writeFileSync(calls, callsOf(trace));
	const names = trace ? ["pairs", "random", "recorded"] : ["pairs", "random"];
	return [1, 2].flatMap((threads) =>
		names.map((program) => ({
			program,
			threads,
			isLoad: true,
			argv: [LOAD, "load", program, threads, scale, ...(program === "recorded" ? [calls] : [])],
		})),
	);
}

/** Calls a function with a folder for its files. */
export function inFolder(use) {
	const dir = mkdtempSync(join(tmpdir(), "slabscope-"));
	try {
		return use(dir);
	} finally {
		rmSync(dir, { recursive: true, force: true });
	}
}

function measure(dir) {
	const lines = Array.from({ length: 60000 }, (_, i) => `${i * 7919} line ${i % 97} of text`);
	writeFileSync(join(dir, "text"), lines.join("\n"));
	const functions = lines.slice(0, 700).map((_, i) => `int f${i}(int a){return a*${i}+${i % 7};}`);
	writeFileSync(join(dir, "a.c"), `${functions.join("\n")}\n`);
	const trace = join(dir, "python.slabtrace");
	const record = ["record", "-q", "--most", "60000", "-o", trace, "--", PYTHON(), "-c", JSON_CODE];
	spawnSync(COMMAND, record, { env: { ...process.env, PYTHONMALLOC: "malloc" } });
	const { not_installed, rows } = bench([
		...loads(1, trace, dir).map((load) => ({ ...load, program: LOADS[load.program] })),
		...PROGRAMS.map(({ name, argv }) => ({ program: name, threads: 0, argv: argv(dir) })),
	]);
	return { processors: availableParallelism(), not_installed, rows };
}

const title = ({ program, threads }) =>
	threads === 0 ? program : `${program}, ${threads} thread${threads === 1 ? "" : "s"}`;

function table(rows, key) {
	const allocators = [...new Set(rows.map((row) => row.allocator))].filter((a) => a !== "glibc");
	const titles = [...new Set(rows.map(title))];
	const cell = (name, allocator) => {
		const row = rows.find((r) => title(r) === name && r.allocator === allocator);
		return row ? (row[key] < 9.95 ? row[key].toFixed(2) : Math.round(row[key])) : "–";
	};
	return [
		`| program | ${allocators.join(" | ")} |`,
		`|---|${allocators.map(() => "---:|").join("")}`,
		...titles.map((name) => `| ${name} | ${allocators.map((a) => cell(name, a)).join(" | ")} |`),
	].join("\n");
}

/** The document for these figures. */
export function page({ processors, not_installed, rows }) {
	const absent = not_installed.length === 0 ? "" : ` Not installed: ${not_installed.join(", ")}.`;
	return `# The allocators as a program's malloc

<!-- Written by \`npm run malloc\`: change core/bench/malloc.mjs, not this file. -->

\`slabscope run\` serves a program's malloc from the model. These tables compare it with the malloc of glibc, jemalloc and mimalloc. Each figure is a ratio to
glibc: 2 means twice the time, or twice the memory. It comes from pairs of runs, one after the other: the median of five rounds, or a single round
if a run takes longer than two seconds. We measured on a computer with ${processors} processors that did other work as well, so trust only the first digit.${absent}

## Time

${table(rows, "time_ratio")}

## Peak memory

This is the whole process: the program, its libraries, and what the allocator needs for itself.

${table(rows, "memory_ratio")}

Pairs allocate and free 64 bytes. Random sizes replace one of 10,000 objects of 16 to 4,095 bytes. The recorded program repeats 60,000 calls of python3. Python
runs with \`PYTHONMALLOC=malloc\`. The programs are measured as whole runs, including their start.

## Why it costs so much

The model is made to be watched, not to be fast. Three things cost most:

- **One lock.** Every call takes it, whichever CPU it is for. A real SLUB has a fast path without locks, and jemalloc and mimalloc have a cache for each thread. If two
  threads do nothing but allocate, here they wait for each other.
- **Metadata out of band.** A freelist lies beside the objects, not in them, and has an entry for each object. So a call touches memory that a
  real allocator doesn't touch, and small objects need more of it. In return, a program that overwrites its objects can't damage the allocator, and a snapshot is a single copy.
- **Statistics.** Each call also updates totals, peaks and model cycles.

The library and its tables always take between one and two megabytes: a lot for a small program, little for a large one. SLOB searches its
pages from one free block to the next. With many live objects that takes far longer than anything else here, as it did in the kernel.

## Measure again

<!-- sh: not run, it takes minutes -->
\`\`\`sh
npm run malloc
node core/bench/malloc.mjs 1 json.slabtrace
node core/bench/malloc.mjs -- git log --stat
\`\`\`
`;
}

function main([first, ...others]) {
	if (first === "--" || Number(first) > 0) {
		const program = { program: others[0], threads: 0, argv: others };
		const measured = inFolder((dir) =>
			bench(first === "--" ? [program] : loads(first, others[0], dir)),
		);
		process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`);
		return;
	}
	if (first !== "--page")
		writeFileSync(FIGURES, `${JSON.stringify(inFolder(measure), null, "\t")}\n`);
	writeFileSync(PAGE, page(JSON.parse(readFileSync(FIGURES, "utf8"))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
