// test-all.mjs - everything that `npm test` checks, in order, ending with one line: N passed, N failed.
//
//	build:    the native command, the module
//	browser:  production build, the page in Chromium                                     ┐
//	C:        core/test with sanitizers; by clang, and goldens by gcc -O0                │ side by side
//	rest:     shape, lint, types, tests of wasm/ and web/ without a browser, the command ┘
//
// A step that passes prints one line; one that fails prints all that it said.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toolPath } from "./setup.mjs";

const TOP = dirname(dirname(fileURLToPath(import.meta.url)));
const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-test-"));
const SANITIZE = "ASAN_OPTIONS=detect_leaks=1:abort_on_error=0";

const COMMAND_TESTS = readdirSync(join(TOP, "core/test"))
	.filter((name) => name.endsWith(".test.mjs"))
	.map((name) => `core/test/${name}`);

/** What the compilers' own -Wall -Wextra leaves out; warnings of this kind depend little on clang's version. */
const C_WARNINGS = [
	"-Werror",
	"-Wno-unknown-warning-option",
	"-Wassign-enum",
	"-Wdouble-promotion",
	"-Wextra-semi",
	"-Wfloat-equal",
	"-Wimplicit-fallthrough",
	"-Wmissing-variable-declarations",
	"-Wpointer-arith",
	"-Wredundant-parens",
	"-Wundef",
	"-Wunreachable-code-aggressive",
	"-Wwrite-strings",
];

function cFiles() {
	return readdirSync(join(TOP, "core"), { recursive: true })
		.filter((name) => name.endsWith(".c") && !name.startsWith("build"))
		.map((name) => join("core", name));
}

/** Sums the lines `N passed, N failed` that the C test programs end with. */
function countPrograms(output) {
	let passed = 0;
	let failed = 0;
	for (const line of output.matchAll(/^(\d+) passed, (\d+) failed$/gm)) {
		passed += Number(line[1]);
		failed += Number(line[2]);
	}
	return { passed, failed };
}

function countNodeTest(output) {
	const number = (word) => Number(output.match(new RegExp(`^# ${word} (\\d+)$`, "m"))?.[1] ?? 0);
	return { passed: number("pass"), failed: number("fail") + number("cancelled") };
}

function countVitest(file) {
	return () => {
		const result = JSON.parse(readFileSync(file, "utf8"));
		return { passed: result.numPassedTests, failed: result.numFailedTests };
	};
}

function countPlaywright(file) {
	return () => {
		const { stats } = JSON.parse(readFileSync(file, "utf8"));
		return { passed: stats.expected + stats.flaky, failed: stats.unexpected };
	};
}

function node(name, args, count) {
	return { name, command: process.execPath, args, count };
}

function bin(name, tool, args, more = {}) {
	return { name, command: join(TOP, "node_modules", ".bin", tool), args, ...more };
}

function make(name, args, count) {
	return { name, command: "make", args: ["-s", "-C", "core", ...args], count };
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

/** What may depend on a compiler: the texts that all of them have to give. Everything runs in the builds below it. */
const GOLDENS = ["golden_test", "workload_test", "seek_test"];

/** Niceness: enough to come after the browser, not so much that a busy machine forgets them. */
const LATER = 5;

/** Lanes run side by side. Whoever waits for a page wants to be served at once: the others take what time is left. */
const CHECKS = [
	[
		bin("production build", "vite", ["build", "web", "--logLevel=warn"]),
		bin("browser tests", "playwright", ["test", "--config=web", "--reporter=line,json"], {
			env: {
				CHROMIUM: toolPath("Chromium"),
				PLAYWRIGHT_JSON_OUTPUT_NAME: browserReport,
				PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1",
			},
			count: countPlaywright(browserReport),
		}),
	],
	patient([
		make(
			"C tests, address and undefined sanitizers",
			["MODE=asan", SANITIZE, "test"],
			countPrograms,
		),
	]),
	patient([
		make(
			"C tests whose text all compilers agree on, gcc -O0",
			[
				"MODE=debug",
				`TESTS=${GOLDENS.map((name) => `build/debug/test/${name}`).join(" ")}`,
				"test",
			],
			countPrograms,
		),
		make("C tests, clang -O3", ["CC=clang", "B=build/clang", "test"], countPrograms),
	]),
	patient([
		node("shape of C", ["wasm/format.mjs"]),
		{
			name: "lint of C",
			command: "clang",
			args: ["-fsyntax-only", "-std=c11", ...C_WARNINGS, ...cFiles()],
		},
		bin("shape and lint of TypeScript", "biome", ["ci", "--colors=off"]),
		bin("types", "tsc", ["--noEmit"]),
		bin(
			"TypeScript tests",
			"vitest",
			["run", "--reporter=default", "--reporter=json", `--outputFile.json=${vitestReport}`],
			{
				count: countVitest(vitestReport),
			},
		),
		node("command tests", ["--test", "--test-reporter=tap", ...COMMAND_TESTS], countNodeTest),
	]),
];

function patient(steps) {
	return steps.map((step) => ({ ...step, priority: LATER }));
}

/** Steps that are started while a priority is not ours to give run as any other. */
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

/** Passed and failed of a step; one that cannot say counts as one check, by its exit status. */
function judge(step, status, output) {
	let result = { passed: 0, failed: 0 };
	try {
		result = step.count?.(output) ?? result;
	} catch {
		// No report was written: the exit status decides.
	}
	if (status !== 0 && result.failed === 0) {
		return { ...result, failed: 1 };
	}
	return result.passed + result.failed === 0 ? { passed: 1, failed: 0 } : result;
}

const sum = { passed: 0, failed: 0 };

async function runLane(steps) {
	for (const step of steps) {
		const begin = performance.now();
		const { status, output } = await run(step);
		const { passed, failed } = judge(step, status, output);
		sum.passed += passed;
		sum.failed += failed;
		const seconds = ((performance.now() - begin) / 1000).toFixed(1);
		console.log(
			`${failed ? "FAIL" : "ok  "}  ${step.name}: ${passed} passed, ${failed} failed, ${seconds} s`,
		);
		if (failed > 0) {
			console.log(output.trimEnd().replaceAll(/^/gm, "      "));
		}
	}
}

async function main() {
	try {
		for (const stage of [BUILD, CHECKS]) {
			await Promise.all(stage.map(runLane));
		}
	} finally {
		rmSync(SCRATCH, { recursive: true });
	}
	console.log(`${sum.passed} passed, ${sum.failed} failed`);
	process.exitCode = sum.failed > 0 ? 1 : 0;
}

await main();
