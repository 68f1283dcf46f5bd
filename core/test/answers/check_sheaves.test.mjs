// check_sheaves.test.mjs - `slabscope check` on a kernel with sheaves: three caches of a Linux 7.2 on 2 CPUs, which is
// preemptible.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CORE, json, refuses, succeeds } from "../command/command.mjs";

const folder = mkdtempSync(join(tmpdir(), "slabscope-sheaves-"));
after(() => rmSync(folder, { recursive: true }));

const file = (kind) => join(CORE, "test", "reality", `files72-2cpus.${kind}.gz`);
const [TRACE, START, STOP] = ["trace", "start.state", "stop.state"].map(file);
const textOf = (path) => gunzipSync(readFileSync(path)).toString();
const written = (name, text) => {
	const path = join(folder, name);
	writeFileSync(path, text);
	return path;
};
const trace = textOf(TRACE);
const check = (path, ...more) => json(["check", path, "--start", START, "--stop", STOP, ...more]);

describe("if the trace has slub_op lines", () => {
	const found = check(TRACE);

	test("gives every allocation the recorded slab and index, even within another task's refill", () => {
		assert.equal(found.allocations, 1320);
		assert.equal(found.right, found.allocations);
		assert.ok(found.parts.all > 300 && found.parts.refused === 0);
	});

	test("ends with the kernel's 26 counters, slabs, sheaves and lists", () => {
		assert.ok(found.counters.cells > 5);
		assert.equal(found.counters.within_10_percent, found.counters.cells);
		assert.equal(found.caches.within_2, found.caches.all);
		assert.ok(found.stop_lists.all > 10);
		assert.equal(found.stop_lists.equal, found.stop_lists.all);
	});

	test("says what each control proves, or that it proves nothing", () => {
		const [capacity, barn] = found.controls;
		assert.equal(capacity.setting, "sheaf_capacity - 4");
		assert.ok(capacity.right < found.right / 2 && !capacity.proves_nothing);
		assert.deepEqual(barn, {
			setting: "limit of a barn - 1",
			right: found.right,
			proves_nothing: true,
		});
		assert.match(succeeds(["check", TRACE, "--start", START]), /proves nothing/);
	});
});

test("gets fewer right where no line says when a part took effect, and invents no time for it", () => {
	const stock = trace.replace(/.*: slub_(op|stat): .*\n/g, "");
	const found = check(written("stock.txt", stock));
	assert.equal(found.parts.all, 0);
	assert.equal(found.allocations, 1320);
	assert.ok(found.right < 1320 && found.right > 1100, `${found.right}`);
	// Such a kernel has neither cpu freelists nor array caches.
	const { model, why } = found.divergence;
	assert.match(model, /, from the main sheaf$/);
	assert.match(why, /and the object was in the spare sheaf of CPU 1, after others\.$/);
});

test("refuses and counts a part that the model would not have started", () => {
	const swaps = trace.replace(/(.* slub_op: op=)push( name=kmalloc-rcl-96 .*\n)/, "$&$1swap$2");
	const found = check(written("swap.txt", swaps));
	assert.equal(found.parts.refused, 1);
	assert.equal(found.right, found.allocations);
});

describe("refuses states whose sheaves do not fit, in one sentence", () => {
	const start = textOf(START);
	const damaged = (pattern, instead, sentence) => {
		assert.match(start, pattern);
		const path = written("bad.state", start.replace(pattern, instead));
		refuses(["check", TRACE, "--start", path], 1, sentence);
	};

	test("of a sheaf, a barn and the cache", () => {
		damaged(/(where=main id=\d+ size=)[1-9]\d*/, "$1600", /size=, sheaf_capacity= .* do not fit/);
		damaged(/where=main/, "where=nowhere", /expected where=main, spare/);
		damaged(/(full=)\w+,/, "$1ffff888000000100,", /no S line/);
		damaged(/(objects=)(\w+),\w+/, "$1$2,$2", /names an object twice/);
		damaged(/sheaf_capacity=60/, "sheaf_capacity=60000", /sheaf_capacity= and a number/);
	});

	test("cannot start a whole replay", () => {
		refuses(["replay", TRACE, "--start", START], 1, /check can compare it/);
	});
});
