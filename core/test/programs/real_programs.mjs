// real_programs.mjs - real programs on each of the five allocators, which must behave as they do without `slabscope
// run`. Linux only.
//
//	npm run programs                      all of them, in some minutes: SLOB searches long
//	npm run programs -- git xz            those whose names have one of these words
//
// Each runs once with its own malloc and once on each allocator. Exit status and output must be equal; of Python's own tests
// the number that ran and the result, because they print times. A program that is not installed is named and left out.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { INSERT, PYTHON } from "../../bench/malloc.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const COMMAND = path("../../build/slabscope");
const ALLOCATORS = ["slub", "slab", "unified", "slob", "slob-segregated"];
const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
const TOTALS = join(SCRATCH, "totals.json");

/** Modules of Python's tests that mostly allocate. */
const MODULES = ["list", "dict", "heapq", "json"].map((name) => `test_${name}`);

/** How many tests ran, and their result; each version of Python prints its own of these lines. */
function testResults(out) {
	const lines = out.match(/^(Total tests: run=.*|== Tests result: .*|Result: .*)$/gm);
	if (!lines) throw new Error(`python3 -m test printed no result:\n${out}`);
	return lines.join("\n");
}

const PROGRAMS = [
	...MODULES.map((name) => ({
		name: `python3 -m test ${name}`,
		needs: ["-c", `import test.libregrtest, test.${name}`],
		argv: [PYTHON(), "-m", "test", name],
		keep: testResults,
	})),
	{ name: "sqlite3, bulk insert", argv: ["sqlite3", ":memory:", INSERT] },
	{ name: "git log", argv: ["git", "-C", path("../../.."), "log", "--stat", "-n", "200"] },
	{
		name: "make -j4",
		argv: ["make", "-s", "-j4", "-B", "-C", join(SCRATCH, "src"), "program"],
		result: join(SCRATCH, "src", "program"),
	},
	{
		name: "xz -T2",
		argv: ["xz", "-T2", "-6", "--block-size=1MiB", "-k", "-c", join(SCRATCH, "text")],
	},
];

function prepare() {
	const lines = Array.from(
		{ length: 90000 },
		(_, i) => `${i * 7919} line ${i % 97} of a long text`,
	);
	writeFileSync(join(SCRATCH, "text"), lines.join("\n"));
	mkdirSync(join(SCRATCH, "src"));
	const files = Array.from({ length: 16 }, (_, i) => `f${i}`);
	for (const [i, name] of files.entries()) {
		const functions = lines
			.slice(0, 150)
			.map((_, k) => `int ${name}_${k}(int a){return a*${k}+${i};}`);
		writeFileSync(join(SCRATCH, "src", `${name}.c`), `${functions.join("\n")}\n`);
	}
	writeFileSync(join(SCRATCH, "src", "main.c"), "int main(void){return 0;}\n");
	const objects = ["main", ...files].map((name) => `${name}.o`).join(" ");
	writeFileSync(
		join(SCRATCH, "src", "Makefile"),
		`CFLAGS = -O2\nprogram: ${objects}\n\tcc -o $@ $^\n`,
	);
}

/** What a program did: its exit status, what it printed and what it made. */
function outcome({ argv, keep, result }, machine) {
	const options = ["run", "-q", "--json", "-o", TOTALS, ...machine, "--"];
	const [command, ...args] = machine.length ? [COMMAND, ...options, ...argv] : argv;
	const env = { ...process.env, PYTHONMALLOC: "malloc", GIT_PAGER: "cat" };
	const done = spawnSync(command, args, { encoding: "buffer", env, maxBuffer: 1 << 28 });
	const out = keep ? keep(done.stdout.toString()) : done.stdout;
	const hash = createHash("sha256").update(out);
	if (result && done.status === 0) hash.update(readFileSync(result));
	return `${done.status} ${hash.digest("hex").slice(0, 16)}`;
}

const isThere = ({ argv, needs }) =>
	spawnSync(argv[0], needs ?? ["--version"], { stdio: "ignore" }).status === 0;

function main() {
	const words = process.argv.slice(2);
	const chosen = ({ name }) => words.length === 0 || words.some((word) => name.includes(word));
	let [passed, failed] = [0, 0];
	prepare();
	for (const program of PROGRAMS.filter(chosen)) {
		if (!isThere(program)) {
			console.log(`${program.name}: not installed`);
			continue;
		}
		const own = outcome(program, []);
		for (const allocator of ALLOCATORS) {
			const begin = performance.now();
			const served = outcome(program, ["--allocator", allocator]);
			const { ops, processes, bad_frees } = JSON.parse(readFileSync(TOTALS, "utf8"));
			const isEqual = served === own && own.startsWith("0 ") && bad_frees === 0;
			passed += isEqual;
			failed += !isEqual;
			const seconds = ((performance.now() - begin) / 1000).toFixed(1);
			const counts = `${ops} requests, ${processes} processes, ${seconds} s`;
			const verdict = isEqual
				? "equal"
				: `DIFFERS: ${served} instead of ${own}, ${bad_frees} bad frees`;
			console.log(`${program.name}, ${allocator}: ${verdict}; ${counts}`);
		}
	}
	console.log(`${passed} passed, ${failed} failed`);
	process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

try {
	main();
} finally {
	rmSync(SCRATCH, { recursive: true, force: true });
}
