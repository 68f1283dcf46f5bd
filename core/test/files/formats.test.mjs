// formats.test.mjs - the command with the other text formats: columns, a machine's caches, recordings counted by a search.
// Recordings of several kernels are looked for where command.mjs says; without them those tests are left out.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CORE, json, run, SHARED, succeeds } from "../command/command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(SCRATCH, { recursive: true, force: true }));

function file(name, content) {
	const path = join(SCRATCH, name);
	writeFileSync(path, content);
	return path;
}

describe("columns of CSV", () => {
	const csv = file("mine.csv", "when;what;where;n\n1;alloc;0x50;24\n2;free;0x50;0\n");

	test("asks for the columns it cannot find", () => {
		const done = run(["info", csv]);
		assert.equal(done.status, 1);
		assert.match(
			done.err,
			/`when`, `what`, `where`, `n`.*--columns event=COLUMN,ptr=COLUMN,req=COLUMN\n$/,
		);
	});
	test("uses the columns you name", () => {
		const info = json(["info", csv, "--columns", "event=what,ptr=3,req=n,time=when,unit=ms"]);
		assert.deepEqual(info.events_by_kind, { alloc: 1, free: 1 });
		assert.equal(info.time_last, 2000000);
		assert.deepEqual(info.columns[2], { name: "where", role: "ptr", sample: "0x50" });
	});
	test("refuses an unknown role or column", () => {
		assert.equal(run(["info", csv, "--columns", "evnt=what"]).status, 2);
		assert.equal(run(["info", csv, "--columns", "event=whit"]).status, 2);
	});
});

test("a Perfetto trace gives the same events whether its packets are plain or compressed", () => {
	const [plain, packed] = ["three-cpus", "packed"].map((name) =>
		json(["info", join(CORE, "test/corpus/trace", `${name}.perfetto-trace`)]),
	);
	assert.equal(plain.format, "Perfetto");
	assert.equal(plain.kernel_recorded, "6.12.30");
	assert.equal(plain.events_by_kind.sched_switch, 4);
	assert.equal(plain.cpus, 3);
	assert.deepEqual(packed.events_by_kind, plain.events_by_kind);
	assert.deepEqual(packed.caches, plain.caches);
});

test("each format has a file in the fuzzer's corpus", () => {
	const IMPORT = join(CORE, "import");
	const names = readdirSync(IMPORT, { recursive: true })
		.filter((name) => name.endsWith(".c"))
		.flatMap((name) => [
			...readFileSync(join(IMPORT, name), "utf8").matchAll(
				/^const struct trace_format \w+ = \{\s*\.name = "([^"]+)"/gm,
			),
		])
		.map(([, name]) => name);
	const corpus = join(CORE, "test/corpus/trace");
	const found = new Set(
		readdirSync(corpus).map((name) => {
			const done = run(["info", join(corpus, name), "--json", "-q"]);
			return /machine state, not a trace/.test(done.err)
				? "state of caches"
				: done.status === 0 && JSON.parse(done.out).format;
		}),
	);
	assert.ok(names.length > 10);
	assert.deepEqual(
		names.filter((name) => !found.has(name)),
		[],
	);
});

describe("a machine's caches", () => {
	const trace = file("t.slabtrace", "slabtrace 1\ncache c size=184 name=filp\na 1 c cpu=0\n");
	const slab = file(
		"slab.txt",
		"/sys/kernel/slab/filp/slab_size:256\n/sys/kernel/slab/filp/order:1\n",
	);

	test("are shown beside the model's", () => {
		const [filp] = json(["replay", trace, "--overlay", slab]).overlay;
		assert.equal(filp.machine_name, "filp");
		assert.deepEqual(filp.size, { model: 184, machine: 256 });
		assert.deepEqual(filp.slabs, { model: 1, machine: null });
		assert.match(succeeds(["replay", trace, "--overlay", slab]), /filp +184 256 +0 1 /);
	});
	test("give their sizes and orders to the model's", () => {
		const [filp] = json(["replay", trace, "--cache-params", slab]).caches;
		assert.deepEqual([filp.size, filp.order], [256, 1]);
	});
	test("are not mistaken for a trace", () => {
		const done = run(["info", slab]);
		assert.equal(done.status, 1);
		assert.match(done.err, /not a trace.*--machine-state FILE.*--cache-params FILE/);
	});
	test("are refused if the file is missing or is not a snapshot", () => {
		assert.equal(run(["replay", trace, "--overlay", trace]).status, 1);
		assert.equal(run(["replay", trace, "--overlay", join(SCRATCH, "nowhere")]).status, 1);
	});
});

describe("record.sh", () => {
	const script = join(CORE, "..", "traces", "record.sh");

	test("without a command it prints its usage", () => {
		const done = spawnSync("sh", [script], { encoding: "utf8" });
		assert.equal(done.status, 2);
		assert.match(done.stderr, /^record.sh: usage: .*COMMAND/);
	});
});

const folders = existsSync(join(SHARED, "traces")) ? readdirSync(join(SHARED, "traces")) : [];

function recordings(name) {
	return folders
		.map((folder) => join(SHARED, "traces", folder, name))
		.filter((path) => existsSync(path));
}

function countOf(text, pattern) {
	const counts = {};
	for (const [, kind] of text.matchAll(pattern)) {
		counts[kind] = (counts[kind] ?? 0) + 1;
	}
	return counts;
}

describe("recordings of real kernels", () => {
	const formats = [
		["bpftrace.txt.gz", "bpftrace", /^\d+ \d+ .* \d+ (k[a-z_]+) (?:0x|\(nil)/gm],
		["perf-trace.txt", "perf trace", / kmem:([a-z_]+)\(/g],
		["bpftrace-csv.txt.gz", "csv", /^\d+,\d+,\d+,[^,]*,([a-z_]+),/gm],
	];
	for (const [name, format, pattern] of formats) {
		for (const path of recordings(name)) {
			test(path.split("/").slice(-2).join("/"), () => {
				const bytes = readFileSync(path);
				const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
				const info = json(["info", path]);
				assert.equal(info.format, format);
				assert.deepEqual(info.events_by_kind, countOf(text, pattern));
				assert.equal(info.skipped_lines, 0);
				const back = json(["info", "-"], succeeds(["convert", path, "-q"]));
				assert.deepEqual(
					[back.ops, back.allocs, back.frees, back.live_at_end, back.time_last],
					[info.ops, info.allocs, info.frees, info.live_at_end, info.time_last],
				);
			});
		}
	}
	for (const name of ["perf-kmem-stat-slab.txt", "perf-kmem-stat-caller-alloc.txt"]) {
		for (const path of recordings(name)) {
			test(`${path.split("/").slice(-2).join("/")} is a summary`, () =>
				assert.match(run(["info", path]).err, /a summary by `perf kmem stat`/));
		}
	}
});

describe("byte order marks", () => {
	const TEXT = "slabtrace 1\nk obj-a 8 cpu=0\nf obj-a cpu=0\n";
	const wide = (text) => Buffer.from(`\ufeff${text}`, "utf16le");

	test("are skipped in UTF-8, and the names after them are kept", () => {
		const marked = file("marked.slabtrace", `\ufeff${TEXT}`);
		assert.equal(
			succeeds(["placements", marked]),
			succeeds(["placements", file("unmarked.slabtrace", TEXT)]),
		);
		assert.equal(json(["info", marked]).first_problem, null);
		const csv = file("marked.csv", "\ufeffcpu,event,ptr,req\n0,kmalloc,1,8\n");
		assert.deepEqual(
			json(["info", csv]).columns.map(({ name }) => name),
			["cpu", "event", "ptr", "req"],
		);
		const slabinfo =
			"slabinfo - version: 2.1\nfilp 1 16 256 16 1 : tunables 0 0 0 : slabdata 1 1 0\n";
		const overlay = file("marked.slabinfo", `\ufeff${slabinfo}`);
		succeeds(["replay", marked, "--overlay", overlay]);
	});

	test("recognises and refuses UTF-16, with or without a mark, whatever its columns are called", () => {
		for (const text of [wide(TEXT), wide(TEXT).subarray(2), wide(TEXT).swap16()]) {
			const path = file("wide.slabtrace", text);
			for (const more of [[], ["--columns", "ptr=1"]])
				assert.match(run(["info", path, ...more]).err, /This is UTF-16 text: save it as UTF-8/);
		}
	});
});
