// leaks.test.mjs - `sites` keeps frees that a trace cannot see, and frees by RCU, apart from leaks: maple_node of real kernels.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { json, SHARED } from "../command/command.mjs";

const traces = join(SHARED, "traces");
const skip = !existsSync(traces);
const maple = (file) =>
	json(["sites", join(traces, file)]).caches.find((c) => c.name === "maple_node");

/** Allocations, recorded frees, and objects whose memory was allocated again without one, from the lines alone. */
function counted(file) {
	const text = gunzipSync(readFileSync(join(traces, file))).toString();
	const caches = new Map();
	const n = { allocations: 0, frees: 0, unseen_frees: 0 };
	for (const [, event, ptr, name] of text.matchAll(
		/ (kmalloc|kmem_cache_alloc|kfree|kmem_cache_free): .*? ptr=(\S+)(?: name=(\S+))?/g,
	)) {
		const isMaple = caches.get(ptr) === "maple_node";
		if (event.endsWith("free")) n.frees += isMaple;
		else n.unseen_frees += isMaple;
		caches.delete(ptr);
		if (event === "kmem_cache_alloc" || event === "kmalloc") caches.set(ptr, name ?? "");
		n.allocations += event === "kmem_cache_alloc" && name === "maple_node";
	}
	return n;
}

describe("leak suspects of maple_node", { skip }, () => {
	it("are absent if its memory is reused without recorded frees", () => {
		const file = "host-6.18.44/tracecmd-make-3files.report.txt.gz";
		const cache = maple(file);
		const { allocations, frees, unseen_frees } = cache;
		assert.deepEqual({ allocations, frees, unseen_frees }, counted(file));
		assert.deepEqual([unseen_frees, cache.leak, cache.leak_suspects], [562, "unseen", 0]);
		assert.equal(cache.live_objects, allocations - frees - unseen_frees);
		assert.match(cache.why, /by RCU in bulk, through sheaves, or in events that were not recorded/);
	});

	it("are absent if the trace has few frees compared with what is left", () => {
		const cache = maple("host-6.18.44/perf-rrpong-16x60.script.txt.gz");
		assert.deepEqual(
			[cache.frees, cache.live_objects, cache.leak, cache.leak_suspects],
			[25, 228, "few_frees", 0],
		);
	});

	it("are few on 6.1, which records the frees of RCU", () => {
		const cache = maple("guest-slub-1node-1cpu-files.trace.gz");
		assert.ok(cache.rcu_frees > 0.9 * cache.frees && cache.unseen_frees === 0);
		assert.deepEqual([cache.live_objects, cache.leak_suspects], [71, 2]);
		assert.match(cache.why, /These lifetimes include the wait for RCU/);
	});
});
