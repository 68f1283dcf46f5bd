// against.test.mjs - `slabscope compare A --against B`: every figure equals a count of the lines of the two traces, or what
// another command says of each trace alone.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { CORE, json, refuses, rowsOf, run, succeeds } from "../command/command.mjs";

const PARTS = 64;
const folder = mkdtempSync(join(tmpdir(), "slabscope-against-"));
after(() => rmSync(folder, { recursive: true }));

const A = join(folder, "a.slabtrace");
const B = join(folder, "b.slabtrace");
makeTraces();

/** A recording, and three quarters of it without one cache and with another one that leaks. */
function makeTraces() {
	const text = succeeds([
		"convert",
		join(CORE, "..", "traces", "linux-6.18-fork-and-tcp.ftrace.txt.gz"),
	]);
	writeFileSync(A, text);
	const lines = text.trim().split("\n");
	const without = /^cache (\S+) .*name=sighand_cache/m.exec(text)?.[1];
	const head = lines.filter((line) => /^(slabtrace|machine|cache) /.test(line));
	const events = lines.filter((line) => /^[akf] /.test(line));
	const gone = new Set();
	const kept = events.slice(0, Math.floor(events.length * 0.75)).filter((line) => {
		const [word, id, cache] = line.split(" ");
		if (word === "f") return !gone.delete(id);
		if (word === "a" && cache === without) gone.add(id);
		return !(word === "a" && cache === without);
	});
	const leaks = kept.flatMap((line, i) => {
		const time = / t=(\d+)/.exec(line)?.[1];
		return i % 20 === 7 ? [line, `a leak${i} new cpu=0 t=${time} site=leaky+0x10`] : [line];
	});
	head.push("cache new size=300 name=leaky");
	writeFileSync(B, `${[...head, ...leaks].join("\n")}\n`);
	assert.ok(without);
}

/** What the lines say of each cache at some positions, and of the time of each event. */
function count(path, positions) {
	const lines = succeeds(["convert", path]).trim().split("\n");
	const caches = new Map();
	const live = new Map();
	const times = [];
	const points = [];
	const note = () => {
		while (points.length < positions.length && positions[points.length] === times.length)
			points.push(
				new Map([...caches.values()].map(({ name, objects, bytes }) => [name, { objects, bytes }])),
			);
	};
	for (const line of lines) {
		const words = line.split(" ");
		const value = (key) => words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
		if (words[0] === "cache")
			caches.set(words[1], {
				name: value("name"),
				size: Number(value("size")),
				objects: 0,
				bytes: 0,
			});
		if (!["a", "k", "f"].includes(words[0])) continue;
		note();
		const cache = caches.get(words[2]);
		if (words[0] === "a" && words[1] !== "-" && cache) {
			const bytes = Number(value("req") ?? cache.size);
			cache.first ??= times.length;
			cache.objects++;
			cache.bytes += bytes;
			live.set(words[1], { cache, bytes });
		}
		if (words[0] === "f" && live.has(words[1])) {
			const { cache: from, bytes } = live.get(words[1]);
			from.objects--;
			from.bytes -= bytes;
			live.delete(words[1]);
		}
		times.push(Number(value("t") ?? 0));
	}
	note();
	return { caches, times, points };
}

/** Counts allocations from named caches at each call site. */
function countSites(path) {
	const names = new Map();
	const sites = new Map();
	const live = new Map();
	let op = 0;
	for (const line of succeeds(["convert", path]).split("\n")) {
		const [word, id, cache] = line.split(" ");
		const value = (key) => new RegExp(` ${key}=(\\S+)`).exec(line)?.[1];
		if (word === "cache") names.set(id, value("name"));
		if (!["a", "k", "f"].includes(word)) continue;
		if (word === "a" && id !== "-") {
			const key = `${value("site")} ${names.get(cache)}`;
			if (!sites.has(key)) sites.set(key, { nr: 0, live: 0, first: op });
			const site = sites.get(key);
			site.nr++;
			site.live++;
			live.set(id, site);
		}
		if (word === "f" && live.has(id)) {
			live.get(id).live--;
			live.delete(id);
		}
		op++;
	}
	return sites;
}

const shares = (nr) => Array.from({ length: PARTS + 1 }, (_, i) => Math.floor((nr * i) / PARTS));

describe("slabscope compare A --against B", () => {
	const compared = json(["compare", A, "--against", B]);
	const nr = [compared.a.ops, compared.b.ops];

	test("counts each cache's live objects, bytes and first use as the trace's lines do", () => {
		const [a, b] = [count(A, shares(nr[0])), count(B, shares(nr[1]))];
		const names = new Set();
		for (const side of [a, b])
			for (const { name, first } of side.caches.values()) if (first !== undefined) names.add(name);
		const find = (side, name) => [...side.caches.values()].find((cache) => cache.name === name);
		let checked = 0;
		for (const row of compared.caches.filter(({ name }) => names.has(name))) {
			const [one, two] = [find(a, row.name), find(b, row.name)];
			const [isIn, isInB] = [one?.first !== undefined, two?.first !== undefined];
			assert.equal(row.live_objects.a, isIn ? one.objects : 0, row.name);
			assert.equal(row.live_objects.b, isInB ? two.objects : 0, row.name);
			assert.equal(row.requested_bytes.change, (two?.bytes ?? 0) - (one?.bytes ?? 0), row.name);
			assert.deepEqual(row.first_op, { a: one?.first ?? null, b: two?.first ?? null }, row.name);
			assert.equal(row.kind === "appeared", !isIn && isInB);
			assert.equal(row.kind === "vanished", isIn && !isInB);
			checkStep(row, a.points, b.points);
			checked++;
		}
		assert.equal(checked, names.size);
		assert.equal(compared.caches.find(({ name }) => name === "leaky").kind, "appeared");
		assert.equal(compared.caches.find(({ name }) => name === "sighand_cache").kind, "vanished");
	});

	/** The part of the run in which the difference of live objects changes most. */
	function checkStep({ name, live_objects: row }, a, b) {
		const of = (points, i) => points[i].get(name)?.objects ?? 0;
		let best = { change: 0 };
		for (let i = 1; i <= PARTS; i++) {
			const change = of(b, i) - of(a, i) - (of(b, i - 1) - of(a, i - 1));
			if (Math.abs(change) > Math.abs(best.change)) best = { change, i };
		}
		if (!best.change) return assert.equal(row.largest_step, null, name);
		const [x, y] = nr.map(shares);
		assert.deepEqual(row.largest_step, {
			change: best.change,
			a_from_op: x[best.i - 1],
			a_end_op: x[best.i],
			b_from_op: y[best.i - 1],
			b_end_op: y[best.i],
		});
	}

	test("gives the caches, waste and counters that replay gives for each trace", () => {
		const [a, b] = [json(["replay", A]), json(["replay", B])];
		for (const row of compared.caches) {
			const [x, y] = [a, b].map(({ caches }) => caches.find(({ name }) => name === row.name));
			assert.equal(row.slab_bytes.a, x?.slab_bytes ?? 0, row.name);
			assert.equal(row.slab_bytes.b, y?.slab_bytes ?? 0, row.name);
		}
		const waste = Object.fromEntries(compared.waste.map(({ name, bytes }) => [name, bytes]));
		assert.equal(waste.waste_rounding.a, a.waste.rounding);
		assert.equal(waste.waste_tail.b, b.waste.tail);
		assert.equal(waste.waste_free.change, b.waste.free_objects - a.waste.free_objects);
		for (const { name, value } of compared.counters)
			assert.deepEqual([value.a, value.b], [a.totals[name], b.totals[name]], name);
		const last = compared.curves.at(-1);
		assert.equal(last.a_events, a.ops);
		assert.deepEqual(last.slab_bytes, { a: a.slab_bytes, b: b.slab_bytes });
	});

	test("counts each call site's allocations, live objects and first use as the lines do", () => {
		const counts = [A, B].map(countSites);
		const rows = compared.sites.filter(({ cache }) => !cache.startsWith("kmalloc"));
		const keys = new Set(counts.flatMap((sites) => [...sites.keys()]));
		assert.equal(rows.length, keys.size);
		for (const { name, cache, kind, allocations, live_objects, first_op } of rows) {
			const [a, b] = counts.map((sites) => sites.get(`${name} ${cache}`));
			assert.deepEqual([allocations.a, allocations.b], [a?.nr ?? 0, b?.nr ?? 0], name);
			assert.deepEqual([live_objects.a, live_objects.b], [a?.live ?? 0, b?.live ?? 0], name);
			assert.deepEqual(first_op, { a: a?.first ?? null, b: b?.first ?? null }, name);
			assert.equal(kind === "appeared", !a);
		}
		const leaky = rows.find(({ cache }) => cache === "leaky");
		assert.deepEqual([leaky.name, leaky.kind], ["leaky+0x10", "appeared"]);
	});

	test("names the same events for a peak as life does", () => {
		const row = compared.caches.find(({ kind, peak_op: { a, b } }) => kind !== "same" && a && b);
		for (const [trace, op] of [
			[A, row.peak_op.a],
			[B, row.peak_op.b],
		])
			assert.equal(json(["life", trace, "--cache", row.name]).slabs_peak_op, op);
	});

	test("sorts rows by the size of their change", () => {
		for (const [table, figure] of [
			["caches", "slab_bytes"],
			["waste", "bytes"],
			["counters", "value"],
		]) {
			const sizes = compared[table].map((row) => Math.abs(row[figure].change));
			assert.deepEqual(
				sizes,
				sizes.toSorted((x, y) => y - x),
				table,
			);
		}
	});

	test("aligns positions by event and by time as the lines do", () => {
		const most = Math.max(...nr);
		const byEvent = json(["compare", A, "--against", B, "--align", "event"]).curves;
		assert.deepEqual(
			byEvent.map(({ b_events }) => b_events),
			shares(most).map((at) => Math.min(at, nr[1])),
		);
		const byTime = json(["compare", A, "--against", B, "--align", "time"]).curves;
		const times = [A, B].map((path) => count(path, []).times);
		const whole = Math.max(...times.map((of) => of.at(-1) - of[0]));
		byTime.forEach((point, i) => {
			const until = Math.floor((whole * i) / PARTS);
			const [a, b] = times.map((of) => of.filter((time) => time - of[0] <= until).length);
			assert.deepEqual([point.a_events, point.b_events], [a, b]);
		});
	});

	test("prints the same figures with --csv", () => {
		const rows = rowsOf(succeeds(["compare", A, "--against", B, "--csv"]));
		const bytes = rows.filter(({ table, figure }) => table === "caches" && figure === "slab_bytes");
		assert.deepEqual(
			bytes.map(({ name, change }) => [name, Number(change)]),
			compared.caches.map(({ name, slab_bytes }) => [name, slab_bytes.change]),
		);
		const slabs = rows.filter(({ table, figure }) => table === "position" && figure === "slabs");
		assert.deepEqual(
			slabs.map(({ step_end_op_b, a, b }) => [step_end_op_b, a, b].map(Number)),
			compared.curves.map((point) => [point.b_events, point.slabs.a, point.slabs.b]),
		);
		assert.ok(rows.every(({ trace_a, trace_b }) => trace_a === A && trace_b === B));
	});

	test("finds no change between a trace and itself, and names the events in the text", () => {
		const { caches, counters } = json(["compare", A, "--against", A]);
		assert.ok(caches.every(({ kind }) => kind === "same"));
		assert.ok(counters.every(({ value }) => value.change === 0 && value.largest_step === null));
		const text = run(["compare", A, "--against", B, "--count", "100"]).out;
		const leaky = compared.caches.find(({ name }) => name === "leaky");
		assert.match(
			text,
			new RegExp(`leaky .*appeared\n +first used: event ${leaky.first_op.b + 1} of B`),
		);
	});

	test("matches call sites of two builds by function, in the order of their offsets", () => {
		const site = (name) => `site=${name}`;
		const trace = (names) => {
			const path = join(folder, `build-${names.length}-${names[0].length}.slabtrace`);
			const lines = names.map((name, i) => `a ${i} c0 cpu=0 ${site(name)}`);
			writeFileSync(path, ["slabtrace 1", "cache c0 size=64 name=n", ...lines, ""].join("\n"));
			return path;
		};
		const old = trace(["f+0x9/0x40", "f+0x10/0x40", "g+0x1/0x8", "h+0x1/0x10", "h+0x2/0x10"]);
		const later = trace(["f+0x19/0x80", "f+0x120/0x80", "g+0x1/0x8", "h+0x3/0x10", "i+0x1/0x2"]);
		const joined = (b) =>
			json(["compare", old, "--against", b])
				.sites.map(({ name, name_in_b, kind }) => [name, name_in_b ?? kind].join(" "))
				.toSorted();
		assert.deepEqual(joined(later), [
			"f+0x10/0x40 f+0x120/0x80",
			"f+0x9/0x40 f+0x19/0x80",
			"g+0x1/0x8 same",
			"h+0x1/0x10 vanished",
			"h+0x2/0x10 vanished",
			"h+0x3/0x10 appeared",
			"i+0x1/0x2 appeared",
		]);
		/* One build: another offset is another call site. */
		const same = trace([
			"f+0x9/0x40",
			"f+0x11/0x40",
			"g+0x1/0x8",
			"h+0x1/0x10",
			"h+0x2/0x10",
			"g+0x2/0x8",
		]);
		assert.ok(joined(same).includes("f+0x10/0x40 vanished"));
		const text = succeeds(["compare", old, "--against", later, "--count", "100"]);
		assert.doesNotMatch(text, /g\+0x1\/0x8\n.*joined/);
	});

	test("refuses a bad call", () => {
		refuses(["compare", A, "--against", B, "--align", "moon"], 2, /expected time, event or share/);
		refuses(["compare", A, "--against", B, "--with", "slub"], 2, /give only one of them/);
		refuses(["compare", A, "--align", "time"], 2, /needs a second trace/);
		const timeless = join(CORE, "..", "traces", "two-nodes.slabtrace");
		refuses(["compare", A, "--against", timeless, "--align", "time"], 2, /has no times/);
	});
});
