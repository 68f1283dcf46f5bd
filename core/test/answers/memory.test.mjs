// memory.test.mjs - `slabscope memory` and `slabscope doctor`: the parts of memory against a count of the cells of `state`,
// the matrix of frees against the text of the trace, and each listed saving against two replays.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CORE, json, rowsOf, succeeds } from "../command/command.mjs";

const GOLDEN = (name) => join(CORE, "test", "golden", `${name}.slabtrace`);
const HACKBENCH = join(CORE, "..", "traces", "linux-6.1-hackbench-4-nodes.ftrace.txt.gz");

const FREE = 0;
const ALLOCATED = 1;
const LOST = 5;
const KEPT_PLACES = ["node_partial", "node_free"];

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const add = (to, key, number) => to.set(key, (to.get(key) ?? 0) + number);

/** Free bytes by part and place, from the rows and cells of `state --json` and the slots of `replay --json`. */
function recount(state, sizes) {
	const bytes = new Map();
	let inQueues = 0;
	for (const slab of state.slabs) {
		const place = state.places[slab.place];
		const cells = state.cells.slice(slab.first_cell, slab.first_cell + slab.objects);
		const sizeOf = (i) =>
			slab.first_extent < 0 ? sizes[slab.cache] : state.extents[slab.first_extent + i].bytes;
		const isEmpty =
			slab.first_extent < 0 &&
			KEPT_PLACES.includes(place.kind) &&
			cells.every((cell) => cell === FREE);
		cells.forEach((cell, i) => {
			if (cell === FREE) add(bytes, `${isEmpty ? "empty" : "free"} ${place.kind}`, sizeOf(i));
			else if (cell === LOST) add(bytes, "lost ", sizeOf(i));
			else if (cell !== ALLOCATED) inQueues += sizeOf(i);
		});
	}
	// Objects of a queue lie in slabs, too; those that no queue has are on the freelist of a cpu slab.
	for (const place of state.places.filter((p) => p.nr_entries)) {
		add(bytes, `free ${place.kind}`, place.nr_entries * sizes[place.cache]);
		inQueues -= place.nr_entries * sizes[place.cache];
	}
	if (inQueues) add(bytes, "free cpu_slab", inQueues);
	return bytes;
}

function freeParts(parts) {
	const found = parts.filter(({ part }) => ["free", "empty", "lost"].includes(part));
	return new Map(found.map(({ part, place, bytes }) => [`${part} ${place ?? ""}`, bytes]));
}

const sorted = (map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

function checkSums(parts, replay) {
	const of = (part) => sum(parts.filter((p) => p.part === part).map((p) => p.bytes));
	assert.equal(of("requested"), replay.requested_bytes);
	assert.equal(of("rounding"), replay.waste.rounding);
	assert.equal(of("tail"), replay.waste.tail);
	const free = of("free") + of("empty") + of("lost") + of("ahead");
	assert.equal(free, replay.waste.free_objects);
	const page = Number(/page_size=(\d+)/.exec(replay.machine)[1]);
	assert.equal(of("pages"), replay.pages_in_use * page);
	assert.equal(of("large"), of("pages") - replay.slab_bytes);
}

describe("slabscope memory", () => {
	const machines = [
		["remote-frees"],
		["remote-frees", "--allocator", "unified"],
		["debug-reports"],
		["linux-6.18-sheaves"],
		["linux-7.2-requests"],
		["linux-7.2-two-nodes"],
		["slab-two-nodes"],
		["slab-two-nodes", "--allocator", "slob"],
		["unified-v4"],
		["sizes-and-refusals"],
		["slob"],
		["slob-segregated"],
	];
	for (const [name, ...options] of machines)
		test(`adds up to the pages: ${[name, ...options].join(" ")}`, () => {
			const trace = [GOLDEN(name), ...options];
			const replay = json(["replay", ...trace]);
			const sizes = replay.caches.map((c) => c.size);
			const names = replay.caches.map((c) => c.name);
			checkSums(
				json(["memory", ...trace]).parts.filter((p) => !p.cache),
				replay,
			);
			for (const at of [Math.floor(replay.ops / 2), replay.ops]) {
				const position = [...trace, "--at", String(at)];
				const { parts, op } = json(["memory", ...position]);
				assert.equal(op, at);
				const state = json(["state", ...position]);
				const total = parts.filter((p) => !p.cache);
				assert.deepEqual(sorted(freeParts(total)), sorted(recount(state, sizes)));
				const pages = total.pop();
				assert.equal(pages.part, "pages");
				assert.equal(sum(total.map((p) => p.bytes)), pages.bytes);
				// Each cache for itself, where caches have slabs of their own.
				if (name === "slob" || name === "slob-segregated" || options.includes("slob")) continue;
				for (const cache of names.keys()) {
					const own = parts.filter((p) => p.cache === names[cache]);
					const slabs = state.slabs.filter((s) => s.cache === cache);
					const places = state.places.map((p) => (p.cache === cache ? p : { ...p, nr_entries: 0 }));
					const bytes = sum(slabs.map((s) => pageSize(replay) << s.order));
					if (own.length === 0) assert.equal(bytes, 0);
					else assert.equal(own.at(-1).bytes, bytes);
					assert.deepEqual(
						sorted(freeParts(own)),
						sorted(recount({ ...state, slabs, places }, sizes)),
					);
				}
			}
		});

	const pageSize = (replay) => Number(/page_size=(\d+)/.exec(replay.machine)[1]);

	test("counts frees by the CPU that allocated, as the text of the trace does", () => {
		const cpus = 8;
		const nodes = 4;
		const live = new Map();
		const byCpu = new Map();
		const byNode = new Map();
		let allocations = 0;
		let unseen = 0;
		for (const line of gunzipSync(readFileSync(HACKBENCH)).toString().split("\n")) {
			const event = /\[(\d+)\].* (k\w+): .*ptr=(\w+)(?:.*bytes_req=(\d+))?/.exec(line);
			if (!event) continue;
			const [, cpu, kind, ptr, bytes] = event;
			if (kind === "kmalloc" || kind === "kmem_cache_alloc") {
				unseen += live.has(ptr);
				live.set(ptr, { cpu: Number(cpu), bytes: Number(bytes) });
				allocations++;
			} else if (live.has(ptr)) {
				const born = live.get(ptr);
				live.delete(ptr);
				for (const [cells, of] of [
					[byCpu, (c) => c],
					[byNode, (c) => Math.floor((c * nodes) / cpus)],
				]) {
					const key = `${of(born.cpu)} ${of(Number(cpu))}`;
					const cell = cells.get(key) ?? { objects: 0, bytes: 0 };
					cells.set(key, { objects: cell.objects + 1, bytes: cell.bytes + born.bytes });
				}
			}
		}
		const found = json(["memory", HACKBENCH, "--cpus", String(cpus), "--nodes", String(nodes)]);
		const cellsOf = ({ cells }) =>
			new Map(cells.map(({ from, to, ...cell }) => [`${from} ${to}`, cell]));
		assert.deepEqual(sorted(cellsOf(found.frees_by_cpu)), sorted(byCpu));
		assert.deepEqual(sorted(cellsOf(found.frees_by_node)), sorted(byNode));
		const { frees, live: left, other_cpu, ...rest } = found.frees_by_cpu;
		assert.equal(rest.allocations, allocations);
		assert.equal(rest.unseen, unseen);
		assert.equal(left, live.size);
		assert.equal(frees, sum([...byCpu.values()].map((c) => c.objects)));
		const isOther = ([key]) => key.split(" ")[0] !== key.split(" ")[1];
		assert.equal(other_cpu, sum([...byCpu].filter(isOther).map(([, c]) => c.objects)));
	});

	test("adds up the matrices of single caches to the matrix of all", () => {
		const whole = json(["memory", HACKBENCH]);
		const names = new Set(whole.parts.flatMap((p) => p.cache ?? []));
		const some = [...names].slice(-3);
		const csv = rowsOf(succeeds(["memory", HACKBENCH, "--csv", "--matrix"]));
		assert.equal(sum(csv.map((row) => Number(row.objects))), whole.frees_by_cpu.frees);
		for (const name of some) {
			const one = json(["memory", HACKBENCH, "--cache", name]);
			assert.equal(sum(one.frees_by_cpu.cells.map((c) => c.objects)), one.frees_by_cpu.frees);
			assert.ok(one.frees_by_cpu.allocations < whole.frees_by_cpu.allocations);
		}
	});
});

/** The numbers of a replay, by the names that the doctor gives them. */
function numbersOf(trace, set) {
	const replay = json(["replay", trace, ...set]);
	const sweep = json(["sweep", trace, ...set, "--x", "work=0", "--metric", "slow_paths"]);
	const page = Number(/page_size=(\d+)/.exec(replay.machine)[1]);
	return {
		peak_bytes: replay.pages_peak * page,
		end_bytes: replay.pages_in_use * page,
		slow_paths: sweep.cells[0].value,
		cycles: replay.cycles,
		lock_wait_cycles: replay.lock_wait_cycles,
	};
}

describe("slabscope doctor", () => {
	test("lists savings that two replays confirm", () => {
		const found = json(["doctor", HACKBENCH, "--jobs", "1"]);
		// It tries orders for which the trace's pointers do not fit, so all start from empty.
		assert.match(found.start_alike, /^All start from empty, because \S+=\S+ cannot start from/);
		const without = numbersOf(HACKBENCH, ["--cold"]);
		const { totals } = json(["replay", HACKBENCH, "--cold"]);
		assert.equal(without.slow_paths, totals.alloc_slowpath + totals.free_slowpath);
		assert.deepEqual(found.without_change, without);
		assert.ok(found.best.length > 3 && found.best.length <= 10);
		for (const { key, value, change, start } of found.best) {
			const numbers = numbersOf(HACKBENCH, ["--cold", "--set", `${key}=${value}`]);
			const more = Object.entries(numbers).map(([name, n]) => [name, n - without[name]]);
			assert.deepEqual(change, Object.fromEntries(more), `${key}=${value}`);
			assert.ok(change.peak_bytes < 0 || change.end_bytes < 0 || change.slow_paths < 0);
			assert.equal(start, "empty");
		}
		const settable = found.best.map((row) => /boot|running/.test(row.set_by));
		assert.deepEqual(settable, settable.toSorted().reverse());
		assert.ok(settable.includes(true) && settable.includes(false));
		assert.deepEqual(json(["doctor", HACKBENCH, "--jobs", "2"]), found);
	});

	test("starts from a machine's slabs on request, and says so", () => {
		const folder = mkdtempSync(join(tmpdir(), "slabscope-"));
		try {
			const state = join(folder, "slabinfo");
			const rest = ": tunables 0 0 0 : slabdata";
			writeFileSync(
				state,
				`slabinfo - version: 2.1\nskbuff_head_cache 500 640 256 16 1 ${rest} 40 40 0\n`,
			);
			const warm = ["--warm", state];
			const all = json(["memory", HACKBENCH, ...warm]).parts;
			const parts = all.filter((p) => !p.cache);
			// Other caches start as the pointers suggest.
			const before = all.find((p) => p.part === "inferred" && p.cache === "skbuff_head_cache");
			assert.equal(before.bytes, 500 * 256);
			assert.equal(before.objects, 500);
			assert.equal(sum(parts.map((p) => p.bytes)), 2 * parts.at(-1).bytes);
			const { best, without_change, start_alike } = json(["doctor", HACKBENCH, ...warm]);
			assert.match(start_alike, /^All start from the snapshot alone, because /);
			assert.deepEqual(without_change, numbersOf(HACKBENCH, [...warm, "--cold"]));
			assert.ok(best.every((row) => row.start === "snapshot"));
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	test("writes a page for a mail", () => {
		for (const allocator of ["slub", "slab", "unified", "slob"]) {
			const text = succeeds(["doctor", GOLDEN("remote-frees"), "--allocator", allocator]);
			for (const line of text.split("\n")) assert.ok([...line].length <= 78, line);
			assert.match(
				text.replace(/\s+/g, " "),
				/The trace requests at most .* \(measured\)\. .* in pages \(known start\), \d+ % is requested memory/,
			);
			assert.match(
				text,
				/^Every replay starts from empty, as the trace contains its own beginning\.$/m,
			);
			const figures = text.split(/^ ?\d+\. .*\n/m).slice(1);
			const own = figures.filter((one) => !/^ +saves and costs the same as change \d+$/m.test(one));
			assert.equal(new Set(own).size, own.length, "no figures twice");
			if (allocator === "slub") assert.ok(own.length < figures.length);
		}
	});
});
