// keep.test.mjs - what --keep keeps of each event, counted again from the lines of the trace's text.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CORE, json, refuses, SHARED, succeeds } from "./command.mjs";

const TRACES = join(CORE, "..", "traces");

const textOf = (path) => {
	const bytes = readFileSync(path);
	return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("latin1");
};

const KMEM =
	/^\s*(.+?)(?:-| +)(-?\d+)\s+(?:\(\s*[-\d]+\)\s+)?\[(\d+)\].*?\b(kmalloc|kmalloc_node|kmem_cache_alloc|kmem_cache_alloc_node|kfree|kmem_cache_free):\s.*?\bptr=(?:0x)?([0-9a-f]+|\(nil\))/;

/** Task and pointer of each kmem event, by the text alone: a multiset of "task pointer". */
function recount(text) {
	const rows = [];
	for (const line of text.split("\n")) {
		const found = KMEM.exec(line);
		if (!found) continue;
		const pointer = found[5] === "(nil)" ? 0n : BigInt(`0x${found[5]}`);
		rows.push(`${found[1].trim()}-${found[2]} ${pointer.toString(16)}`);
	}
	return rows.sort();
}

/** The same, by the words of a conversion. An unseen free has no line in the trace. */
function converted(path) {
	const text = succeeds(["convert", "--quiet", "--keep", "pointers,tasks", path, "-o", "-"]);
	const rows = [];
	for (const line of text.split("\n")) {
		if (!/^[akf] /.test(line) || / why=unseen\b/.test(line)) continue;
		const task = decodeURIComponent(/ task=(\S+)/.exec(line)?.[1] ?? "");
		rows.push(`${task} ${/ ptr=0x([0-9a-f]+)/.exec(line)?.[1] ?? "0"}`);
	}
	return rows.sort();
}

/** Compares sorted rows; a failure shows only the first ones that differ. */
function same(found, want) {
	assert.deepEqual(
		found.filter((row, i) => row !== want[i]).slice(0, 4),
		want.filter((row, i) => row !== found[i]).slice(0, 4),
	);
	assert.equal(found.length, want.length);
}

const SAMPLES = [
	"linux-5.10-fork-and-tcp.perf.txt.gz",
	"linux-6.1-fork-and-tcp.ftrace.txt.gz",
	"linux-6.12-fork-and-tcp.trace-cmd.txt.gz",
];

for (const name of SAMPLES) {
	test(`${name}: keeps the tasks and pointers of its lines`, () => {
		const path = join(TRACES, name);
		const want = recount(textOf(path));
		assert.ok(want.length > 2000);
		same(converted(path), want);
	});
}

// A binary trace has pids and a list of names; the recorder's own text of the same run has both on each line.
const PAIRS = [
	["debian-6.18.15/trace.v7.dat", "debian-6.18.15/tracecmd-report.txt.gz"],
	[
		"host-6.18.44/tracecmd-make-3files.v6.dat.gz",
		"host-6.18.44/tracecmd-make-3files.report.txt.gz",
	],
	["host-6.18.44/perf-rrpong-16x60.perf.data.gz", "host-6.18.44/perf-rrpong-16x60.script.txt.gz"],
];

for (const [binary, text] of PAIRS) {
	const path = join(SHARED, "traces", binary);
	test(`${binary}: keeps the same as in ${text}`, { skip: !existsSync(path) }, () => {
		const want = recount(textOf(join(SHARED, "traces", text)));
		assert.ok(want.length > 1000);
		same(converted(path), want);
	});
}

test("names what a conversion leaves out, and starts a replay from the pointers that it keeps", () => {
	const path = join(TRACES, "linux-6.18-fork-and-tcp.ftrace.txt.gz");
	const folder = mkdtempSync(join(tmpdir(), "keep-"));
	const [kept, plain] = ["kept", "plain"].map((name) => join(folder, `${name}.slabtrace`));
	assert.match(
		succeeds(["convert", path, "-o", plain]),
		/left out: pointers, which show the slabs/,
	);
	assert.doesNotMatch(
		succeeds(["convert", path, "--keep", "pointers,tasks", "-o", kept]),
		/left out: pointers/,
	);
	const startOf = (file) => json(["replay", file]).kernel.start_from;
	assert.deepEqual([path, kept, plain].map(startOf), ["pointers", "pointers", "empty"]);
	assert.doesNotMatch(succeeds(["convert", kept, "-o", plain]), /left out/);
	rmSync(folder, { recursive: true });
});

test("keeps in a slabtrace what a conversion wrote, and only if asked", () => {
	const path = join(TRACES, SAMPLES[1]);
	const keep = ["--keep", "pointers,tasks"];
	const first = succeeds(["convert", "-q", ...keep, path, "-o", "-"]);
	assert.equal(succeeds(["convert", "-q", ...keep, "-", "-o", "-"], first), first);
	const plain = succeeds(["convert", "-q", path, "-o", "-"]);
	assert.equal(succeeds(["convert", "-q", "-", "-o", "-"], first), plain);
	assert.doesNotMatch(plain, / (task|ptr)=/);
	const { kept } = json(["info", ...keep, path]);
	assert.deepEqual(kept, { pointers: true, tasks: true, bytes: 65536 * 12, dropped: false });
	refuses(["info", "--keep", "pids", path], 2, /--keep: expected pointers, tasks/);
	const bad = "slabtrace 1\ncache c0 size=64\na 1 c0 cpu=0 ptr=12\n";
	refuses(["info", "-"], 1, /expected ptr=<0x/, bad);
});
