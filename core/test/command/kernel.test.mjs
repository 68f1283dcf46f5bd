// kernel.test.mjs - which kernel is modelled: the one that the trace names, unless somebody names another; and every
// command says which.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { CORE, json, run, SHARED, succeeds } from "./command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-kernel-"));
after(() => rmSync(SCRATCH, { recursive: true }));

const CORPUS = join(CORE, "test", "corpus", "trace");
const SMALL = join(CORE, "..", "traces", "two-nodes.slabtrace");

const EVENT =
	"kmem_cache_alloc: call_site=f ptr=0xffff888000001000 bytes_req=184 bytes_alloc=192 gfp_flags=GFP_KERNEL node=-1 accounted=false name=filp";
const ftrace = (head) => `${head}\n  sh-1  [000] .....  1.000001: ${EVENT}\n`;
const slabtrace = (machine) =>
	`slabtrace 1\nmachine ${machine}\ncache c size=184 name=filp\na 1 c cpu=0\n`;

const kernelOf = (text, args = []) => json(["replay", "-", ...args], text).kernel;

describe("the trace names its kernel", () => {
	const perf = `# ========\n# os release : 5.10.0-32-amd64\n# perf version : 6.1.176\n# ========\n#\n   sh  1 [000]     1.000001: kmem:${EVENT}\n`;
	for (const [what, text, recorded, preset] of [
		["perf script --header", perf, "5.10.0-32-amd64", "linux-5.10"],
		[
			"trace-cmd report --uname",
			ftrace("Linux host 6.18.15+deb13-amd64 x86_64\ncpus=1"),
			"6.18.15+deb13-amd64",
			"linux-6.18",
		],
		[
			"latency format",
			ftrace("# tracer: nop\n#\n# nop latency trace v1.1.5 on 6.12.107+deb13-amd64"),
			"6.12.107+deb13-amd64",
			"linux-6.12",
		],
		["record.sh", ftrace("# os release : 7.2.12\n# tracer: nop"), "7.2.12", "linux-7.2"],
		["slabtrace", slabtrace("kernel=6.18.15 cpus=1"), "6.18.15", "linux-6.18"],
	]) {
		test(what, () => {
			const kernel = kernelOf(text);
			assert.equal(kernel.recorded, recorded);
			assert.equal(kernel.preset, preset);
			assert.equal(kernel.chosen_by, "by_recording");
			const bare = text
				.replaceAll(/^#.*os release.*$|^Linux host.*$|^# nop latency.*$/gm, "")
				.replace(/kernel=\S+/, "");
			const named = json(["replay", "-", "--preset", preset], bare);
			assert.equal(json(["replay", "-"], text).state_hash, named.state_hash);
			assert.equal(json(["info", "-"], text).kernel_recorded, recorded);
		});
	}

	for (const [release, preset] of [
		["2.6.24", "linux-2.6.26"],
		["2.6.26", "linux-2.6.26"],
		["2.6.32-573.el6.x86_64", "linux-2.6.26"],
		["2.6.39", "linux-2.6.36"],
		["3.10.0-1160.el7", "linux-2.6.36"],
		["4.19.0", "linux-4.19"],
		["5.9.16", "linux-4.19"],
		["5.13.19", "linux-5.10"],
		["6.0.12", "linux-5.14"],
		["6.1", "linux-6.1"],
		["6.6.30", "linux-6.1"],
		["6.7.0-rc1", "linux-6.7"],
		["6.11", "linux-6.7"],
		["6.17.9", "linux-6.12"],
		["6.18.44-virtual", "linux-6.18"],
		["7.0.3", "linux-7.0"],
		["7.1", "linux-7.0"],
		["7.2.12", "linux-7.2"],
		["10.0", "linux-7.2"],
	]) {
		test(`${release}: chooses the newest preset that is not newer, ${preset}`, () => {
			assert.equal(kernelOf(slabtrace(`kernel=${release}`)).preset, preset);
		});
	}

	test("ignores the version of something else", () => {
		const text = ftrace("# tracer: nop\n# perf version : 6.12.3\n# trace-cmd 3.1.6\nversion = 7");
		assert.deepEqual([kernelOf(text).recorded, kernelOf(text).preset], [null, "linux-6.1"]);
		const done = run(["replay", "-"], slabtrace("kernel=unknown"));
		assert.match(done.err, /2:9: kernel is the release that recorded the trace/);
	});

	test("reads it from perf.data: the feature of a file, the record of a pipe", () => {
		const release = Buffer.alloc(4 + 16);
		release.writeUInt32LE(16, 0);
		release.write("6.12.107+deb13", 4);
		const pipe = readFileSync(join(CORPUS, "pipe.perf.data"));
		const record = Buffer.alloc(16 + release.length);
		record.writeUInt32LE(80, 0);
		record.writeUInt16LE(record.length, 6);
		record.writeBigUInt64LE(4n, 8);
		release.copy(record, 16);
		const path = join(SCRATCH, "kernel.perf.data");
		writeFileSync(path, Buffer.concat([pipe.subarray(0, 16), record, pipe.subarray(16)]));
		assert.equal(json(["replay", path]).kernel.recorded, "6.12.107+deb13");

		const plain = readFileSync(join(CORPUS, "file.perf.data"));
		const end = Number(plain.readBigUInt64LE(40) + plain.readBigUInt64LE(48));
		const bits = plain.readBigUInt64LE(72);
		assert.equal(bits & ~2n, 0n, "the corpus has one feature, where its events are described");
		// One row more in the table of features, its text at the end of the file.
		const head = Buffer.from(plain.subarray(0, end));
		head.writeBigUInt64LE(bits | 16n, 72);
		const table = Buffer.alloc(32);
		table.writeBigUInt64LE(plain.readBigUInt64LE(end) + 16n, 0);
		table.writeBigUInt64LE(plain.readBigUInt64LE(end + 8), 8);
		table.writeBigUInt64LE(BigInt(plain.length + 16), 16);
		table.writeBigUInt64LE(BigInt(release.length), 24);
		writeFileSync(path, Buffer.concat([head, table, plain.subarray(end + 16), release]));
		const { kernel, events } = json(["replay", path]);
		assert.equal(kernel.recorded, "6.12.107+deb13");
		assert.equal(kernel.preset, "linux-6.12");
		assert.equal(events, json(["replay", join(CORPUS, "file.perf.data")]).events);
	});

	test("keeps it through convert, in both formats", () => {
		const text = ftrace("# os release : 6.18.15\n# tracer: nop");
		for (const to of ["slabtrace", "ftrace"]) {
			const converted = succeeds(["convert", "-", "-o", "-", "--to", to], text);
			/* Without pointers another sentence says why the start is empty. */
			const { start: _, ...kernel } = kernelOf(converted);
			const { start: __, ...wanted } = kernelOf(text);
			assert.deepEqual(kernel, wanted);
		}
	});

	const recordings = [
		["debian-5.10", "linux-5.10"],
		["debian-6.1", "linux-6.1"],
		["debian-6.12.107", "linux-6.12"],
		["debian-6.18.15", "linux-6.18"],
		["debian-7.2.12", "linux-7.2"],
	].flatMap(([folder, preset]) =>
		["perf.data.gz", "trace.v7.dat"].map((name) => [join(SHARED, "traces", folder, name), preset]),
	);
	for (const [path, preset] of recordings.filter(([path]) => existsSync(path))) {
		test(path.split("/").slice(-2).join("/"), () => {
			const { kernel } = json(["replay", path]);
			assert.equal(kernel.preset, preset);
			assert.match(
				kernel.words,
				new RegExp(`Linux ${/-(\d+\.\d+)/.exec(path.split("/").at(-2))[1]}`),
			);
		});
	}
});

describe("if you name another kernel", () => {
	const text = slabtrace("kernel=6.18.15");
	test("prefers --preset", () => {
		const kernel = kernelOf(text, ["--preset", "5.10"]);
		assert.deepEqual([kernel.preset, kernel.chosen_by], ["linux-5.10", "by_user"]);
		assert.match(
			kernel.words,
			/linux-5.10, the preset you set; the trace was recorded on Linux 6.18.15/,
		);
	});
	test("prefers preset= to kernel= on the machine line, and --preset to both", () => {
		const both = slabtrace("kernel=6.18.15 preset=linux-6.7");
		assert.equal(kernelOf(both).preset, "linux-6.7");
		assert.equal(kernelOf(both).chosen_by, "by_trace");
		assert.equal(kernelOf(both, ["--preset", "4.19"]).preset, "linux-4.19");
		assert.match(
			json(["replay", "-", "--preset", "4.19"], both).machine,
			/cpu_partial_unit=objects/,
		);
	});
	test("prefers single parameters", () => {
		assert.match(json(["replay", "-"], text).machine, /order_rule=linux-6.7/);
		const set = json(["replay", "-", "--set", "order_rule=mainline"], text);
		assert.match(set.machine, /order_rule=mainline .*sheaf_capacity=32/);
		const line = slabtrace("kernel=6.18.15 order_rule=mainline");
		assert.match(json(["replay", "-"], line).machine, /order_rule=mainline .*sheaf_capacity=32/);
	});
	test("refines the choice with the file that --cache-params names", () => {
		const params = join(SCRATCH, "machine.csv");
		writeFileSync(
			params,
			"cache,order,slab_size,min_partial,cpu_partial,sheaf_capacity\nfilp,1,192,9,7,16\n",
		);
		const [filp] = json(["replay", "-", "--cache-params", params], text).caches;
		assert.deepEqual([filp.order, filp.min_partial, filp.cpu_partial], [1, 9, 7]);
		assert.equal(Number(filp.sysfs.sheaf_capacity), 16);
	});
	const line = (event, fields) =>
		`x-1 [000] ..... 1.000001: ${event}: call_site=f+0x1/0x2 ptr=ffff888100001000${fields}\n`;
	const sizes = "bytes_req=250 bytes_alloc=256 gfp_flags=GFP_KERNEL";
	for (const [since, preset, lines] of [
		["6.18", "linux-6.18", line("kmem_cache_alloc", ` name=filp ${sizes} node=-1 accounted=true`)],
		["6.1", "linux-6.1", line("kmem_cache_alloc", ` ${sizes} node=-1 accounted=true`)],
		[
			"5.12",
			"linux-5.14",
			line("kmem_cache_free", " name=filp") + line("kmem_cache_alloc_node", ` ${sizes} node=-1`),
		],
		["", "linux-5.10", line("kmem_cache_free", "") + line("kmalloc_node", ` ${sizes} node=-1`)],
	])
		test(`a nameless trace in the format of kernels since ${since || "the first"} gets ${preset}`, () => {
			assert.equal(kernelOf(lines).preset, preset);
			assert.equal(kernelOf(`# os release : 6.12.1\n${lines}`).preset, "linux-6.12");
		});
	test("treats a nameless trace as one from 7.0 if the machine's file has sheaves", () => {
		const text = line("kmem_cache_alloc", ` name=filp ${sizes} node=-1 accounted=true`);
		const dump = (capacity) => {
			const path = join(SCRATCH, `sheaves-${capacity}.txt`);
			const of = (name, key, value) => `/sys/kernel/slab/${name}/${key}:${value}\n`;
			const row = (name) =>
				of(name, "slab_size", 256) + of(name, "slabs", 2) + of(name, "sheaf_capacity", capacity);
			writeFileSync(path, row("filp") + row("dentry"));
			return path;
		};
		const kernel = (file, ...more) => json(["replay", "-", "--warm", file, ...more], text).kernel;
		assert.equal(kernel(dump(28)).preset, "linux-7.0");
		assert.match(
			kernel(dump(28)).words,
			/^linux-7\.0, because most caches of the machine have sheaves$/,
		);
		assert.equal(kernel(dump(0)).preset, "linux-6.18");
		assert.equal(kernel(dump(28), "--preset", "6.12").preset, "linux-6.12");
	});
	test("treats a nameless trace as one from linux-6.1", () => {
		const kernel = json(["replay", SMALL]).kernel;
		assert.deepEqual([kernel.preset, kernel.chosen_by], ["linux-6.1", "by_default"]);
		assert.equal(
			json(["replay", SMALL]).state_hash,
			json(["replay", SMALL, "--preset", "6.1"]).state_hash,
		);
	});
	test("forgets the kernel when a session reads its next trace", () => {
		const pair = ["compare", "-", "--with", "slub", "--with", "slub,preset=linux-6.1"];
		const { runs } = json(pair, text);
		assert.deepEqual(
			runs.map(({ kernel }) => [kernel.preset, kernel.recorded]),
			[
				["linux-6.18", "6.18.15"],
				["linux-6.1", "6.18.15"],
			],
		);
	});
});

describe("every command that runs a machine names the kernel", () => {
	const words =
		/kernel modelled: linux-6\.1, the default: the trace does not name its kernel; --preset NAME sets another one of `slabscope params --presets`\n/;
	for (const args of [
		["replay", SMALL],
		["replay", SMALL, "--allocator", "slab"],
		["counters", join(CORE, "..", "traces", "linux-6.1-files-and-counters.ftrace.txt.gz")],
		["compare", SMALL, "--with", "slub", "--with", "slab"],
		["sweep", SMALL, "--x", "min_partial=0,5"],
		["state", SMALL],
	]) {
		test(`${args[0]}, in its text`, () => {
			assert.match(succeeds(args), words);
		});
	}
	for (const args of [
		["placements", SMALL],
		["steps", SMALL, "--op", "0"],
		["steps", SMALL, "--op", "0", "--json"],
		["find", SMALL, "--when", "new-slab"],
		["life", SMALL, "--cache", "lesson"],
		["replay", SMALL, "--csv"],
		["sweep", SMALL, "--x", "min_partial=0,5", "--csv"],
		["state", SMALL, "--csv"],
		["state", SMALL, "--slabinfo"],
	]) {
		test(`${args.filter((word) => word !== SMALL).join(" ")}: beside its rows`, () => {
			const done = run(args);
			assert.match(done.err, words);
			assert.doesNotMatch(done.out, /kernel modelled/);
			assert.equal(run([...args, "-q"]).err, "");
			assert.equal(run([...args, "-q"]).out, done.out);
		});
	}
	test("steps and chapters: name kernel and start in the first line", () => {
		for (const args of [["steps", "--op", "0"], ["chapters"]]) {
			const [command, ...more] = args;
			const [head] = succeeds([command, SMALL, ...more]).split("\n");
			assert.match(head, /^linux-6\.1 · start from empty.* · cycles are the model's$/, command);
		}
	});
	test("says so where presets change nothing", () => {
		const text = succeeds(["steps", SMALL, "--op", "0", "--allocator", "slob"]);
		assert.match(text, /^slob · start from empty/);
	});
	test("as JSON", () => {
		for (const args of [
			["replay"],
			["state"],
			["life", "--cache", "lesson"],
			["sweep", "--x", "min_partial=0,5"],
		]) {
			const [command, ...rest] = args;
			assert.equal(json([command, SMALL, ...rest]).kernel.preset, "linux-6.1");
		}
	});
	test("object_layout: since 6.12 kmalloc-96 and kmalloc-192 are aligned to 32 and 64 bytes", () => {
		const trace = "slabtrace 1\nk 1 96 cpu=0\nk 2 192 cpu=0\n";
		const aligned = (layout) =>
			json(["replay", "-", "--set", `object_layout=${layout}`], trace).caches.map(
				({ align }) => align,
			);
		assert.deepEqual(aligned("linux-6.1"), [8, 8]);
		assert.deepEqual(aligned("linux-6.12"), [32, 64]);
		assert.deepEqual(aligned("linux-7.0"), [32, 64]);
	});
	test("never lets SLOB follow a kernel", () => {
		assert.match(
			succeeds(["replay", SMALL, "--allocator", "slob"]),
			/presets do not change slob\n/,
		);
	});
});
