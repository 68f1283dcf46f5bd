// mutants.mjs - are the tests any good? Seeds one bug after another into a copy of core/ and shows who catches it.
//
//	node core/test/mutants/mutants.mjs [--in PATH] [ALLOCATOR…]        npm run mutants
//
// --in: only bugs in files whose path has PATH in it.
// Each bug is a small text put in place of another, in one file. Its tests are those of the allocator: the model
// against its oracle, the drawn examples, the golden texts, and the tables of real kernels where they are at hand.
// Ends with 1 if a bug survives all of them, or if a text is no longer there to be replaced.

import { spawnSync } from "node:child_process";
import {
	cpSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MUTANTS } from "./mutants.data.mjs";

const CORE = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const SHARED = process.env.SLABSCOPE_SHARED ?? join(CORE, "..", "..", "shared");
const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-mutants-"));
const COPY = join(SCRATCH, "core");
const BUILD = join("build", "mutants");
const MODEL_OPS = "10000";

process.on("exit", () => rmSync(SCRATCH, { recursive: true, force: true }));

function run(command, args, env = {}, timeout = 120_000) {
	return spawnSync(command, args, {
		cwd: COPY,
		encoding: "utf8",
		env: { ...process.env, SHALLOWER: "1", SLABSCOPE_SHARED: SHARED, ...env },
		maxBuffer: 1 << 28,
		timeout,
	});
}

/** A program that a signal ends has no status. */
function fails(done) {
	return done.status !== 0;
}

/** Examples whose names do not begin with the allocator's. */
const MORE_EXAMPLES = ["zones_test"];
const SLUB_EXAMPLES = ["debug_test", "requests_by_chance_test"];

/** What tests an allocator: name, target to build, command to run. */
function testsOf(allocator) {
	const named = readdirSync(join(CORE, "test", "alloc"))
		.filter(
			(name) => name.startsWith(`${allocator.replace("-", "_")}_`) && name.endsWith("_test.c"),
		)
		.map((name) => name.replace(/\.c$/, ""));
	const examples = [...named, ...MORE_EXAMPLES, ...(allocator === "slub" ? SLUB_EXAMPLES : [])];
	const program = (name) => `./${BUILD}/test/${name}`;
	return [
		{ name: "model", run: () => run(program("model_test"), [allocator, "--ops", MODEL_OPS]) },
		{
			name: "examples",
			run: () => examples.map((name) => run(program(name), [])).find(fails) ?? { status: 0 },
		},
		{ name: "golden", run: () => run(program("golden_test"), []) },
		{
			name: "kernels",
			run: () =>
				run(process.execPath, ["--test", "test/oracle/oracle.test.mjs"], {
					SLABSCOPE: join(COPY, BUILD, "slabscope"),
				}),
		},
	].map((test) => ({ ...test, examples }));
}

function build(allocator) {
	const [{ examples }] = testsOf(allocator);
	const targets = ["model_test", "golden_test", ...examples].map((name) => `${BUILD}/test/${name}`);
	const done = run(
		"make",
		["-s", "-j2", `B=${BUILD}`, "CFLAGS_release=-O1", "WARN=", `${BUILD}/slabscope`, ...targets],
		{},
		900_000,
	);
	if (done.status !== 0) {
		throw new Error(`it does not build:\n${done.stderr}`);
	}
}

/** Names of the tests that fail. */
function caughtBy(allocator) {
	build(allocator);
	return testsOf(allocator)
		.filter((test) => fails(test.run()))
		.map((test) => test.name);
}

/** Runs with the bug in place; the text must be there once and only once. */
function judge(allocator, { file, from, to }) {
	const path = join(COPY, file);
	const text = readFileSync(path, "utf8");
	if (text.split(from).length !== 2) {
		return null;
	}
	writeFileSync(
		path,
		text.replace(from, () => to),
	);
	try {
		return caughtBy(allocator);
	} finally {
		writeFileSync(path, text);
	}
}

function report(allocator, what, caught) {
	const verdict =
		caught === null ? "DOES NOT APPLY" : caught.length ? caught.join(", ") : "SURVIVES";
	console.log(`${allocator.padEnd(16)} ${what.padEnd(72)} ${verdict}`);
	return caught !== null && caught.length > 0;
}

function main(inPath, only) {
	cpSync(CORE, COPY, { recursive: true, filter: (path) => path !== join(CORE, "build") });
	symlinkSync(join(CORE, "..", "traces"), join(SCRATCH, "traces"));
	let failed = 0;
	for (const [allocator, mutants] of Object.entries(MUTANTS)) {
		if (only.length && !only.includes(allocator)) {
			continue;
		}
		const sound = caughtBy(allocator);
		if (sound.length) {
			console.log(`${allocator.padEnd(16)} fails without any bug: ${sound.join(", ")}`);
			failed++;
		}
		for (const mutant of sound.length ? [] : mutants.filter(({ file }) => file.includes(inPath))) {
			failed += report(allocator, mutant.what, judge(allocator, mutant)) ? 0 : 1;
		}
	}
	process.exitCode = failed > 0 ? 1 : 0;
}

const { values, positionals } = parseArgs({
	options: { in: { type: "string", default: "" } },
	allowPositionals: true,
});
main(values.in, positionals);
