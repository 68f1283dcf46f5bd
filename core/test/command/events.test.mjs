// events.test.mjs - events are numbered from 1 wherever a person reads or types them, and `op` counts from 0 in JSON and CSV.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { json, rowsOf, run, succeeds } from "./command.mjs";

/* Event 2 allocates the object that event 4 frees and event 5 writes into, which event 6 finds. */
const TRACE = `slabtrace 1
machine cpus=2
cache c size=64 name=watched flags=red_zone,poison,store_user
a 1 c cpu=0
a 2 c cpu=1
a 3 c cpu=0
f 2 cpu=1
corrupt write 2 at=8 len=2 cpu=1
validate c
a 4 c cpu=0
`;
const NR_EVENTS = 7;

const folder = mkdtempSync(join(tmpdir(), "slabscope-"));
const trace = join(folder, "watched.slabtrace");
writeFileSync(trace, TRACE);
after(() => rmSync(folder, { recursive: true }));

function refused(args, pattern) {
	const done = run(args);
	assert.equal(done.status, 2, done.err);
	assert.match(done.err, pattern);
}

describe("events", () => {
	const steps = json(["steps", trace, "--op", "0", "--count", String(NR_EVENTS)]);

	test("mean the same by --event N and --op N - 1", () => {
		for (let event = 1; event <= NR_EVENTS; event++) {
			const asked = json(["steps", trace, "--event", String(event)]);
			assert.deepEqual(asked, json(["steps", trace, "--op", String(event - 1)]));
			assert.ok(asked.every(({ op }) => op === event - 1));
			assert.match(succeeds(["steps", trace, "--event", String(event)]), RegExp(`^${event} `, "m"));
		}
		const rows = rowsOf(succeeds(["steps", trace, "--event", "3", "--csv"]));
		assert.ok(rows.length > 0 && rows.every(({ op }) => op === "2"));
	});

	test("have no number 0, and none after the last", () => {
		refused(["steps", trace, "--event", "0"], /--event 0: numbers start from 1/);
		refused(["life", trace, "--object", "0"], /--object 0: numbers start from 1/);
		refused(["find", trace, "--when", "free", "--from", "0"], /--from 0: numbers start from 1/);
		refused(["steps", trace, "--event", "8"], /--event 8 .* 7 events, numbered from 1 to 7/);
		refused(["steps", trace, "--op", "7"], /--op 7 .* 7 events, numbered from 0 to 6/);
		refused(["steps", trace, "--op", "1", "--event", "2"], /give only one of them/);
		refused(["steps", trace], /expected --event N, counted from 1/);
	});

	test("have the same numbers in sentences and in reports of debugging", () => {
		const told = steps.filter(({ kind }) => /^BUG_(ALLOCATED|FREED)$/.test(kind));
		assert.deepEqual(
			told.map(({ op, args, sentence }) => [op, args.by_op, sentence]),
			[
				[5, 1, "Object 1 of slab 0 was last allocated by event 2."],
				[5, 3, "Object 1 of slab 0 was last freed by event 4."],
			],
		);
		const { reports } = json(["replay", trace]);
		assert.deepEqual([reports[0].op, reports[0].allocated.op, reports[0].freed.op], [5, 1, 3]);
		assert.match(reports[0].text, /Allocated .*cpu=1 event=2\b[\s\S]*Freed .*cpu=1 event=4\b/);
		assert.match(succeeds(["replay", trace]), /\nin event 6: /);
		const object = ["state", trace, "--at", "6", "--object", "watched/0/1"];
		assert.match(succeeds(object), /last allocated by event 2 on CPU 1/);
		assert.equal(json(object).allocated.op, 1);
	});

	test("compare: names the first event that machines decide differently", () => {
		const args = ["compare", trace, "--with", "slub", "--with", "slab"];
		const { op, sentence } = json(args).first_divergence;
		assert.match(succeeds(args), RegExp(`They first differ at event ${op + 1}: ${sentence}`));
	});

	test("life and find: print numbers that you can type", () => {
		const life = json(["life", trace, "--object", "2"]);
		assert.deepEqual([life.object.alloc_op, life.object.free_op], [1, 3]);
		const text = succeeds(["life", trace, "--object", "2"]);
		assert.match(text, /allocated +event 2\n {2}freed +event 4\n/);
		const found = json(["find", trace, "--when", "BUG", "--from", "2"]);
		assert.equal(found[0].op, 5);
		const line = succeeds(["find", trace, "--when", "BUG", "--from", "6"]);
		assert.match(line, /^ +6\.\d+ +BUG/);
		assert.match(succeeds(["find", trace, "--when", "BUG", "--from", "7"]), /^No such event/);
	});

	test("steps count from 1 in the text of steps, find and state, and from 0 in JSON", () => {
		const nr = steps.filter(({ op }) => op === 5).length;
		const lines = succeeds(["steps", trace, "--event", "6"]).match(/^ {2,}\d+ {2}[A-Z_]+ /gm);
		assert.deepEqual(
			lines.map((line) => parseInt(line, 10)),
			Array.from({ length: nr }, (_, i) => i + 1),
		);
		const [found] = json(["find", trace, "--when", "BUG", "--from", "6"]);
		const text = succeeds(["find", trace, "--when", "BUG", "--from", "6"]);
		assert.match(text, RegExp(`^ +6\\.${found.step + 1} +BUG`));
		const inside = ["state", trace, "--at", "5", "--step", String(nr)];
		assert.equal(json(inside).step, nr);
		refused(inside.with(-1, String(nr + 1)), /past the last step of the event/);
	});

	test("sweep: names the worst event, after which the bytes are there and before which they are not", () => {
		const args = ["sweep", trace, "--x", "min_partial=0,5"];
		const { cells } = json(args);
		const rows = rowsOf(succeeds([...args, "--csv"]));
		const text = succeeds(args);
		cells.forEach(({ op, value }, i) => {
			assert.equal(rows[i].op, String(op));
			assert.ok(text.includes(`(reached at event ${op + 1})`), text);
			const upTo = (events) => {
				const lines = TRACE.split("\n").slice(0, 3 + events);
				return json(["replay", "-"], `${lines.join("\n")}\n`).slab_bytes;
			};
			assert.equal(upTo(op + 1), value);
			assert.ok(upTo(op) < value);
		});
	});

	test("placements: prints the number of the event as step", () => {
		const rows = rowsOf(succeeds(["placements", trace]));
		assert.deepEqual(
			rows.map(({ step }) => Number(step)),
			[1, 2, 3, 4, 5, 6, 7],
		);
	});

	test("placements --state writes only what changed on a large machine, which adds up to the whole state", () => {
		const calls = [
			"a 1 c cpu=0",
			"a 2 c cpu=999",
			"a 3 d cpu=7",
			"f 2 cpu=5",
			"f 1 cpu=0",
			"flush c",
		];
		const of = (cpus) =>
			["slabtrace 1", `machine cpus=${cpus} nodes=2`, "cache c size=64", "cache d size=256"]
				.concat(calls.map((call) => call.replace("999", cpus - 1)))
				.join("\n");
		const parts = (line) => line.split(/(?= [a-z]+\d)/).slice(1);
		for (const allocator of ["slub", "slab", "unified"]) {
			const states = (cpus) =>
				succeeds(["placements", "-", "--state", "--allocator", allocator], `${of(cpus)}\n`)
					.split("\n")
					.filter((line) => /^# (state|final)/.test(line));
			const seen = {};
			for (const line of states(1000)) {
				const kind = line.split(" ")[1];
				// The first lines are of the only cache so far.
				const [, cache] = / cache=(\w+)/.exec(line) ?? ["", "c"];
				if (kind === "state") {
					assert.ok(parts(line).length < 6 || !seen[cache], line.slice(0, 200));
					seen[cache] ??= {};
				}
				for (const part of parts(line)) {
					const [name] = /[a-z]+[\d.]+/.exec(part);
					if (kind === "state") seen[cache][name] = part;
					else assert.equal(part, seen[cache][name]);
				}
			}
			assert.ok(Object.values(seen).every((all) => Object.keys(all).length > 1000));
			for (const line of states(64)) assert.ok(parts(line).length >= 66, line);
		}
	});

	test("are called events everywhere", () => {
		const names = [...succeeds(["--help"]).matchAll(/^ {2}([a-z]+) +\S/gm)].map(([, name]) => name);
		assert.ok(names.length > 12, names);
		const texts = [
			succeeds(["--help"]),
			succeeds(["params"]),
			succeeds(["sweep", "--metric", "help"]),
			succeeds(["replay", trace]),
			succeeds(["info", trace, "--shape"]),
			succeeds(["state", trace]),
			...names.map((name) => succeeds([name, "--help"])),
		];
		for (const text of texts) assert.doesNotMatch(text, /\boperations?\b/i);
	});
});
