// fidelity.test.mjs - docs/fidelity.md: every figure that can be checked with an available trace is what the command prints
// today.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { CORE, json, SHARED } from "../command/command.mjs";
import { realityTable, startTable } from "./reality_table.mjs";

const TEXT = readFileSync(join(CORE, "..", "docs", "fidelity.md"), "utf8").replaceAll("\n", " ");
const sample = (name) => join(CORE, "..", "traces", name);
const HACKBENCH = [sample("linux-6.1-hackbench-4-nodes.ftrace.txt.gz"), "--nodes", "4", "--cold"];

const inWords = (n) => n.toLocaleString("en-US");
const says = (words) => assert.ok(TEXT.includes(words), `docs/fidelity.md does not say "${words}"`);

describe("figures of docs/fidelity.md on the samples", () => {
	test("frees of objects from before the trace", () => {
		const { orphan_frees, frees } = json([
			"info",
			sample("linux-6.1-files-and-counters.ftrace.txt.gz"),
		]);
		says(
			`${inWords(orphan_frees)} of ${inWords(frees)} frees are of objects from before the trace`,
		);
	});

	test("frees without an event", () => {
		const info = json(["info", sample("linux-6.18-fork-and-tcp.ftrace.txt.gz")]);
		const cache = info.caches.find(({ name }) => name === "maple_node");
		says(`\`maple_node\` has ${cache.allocs} allocations and ${cache.frees} frees`);
		says(`${info.unseen_frees} frees are missing for certain`);
	});

	test("order of events, chance, random freelists", () => {
		const plain = json(["replay", ...HACKBENCH]);
		const byClocks = json(["replay", ...HACKBENCH, "--by-clocks"]);
		says(`ends with ${byClocks.slabs} slabs instead of ${plain.slabs}`);
		const dice = json(["replay", ...HACKBENCH, "--set", "defrag_gate=cycles"]);
		says(
			`looks at ${inWords(dice.zones_visited)} zones instead of ${inWords(plain.zones_visited)}, and ends with ${dice.slabs} slabs instead of ${plain.slabs}`,
		);
		const random = json(["replay", ...HACKBENCH, "--set", "freelist_random=on"]);
		assert.equal(random.slabs, plain.slabs);
		says(`ends with ${plain.slabs} slabs with and without it`);
	});

	test("2.6.26 needs the same number of slabs under either rule for min_partial", () => {
		const slabs = ["static", "rfc-2008"].map((rule) => {
			const args = ["--preset", "linux-2.6.26", "--set", `min_partial_rule=${rule}`];
			return json(["replay", sample("bursts-of-buffers.slabtrace"), ...args]).totals.alloc_slab;
		});
		assert.equal(slabs[0], slabs[1]);
		says(`needs ${slabs[0]} new slabs under both rules`);
	});
});

const STATES = join(SHARED, "groundtruth", "states");
const RUNS = [
	["files", "slub-1node-1cpu-files", 1],
	["hackbench", "slub-1node-1cpu-hackbench", 1],
	["UDP", "slub-1node-2cpus-udp", 1],
	["compile", "slub-4nodes-8cpus-compile", 4],
	["hackbench, caches not merged", "slub-4nodes-8cpus-nomerge-hackbench", 4],
];

describe("the model against whole runs", { skip: !existsSync(STATES) }, () => {
	const tables = { "allocation by allocation": realityTable, "from either start": startTable };
	for (const [name, made] of Object.entries(tables))
		test(name, async () => {
			const text = readFileSync(join(CORE, "..", "docs", "fidelity.md"), "utf8");
			const table = (await made(STATES)).join("\n");
			assert.ok(text.includes(table), `docs/fidelity.md does not have this table:\n${table}`);
		});
});

const canUnpack = spawnSync("xz", ["--version"]).status === 0;

describe("figures of docs/fidelity.md on whole runs", {
	skip: !existsSync(STATES) || !canUnpack,
}, () => {
	const folder = mkdtempSync(join(tmpdir(), "fidelity-"));
	after(() => rmSync(folder, { recursive: true }));

	for (const [name, run, nodes] of RUNS)
		test(name, () => {
			const trace = join(folder, `${run}.trace`);
			const packed = join(STATES, `${run}.trace.xz`);
			writeFileSync(trace, execFileSync("xz", ["-dc", packed], { maxBuffer: 2 ** 30 }));
			const options = ["--nodes", String(nodes), "--preset", "linux-6.1", "--cold"];
			const { rows, machine } = json(["counters", trace, ...options]);
			const [, cpus] = /cpus=(\d+)/.exec(machine);
			const both = (counter) => {
				const row = rows.find((r) => r.counter === counter);
				return `${inWords(row.here)} : ${inWords(row.model)}`;
			};
			const cells = ["alloc_slowpath", "free_slowpath", "alloc_slab"].map(both);
			says(`| ${name} | ${nodes}, ${cpus} | ${cells.join(" | ")} |`);
		});
});
