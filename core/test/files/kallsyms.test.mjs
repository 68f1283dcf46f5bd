// kallsyms.test.mjs - `--kallsyms`: addresses get the names that perf gave them, and a file that does not fit is refused.
// The trace of perf is looked for where command.mjs says; without it that test is left out.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { json, refuses, run, SHARED } from "../command/command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(SCRATCH, { recursive: true, force: true }));

function file(name, content) {
	const path = join(SCRATCH, name);
	writeFileSync(path, content);
	return path;
}

const hex = (n) => n.toString(16).padStart(16, "0");
const line = (site, ptr) =>
	`x-1 [000] ..... 1.${String(ptr).padStart(6, "0")}: kmalloc: call_site=${site} ptr=${hex(BigInt(ptr) + 0xffff888000000000n)} bytes_req=8 bytes_alloc=8 gfp_flags=GFP_KERNEL\n`;
const sitesOf = (trace, ...options) =>
	Object.fromEntries(
		json(["sites", trace, "--by", "site", ...options]).sites.map((row) => [
			row.call_site,
			row.allocations,
		]),
	);

describe("text with addresses", () => {
	const sites = ["ffffffff81000110", "0xffffffff81000110", "ffffffff81000180", "ffffffffc0200044"];
	const trace = file(
		"addresses.txt",
		[...sites, "early+0x10/0x80", "ffffffffc0200fff", "0"].map(line).join(""),
	);
	const symbols = [
		"0000000000000000 A fixed_percpu_data",
		"ffffffffc0200400 r later_data\t[ext4]",
		"ffffffff81000100 T early",
		"ffffffff81000100 t early_alias",
		"ffffffff81000180 t late",
		"ffffffff81000200 T _etext",
		"ffffffffc0200000 t ext4_alloc_inode\t[ext4]",
	].join("\n");

	test("gets the names that ftrace prints, joined with those it already has", () => {
		for (const path of [file("kallsyms", symbols), file("kallsyms.gz", gzipSync(symbols))])
			assert.deepEqual(sitesOf(trace, "--kallsyms", path), {
				"early+0x10/0x80": 3,
				"late+0x0/0x80": 1,
				"ext4_alloc_inode+0x44/0x400 [ext4]": 1,
				// What lies after data is not in a function.
				ffffffffc0200fff: 1,
				0: 1,
			});
	});

	test("refuses hidden symbols, symbols of another boot, and files without any", () => {
		const hidden = file("hidden", symbols.replace(/^\w+/gm, hex(0)));
		const moved = file("moved", symbols.replace(/^ffffffff/gm, "fffffffe"));
		for (const [path, sentence] of [
			[hidden, /hidden: All addresses are 0, .*kptr_restrict.*as root\.\n$/],
			[moved, /do not fit the trace: only 0 of its 4 .* same boot/],
			[trace, /No symbols found: expected lines such as/],
			[join(SCRATCH, "none"), /none: cannot be opened/],
			[file("cut.gz", gzipSync(symbols).subarray(0, 60)), /cut\.gz: /],
		])
			refuses(["sites", trace, "--kallsyms", path], 1, sentence);
	});

	test("says when the trace has no addresses", () => {
		const named = file("named.txt", line("early+0x10/0x80", 1));
		const done = run(["info", named, "--kallsyms", file("kallsyms", symbols)]);
		assert.equal(done.status, 0);
		assert.match(done.err, /no call sites that are addresses/);
	});
});

test("perf.data gets the names of perf script", (t) => {
	const folder = join(SHARED, "traces", "debian-6.12.107");
	if (!existsSync(folder)) return t.skip("no traces beside the checkout");
	const [data, script] = ["perf.data.gz", "perf-script.txt.gz"].map((name) => join(folder, name));
	const nameAt = new Map(
		json(["sites", script, "--by", "site"]).sites.map((row) => [row.first_op, row.call_site]),
	);
	// Each function starts as far before its address as perf says, and ends before the next one.
	const symbols = json(["sites", data, "--by", "site"]).sites.map((row) => {
		const [name, offset] = nameAt.get(row.first_op).split("+");
		return `${hex(BigInt(row.call_site) - BigInt(offset))} t ${name}\n`;
	});
	const fence = `${hex(0xffffffffa0000000n)} T _etext\n`;
	const named = sitesOf(data, "--kallsyms", file("perf-kallsyms", symbols.join("") + fence));
	assert.deepEqual(
		Object.fromEntries(
			Object.entries(named).map(([name, nr]) => [name.replace(/\/0x[0-9a-f]+$/, ""), nr]),
		),
		sitesOf(script),
	);
});
