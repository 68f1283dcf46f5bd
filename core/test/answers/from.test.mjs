// from.test.mjs - where each memory figure comes from: every command's JSON marks its figures, the marks are right for every
// kind of start, and no report starts with a guess.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CORE, json, rowsOf, run, succeeds } from "../command/command.mjs";

const RUN = join(CORE, "test", "reality", "compile-8cpus");
const TRACE = `${RUN}.trace.gz`;
const MARKS = ["measured", "machine", "known_start", "guess"];

const folder = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(folder, { recursive: true }));

/** Turns a kernel's state into the counts that /proc/slabinfo shows. */
function slabinfoOf(state) {
	const lines = gunzipSync(readFileSync(state)).toString().split("\n");
	const of = (line, key) => Number(new RegExp(` ${key}=(\\d+)`).exec(line)[1]);
	const rows = lines.flatMap((line) => {
		const [letter, name] = line.split(" ");
		if (letter !== "C") return [];
		const slabs = lines.filter((other) => other.startsWith(`L ${name} `));
		const active = slabs.reduce((n, slab) => n + of(slab, "inuse"), 0);
		const [size, objs, order] = ["size", "objs", "order"].map((key) => of(line, key));
		const slots = slabs.length * objs;
		return `${name} ${active} ${slots} ${size} ${objs} ${1 << order} : tunables 0 0 0 : slabdata ${slabs.length} ${slabs.length} 0`;
	});
	return `slabinfo - version: 2.1\n${rows.join("\n")}\n`;
}

const [BEFORE, AFTER] = ["start", "stop"].map((which) => {
	const path = join(folder, `${which}.slabinfo`);
	writeFileSync(path, slabinfoOf(`${RUN}.${which}.state.gz`));
	return path;
});

/** Every kind of start: its options, its name, and the mark of what depends on it. */
const STARTS = [
	{ trace: "workload:hackbench?scale=0.01", args: [], start: "beginning", from: "known_start" },
	{ trace: TRACE, args: ["--cold"], start: "empty", from: "guess" },
	{ trace: TRACE, args: [], start: "pointers", from: "guess" },
	{ trace: TRACE, args: ["--warm", BEFORE], start: "snapshot", from: "known_start" },
	{
		trace: TRACE,
		args: ["--start", `${RUN}.start.state.gz`],
		start: "kernel_state",
		from: "known_start",
	},
];

/** A number of bytes, pages, slabs or objects now; sizes and limits of a cache are none. */
const FIGURE =
	/^((.+_)?(bytes|pages|slabs|objects|live_at_end)(_peak|_in_use)?|rounding|tail|free_objects|partial|pages_.*|slabs_.*|.*_bytes_peak|requested_.*|kernel_slabs|model_slabs)$/;
const NO_FIGURE =
	/^(bytes|null_.*|objects_per_slab|min_partial|cpu_partial.*|page_size.*|pages_visited|most_pages_visited|unknown_.*|begins_with|kernel|pages_peak_at|.*_at)$/;

/** Every memory figure of a document with the mark that holds for it. */
function* figures(value, marks = { from: undefined, of: {} }, path = [], named = undefined) {
	if (Array.isArray(value)) {
		for (const [i, one] of value.entries()) yield* figures(one, marks, [...path, i], named);
		return;
	}
	if (value === null || typeof value !== "object") return;
	// A mark of an object's own wins over one that an object around it names. In a cell of a matrix `from` is a CPU.
	const mark = typeof value.from === "string" ? value.from : undefined;
	const own = mark === undefined ? named : undefined;
	const of = { ...marks.of, ...value.from_of };
	const here = { from: mark ?? marks.from, of };
	for (const [key, one] of Object.entries(value)) {
		const holds = of[key] ?? own ?? here.from;
		if (typeof one === "number") {
			const isNamed = own !== undefined || of[key] !== undefined;
			const isFigure = isNamed || (FIGURE.test(key) && !NO_FIGURE.test(key));
			if (isFigure) yield { path: [...path, key].join("."), key, mark: holds };
		} else if (key !== "from_of") {
			yield* figures(one, here, [...path, key], of[key] ?? own);
		}
	}
}

function checked(args, found = json(args)) {
	const all = [...figures(found)];
	for (const { path, mark } of all)
		assert.ok(MARKS.includes(mark), `${args.join(" ")}: ${path} is ${mark}`);
	return all;
}

const isMeasured = ({ key, path }) =>
	/^(requested_bytes|large_bytes|live_objects|live_at_end|requested_peak|requested_at_end)$/.test(
		key,
	) || /frees_by_/.test(path);

/** Commands that replay, with an option that each needs. */
const REPLAYS = [
	["replay"],
	["state"],
	["memory"],
	["doctor", "--jobs", "1"],
	["chapters"],
	["next"],
	["life", "--cache"],
	["why", "--list", "cpu1"],
	["sweep", "--x", "min_partial=0,5", "--metric", "slab_bytes_peak,requested_bytes"],
	["compare", "--with", "slub", "--with", "slub,min_partial=0"],
	["compare", "--kernels"],
];

for (const { trace, args, start, from } of STARTS) {
	describe(`a start from ${start}`, () => {
		const cache = trace === TRACE ? "pid" : "filp";
		for (const [command, ...more] of REPLAYS)
			test(`${command} ${more.join(" ")}: marks every figure`, () => {
				const needed = more.at(-1) === "--cache" ? [...more, cache] : more;
				const call = [command, trace, ...needed, ...args];
				const all = checked(call);
				for (const one of all) {
					if (command === "memory" && one.path.startsWith("parts.")) continue;
					assert.equal(one.mark, isMeasured(one) ? "measured" : from, `${command} ${one.path}`);
				}
				if (!["chapters", "next", "life"].includes(command)) assert.ok(all.length > 0, command);
			});

		test("memory marks requests as measured, and every other part by its start", () => {
			const { kernel, parts, from: mark } = json(["memory", trace, ...args]);
			assert.deepEqual([kernel.start_from, mark], [start, from]);
			for (const part of parts)
				assert.equal(part.from, /^(requested|large)$/.test(part.part) ? "measured" : from);
		});

		test("rows of --csv and of exported tables carry the mark too", () => {
			for (const [command, ...more] of [
				["replay"],
				["state"],
				["doctor", "--jobs", "1"],
				["sweep", "--x", "min_partial=0,5"],
				["compare", "--kernels"],
				["compare", "--against", TRACE],
				["export", "--table", "caches"],
				["export", "--table", "slabs"],
				["memory"],
				["memory", "--matrix"],
				["sites"],
			]) {
				const own = command === "sites" ? [] : args;
				const csv = command === "export" ? [] : ["--csv"];
				const rows = rowsOf(succeeds([command, trace, ...more, ...own, ...csv, "-q"]));
				assert.ok(rows.length > 0, command);
				for (const row of rows)
					assert.equal(row.mark ?? row.from, marked(command, row), JSON.stringify(row));
			}
			function marked(command, { part, table, name, figure = "", mark }) {
				if (command === "sites" || mark || /^(requested|large)$/.test(part)) return "measured";
				if (table === "counters" || /cycles/.test(name + figure)) return "";
				const isMeasured = /^(requested_bytes|large_bytes|live_objects)$/;
				if (table === "sites" || isMeasured.test(figure) || (table && isMeasured.test(name)))
					return "measured";
				return command === "compare" && table && trace !== TRACE ? "guess" : from;
			}
		});

		test("starts no report with a guess", () => {
			for (const [command, ...more] of [
				["replay"],
				["memory"],
				["doctor"],
				["sweep", "--x", "min_partial=0,5"],
				["compare", "--with", "slub", "--with", "slub,min_partial=0"],
				["compare", "--kernels"],
				["compare", "--against", TRACE],
				["sites"],
				["info", "--shape"],
			]) {
				const own = ["info", "sites"].includes(command) ? [] : args;
				const text = succeeds([command, trace, ...more, ...own, "-q"]);
				const lines = text
					.split("\n")
					.filter((line) => !/^ *(Start from|Every replay|Replays start)/.test(line));
				const figure = lines.join(" ").search(/[\d ](Mi?B|KiB|bytes)|\bpages in use\b/);
				const guess = lines.join(" ").search(/\bguess\b/);
				if (command === "replay") {
					const marks = text.match(/^ {2}.*\d {3}(measured|known start|guess)\b/gm);
					assert.match(marks[0], /^ {2}bytes requested +[\d,]+ +measured$/);
					assert.match(marks[1], /^ {2}live objects +[\d,]+ +measured$/);
				}
				assert.ok(figure >= 0 || command === "info", `${command}: no figure of memory`);
				assert.ok(guess < 0 || figure < guess, `${command}: ${text.slice(0, 400)}`);
				if (["replay", "memory", "doctor"].includes(command) || more[0] === "--with")
					assert.ok(text.includes(from.replace("_", " ")), `${command}: ${from}`);
			}
		});
	});
}

describe("other sources", () => {
	test("marks what a machine counted as the machine's, even beside the model's figures", () => {
		const call = ["replay", TRACE, "--before", BEFORE, "--machine-state", AFTER];
		const all = checked(call);
		const growth = all.filter(({ path }) => /^growth\./.test(path));
		assert.ok(growth.length > 0);
		for (const { path, mark } of growth)
			assert.equal(mark, /\.(slabs|objects)\.\w+$/.test(path) ? "machine" : "guess", path);
		for (const { path, mark } of all.filter(({ key }) => key === "machine"))
			assert.equal(mark, "machine", path);
		const orders = checked(["order", "--machine", AFTER, "--page-size", "4096", "--cpus", "8"]);
		assert.ok(orders.some(({ key, mark }) => key === "objects" && mark === "machine"));
		assert.ok(orders.every(({ key, mark }) => !/^pages_/.test(key) || mark === "known_start"));
	});

	test("marks a cache missing from the snapshot as a guess, and so the totals that include it", () => {
		const part = join(folder, "part.slabinfo");
		const lines = readFileSync(BEFORE, "utf8").split("\n");
		writeFileSync(part, lines.filter((line) => !line.startsWith("pid ")).join("\n"));
		const found = json(["replay", TRACE, "--warm", part]);
		assert.equal(found.from, "guess");
		for (const { name, from } of rowsOf(succeeds(["replay", TRACE, "--warm", part, "--csv"])))
			assert.equal(from, name === "pid" ? "guess" : "known_start", name);
		assert.match(found.kernel.start, /^Start from slabinfo and pointers: .* 1 other are a guess/);
		for (const { name, from } of found.caches)
			assert.equal(from, name === "pid" ? undefined : "known_start", name);
		const { parts } = json(["memory", TRACE, "--warm", part]);
		for (const one of parts.filter(({ part: p, cache }) => p === "pages" && cache))
			assert.equal(one.from, one.cache === "pid" ? "guess" : "known_start", one.cache);
		assert.equal(parts.find(({ part: p, cache }) => p === "pages" && !cache).from, "guess");
		const text = succeeds(["replay", TRACE, "--warm", part]);
		assert.match(text, /pages in use +[\d,]+ +guess/);
		const both = ["--before", part, "--machine-state", AFTER, "--warm", part];
		const { growth } = json(["replay", TRACE, ...both]);
		for (const { name, from } of growth.filter((row) => row.model_slabs.after !== null))
			assert.equal(from, name === "pid" ? undefined : "known_start", name);
	});

	test("counts caches that neither file lists in one line, and claims nothing about the machine", () => {
		const few = join(folder, "few.slabinfo");
		const rows = readFileSync(BEFORE, "utf8").split("\n");
		writeFileSync(few, rows.filter((line) => /^(slabinfo|#|pid )/.test(line)).join("\n"));
		const call = ["replay", TRACE, "--before", few, "--machine-state", few];
		const none = json(call).growth.filter(({ slabs }) => slabs.before === null);
		assert.ok(none.length > 0);
		for (const { why } of none) assert.equal(why, "Neither state lists slabs of this cache.");
		const text = succeeds(call);
		assert.match(text, /and [1-9] caches? of the model whose slabs neither file lists/);
		assert.doesNotMatch(text, /Neither state lists|no such cache/);
	});

	test("marks call sites, imports and two traces as measured where the trace measures them", () => {
		for (const call of [
			["sites", TRACE],
			["info", TRACE, "--shape"],
		])
			assert.ok(
				checked(call).every(({ mark }) => mark === "measured"),
				call[0],
			);
		const both = ["compare", TRACE, "--against", TRACE];
		const mixed = json([...both, "--warm", BEFORE]);
		assert.equal(mixed.from, "known_start");
		const found = json(both);
		checked(both, found);
		assert.equal(found.from, "guess");
		assert.ok(found.sites.every(({ from }) => from === "measured"));
		const waste = Object.fromEntries(found.waste.map(({ name, from }) => [name, from]));
		assert.deepEqual([waste.requested_bytes, waste.slab_bytes], ["measured", undefined]);
	});

	test("starts a check and a running program from what is known", () => {
		const states = ["--start", `${RUN}.start.state.gz`, "--stop", `${RUN}.stop.state.gz`];
		const found = checked(["check", TRACE, ...states]);
		assert.ok(found.some(({ key, mark }) => key === "kernel_slabs" && mark === "machine"));
		assert.ok(found.some(({ key, mark }) => key === "model_slabs" && mark === "known_start"));
		if (process.platform !== "linux") return;
		const report = join(folder, "run.json");
		const ran = run(["run", "--json", "-o", report, "--", "true"]);
		assert.equal(ran.status, 0, ran.err);
		const all = checked(["run"], JSON.parse(readFileSync(report, "utf8")));
		for (const one of all.filter(({ key }) => key === "slab_bytes"))
			assert.equal(one.mark, "known_start");
	});
});

describe("a peak of memory", () => {
	/** Frees of 400 objects from before the trace: its pages only fall. */
	const falling = () => {
		const path = join(folder, "falling.txt");
		const line = (i, what, at, more = "") =>
			`task-1 [000] ..... 1.${String(i).padStart(6, "0")}: kmem_cache_${what}: call_site=f+0x1/0x2 ptr=ffff8881${(0x1000 + at * 256).toString(16).padStart(8, "0")}${more} name=filp`;
		const size = " bytes_req=256 bytes_alloc=256 gfp_flags=GFP_KERNEL node=-1 accounted=false";
		const lines = Array.from({ length: 400 }, (_, i) => line(i, "free", i));
		lines.push(line(400, "alloc", 3, size), line(401, "alloc", 5, size), line(402, "free", 3));
		writeFileSync(path, `${lines.join("\n")}\n`);
		return path;
	};

	test("is ignored if the start already had it: doctor looks where the trace requests most", () => {
		const trace = falling();
		const found = json(["doctor", trace]);
		assert.equal(found.kernel.start_from, "pointers");
		assert.deepEqual([found.pages_peak_at, found.peak_of, found.peak_at], [0, "requests", 402]);
		assert.equal(found.requested_peak, 512);
		const text = succeeds(["doctor", trace]);
		assert.match(text, /Where the trace requests most, after 402 events:/);
		assert.match(text, /at the peak +[\d,]+ {2}guess, the start's/);
		assert.doesNotMatch(text, /after 1 event:/);
		// What such a peak would save is no saving.
		for (const { change } of found.best) assert.ok(change.end_bytes < 0 || change.slow_paths < 0);
		const sweep = json(["sweep", trace, "--x", "work=0", "--metric", "pages_peak"]);
		assert.equal(sweep.cells[0].op, null);
	});

	test("counts if it exceeds the slabs of a known start", () => {
		const found = json(["doctor", TRACE, "--start", `${RUN}.start.state.gz`]);
		assert.equal(found.peak_of, "pages");
		assert.ok(found.peak_at > 1 && found.peak_at === found.pages_peak_at);
	});
});
