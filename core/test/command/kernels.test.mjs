// kernels.test.mjs - `slabscope compare --kernels`: each row is what a replay under that preset says, and page
// allocator calls are the steps in which pages are taken or returned.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { CORE, json, refuses, rowsOf, succeeds } from "./command.mjs";

const TRACES = join(CORE, "..", "traces");
const NODES = join(TRACES, "two-nodes.slabtrace");
const REAL = join(TRACES, "linux-6.18-fork-and-tcp.ftrace.txt.gz");
const HACKBENCH = join(TRACES, "linux-6.1-hackbench-4-nodes.ftrace.txt.gz");

const PRESETS = json(["params", "--presets"]).map(({ name }) => name);
const NUMBERS = ["slow_paths", "slab_bytes", "slab_bytes_peak", "page_calls", "cycles"];
const kernels = (trace, ...rest) => json(["compare", trace, "--kernels", ...rest]).kernels;

/** Counts the steps that take or return pages, over the whole trace. */
function pageSteps(trace, preset) {
	const args = ["steps", trace, "--op", "0", "--count", "100000", "--preset", preset];
	return json(args).filter(({ kind }) => kind === "PAGES_ALLOC" || kind === "PAGES_FREE").length;
}

describe("slabscope compare --kernels", () => {
	for (const trace of [NODES, REAL, HACKBENCH]) {
		test(`${trace.split("/").at(-1)}: prints a row for each preset, oldest first, as replay does`, () => {
			const rows = kernels(trace);
			assert.deepEqual(
				rows.map(({ preset }) => preset),
				PRESETS,
			);
			assert.deepEqual([rows[0].version, rows.at(-1).version], ["2.6.26", "7.2"]);
			for (const row of [rows[0], rows.at(-3), rows.at(-1)]) {
				const alone = json(["replay", trace, "--preset", row.preset]);
				assert.equal(row.slab_bytes, alone.slab_bytes);
				assert.equal(row.cycles, alone.cycles);
				assert.ok(row.slab_bytes_peak >= row.slab_bytes);
			}
		});
	}

	for (const preset of ["linux-2.6.26", "linux-6.1", "linux-7.2"]) {
		test(`${preset}: counts the steps that take or return pages as page allocator calls`, () => {
			for (const trace of [NODES, REAL]) {
				const row = kernels(trace).find((r) => r.preset === preset);
				assert.equal(row.page_calls, pageSteps(trace, preset));
			}
		});
	}

	test("7.2 leaves the fast path less often on this trace, and keeps more memory in slabs", () => {
		const rows = kernels(REAL);
		const [old, sheaves] = [rows.find((r) => r.version === "6.1"), rows.at(-1)];
		assert.ok(sheaves.slow_paths * 4 < old.slow_paths);
		assert.ok(sheaves.slab_bytes > old.slab_bytes);
	});

	test("counts only large kmalloc as page allocator calls if there are no slabs", () => {
		const trace = "slabtrace 1\nmachine cpus=1\nk 1 100000 cpu=0\nf 1 cpu=0\n";
		const { kernels: rows } = json(["compare", "-", "--kernels"], trace);
		for (const row of rows) assert.deepEqual([row.page_calls, row.slab_bytes], [2, 0]);
	});

	test("prints the same rows as CSV and text, whatever the number of processes", () => {
		const rows = kernels(NODES);
		const csv = rowsOf(succeeds(["compare", NODES, "--kernels", "--csv", "--jobs", "1"]));
		assert.deepEqual(
			csv.map((row) => NUMBERS.map((key) => Number(row[key]))),
			rows.map((row) => NUMBERS.map((key) => row[key])),
		);
		const text = succeeds(["compare", NODES, "--kernels", "--jobs", "3"]);
		for (const { version, cycles } of rows)
			assert.match(
				text,
				new RegExp(`^ +${version.replaceAll(".", "\\.")} .* ${cycles.toLocaleString("en")}$`, "m"),
			);
		assert.match(text, /left the fast path of its kernel/);
		assert.match(
			text.replaceAll(/\s+/g, " "),
			/ From 2\.6\.26 to 7\.2 the number of events off the fast path /,
		);
	});

	test("states the shares of the rows in its finding", () => {
		const { finding, kernels: all } = json(["compare", HACKBENCH, "--kernels"]);
		const change = (key) => {
			const [from, to] = [all[0][key], all.at(-1)[key]];
			const percent = ((Math.abs(to - from) * 100) / from).toFixed(1);
			return to === from ? "stays the same" : `${to < from ? "falls" : "rises"} by ${percent} %`;
		};
		assert.equal(
			finding.split(". The largest")[0],
			`From 2.6.26 to 7.2 the number of events off the fast path ${change("slow_paths")}, the peak of bytes in ` +
				`slabs ${change("slab_bytes_peak")}, and the number of model cycles ${change("cycles")}`,
		);
	});

	test("applies machine options to every kernel", () => {
		const { cpus, nodes } = json(["compare", NODES, "--kernels", "--cpus", "8", "--nodes", "4"]);
		assert.deepEqual([cpus, nodes], [8, 4]);
		const small = kernels(REAL, "--set", "sheaf_capacity=4").at(-1);
		assert.ok(small.slow_paths > kernels(REAL).at(-1).slow_paths);
	});

	for (const [args, sentence] of [
		[["--with", "slub"], /cannot combine it with --with/],
		[["--preset", "6.1"], /cannot combine it with --preset/],
		[["--allocator", "slab"], /cannot combine it with another allocator/],
	]) {
		test(`refuses a bad call: ${args.join(" ")}`, () => {
			refuses(["compare", NODES, "--kernels", ...args], 2, sentence);
		});
	}

	test("needs --kernels for --csv", () => {
		refuses(["compare", NODES, "--with", "slub", "--with", "slab", "--csv"], 2, /needs --kernels/);
	});
});
