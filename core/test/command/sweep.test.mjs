// sweep.test.mjs - `slabscope sweep`: every cell is what replay says of that machine, whatever the number of processes;
// its worst event is where the trace, cut there, first reaches the most.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { CORE, json, rowsOf, run, succeeds } from "./command.mjs";

const TRACES = join(CORE, "..", "traces");
const SMALL = join(TRACES, "two-nodes.slabtrace");
const LARGE = join(TRACES, "linux-6.1-hackbench-4-nodes.ftrace.txt.gz");

/** The metrics that replay's JSON has under the same names. */
const SAME_IN_REPLAY = [
	"slab_bytes",
	"pages_peak",
	"pages_in_use",
	"cycles",
	"lock_wait_cycles",
	"zones_visited",
	"live_objects",
	"partial",
];

describe("slabscope sweep", () => {
	test("gives the same figures in each cell as replay", () => {
		const { x, y, cells } = json([
			"sweep",
			LARGE,
			"--x",
			"min_partial=0..10:5",
			"--y",
			"node_search=all,skip-checked",
			"--metric",
			SAME_IN_REPLAY.join(","),
			"--nodes",
			"4",
		]);
		assert.deepEqual(x, { key: "min_partial", values: ["0", "5", "10"] });
		assert.deepEqual(y, { key: "node_search", values: ["all", "skip-checked"] });
		assert.equal(cells.length, 6);
		for (const [i, cell] of cells.entries()) {
			assert.equal(cell.x, x.values[i % 3]);
			assert.equal(cell.y, y.values[Math.floor(i / 3)]);
			const set = ["--set", `min_partial=${cell.x}`, "--set", `node_search=${cell.y}`];
			const alone = json(["replay", LARGE, "--nodes", "4", ...set]);
			for (const name of SAME_IN_REPLAY) assert.equal(cell[name], alone[name], name);
			assert.equal(cell.value, alone.slab_bytes);
			assert.equal(cell.why, null);
		}
	});

	test("takes counters, waste, presets and allocators", () => {
		const metrics = "alloc_fastpath,waste_tail,waste,grown";
		const axes = ["--x", "allocator=slub,slab", "--y", "preset=6.1,linux-2.6.26"];
		const { cells } = json(["sweep", SMALL, ...axes, "--metric", metrics]);
		for (const cell of cells) {
			const alone = json(["replay", SMALL, "--allocator", cell.x, "--preset", cell.y]);
			assert.equal(cell.alloc_fastpath, alone.totals.alloc_fastpath ?? null);
			assert.equal(cell.grown, alone.totals.grown ?? null);
			const { rounding, tail, free_objects: free } = alone.waste;
			assert.equal(cell.waste_tail, tail);
			assert.equal(cell.waste, rounding + tail + free);
		}
	});

	test("generates a workload again for its keys, and for the machine's", () => {
		const axes = ["--x", "threads=4,40", "--y", "cpus=8,16", "--metric", "cycles"];
		const { cells } = json(["sweep", "workload:tcp-rr?seed=3&transactions=4", ...axes]);
		for (const { x, y, value } of cells) {
			const of = `workload:tcp-rr?seed=3&transactions=4&threads=${x}&cpus=${y}`;
			assert.equal(value, json(["replay", of]).cycles);
		}
	});

	test("names the first event at which the number reaches its worst", () => {
		const text = succeeds(["convert", SMALL, "-o", "-"]);
		const lines = text.split("\n").filter((line) => /^[^#]/.test(line));
		const isOp = (line) => /^[akf] |^(flush|shrink|tick|reap|expire|set)\b/.test(line);
		const { cells } = json([
			"sweep",
			SMALL,
			"--x",
			"min_partial=0,5",
			"--metric",
			"slab_bytes_peak",
		]);
		for (const { x, value, op } of cells) {
			const upTo = (n) => {
				let left = n;
				const part = lines.filter((line) => !isOp(line) || left-- > 0);
				const set = ["--set", `min_partial=${x}`];
				return json(["replay", "-", ...set], `${part.join("\n")}\n`).slab_bytes;
			};
			assert.equal(upTo(op + 1), value);
			for (let n = 1; n <= op; n++) assert.ok(upTo(n) < value, `after ${n}`);
		}
		const axis = ["--x", "min_partial=0,5"];
		const csv = rowsOf(succeeds(["sweep", SMALL, ...axis, "--csv"]));
		assert.deepEqual(
			csv.map((row) => Number(row.op)),
			cells.map((cell) => cell.op),
		);
		const [first] = cells;
		const spoken = succeeds(["sweep", SMALL, ...axis]);
		assert.match(spoken, new RegExp(`reached at event ${first.op + 1}\\)`));
	});

	test("names no worst event for a trace without events", () => {
		const { cells } = json(["sweep", "-", "--x", "min_partial=0,5"], "slabtrace 1\n");
		assert.deepEqual(
			cells.map((cell) => cell.op),
			[null, null],
		);
	});

	test("says why a pair is impossible, and prints the others", () => {
		const axes = ["--x", "min_order=0,3", "--y", "max_order=1,3"];
		const { cells } = json(["sweep", SMALL, ...axes]);
		assert.deepEqual(
			cells.map((cell) => cell.value === null),
			[false, true, false, false],
		);
		assert.match(cells[1].why, /min_order is larger than max_order/);
		assert.equal(cells[1].op, null);
		const text = succeeds(["sweep", SMALL, ...axes]);
		assert.match(text, /min_order=3, max_order=1 is not possible: min_order is larger/);
	});

	test("prints the same for any number of processes, in every form", () => {
		const axes = ["--x", "cpu_partial=0,2,13", "--y", "allocator=slub,slab,unified"];
		for (const form of ["--json", "--csv", "-q"]) {
			const with1 = succeeds(["sweep", LARGE, ...axes, form, "--jobs", "1"]);
			assert.equal(succeeds(["sweep", LARGE, ...axes, form, "--jobs", "3"]), with1);
			assert.equal(succeeds(["sweep", LARGE, ...axes, form]), with1);
		}
		const rows = rowsOf(succeeds(["sweep", LARGE, ...axes, "--csv"]));
		assert.equal(rows.length, 9);
		assert.deepEqual(Object.keys(rows[0]), [
			"trace",
			"cpu_partial",
			"allocator",
			"slab_bytes_peak",
			"op",
			"why",
			"from",
		]);
	});

	test("takes values with commas, and leaves out numbers that an allocator does not have", () => {
		const axes = ["--x", "zones=2,2,1,1;1,1,1,1", "--y", "allocator=slub,slab"];
		const metric = ["--metric", "zones_visited", "--nodes", "4"];
		const { x, cells } = json(["sweep", LARGE, ...axes, ...metric]);
		assert.deepEqual(x.values, ["2,2,1,1", "1,1,1,1"]);
		assert.ok(cells[0].value > cells[1].value);
		assert.equal(cells[2].value, null);
		const text = succeeds(["sweep", LARGE, ...axes, ...metric]);
		assert.match(text, /^ +slab +– +–$/m);
		assert.match(text, /– is a number that the allocator of the cell does not have/);
	});

	test("says that a side changes nothing", () => {
		const text = succeeds(["sweep", SMALL, "--x", "allocator=slub,slab", "--y", "colour=on,off"]);
		assert.match(text, /^ {2}colour does not change slab_bytes_peak$/m);
		assert.doesNotMatch(text, /changes nothing/);
	});

	for (const [args, sentence] of [
		[[SMALL], /needs a trace and --x/],
		[[SMALL, "--x", "min_partial"], /--x: expected KEY=V1,V2/],
		[[SMALL, "--x", "min_partial=5..1"], /`5\.\.1` is not a range: a range counts upwards/],
		[[SMALL, "--x", "min_partial=1,,2"], /a value is missing/],
		[[SMALL, "--x", "zzz=1"], /--x: unknown parameter `zzz`/],
		[[SMALL, "--x", "threads=4"], /threads is a key of workloads/],
		[[SMALL, "--x", "min_partial=1", "--metric", "slab_byte"], /did you mean slab_bytes/],
		[[SMALL, "--x", "min_partial=0..9999"], /more than the 512 values/],
	]) {
		test(`refuses a bad call: ${args.slice(1).join(" ")}`, () => {
			const { status, err } = run(["sweep", ...args]);
			assert.equal(status, 2);
			assert.match(err, sentence);
		});
	}
});

describe("cells of a sweep start from the same slabs", () => {
	const RUN = join(CORE, "test", "reality", "compile-8cpus");
	const cells = (...args) => json(["sweep", `${RUN}.trace.gz`, ...args]);

	test("all start empty if one cannot start from the trace's pointers, and the report says which", () => {
		for (const key of ["red_zone", "sanity_checks"]) {
			const found = cells("--x", `${key}=off,on`);
			const why = `All start from empty, because ${key}=on cannot start from all the slabs that the trace's pointers show.`;
			assert.deepEqual([found.start_alike, found.kernel.start_from], [why, "empty"]);
			const text = succeeds(["sweep", `${RUN}.trace.gz`, "--x", `${key}=off,on`]);
			assert.ok(text.replace(/\s+/g, " ").includes(why), text);
			const alone = ["off", "on"].map(
				(value) => cells("--cold", "--set", `${key}=${value}`, "--x", "work=0").cells[0].value,
			);
			assert.deepEqual(
				found.cells.map(({ value }) => value),
				alone,
			);
		}
	});

	test("all start from pointers if all can", () => {
		const found = cells("--x", "min_partial=0,5");
		assert.deepEqual([found.start_alike, found.kernel.start_from], [null, "pointers"]);
	});

	test("none uses a kernel's state if one allocator cannot", () => {
		const found = cells("--start", `${RUN}.start.state.gz`, "--x", "allocator=slub,slob");
		assert.match(
			found.start_alike,
			/allocator=slob cannot start from the slabs of the kernel's state\.$/,
		);
		assert.equal(found.kernel.start_from, "empty");
	});

	test("doctor names the unchanged machine if that is the one that cannot", () => {
		const call = ["doctor", `${RUN}.trace.gz`, "--set", "red_zone=on"];
		const found = json(call);
		assert.match(found.start_alike, /because the unchanged machine cannot/);
		const off = found.best.find(({ key }) => key === "red_zone");
		const [on, without] = ["on", "off"].map((value) =>
			json(["replay", `${RUN}.trace.gz`, "--cold", "--set", `red_zone=${value}`]),
		);
		assert.equal(off.change.end_bytes, (without.pages_in_use - on.pages_in_use) * 4096);
	});
});
