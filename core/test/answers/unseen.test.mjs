// unseen.test.mjs - frees that no tracepoint shows: which caches end with too many live objects because of them, and what
// the dynamic events of record.sh make of a real run of Linux 7.2 whose kernel counted everything.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { CORE, json, rowsOf, SHARED, succeeds } from "../command/command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-unseen-"));
after(() => rmSync(SCRATCH, { recursive: true }));

const SAMPLE = join(CORE, "..", "traces", "linux-6.18-fork-and-tcp.ftrace.txt.gz");

test("replay, doctor and sites name the caches whose frees have no event, and by how much", () => {
	const [row] = json(["replay", SAMPLE]).unseen;
	const { slabs, ...measured } = row;
	assert.deepEqual(measured, {
		name: "maple_node",
		frees: 10,
		unseen_frees: 38,
		live_objects: 183,
		bytes: 183 * 256,
	});
	assert.equal(slabs, 12);
	const words =
		/Most frees of maple_node have no event: 10 were recorded, and 38 more follow from memory that was used again\. So up to 183 of its live objects, 46,848 bytes or 12 slabs, may in fact be free/;
	for (const command of ["replay", "doctor"])
		assert.match(succeeds([command, SAMPLE]).replaceAll(/\s+/g, " "), words);
	assert.equal(json(["doctor", SAMPLE]).unseen[0].name, "maple_node");
	const sites = json(["sites", SAMPLE]);
	assert.equal(sites.unseen[0].live_objects, 183);
	const { why } = sites.caches.find(({ name }) => name === "maple_node");
	assert.match(why, /Up to 183 of them, 46,848 bytes, may in fact be free/);
});

/** A state of the kernel's own traces, as record.sh would have recorded it. */
const EVENTS = {
	rcu_push: ({ p, name }) =>
		`probe_kfree_rcu: (kvfree_call_rcu+0x0/0x3c0) ptr=0x${p} name="${name}"`,
	prefilled: ({ p, n, name }) =>
		`probe_prefill_sheaf: (f+0x1/0x2 <- kmem_cache_prefill_sheaf) sheaf=0x${p} nr=${n} name="${name}"`,
	sheaf_pop: ({ q }) =>
		`probe_alloc_from_sheaf: (kmem_cache_alloc_from_sheaf_noprof+0x0/0xb0) sheaf=0x${q}`,
	refill: ({ p, n }) =>
		`probe_refill_sheaf: (kmem_cache_refill_sheaf+0x0/0x90) sheaf=0x${p} nr=${n}`,
	return: ({ p }) => `probe_return_sheaf: (kmem_cache_return_sheaf+0x0/0x130) sheaf=0x${p}`,
	rcu_done: () => "probe_rcu_sheaf_done: (rcu_free_sheaf+0x0/0x1b0)",
};
const STOCK = new Set(["kmalloc", "kmem_cache_alloc", "kfree", "kmem_cache_free"]);

function recorded(path, hasProbes) {
	const text = execFileSync("xz", ["-dc", path], { encoding: "utf8", maxBuffer: 1 << 28 });
	const lines = text.split("\n").flatMap((line) => {
		const [, head, event, rest] = line.match(/^(.*\] \S+ +[\d.]+: )(\w+): (.*)$/) ?? [];
		// A stock kernel has no event for a kfree() by RCU.
		if (STOCK.has(event))
			return event === "kfree" && rest.startsWith("call_site=rcu_core") ? [] : [line];
		if (event !== "slub_op" || !hasProbes) return [];
		const fields = Object.fromEntries(rest.split(" ").map((field) => field.split("=")));
		const probe = EVENTS[fields.op]?.(fields);
		return probe ? [head + probe] : [];
	});
	const file = join(SCRATCH, "trace.txt");
	writeFileSync(file, `# os release : 7.2.12\n${lines.join("\n")}\n`);
	return file;
}

/** Counters by cache, of all CPUs, added up from [cache, { counter: n }]. */
function summed(rows) {
	const sums = new Map();
	for (const [cache, counters] of rows)
		for (const [counter, n] of Object.entries(counters)) {
			const key = `${cache} ${counter}`;
			sums.set(key, (sums.get(key) ?? 0) + Number(n));
		}
	return sums;
}

/** Counters of a cache that the kernel raised at least 20 times, and how many the model has within a factor of 2. */
function cells(run, machine, hasProbes) {
	const rows = rowsOf(readFileSync(`${run}.deltas.csv`, "utf8"));
	const kernel = summed(rows.map(({ name, cpu, ...counters }) => [name, counters]));
	const { caches, unseen } = json([
		"replay",
		recorded(`${run}.trace.xz`, hasProbes),
		"-q",
		...machine,
	]);
	const model = summed(caches.map(({ name, counters }) => [name, counters]));
	const counted = [...kernel].filter(([, n]) => n >= 20);
	const far = counted.filter(([key, n]) => {
		const found = model.get(key) ?? 0;
		return found > 2 * n || n > 2 * found;
	});
	return { all: counted.length, near: counted.length - far.length, far: String(far), unseen };
}

const RUNS = join(SHARED, "groundtruth", "states72");
const skip = !existsSync(RUNS);

// Cells within a factor of 2: with the stock events, with those of record.sh, and all.
for (const [name, folder, machine, stock, all, nr] of [
	["forkexec", "slub72-1n1c-icount-forkexec", ["--cpus", "1"], 45, 49, 49],
	["files", "slub72-1n2c-files", ["--cpus", "2"], 41, 56, 56],
	["udp", "slub72-4n8c-udp", ["--cpus", "8", "--nodes", "4"], 29, 29, 32],
])
	test(`the counters of Linux 7.2, ${name}: dynamic events bring the model's close to them`, {
		skip,
	}, () => {
		const run = join(RUNS, folder, name);
		const [without, with_] = [false, true].map((has) => cells(run, machine, has));
		assert.equal(with_.all, nr);
		assert.ok(with_.near >= all, with_.far);
		assert.ok(without.near >= stock - 2 && without.near <= with_.near, without.far);
		assert.ok(!with_.unseen.some((row) => row.name === "maple_node"));
	});
