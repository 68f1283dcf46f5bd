// stream.test.mjs - perf.data and trace.dat at the command: as files, through a pipe, packed, cut off, and on a full disk.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { COMMAND, CORE, json, refuses } from "../command/command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(SCRATCH, { recursive: true, force: true }));

const FILES = [
	"file.perf.data",
	"pipe.perf.data",
	"packed.perf.data",
	"6.trace.dat",
	"7.trace.dat",
];
const corpus = (name) => join(CORE, "test/corpus/trace", name);

/** What a report says about the events, whatever they were read from. */
function events({ packed, bytes, ...report }) {
	return report;
}

function piped(bytes, shell = 'exec "$0" info - --json') {
	const done = spawnSync("sh", ["-c", shell, COMMAND], { input: bytes, encoding: "utf8" });
	assert.equal(done.status, 0, done.stderr);
	return JSON.parse(done.stdout);
}

describe("a file that is read out of order", () => {
	for (const name of FILES) {
		const bytes = readFileSync(corpus(name));
		const whole = () => events(json(["info", corpus(name)]));

		test(`${name} through a pipe`, () => {
			assert.deepEqual(events(piped(bytes)), whole());
		});
		test(`${name} packed`, () => {
			const path = join(SCRATCH, `${name}.gz`);
			writeFileSync(path, gzipSync(bytes));
			assert.deepEqual(events(json(["info", path])), whole());
		});
		test(`${name} through a pipe, with no room for it on the disk`, () => {
			const full = "trap '' XFSZ; ulimit -f 1; exec \"$0\" info - --json";
			assert.deepEqual(events(piped(bytes, full)), whole());
		});
	}
});

describe("a file that is cut off", () => {
	test("perf.data lacks the description of its events, and the command says so", () => {
		const path = join(SCRATCH, "cut.perf.data");
		writeFileSync(path, readFileSync(corpus("file.perf.data")).subarray(0, 3000));
		refuses(["info", path], 1, /is cut off: the description of its events, .* is missing\./);
	});
	test("perf.data from a pipe: says at which byte, and keeps the events before it", () => {
		const path = join(SCRATCH, "cut.pipe.perf.data");
		const whole = readFileSync(corpus("pipe.perf.data"));
		writeFileSync(path, whole.subarray(0, whole.length - 100));
		const report = json(["info", path]);
		assert.ok(report.events > 0 && report.truncated);
		assert.match(report.problems[0].reason, new RegExp(`at byte ${whole.length - 100}$`));
		assert.deepEqual(events(piped(readFileSync(path))), events(report));
	});
	test("trace.dat: says at which byte, and keeps the events before it", () => {
		const path = join(SCRATCH, "cut.trace.dat");
		const whole = readFileSync(corpus("6.trace.dat"));
		writeFileSync(path, whole.subarray(0, whole.length - 1000));
		const report = json(["info", path]);
		assert.ok(report.events > 0 && report.truncated);
		assert.match(report.problems.at(-1).reason, new RegExp(`at byte ${whole.length - 1000}$`));
	});
});
