// output.test.mjs - files that the command writes: either complete under their name, or not there at all.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
	chmodSync,
	closeSync,
	linkSync,
	mkdtempSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { COMMAND, run, succeeds } from "../command/command.mjs";

const TRACE = succeeds(["workload", "netio", "--scale", "0.1"]);
const OTHER = "what was there before\n";

let folder;
const at = (name) => join(folder, name);
const names = () => readdirSync(folder).sort();

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "slabscope-output-"));
	writeFileSync(at("in"), TRACE);
});
afterEach(() => rmSync(folder, { recursive: true }));

function refuses(args, reason, options = {}) {
	const done = spawnSync(COMMAND, args, { encoding: "utf8", ...options });
	assert.notEqual(done.status, 0, args.join(" "));
	assert.match(done.stderr, reason);
	return done;
}

describe("an output file", () => {
	it("replaces the old one completely and keeps its permissions", () => {
		writeFileSync(at("out"), OTHER);
		chmodSync(at("out"), 0o640);
		succeeds(["convert", at("in"), "-o", at("out")]);
		assert.equal(readFileSync(at("out"), "utf8"), TRACE);
		assert.equal(statSync(at("out")).mode & 0o777, 0o640);
		assert.deepEqual(names(), ["in", "out"]);
	});

	it("is written where a symbolic link points, and the link stays", () => {
		symlinkSync("there", at("out"));
		succeeds(["convert", at("in"), "-o", at("out")]);
		assert.equal(readFileSync(at("there"), "utf8"), TRACE);
		assert.deepEqual(names(), ["in", "out", "there"]);
	});

	for (const [what, args] of [
		["convert", (to) => ["convert", at("in"), "-o", to]],
		["workload", (to) => ["workload", "netio", "--scale", "0.1", "-o", to]],
	])
		it(`is unchanged if ${what} can no longer write`, () => {
			writeFileSync(at("out"), OTHER);
			const limited = ["-c", 'ulimit -f 8; exec "$0" "$@"', COMMAND, ...args(at("out"))];
			const done = spawnSync("sh", limited, { encoding: "utf8" });
			assert.equal(done.status, 1);
			assert.match(done.stderr, /out: could not be written completely: .*before is unchanged/);
			assert.equal(readFileSync(at("out"), "utf8"), OTHER);
			assert.deepEqual(names(), ["in", "out"]);
		});

	it("is not written if the input is not a trace, and the old one stays", () => {
		writeFileSync(at("bad"), "Dear diary,\n");
		refuses(["convert", at("bad"), "-o", at("out")], /No line of this looks like a trace/);
		assert.deepEqual(names(), ["bad", "in"]);
	});

	it("is refused in a folder that does not exist", () => {
		refuses(["convert", at("in"), "-o", at("no/out")], /no\/out: cannot be written: No such file/);
	});
});

describe("output onto the input", () => {
	const REASON = /is the input itself/;

	it("is refused under the same name, through links, and for packed files", () => {
		linkSync(at("in"), at("hard"));
		symlinkSync("in", at("soft"));
		for (const name of ["in", "hard", "soft"]) {
			const done = refuses(["convert", at("in"), "-o", at(name)], REASON);
			assert.equal(done.status, 2);
		}
		writeFileSync(at("in.gz"), gzipSync(TRACE));
		refuses(["convert", at("in.gz"), "-o", at("in.gz")], REASON);
		assert.equal(readFileSync(at("in"), "utf8"), TRACE);
		assert.deepEqual(names(), ["hard", "in", "in.gz", "soft"]);
	});

	it("is refused for each file that any option names, and for the second of two traces", () => {
		symlinkSync("other", at("soft"));
		writeFileSync(at("other"), TRACE);
		linkSync(at("other"), at("hard"));
		const calls = [
			["convert"],
			["tracks"],
			["merge"],
			["export", "--table", "caches"],
			["sites", "--pprof"],
		];
		for (const [command, ...rest] of calls) {
			const call = [command, ...rest, at("in"), ...(command === "merge" ? [at("hard")] : [])];
			const options = [
				...succeeds([command, "--help"]).matchAll(/--([a-z-]+) (?:FILE|STATE|TRACE)(,\.\.\.)?/g),
			].filter(([, option]) => option !== "output");
			assert.ok(options.length > 0);
			for (const [, option, isList] of options) {
				const files = isList ? `${at("in.not")},${at("other")}` : at("other");
				for (const name of ["other", "soft", "hard"]) {
					const done = refuses([...call, `--${option}`, files, "-o", at(name)], REASON);
					assert.equal(done.status, 2);
				}
			}
		}
		refuses(["merge", at("in"), at("other"), "-o", at("hard")], REASON);
		assert.equal(readFileSync(at("other"), "utf8"), TRACE);
	});

	it("is also refused for standard input and output", () => {
		const input = openSync(at("in"), "r");
		refuses(["convert", "-", "-o", at("in")], REASON, { stdio: [input, "pipe", "pipe"] });
		const output = openSync(at("in"), "a");
		refuses(["convert", at("in")], REASON, { stdio: ["ignore", output, "pipe"] });
		closeSync(input);
		closeSync(output);
		assert.equal(readFileSync(at("in"), "utf8"), TRACE);
	});
});

describe("an output that is not a regular file", () => {
	it("is written to directly; a full device is an error", () => {
		assert.equal(succeeds(["convert", at("in"), "-o", "/dev/stdout"]), TRACE);
		refuses(
			["convert", at("in"), "-o", "/dev/full"],
			/\/dev\/full: could not be written completely/,
		);
		const full = openSync("/dev/full", "w");
		const done = refuses(["convert", at("in")], /could not write to standard output/, {
			stdio: ["ignore", full, "pipe"],
		});
		closeSync(full);
		assert.equal(done.status, 1);
		assert.deepEqual(names(), ["in"]);
	});

	it("is an error if standard output is closed, and no file takes its place", () => {
		const closed = ["-c", 'exec "$0" "$@" >&-', COMMAND, "convert", at("in"), "-o", at("out")];
		assert.equal(spawnSync("sh", closed).status, 1);
		assert.equal(readFileSync(at("out"), "utf8"), TRACE);
	});
});

describe("a signal", () => {
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE"])
		it(`${signal} leaves the old file behind and nothing else`, async () => {
			writeFileSync(at("out"), OTHER);
			/* Its input never ends, so it waits with the temporary file open. */
			const child = spawn(COMMAND, ["convert", "-", "-o", at("out")]);
			child.stdin.write("slabtrace 1\n");
			while (names().length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
			child.kill(signal);
			const ended = await new Promise((resolve) => child.on("exit", (_, by) => resolve(by)));
			assert.equal(ended, signal);
			assert.equal(readFileSync(at("out"), "utf8"), OTHER);
			assert.deepEqual(names(), ["in", "out"]);
		});
});

describe("--markdown", () => {
	it("has the rows of --csv, and no name can end a cell", () => {
		const trace = at("names.slabtrace");
		writeFileSync(trace, 'slabtrace 1\ncache c size=64 name=a|<b>,"c\na 1 c cpu=0\n');
		const [csv, markdown] = ["--csv", "--markdown"].map((as) => run(["info", trace, as]).out);
		const lines = markdown.trimEnd().split("\n");
		assert.equal(lines.length, csv.trimEnd().split("\n").length + 1);
		assert.equal(lines[0], `| ${csv.split("\n")[0].replaceAll(",", " | ")} |`);
		assert.match(lines[1], /^\|( --- \|){5}$/);
		assert.equal(lines[2], '| a\\|\\<b>,"c | 64 | 64 | 1 | 0 |');
		assert.match(run(["info", trace, "--markdown", "--json"]).err, /--json and --markdown exclude/);
	});
});
