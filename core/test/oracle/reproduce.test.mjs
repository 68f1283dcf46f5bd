// reproduce.test.mjs - `slabscope reproduce`: the keys of its JSON, the same whatever the number of jobs, tables for
// people and for spreadsheets; and --by-clocks, the order behind it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { json, rowsOf, run, succeeds } from "../command/command.mjs";

/** A whole run of a large proposal takes seconds; `npm test` has a part of each, in core/test/golden/seeds.txt. */
const LONG = { skip: !process.env.LONG && "npm run test:long runs it" };

/** The quick ones. */
const QUICK = ["000", "003"];

describe("reproduce", () => {
	const one = succeeds(["reproduce", ...QUICK, "--json", "--jobs", "1"]);
	const { seeds } = JSON.parse(one);

	test("gives the same answer with two jobs, and when run again", () => {
		const withJobs = (jobs) =>
			succeeds(["reproduce", ...QUICK, "--scale", "0.1", "--json", "--jobs", jobs]);
		assert.equal(withJobs("2"), withJobs("1"));
	});

	test("has the contract's keys", () => {
		assert.deepEqual(
			seeds.map(({ id }) => id),
			QUICK,
		);
		for (const { rows, runs } of seeds) {
			assert.ok(runs > 0 && rows.length > 40);
			for (const row of rows) {
				assert.match(row.what, /^.+: .+, .+$/);
				assert.ok(row.seed_value === null || Number.isFinite(row.seed_value), row.what);
				assert.ok(row.ours === null || Number.isFinite(row.ours), row.what);
				assert.equal(typeof row.unit, "string");
				assert.ok([true, false, null].includes(row.agrees), row.what);
				assert.ok(row.why.endsWith("."), row.what);
				assert.equal(
					row.rule !== "",
					row.agrees !== null || row.rule.startsWith("Compares only the order of times"),
					row.what,
				);
				assert.ok(row.kind !== "time" || row.ours_unit.includes("model cycles"), row.what);
			}
		}
	});

	test("gives the proposal's own figures", () => {
		const value = (seed, what) => seeds[seed].rows.find((row) => row.what === what).seed_value;
		assert.equal(value(0, "real time: SLUB (dynamic), avg"), 23);
		assert.equal(value(0, "sys time: SLUB, max"), 16.95);
		assert.equal(value(1, "hackbench -g 4 -l 10000: Time, s, current SLOB"), 263.9);
		assert.equal(value(1, "hackbench -g 4 -l 10000: instructions, current SLOB"), 228439896295);
	});

	test("prints one line per figure as CSV", () => {
		const csv = succeeds(["reproduce", "min-partial", "--scale", "0.05", "--csv"]);
		assert.equal(csv.trim().split("\n").length, seeds[0].rows.length + 1);
		assert.equal(rowsOf(csv)[0].seed_value, "22.76");
	});

	test("explains in text what the times are, and gives the reasons unless -q is set", () => {
		const text = succeeds(["reproduce", "003"]);
		assert.match(text, /^003 {2}slob \(2021\): /);
		assert.match(text, /model cycles/);
		assert.match(text, /The walk makes the difference/);
		assert.doesNotMatch(succeeds(["reproduce", "003", "-q"]), /The walk/);
	});

	test("puts each verdict after its figure in a wide table", LONG, () => {
		const text = succeeds(["reproduce", "002", "-q"]);
		assert.match(text, /^ {2}64 threads( +[\d,]+){3}( +[\d,]+ (yes|NO|-) *){3}$/m);
		assert.match(text, /behind each of ours/);
	});

	test("gives no verdicts for a scaled run", () => {
		const scaled = ["reproduce", "000", "--scale", "0.05"];
		const text = succeeds(scaled);
		assert.match(text, /^ {2}A scaled run cannot be judged: /m);
		assert.doesNotMatch(text, /(yes|NO)$|agree, /m);
		const [seed] = json(scaled).seeds;
		assert.equal(seed.scale, 0.05);
		assert.match(seed.note, /^A scaled run cannot be judged/);
		assert.ok(
			seed.rows.every(({ agrees, why, rule }) => agrees === null && `${why}${rule}` === ""),
		);
		assert.deepEqual([seeds[0].scale, seeds[0].note], [1, null]);
		const [, ...lines] = succeeds([...scaled, "--csv"])
			.trim()
			.split("\n");
		assert.ok(lines.length > 40 && lines.every((line) => line.endsWith(",,,,known_start")));
	});

	test("applies a parameter set with --set to every run", () => {
		const [{ rows }] = json(["reproduce", "003", "--allocator", "slob-segregated"]).seeds;
		const faster = rows.find(({ what }) => what.includes("times faster"));
		assert.equal(faster.ours, 1);
		assert.equal(faster.agrees, false);
	});

	test("refuses a proposal that does not exist", () => {
		const done = run(["reproduce", "unifed"]);
		assert.equal(done.status, 2);
		assert.match(done.err, /unknown proposal `unifed`; the nearest is unified/);
	});
});

describe("--by-clocks", () => {
	const workload = "workload:hackbench?loops=3&cpus=4";

	test("replays the same events in another order, and sooner", () => {
		const plain = json(["replay", workload, "--set", "work=700"]);
		const ordered = json(["replay", workload, "--set", "work=700", "--by-clocks"]);
		assert.equal(ordered.ops, plain.ops);
		assert.equal(ordered.requested_bytes, plain.requested_bytes);
		assert.ok(ordered.elapsed_cycles < plain.elapsed_cycles);
	});

	test("keeps that order for the rest of the trace", () => {
		const text = succeeds([
			"convert",
			workload,
			"--by-clocks",
			"--set",
			"work=700",
			"-o",
			"-",
			"-q",
		]);
		const ordered = json(["replay", workload, "--set", "work=700", "--by-clocks"]);
		const again = JSON.parse(succeeds(["replay", "-", "--set", "work=700", "--json"], text));
		for (const key of [
			"ops",
			"cycles",
			"elapsed_cycles",
			"lock_wait_cycles",
			"pages_peak",
			"totals",
		]) {
			assert.deepEqual(again[key], ordered[key], key);
		}
	});
});
