// growth.test.mjs - `replay --before --machine-state`: a real machine's change over a trace next to the model's, and
// the names of merged caches.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { CORE, json, refuses, SHARED, succeeds } from "../command/command.mjs";
import { sysfsOfState } from "./sysfs_of_state.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-growth-"));
after(() => rmSync(SCRATCH, { recursive: true }));

function file(name, text) {
	const path = join(SCRATCH, name);
	writeFileSync(path, text);
	return path;
}

const SAMPLE = join(CORE, "..", "traces", "linux-6.18-fork-and-tcp.ftrace.txt.gz");
const RUN = join(SHARED, "groundtruth", "states", "slub-1node-1cpu-files");
const skip = !existsSync(`${RUN}.start.state.xz`);
const unpacked = (path) =>
	execFileSync("xz", ["-dc", path], { encoding: "utf8", maxBuffer: 1 << 28 });

test("the change of a real machine stands beside the growth of the model", { skip }, () => {
	const trace = file("trace", unpacked(`${RUN}.trace.xz`));
	const [before, behind] = ["start", "stop"].map((at) =>
		file(at, sysfsOfState(`${RUN}.${at}.state.xz`)),
	);
	/** Slabs in the dump: a line each. */
	const slabs = (at, cache) =>
		unpacked(`${RUN}.${at}.state.xz`).match(new RegExp(`^L ${cache} `, "gm"))?.length ?? 0;
	const ask = (...more) =>
		json(["replay", trace, "--before", before, "--machine-state", behind, ...more]).growth;
	const warm = ask("--warm", before);
	assert.deepEqual(
		warm.slice(0, 3).map((row) => row.name),
		["shmem_inode_cache", "maple_node", "dentry"],
	);
	for (const { name, slabs: machine } of warm.slice(0, 3)) {
		const [from, to] = [slabs("start", name), slabs("stop", name)];
		assert.deepEqual(machine, { before: from, after: to, change: to - from });
	}
	// The kernel of this run has one CPU, and the model starts as it did.
	const dentry = warm.find((row) => row.name === "dentry");
	assert.deepEqual(dentry.model_slabs, dentry.slabs);
	const cold = ask("--cold").find((row) => row.name === "dentry");
	assert.equal(cold.model_slabs.before, 0);
	assert.deepEqual(cold.slabs, dentry.slabs);
});

test("merged caches get each other's names, from ls -l or slabinfo -a", () => {
	const sysfs =
		"/sys/kernel/slab/:0000128/order:0\n/sys/kernel/slab/:0000128/slabs:9\n/sys/kernel/slab/:0000128/objects:90\n";
	const links = ["eventpoll_epi", "tcp_bind_bucket", "other"].map(
		(name) =>
			`lrwxrwxrwx 1 root root 0 Nov 22 10:00 ${name} -> ${name === "other" ? ":x" : ":0000128"}\n`,
	);
	const table = ":0000128     <- eventpoll_epi tcp_bind_bucket\n:x <- other\n";
	for (const aliases of [links.join(""), table]) {
		const { overlay } = json(["replay", SAMPLE, "--machine-state", file("a", sysfs + aliases)]);
		const [cache] = overlay;
		assert.deepEqual(
			[overlay.length, cache.name, cache.machine_name, cache.aliases],
			[1, "eventpoll_epi", ":0000128", "tcp_bind_bucket"],
		);
		assert.equal(cache.slabs.machine, 9);
	}
	assert.match(
		succeeds(["replay", SAMPLE, "--machine-state", file("a", sysfs + table)]),
		/eventpoll_epi is merged with tcp_bind_bucket/,
	);
	refuses(
		["replay", SAMPLE, "--before", file("a", sysfs)],
		2,
		/--before needs --machine-state too/,
	);
});

/** A dump of /sys/kernel/slab: [slabs, objects] of each cache of 32 objects of 128 bytes to a slab. */
const dumpOf = (caches) =>
	Object.entries(caches)
		.flatMap(([name, [slabs, objects]]) =>
			Object.entries({
				object_size: 128,
				slab_size: 128,
				objs_per_slab: 32,
				order: 0,
				slabs,
				objects,
				total_objects: slabs * 32,
				objects_partial: 0,
				partial: 0,
				cpu_slabs: 0,
			}).map(([key, value]) => `/sys/kernel/slab/${name}/${key}:${value}\n`),
		)
		.join("");

test("explains every cache whose number of slabs changed differently from the machine's", () => {
	const allocs = (name, nr) =>
		Array.from({ length: nr }, (_, i) => `a ${name}${i} ${name} cpu=0\n`);
	const caches = ["agrees", "freed", "older", "bulk"];
	const trace = file(
		"why.slabtrace",
		[
			"slabtrace 1\nmachine cpus=1\n",
			...caches.map((name) => `cache ${name} size=128 flags=nomerge\n`),
			...allocs("agrees", 640),
			...allocs("freed", 640),
			...allocs("older", 640),
			...allocs("bulk", 32),
		].join(""),
	);
	const before = file(
		"why.before",
		dumpOf({ agrees: [5, 160], freed: [5, 160], older: [40, 160], bulk: [5, 160], none: [5, 160] }),
	);
	const behind = file(
		"why.after",
		dumpOf({
			agrees: [25, 800],
			freed: [5, 160],
			older: [40, 800],
			bulk: [35, 1120],
			none: [9, 288],
		}),
	);
	const ask = (start) => {
		const call = ["replay", trace, "--before", before, "--machine-state", behind, ...start];
		const { growth } = json(call);
		return [Object.fromEntries(growth.map((row) => [row.name, row])), succeeds(call)];
	};
	const [warm, text] = ask(["--warm", before]);
	const [cold] = ask(["--cold"]);
	assert.equal(warm.agrees.why, "");
	assert.deepEqual([warm.freed.allocs, warm.freed.frees], [640, 0]);
	assert.equal(
		warm.freed.why,
		"640 objects were freed by something that the trace does not show (kfree_rcu, in bulk), or after its last event: the trace leaves 640 more and the machine has 0 more.",
	);
	assert.match(warm.bulk.why, /^928 objects were allocated without an event, or are free on a CPU/);
	assert.equal(warm.none.why, "No event of the trace uses this cache.");
	assert.equal(cold.older.why, "The model started with 0 slabs, the machine with 40.");
	for (const { why } of Object.values(warm)) assert.ok(text.includes(why));
});
