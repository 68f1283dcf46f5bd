// malloc.mjs - measures the allocators as the malloc of eight programs, and writes docs/malloc.md.
//
//	npm run malloc                    some minutes; jemalloc and mimalloc are left out where they are not installed
//	node core/bench/malloc.mjs --page     only the page again, from the figures in malloc.json

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const COMMAND = path("../build/slabscope");
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

/** python3 itself: what the PATH has may be a script that finds it. */
export const PYTHON = () =>
	spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
		encoding: "utf8",
	}).stdout.trim();

/** The five programs, with files of their own in a folder. */
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

function bench(args) {
	const done = spawnSync(COMMAND, ["bench", "--malloc", "--json", ...args], {
		encoding: "utf8",
		env: { ...process.env, PYTHONMALLOC: "malloc" },
		stdio: ["ignore", "pipe", "inherit"],
	});
	if (done.status !== 0) throw new Error(`bench ${args.join(" ")}: ${done.status}`);
	return JSON.parse(done.stdout);
}

function measure() {
	const dir = mkdtempSync(join(tmpdir(), "slabscope-"));
	try {
		const lines = Array.from({ length: 60000 }, (_, i) => `${i * 7919} line ${i % 97} of text`);
		writeFileSync(join(dir, "text"), lines.join("\n"));
		const functions = lines.slice(0, 700).map((_, i) => `int f${i}(int a){return a*${i}+${i % 7};}`);
		writeFileSync(join(dir, "a.c"), `${functions.join("\n")}\n`);
		const trace = join(dir, "python.slabtrace");
		const record = ["record", "-q", "--most", "60000", "-o", trace, "--", PYTHON(), "-c", JSON_CODE];
		spawnSync(COMMAND, record, { env: { ...process.env, PYTHONMALLOC: "malloc" } });
		const loads = bench([trace]);
		const rows = loads.rows.map((row) => ({ ...row, program: LOADS[row.program] }));
		for (const { name, argv } of PROGRAMS)
			rows.push(...bench(["--", ...argv(dir)]).rows.map((row) => ({ ...row, program: name })));
		return { processors: availableParallelism(), not_installed: loads.not_installed, rows };
	} finally {
		rmSync(dir, { recursive: true, force: true });
	}
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

\`slabscope run\` serves a program's malloc from the model. These tables compare that with malloc of glibc, jemalloc and mimalloc. A figure is a ratio to
glibc: 2 is twice the time, or twice the memory. Each comes from pairs of runs, one after the other; the median of five rounds counts, and one round
where a run takes longer than two seconds. Measured on a computer with ${processors} processors, which did other work as well, so trust the first digit.${absent}

## Time

${table(rows, "time_ratio")}

## Peak memory

This is the whole process: the program, its libraries, and what the allocator needs for itself.

${table(rows, "memory_ratio")}

Pairs allocate and free 64 bytes. Random sizes replace one of 10,000 objects of 16 to 4,095 bytes. The recorded program is 60,000 calls of python3, again and
again. Python runs with \`PYTHONMALLOC=malloc\`. Programs are whole runs, with their start.

## Why it costs so much

The model is made to be watched, not to be fast. Three things cost most:

- **One lock.** Every call takes it, whichever CPU it is for. A real SLUB has a fast path without locks, jemalloc and mimalloc have caches for each thread. With two
  threads that only allocate, our threads wait for each other.
- **Metadata out of band.** A freelist lies beside the objects, not in them, and each object has an entry there. So a call touches memory that a
  real allocator does not touch, and small objects need more of it. In return a program that overwrites its objects cannot damage the allocator, and a snapshot is one copy.
- **A world that counts.** Each call also keeps totals, peaks and model cycles.

The fixed part of the memory is between one and two megabytes, for the library and its tables: much for a small program, little for a large one. SLOB searches its
pages from one free block to the next: with many live objects that takes far longer than anything else here, as it did in the kernel.

## Measure again

<!-- sh: not run, it takes minutes -->
\`\`\`sh
slabscope bench --malloc
slabscope bench --malloc json.slabtrace
slabscope bench --malloc -- git log --stat
npm run malloc
\`\`\`
`;
}

function main() {
	if (!process.argv.includes("--page"))
		writeFileSync(FIGURES, `${JSON.stringify(measure(), null, "\t")}\n`);
	writeFileSync(PAGE, page(JSON.parse(readFileSync(FIGURES, "utf8"))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
