// merge.test.mjs - `slabscope merge`: a recording that is split by CPU or by time, and joined again, is the same trace.

import assert from "node:assert/strict";
import {
	copyFileSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CORE, json, refuses, SHARED, succeeds } from "../command/command.mjs";

const folder = mkdtempSync(join(tmpdir(), "slabscope-merge-"));
after(() => rmSync(folder, { recursive: true }));

const OUT = join(folder, "out.slabtrace");
const sample = (name) => join(CORE, "..", "traces", `${name}.ftrace.txt.gz`);
const HACKBENCH = sample("linux-6.1-hackbench-4-nodes");
const FORK = sample("linux-6.18-fork-and-tcp");

function write(name, lines) {
	const path = join(folder, name);
	writeFileSync(path, `${lines.join("\n")}\n`);
	return path;
}

const linesOf = (path) => gunzipSync(readFileSync(path)).toString().trim().split("\n");
const isEvent = (line) => /\[\d{3}\]/.test(line);
/** In nanoseconds. */
const timeOf = (line) => Math.round(Number(/ (\d+\.\d{6}): /.exec(line)[1]) * 1e6) * 1000;

/** One file for each CPU, each with the head of the recording. */
function splitByCpu(path) {
	const lines = linesOf(path);
	const head = lines.filter((line) => line.startsWith("#"));
	const cpus = new Map();
	for (const line of lines.filter(isEvent)) {
		const cpu = /\[(\d{3})\]/.exec(line)[1];
		if (!cpus.has(cpu)) cpus.set(cpu, []);
		cpus.get(cpu).push(line);
	}
	return [...cpus].map(([cpu, own]) => write(`cpu${cpu}.txt`, [...head, ...own]));
}

const convert = (path) => succeeds(["convert", path]);
const merge = (files) => json(["merge", ...files, "-o", OUT]);

describe("slabscope merge", () => {
	test("rebuilds a recording from eight files, one for each CPU: every event, object and order", () => {
		const files = splitByCpu(HACKBENCH);
		const { files: rows, overlaps, gaps } = merge(files.toReversed());
		assert.equal(files.length, 8);
		assert.equal(readFileSync(OUT, "utf8"), convert(HACKBENCH));
		assert.deepEqual([overlaps, gaps], [[], []]);
		assert.ok(rows.every(({ cpus, duplicates }) => cpus === 1 && duplicates === 0));
		const { events } = json(["info", HACKBENCH]);
		assert.equal(
			rows.reduce((sum, row) => sum + row.events, 0),
			events,
		);
	});

	test("never puts a free before its allocation, even if two CPUs show the same time", () => {
		const { orphan_frees, unseen_frees, live_at_end } = json(["info", FORK]);
		for (const files of [splitByCpu(FORK), splitByCpu(FORK).toReversed()]) {
			const merged = merge(files);
			assert.deepEqual(
				[merged.orphan_frees, merged.unseen_frees, merged.live_at_end],
				[orphan_frees, unseen_frees, live_at_end],
			);
		}
	});

	test("counts an event that is in two successive files once, and names overlaps and gaps", () => {
		const lines = linesOf(FORK);
		const head = lines.filter((line) => line.startsWith("#"));
		const events = lines.filter(isEvent);
		const [from, to] = [1000, 1200];
		const first = write("first.txt", [...head, ...events.slice(0, to)]);
		const second = write("second.txt", [...head, ...events.slice(from)]);
		const { files, overlaps, gaps } = merge([first, second]);
		assert.equal(readFileSync(OUT, "utf8"), convert(FORK));
		const shared = events.slice(from, to).filter((line) => /kmem_cache|kmalloc|kfree/.test(line));
		assert.deepEqual(
			files.map(({ duplicates }) => duplicates),
			[0, shared.length],
		);
		assert.deepEqual(gaps, []);
		assert.equal(overlaps.length, 1);
		assert.equal(overlaps[0].from, timeOf(shared[0]));
		assert.equal(overlaps[0].to, timeOf(shared.at(-1)));
		const third = write("third.txt", [...head, ...events.slice(to)]);
		const apart = merge([third, first]);
		assert.equal(readFileSync(OUT, "utf8"), convert(FORK));
		assert.deepEqual(
			apart.gaps.map(({ a, b, from: start, to: end }) => [a, b, start, end]),
			[[first, third, timeOf(events[to - 1]), timeOf(events[to])]],
		);
	});

	test("reads binary files, and notices a copy of one", { skip: !existsSync(SHARED) }, () => {
		for (const name of ["trace.v7.dat", "perf.data.gz"]) {
			const path = join(SHARED, "traces", "debian-5.10", name);
			const copy = join(folder, name);
			copyFileSync(path, copy);
			const { files } = merge([path, copy]);
			assert.equal(files[1].duplicates, files[1].events);
			assert.equal(readFileSync(OUT, "utf8"), convert(path), name);
		}
	});

	test("refuses recorded malloc calls before it reads any of them", () => {
		const mtrace = (name, bytes) =>
			write(name, ["= Start", `@ a:[0x1] + 0x1000 ${bytes}`, "= End"]);
		const [zero, some] = [mtrace("zero.mtrace", "0x0"), mtrace("some.mtrace", "0x20")];
		for (const files of [
			[zero, some],
			[some, zero],
		]) {
			refuses(
				["merge", ...files, "-o", OUT],
				1,
				/its format, mtrace, has no recorded pointers and clock/,
			);
		}
	});
	test("refuses a file with a different clock, kernel or kind of pointer", () => {
		const line = (time, ptr, free) =>
			` bash-1 [000] ..... ${time}: ${free ? "kfree" : "kmalloc"}: call_site=f+0x1/0x2 ptr=${ptr}` +
			(free ? "" : " bytes_req=8 bytes_alloc=8 gfp_flags=GFP_KERNEL node=-1 accounted=false");
		const plain = "0xffff888001234560";
		const a = write("a.txt", [line("1.000001", plain)]);
		const ticks = write("ticks.txt", [line("1000002", plain, true)]);
		const hashed = write("hashed.txt", [line("1.000002", "00000000a1b2c3d4", true)]);
		const call = (...files) => ["merge", ...files, "-o", OUT];
		refuses(
			call(a, ticks),
			1,
			/ticks.txt: its clock counts ticks, but that of .*a.txt counts nano/,
		);
		refuses(
			call(a, hashed),
			1,
			/hashed.txt: only one of this file and .*a.txt has hashed pointers/,
		);
		const [five, six] = ["5.10.0", "6.1.0"].map((release, i) =>
			write(`k${i}.txt`, [`# os release : ${release}`, line(`${i + 1}.5`, plain, i === 1)]),
		);
		refuses(call(five, six), 1, /k1.txt: it was recorded by a different kernel from .*k0.txt/);
		const slabtrace = join(CORE, "..", "traces", "two-nodes.slabtrace");
		refuses(call(a, slabtrace), 1, /its format, slabtrace, has no recorded pointers and clock/);
		refuses(call(a, write("empty.txt", ["# tracer: nop"])), 1, /empty.txt/);
		refuses(["merge", a, "-o", OUT], 2, /at least two files/);
		refuses(["merge", a, ticks, "-o", ticks], 2, /is the input itself/);
		const later = write("later.txt", [line("1.000002", plain, true)]);
		assert.equal(merge([later, a]).live_at_end, 0);
	});
});
