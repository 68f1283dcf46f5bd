// debugging.test.mjs - what slub_debug finds, as the command shows it: reports, objects, steps, and refusals.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { json, refuses, succeeds } from "./command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(SCRATCH, { recursive: true, force: true }));

function file(name, content) {
	const path = join(SCRATCH, name);
	writeFileSync(path, content);
	return path;
}

describe("debugging", () => {
	const TRACE = `slabtrace 1
machine cpus=2
cache c0 size=100 name=watched flags=red_zone,poison,store_user,sanity_checks
a 1 c0 cpu=0 t=5
corrupt write 1 at=100 len=3 cpu=0
f 1 cpu=1
corrupt double-free 1 cpu=0
a 2 c0 cpu=1
f 2 cpu=1
corrupt double-free 2 cpu=0
`;

	test("reports the kernel's facts", () => {
		const replay = json(["replay", "-", "-q"], TRACE);
		assert.equal(replay.reports_found, replay.reports.length);
		const [first] = replay.reports;
		assert.equal(first.check, "Right Redzone overwritten");
		assert.deepEqual([first.cache, first.slab, first.index, first.op], ["watched", 0, 0, 2]);
		assert.deepEqual([first.offset, first.len, first.found, first.expected], [108, 3, 0x41, 0xcc]);
		assert.deepEqual(first.allocated, { op: 0, cpu: 0, time: 5, call_site: "" });
		assert.equal(first.freed, null);
		assert.deepEqual(first.fixes, ["Restoring the bytes", "Object not freed"]);
		assert.match(first.text, /^BUG watched: Right Redzone overwritten\n/);
		assert.equal(replay.reports.at(-1).check, "Object already free");
		assert.match(succeeds(["replay", "-"], TRACE), /FIX watched: Restoring Right Redzone 0x/);
	});

	test("shows caches as sysfs and slabinfo do", () => {
		const [cache] = json(["replay", "-", "-q"], TRACE).caches;
		assert.deepEqual(
			[cache.sysfs.slab_size, cache.sysfs.poison, cache.sysfs.slabs, cache.sysfs.alloc_slab],
			["176", "1", "1 N0=1", "1 C0=1"],
		);
		assert.deepEqual([cache.slabinfo.num_objs, cache.slabinfo.objsize], [23, 176]);
		const [view] = json(["state", "-", "-q"], TRACE).cache_views;
		assert.deepEqual(view, { name: "watched", sysfs: cache.sysfs, slabinfo: cache.slabinfo });
		const lines = succeeds(["state", "-", "-q", "--slabinfo"], TRACE).split("\n");
		assert.equal(lines[0], "slabinfo - version: 2.1");
		assert.match(
			lines[2],
			/^watched +\d+ +23 +176 +23 +1 : tunables +0 +0 +0 : slabdata +1 +1 +0$/,
		);
	});

	test("shows the arithmetic of an object's free pointer", () => {
		const hardened = ["--set", "freelist_hardened=on", "--at", "6"];
		const object = json(["state", "-", "-q", "--object", "watched/0/0", ...hardened], TRACE);
		const [pointer, secret, swapped, stored] = ["pointer", "secret", "swapped", "stored"].map(
			(key) => BigInt(`0x${object.link[key]}`),
		);
		assert.equal(stored, pointer ^ secret ^ swapped);
		assert.deepEqual([object.state, object.link.next, object.freed.op], ["free", 1, 5]);
		assert.match(
			succeeds(["state", "-", "-q", "--object", "watched/0/0", ...hardened], TRACE),
			/\^ swapped 0x/,
		);
		assert.deepEqual(object.overwritten, []);
		refuses(["state", "-", "--object", "watched/0"], 2, /CACHE\/SLAB\/INDEX/, TRACE);
		refuses(["state", "-", "--object", "watched/0/99"], 2, /no such object/, TRACE);
		refuses(["state", "-", "--object", "watch/0/9"], 2, /did you mean watched/, TRACE);
	});

	test("shows the overwritten bytes of an object", () => {
		const after = ["state", "-", "-q", "--object", "watched/0/0", "--at", "2"];
		assert.deepEqual(json(after, TRACE).overwritten, [
			{ at: 100, bytes: 3, found: 0x41, expected: 0xcc },
		]);
		assert.match(
			succeeds(after, TRACE),
			/\+100 {2}overwritten {4}3 bytes of 0x41 instead of 0xcc\n/,
		);
	});

	test("says in steps what was found and what was done", () => {
		const steps = json(["steps", "-", "--op", "2"], TRACE);
		assert.deepEqual(
			steps.map((step) => step.kind).filter((kind) => kind !== "LOCK_WAIT"),
			["BUG", "BUG_BYTES", "BUG_ALLOCATED", "FIX", "FIX"],
		);
		assert.equal(steps.find((step) => step.kind === "BUG").args.check, "right_redzone");
	});

	test("reads a converted trace back to the same state", () => {
		const copy = join(SCRATCH, "corrupt.slabtrace");
		succeeds(["convert", file("debug.slabtrace", TRACE), "-o", copy, "-q"]);
		assert.equal(json(["replay", copy]).state_hash, json(["replay", "-", "-q"], TRACE).state_hash);
	});

	test("refuses an impossible line and says where it is", () => {
		refuses(
			["replay", "-"],
			1,
			/:4:1: the object with this ID is live: free it once first/,
			["slabtrace 1", "cache c size=8", "a 1 c cpu=0", "corrupt double-free 1 cpu=0", ""].join(
				"\n",
			),
		);
	});
});
