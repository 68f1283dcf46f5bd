// test-all.mjs - everything that `npm test` checks, in order, ending with one line: N passed, N failed.
//
// 	build     the native command, the module
// 	browser   production build, the page in Chromium, the page in Firefox                ┐
// 	C         core/test with sanitizers                                                  │ side by side
// 	C again   in depth by gcc -O3; the command, and goldens by clang                     │
// 	rest      shape, lint, types, tests of wasm/ and web/ without a browser              ┘
//
// N counts each test once, as its runner or the C test functions count it. Tests that another compiler runs again, and
// checks (assertions) within a test, are printed separately. A build or lint step isn't a test, but the run fails if
// one fails. `--quick` (npm run test:quick) omits browsers, sanitizers and slow tests. `--long` (npm run test:long)
// adds the variants that another test otherwise stands for: page tests marked @long, more of the page in Firefox, finer
// samples in some TypeScript tests, all C tests by clang, goldens by gcc -O0. On Linux the thread sanitizer watches
// `slabscope run`. A passing step prints one line; a failing step names its failed tests and prints its output, and the
// names are repeated at the end.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { C_WARNINGS } from "../core/test/support/warnings.mjs";
import { toolPath } from "./setup.mjs";

const TOP = dirname(dirname(fileURLToPath(import.meta.url)));
const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-test-"));
const SANITIZE = "ASAN_OPTIONS=detect_leaks=1:abort_on_error=0";

const CORE_TESTS = readdirSync(join(TOP, "core/test"), { recursive: true });
/** It builds the command with sanitizers, as the C tests in its lane do with the core. */
const SANITIZED_TESTS = "core/test/command/sanitized.test.mjs";
const COMMAND_TESTS = CORE_TESTS.filter((name) => name.endsWith(".test.mjs"))
	.map((name) => `core/test/${name}`)
	.filter((name) => name !== SANITIZED_TESTS);

/** C files that new_allocator.test.mjs doesn't compile with the same warnings. */
function otherCFiles() {
	const others = /^(gen|example|preload)\/|_test\.c$|^test\/fuzz\//;
	return readdirSync(join(TOP, "core"), { recursive: true })
		.filter((name) => name.endsWith(".c") && !name.startsWith("build"))
		.filter((name) => others.test(name))
		.map((name) => join("core", name));
}

/** The last lines of the C test programs: `checks: N passed, N failed` and `N passed, N failed`. */
function countPrograms(output) {
	const sum = (pattern) => {
		const result = { passed: 0, failed: 0 };
		for (const [, passed, failed] of output.matchAll(pattern)) {
			result.passed += Number(passed);
			result.failed += Number(failed);
		}
		return result;
	};
	const checks = sum(/^checks: (\d+) passed, (\d+) failed$/gm);
	return { ...sum(/^(\d+) passed, (\d+) failed$/gm), checks: checks.passed + checks.failed };
}

/** Tests that another compiler has run already: only what fails counts. */
function countAgain(output) {
	const { passed, failed, checks } = countPrograms(output);
	return { passed: 0, failed, checks, again: passed };
}

function countNodeTest(output) {
	const number = (word) => Number(output.match(new RegExp(`^# ${word} (\\d+)$`, "m"))?.[1] ?? 0);
	const names = Array.from(output.matchAll(/^\s*not ok \d+ - (.*)$/gm), ([, name]) => name);
	return { passed: number("pass"), failed: number("fail") + number("cancelled"), names };
}

function countVitest(file) {
	return () => {
		const result = JSON.parse(readFileSync(file, "utf8"));
		const names = result.testResults.flatMap(({ assertionResults }) =>
			assertionResults.filter(({ status }) => status === "failed").map((test) => test.fullName),
		);
		return { passed: result.numPassedTests, failed: result.numFailedTests, names };
	};
}

function countPlaywright(file) {
	return () => {
		const { stats, suites } = JSON.parse(readFileSync(file, "utf8"));
		const names = suites
			.flatMap(specsOf)
			.filter(({ ok }) => !ok)
			.map((spec) => `${spec.file}:${spec.line} ${spec.title}`);
		return { passed: stats.expected, failed: stats.unexpected + stats.flaky, names };
	};
}

const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)];

function node(name, args, count) {
	return { name, command: process.execPath, args, count };
}

function bin(name, tool, args, more = {}) {
	return { name, command: join(TOP, "node_modules", ".bin", tool), args, ...more };
}

/** Two compilers or tests at a time, so that no processor is idle at the end of the longest lane. */
function make(name, args, count) {
	return { name, command: "make", args: ["-s", "-j2", "-C", "core", ...args], count };
}

const vitestReport = join(SCRATCH, "vitest.json");
const browserReport = join(SCRATCH, "browser.json");

const BUILD = [
	[
		node("generated TypeScript is fresh", ["wasm/build.mjs", "--check-abi"]),
		node("module", ["wasm/build.mjs"]),
	],
	[make("native command", ["all"])],
];

/** Tests that may depend on the compiler: the texts that all compilers must produce. */
const GOLDENS = ["golden_test", "workload_test", "seek_test"];
/** Tests with so many tries that the sanitizers' build runs fewer: these run in full every time, the others in test:long. */
const DEEP = ["picture_test", "levels_test", "fork_test"];
const DEEP_LONG = [
	"model_test",
	"trace_samples_test",
	"experiment_test",
	"stream_test",
	"limits_test",
];
const IS_LONG = process.argv.includes("--long");
/** Makes tests also run their variants. */
const LONG_ENV = IS_LONG ? { LONG: "1" } : {};

/** `slabscope run` exists only on Linux. */
const THREADS =
	process.platform === "linux"
		? [make("threads and forks, thread sanitizer", ["tsan"], countPrograms)]
		: [];

const programs = (build, names) =>
	`TESTS=${names.map((name) => `${build}/test/${name}`).join(" ")}`;

/** Niceness: a page under test should get a processor as free as a visitor's. */
const LATER = 12;

const SHAPE_AND_TYPES = [
	node("shape of C", ["wasm/format.mjs"]),
	bin("shape and lint of TypeScript", "biome", ["ci", "--colors=off"]),
	bin("types", "tsc", ["--noEmit"]),
];

function vitest(name, args) {
	const report = ["--reporter=default", "--reporter=json", `--outputFile.json=${vitestReport}`];
	const more = { count: countVitest(vitestReport), env: LONG_ENV };
	return bin(name, "vitest", ["run", ...report, ...args], more);
}

function nodeTests(name, files) {
	const step = node(name, ["--test", "--test-reporter=tap", ...files], countNodeTest);
	return { ...step, env: LONG_ENV };
}

/** new_allocator.test.mjs checks the same texts with clang without optimisation. */
const OTHER_COMPILERS_LONG = [
	make("C tests, clang -O3", ["CC=clang", "B=build/clang-O3", "test"], countAgain),
	make(
		"more C tests in depth, gcc -O3",
		["deep", programs("build/release", DEEP_LONG)],
		countAgain,
	),
	make(
		"C tests that print the same text with every compiler, here gcc -O0",
		["deep", "MODE=debug", programs("build/debug", GOLDENS)],
		countAgain,
	),
];

/**
 * Lanes run side by side. A browser that waits for a page must be served at once, so the other lanes take the remaining time.
 */
const CHECKS = [
	[
		bin("production build", "vite", ["build", "web", "--logLevel=warn"]),
		bin("browser tests", "playwright", ["test", "--config=web", "--reporter=dot,json"], {
			env: {
				CHROMIUM: toolPath("Chromium"),
				PLAYWRIGHT_JSON_OUTPUT_NAME: browserReport,
				PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1",
				...LONG_ENV,
			},
			count: countPlaywright(browserReport),
		}),
		nodeTests("Firefox tests", ["web/test/firefox.test.mjs"]),
	],
	patient([
		make(
			"C tests, address and undefined sanitizers",
			["MODE=asan", SANITIZE, "test"],
			countPrograms,
		),
		nodeTests("every subcommand, address and undefined sanitizers", [SANITIZED_TESTS]),
	]),
	patient([
		make("C tests in depth, gcc -O3", ["deep", programs("build/release", DEEP)], countAgain),
		nodeTests("command tests", COMMAND_TESTS),
		...(IS_LONG ? [...OTHER_COMPILERS_LONG, ...THREADS] : []),
	]),
	patient([
		...SHAPE_AND_TYPES,
		{
			name: "lint of C that only gcc compiles",
			command: "clang",
			args: ["-fsyntax-only", "-std=c11", "-Icore", ...C_WARNINGS, ...otherCFiles()],
		},
		vitest("TypeScript tests", []),
	]),
];

/** C programs and test files that take longer than all the others together. */
const LONG_C =
	/^(model|picture|travel|travel_changes|experiment|workload|golden|poison|unpack_stream)_test$/;
const LONG_TS = [
	"wasm/test/{native,golden,studies,formats,session}.test.ts",
	"web/src/views/lessons/test/lessons.test.tsx",
	"web/src/engine/{worker/kept,import/unpack,quiz/questions}.test.ts",
];

function quickCTests() {
	const names = CORE_TESTS.filter((name) => name.endsWith("_test.c"))
		.map((name) => basename(name, ".c"))
		.filter((name) => !LONG_C.test(name));
	return make("C tests", ["quick", programs("build/release", names)], countPrograms);
}

const QUICK = [
	[...SHAPE_AND_TYPES, nodeTests("command tests", ["core/test/command/cli.test.mjs"])],
	[
		quickCTests(),
		vitest(
			"TypeScript tests",
			LONG_TS.flatMap((file) => ["--exclude", file]),
		),
	],
];

function patient(steps) {
	return steps.map((step) => ({ ...step, priority: LATER }));
}

/** Steps run normally if the process may not set a priority. */
function yieldTo(child, priority) {
	try {
		if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority);
	} catch {
		// It has ended already.
	}
}

function run(step) {
	return new Promise((resolve) => {
		const child = spawn(step.command, step.args, {
			cwd: TOP,
			env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", ...step.env },
			stdio: ["ignore", "pipe", "pipe"],
		});
		yieldTo(child, step.priority);
		const pieces = [];
		child.stdout.on("data", (data) => pieces.push(data));
		child.stderr.on("data", (data) => pieces.push(data));
		child.on("error", (error) => resolve({ status: 1, output: `${error.message}\n` }));
		child.on("close", (status) => resolve({ status, output: Buffer.concat(pieces).toString() }));
	});
}

/**
 * The result of a step. A step that fails without a failed test, or runs no test although it should, counts as one
 * failure.
 */
function judge(step, status, output) {
	let result = { passed: 0, failed: 0 };
	try {
		result = step.count?.(output) ?? result;
	} catch {
		// No report was written: the exit status decides.
	}
	const ranNone = step.count && result.passed + result.failed + (result.again ?? 0) === 0;
	const hasFailed = (status !== 0 || ranNone) && result.failed === 0;
	return hasFailed ? { ...result, failed: 1 } : result;
}

function inWords(step, { passed, failed, again }) {
	if (!step.count) return "";
	const repeated = again ? ` (${again} run again)` : "";
	return `: ${passed} passed${repeated}, ${failed} failed`;
}

/** Drops what a browser prints when it starts: a log that keeps the first lines of a run should contain the reasons. */
function withoutNoise(output) {
	return output.replaceAll(/^ *(<launch(ing|ed)> |\[pid=\d+\]).*\n/gm, "");
}

const sum = { passed: 0, failed: 0, checks: 0 };
/** The failed tests, or steps whose output names none. */
const failures = [];

async function runLane(steps) {
	for (const step of steps) {
		const begin = performance.now();
		const { status, output } = await run(step);
		const result = judge(step, status, output);
		sum.passed += result.passed;
		sum.failed += result.failed;
		sum.checks += result.checks ?? 0;
		const seconds = ((performance.now() - begin) / 1000).toFixed(1);
		const verdict = result.failed ? "FAIL" : "ok  ";
		console.log(`${verdict}  ${step.name}${inWords(step, result)}, ${seconds} s`);
		if (result.failed > 0) {
			const names = result.names?.length ? result.names : ["see its output above"];
			failures.push(...names.map((name) => `${step.name}: ${name}`));
			for (const name of names) console.log(`      failed: ${name}`);
			console.log(withoutNoise(output).trimEnd().replaceAll(/^/gm, "      "));
		}
	}
}

async function main() {
	const checks = process.argv.includes("--quick") ? QUICK : CHECKS;
	try {
		for (const stage of [BUILD, checks]) {
			await Promise.all(stage.map(runLane));
		}
	} finally {
		rmSync(SCRATCH, { recursive: true });
	}
	console.log(`${sum.checks.toLocaleString("en-US")} checks within the C tests`);
	for (const failure of failures) console.log(`failed: ${failure}`);
	console.log(`${sum.passed} passed, ${sum.failed} failed`);
	process.exitCode = sum.failed > 0 ? 1 : 0;
}

await main();
