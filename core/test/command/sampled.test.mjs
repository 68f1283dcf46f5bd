// sampled.test.mjs - traces of which perf recorded only some events: recognised, scaled, and marked as estimates.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { CORE, json, succeeds } from "./command.mjs";

const folder = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(folder, { recursive: true }));

const file = (name, content) => {
	const path = join(folder, name);
	writeFileSync(path, content);
	return path;
};

const RECORD_SAMPLE = 9;
const TRACEPOINT = 2;
const FREQ = 1n << 10n;
/** header, identifier, ip, tid, time, cpu: the parts in front of the period in these samples. */
const PERIOD_AT = 8 + 5 * 8;

/** A small perf.data whose attributes and samples are changed: bytes, and the sum of the periods of its samples. */
function changed({ flags = 0n, attrPeriod = 1n, periodOf = () => 1 }) {
	const bytes = readFileSync(join(CORE, "test", "corpus", "trace", "file.perf.data"));
	const word = (at) => Number(bytes.readBigUInt64LE(at));
	const [size, attrs, attrsEnd] = [word(16), word(24), word(24) + word(32)];
	for (let at = attrs; at < attrsEnd; at += size) {
		if (bytes.readUInt32LE(at) !== TRACEPOINT) continue;
		bytes.writeBigUInt64LE(attrPeriod, at + 16);
		bytes.writeBigUInt64LE(bytes.readBigUInt64LE(at + 40) | flags, at + 40);
	}
	let nr = 0;
	for (let at = word(40); at < word(40) + word(48); at += bytes.readUInt16LE(at + 6))
		if (bytes.readUInt32LE(at) === RECORD_SAMPLE)
			bytes.writeBigUInt64LE(BigInt(periodOf(nr++)), at + PERIOD_AT);
	return bytes;
}

test("counts each sample of a perf.data recorded with a frequency as its period", () => {
	const path = file(
		"freq.perf.data",
		changed({ flags: FREQ, attrPeriod: 99n, periodOf: () => 40 }),
	);
	const plain = json(["info", join(CORE, "test", "corpus", "trace", "file.perf.data")]);
	const { allocs, frees, sampled } = json(["info", path]);
	assert.deepEqual([allocs, frees, plain.sampled], [plain.allocs, plain.frees, undefined]);
	assert.deepEqual(sampled, {
		sampling: 40,
		estimated_allocs: allocs * 40,
		estimated_frees: frees * 40,
	});
	assert.match(succeeds(["info", path]), /an event stands for about 40\. .*estimates/);
	const of = (sites) => sites.map((row) => [row.call_site, row.allocations, row.bytes_allocated]);
	const [one, many] = [
		json(["sites", join(CORE, "test", "corpus", "trace", "file.perf.data")]),
		json(["sites", path]),
	];
	assert.deepEqual(
		of(many.sites),
		of(one.sites).map(([site, allocations, bytes]) => [site, allocations * 40, bytes * 40]),
	);
	assert.ok(many.is_guess && many.caches.every(({ leak }) => /none|sampled/.test(leak)));
	assert.equal(
		many.sites.reduce((sum, row) => sum + row.leak_suspects, 0),
		0,
	);
	const bytesOf = (answer) => answer.parts.map((row) => row.bytes);
	const [small, large] = [
		json(["memory", file("plain.perf.data", changed({}))]),
		json(["memory", path]),
	];
	assert.deepEqual(
		bytesOf(large),
		bytesOf(small).map((bytes) => bytes * 40),
	);
	assert.equal(large.frees_by_cpu.allocations, small.frees_by_cpu.allocations * 40);
	const bases = [small, large].map(({ trace }) => json(["doctor", trace]).without_change);
	for (const [name, value] of Object.entries(bases[0]))
		assert.equal(bases[1][name], value * 40, name);
	assert.match(succeeds(["doctor", path]), /an event stands for about 40\. .*estimates/);
	const machines = ["--with", "slub", "--with", "slab"];
	assert.match(succeeds(["compare", path, ...machines]), /the sample and not scaled/);
	const back = file("back.slabtrace", succeeds(["convert", "-q", path, "-o", "-"]));
	assert.equal(json(["info", back]).sampled.sampling, 40);
});

test("goes by the samples' own periods if the kernel ignored the period", () => {
	assert.equal(
		json(["info", file("c.perf.data", changed({ attrPeriod: 100n }))]).sampled,
		undefined,
	);
	const periodOf = (i) => 10 + (i % 7) * 5;
	const path = file("mixed.perf.data", changed({ flags: FREQ, periodOf }));
	const { sampled, events } = json(["info", path]);
	const estimated = sampled.estimated_allocs + sampled.estimated_frees;
	assert.equal(sampled.sampling, Math.round(estimated / events));
	assert.ok(estimated >= events * 10 && estimated <= events * 40);
});

const line = (i, period) =>
	`  sh  1 [000] ${i + 1}.000000: ${period} kmem:kmalloc: call_site=one ptr=0x${1000 + i * 8} bytes_req=6 bytes_alloc=8 gfp_flags=GFP_KERNEL\n`;

test("reads perf script with periods in the lines, or with only a frequency in its header", () => {
	const periods = [50, 150, 100, 120];
	const lines = periods.map((period, i) => line(i, period)).join("");
	assert.deepEqual(json(["info", file("periods.txt", lines)]).sampled, {
		sampling: 105,
		estimated_allocs: 420,
		estimated_frees: 0,
	});
	const head =
		"# ========\n# event : name = kmem:kmalloc, , type = 2, { sample_period, sample_freq } = 99, disabled = 1, freq = 1\n#\n";
	const bare = file("bare.txt", head + periods.map((_, i) => line(i, "")).join(""));
	assert.equal(json(["info", bare]).sampled.sampling, 1);
	assert.match(succeeds(["sites", bare]), /nothing in it says how many/);
});
