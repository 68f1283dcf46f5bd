// harmless.test.mjs - names in a recording may contain anything: none of it may control a terminal or a spreadsheet.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { json, run, succeeds } from "../command/command.mjs";

const folder = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(folder, { recursive: true }));

function file(name, content) {
	const path = join(folder, name);
	writeFileSync(path, content);
	return path;
}

/* What a terminal may act on: C0 but for line feeds, DEL, C1, and what turns the direction of writing. */
const HARMFUL = /[^\P{Cc}\n]|\p{Bidi_Control}|[\u2028\u2029\ufeff]/u;
/* That, and with every escape that a slabtrace has. */
const NAMES = [
	"esc\x1b]0;title\x07",
	"c1\u009b31m",
	"bidi\u202eevil\u2066",
	"del\x7f",
	"back\bspace\r",
	"feed\n@SUM(A1)",
	"\ttab",
];
const isCoded = (c) => c <= " " || c === "%" || c === "\x7f";
const hex = (c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`;
const code = (name) => [...name].map((c) => (isCoded(c) ? hex(c) : c)).join("");

const caches = NAMES.map(
	(name, i) => `cache c${i} size=64 name=${code(name)} flags=red_zone,store_user`,
);
const events = NAMES.flatMap((name, i) => [
	`a ${i} c${i} cpu=0 site=${code(name)}`,
	`corrupt write ${i} at=64 len=1 cpu=0`,
	`f ${i} cpu=0 site=${code(name)}`,
	`validate c${i}`,
]);
const TRACE = file(
	"harm\x1b[31m\u202e.slabtrace",
	`slabtrace 1\n${[...caches, ...events].join("\n")}\n`,
);
const FTRACE = file(
	"ftrace.txt",
	Buffer.concat([
		Buffer.from(
			` x\x1b[2J-1 [000] ..... 1.0: kmem_cache_alloc: call_site=f\x1b[1m ptr=ffff888109a2b000 name=n\x1b]8;;x\x07 bytes_req=8 bytes_alloc=8 gfp_flags=GFP_KERNEL\n`,
		),
		Buffer.from(
			` x-1 [000] ..... 1.1: odd\x1b[5m\u202e: nothing\n what is \x1b[7mthis \u009b\u202e `,
		),
		Buffer.from([0xff, 0x9b, 0x0a]),
	]),
);

describe("control characters", () => {
	const commands = [
		["info", TRACE],
		["replay", TRACE],
		["replay", TRACE, "--csv"],
		["placements", TRACE, "--state"],
		["steps", TRACE, "--event", "1", "--count", "99"],
		["steps", TRACE, "--event", "1", "--count", "99", "--csv"],
		["state", TRACE],
		["state", TRACE, "--csv"],
		["state", TRACE, "--slabinfo", "--allocator", "slab"],
		["life", TRACE, "--object", "1"],
		["find", TRACE, "--when", "touched", "--all"],
		["compare", TRACE, "--with", "slub", "--with", "slab"],
		["sweep", TRACE, "--x", "min_partial=0,5", "--csv"],
		["info", FTRACE],
		["info", FTRACE, "--csv"],
		["replay", FTRACE],
		["steps", FTRACE, "--event", "1"],
		["convert", TRACE, "-o", join(folder, "out\x1b[1m")],
		["info", join(folder, "none\x1b[1m\u202e")],
		["convert", TRACE, "-o", join(folder, "none\x1b[1m", "x")],
		["replay", TRACE, "--set", "x\x1b[1m=1"],
		["life", TRACE, "--cache", "\x1b[1m\u009b"],
		["info\x1b[1m"],
		["info", TRACE, "--x\x1b[1m"],
		["sweep", TRACE, "--x", "min_partial=\x1b[1m"],
		["params", "\x1b[1m"],
		["state", TRACE, "--object", "\x1b[1m/0/0"],
	];
	for (const args of commands)
		test(`are never printed by ${JSON.stringify(args.map((a) => a.replace(folder, ""))).slice(0, 80)}`, () => {
			const { out, err } = run(args);
			assert.doesNotMatch(out + err, HARMFUL);
			assert.doesNotMatch(out + err, /\ufffd/, "a broken byte was printed");
		});

	test("are shown as visible escapes", () => {
		const text = succeeds(["info", TRACE]);
		for (const seen of [
			"esc\\x1b]0;title\\x07",
			"c1\\u009b31m",
			"bidi\\u202eevil\\u2066",
			"del\\x7f",
		])
			assert.ok(text.includes(seen), seen);
		assert.match(succeeds(["info", FTRACE]), /\\u202e \\xff\\x9b/);
	});

	test("survive JSON, where they are always escaped", () => {
		const args = ["info", TRACE, "--json"];
		assert.doesNotMatch(succeeds(args), HARMFUL);
		assert.deepEqual(
			json(["info", TRACE]).caches.map(({ name }) => name),
			NAMES,
		);
	});
});

describe("cells of CSV", () => {
	const FORMULAS = ["=1+1", "+cmd|x", "-2+3", "@SUM(A1)", "＝1", "=a,b", '=hyper"link"'];
	const PLAIN = ["-", "kmalloc-64", "-17", "+1.5e3", "a=b", "x-y@z"];
	const names = [...FORMULAS, ...PLAIN];
	const trace = file(
		"formulas.slabtrace",
		`slabtrace 1\n${names.map((name, i) => `cache c${i} size=64 name=${name}\na ${i} c${i} cpu=0`).join("\n")}\n`,
	);

	test("that would start a formula become text, and numbers stay numbers", () => {
		const lines = succeeds(["info", trace, "--csv"]).trimEnd().split("\n").slice(1);
		const cells = lines.map((line) => line.replace(/,64,64,1,0$/, ""));
		assert.deepEqual(cells, [
			`"'=1+1"`,
			`"'+cmd|x"`,
			`"'-2+3"`,
			`"'@SUM(A1)"`,
			`"'＝1"`,
			`"'=a,b"`,
			`"'=hyper""link"""`,
			...PLAIN,
		]);
	});

	test("JSON leaves them unchanged", () => {
		assert.deepEqual(
			json(["info", trace]).caches.map(({ name }) => name),
			names,
		);
	});
});
