// reality_table.mjs - prints the tables of docs/fidelity.md about whole runs of real kernels: `node reality_table.mjs FOLDER`.
//
// FOLDER has RUN.trace.xz, RUN.start.state.xz, RUN.stop.state.xz and RUN.deltas.csv of each run; the folder beside it, states72,
// has runs of 7.2 in folders of their own.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { COMMAND } from "../command/command.mjs";

const RUNS = [
	["files", "slub-1node-1cpu-files", "1, 1"],
	["hackbench", "slub-1node-1cpu-hackbench", "1, 1"],
	["UDP", "slub-1node-2cpus-udp", "1, 2"],
	["compile", "slub-4nodes-8cpus-compile", "4, 8"],
	["hackbench, caches not merged", "slub-4nodes-8cpus-nomerge-hackbench", "4, 8"],
];
const ALL_RUNS = [
	...RUNS,
	["files, with SLAB", "slab-1node-1cpu-files", "1, 1"],
	["fork and exec, 7.2", "../states72/slub72-1n1c-icount-forkexec/forkexec", "1, 1"],
	["files, 7.2", "../states72/slub72-1n2c-files/files", "1, 2"],
	["UDP, 7.2", "../states72/slub72-4n8c-udp/udp", "4, 8"],
];
const HEAD = [
	"| run | nodes, CPUs | recorded order | wrong on purpose | order inferred | moves | counters | lists |",
	"|---|---|---|---|---|---|---|---|",
];

const percent = (part, all) => `${(Math.floor((part * 1000) / all) / 10).toFixed(1)} %`;

async function row(folder, [name, run, machine]) {
	const [trace, start, stop] = ["trace", "start.state", "stop.state"].map((kind) =>
		join(folder, `${run}.${kind}.xz`),
	);
	const args = ["check", trace, "--start", start, "--stop", stop, "--infer-order", "--json"];
	const done = await promisify(execFile)(COMMAND, args, { maxBuffer: 2 ** 26 });
	const c = JSON.parse(done.stdout);
	const share = (n) => percent(n, c.allocations);
	const controls = c.controls.map(({ right }) => share(right)).join(", ");
	const cells = [
		name,
		machine,
		share(c.right_in_recorded_order),
		controls,
		`${c.right.toLocaleString("en-US")} of ${c.allocations.toLocaleString("en-US")}`,
		`${c.moves + c.resynchronised}`,
		`${c.counters.within_1_percent} of ${c.counters.cells}`,
		`${c.stop_lists.equal} of ${c.stop_lists.all}`,
	];
	return `| ${cells.join(" | ")} |`;
}

/** The table's lines. */
export async function realityTable(folder) {
	return [...HEAD, ...(await Promise.all(ALL_RUNS.map((run) => row(folder, run))))];
}

const START_HEAD = [
	"| run | empty start: caches | counters within 1 %, 10 %, ×2 | start from pointers: caches | counters within 1 %, 10 %, ×2 |",
	"|---|---|---|---|---|",
];
const LEAST_COUNT = 20;
const NEAR = [
	(kernel, model) => Math.abs(model - kernel) <= kernel / 100,
	(kernel, model) => Math.abs(model - kernel) <= kernel / 10,
	(kernel, model) => model >= kernel / 2 && model <= kernel * 2,
];

/** The kernel's counters of each cache that has any, over its CPUs. */
function countersIn(csv) {
	const [head, ...lines] = csv.trim().split("\n");
	const keys = head.split(",");
	const caches = {};
	for (const line of lines) {
		const [name, , ...counts] = line.split(",");
		caches[name] ??= {};
		for (const [i, n] of counts.entries())
			caches[name][keys[i + 2]] = (caches[name][keys[i + 2]] ?? 0) + Number(n);
	}
	return Object.entries(caches).filter(([, of]) => Object.values(of).some((n) => n));
}

/** How near a replay's slabs and counters are: [caches, within 2, counters, within 1 %, 10 %, a factor of 2]. */
async function nearness(folder, run, machine, more) {
	const nodes = machine.split(",")[0];
	const trace = join(folder, `${run}.trace.xz`);
	const args = ["replay", trace, "--preset", "linux-6.1", "--nodes", nodes, ...more, "--json"];
	const done = await promisify(execFile)(COMMAND, args, { maxBuffer: 2 ** 26 });
	const model = new Map(JSON.parse(done.stdout).caches.map((of) => [of.name, of.counters]));
	const sums = [0, 0, 0, 0, 0, 0];
	for (const [name, kernel] of countersIn(
		readFileSync(join(folder, `${run}.deltas.csv`), "utf8"),
	)) {
		const of = model.get(name) ?? {};
		const slabs = (counters) => (counters.alloc_slab ?? 0) - (counters.free_slab ?? 0);
		sums[0]++;
		sums[1] += Math.abs(slabs(of) - slabs(kernel)) <= 2;
		for (const [key, count] of Object.entries(kernel)) {
			// The searches of other nodes are counted by the recorded kernels only.
			if (count < LEAST_COUNT || key.startsWith("get_")) continue;
			sums[2]++;
			for (const [i, isNear] of NEAR.entries()) sums[3 + i] += isNear(count, of[key] ?? 0);
		}
	}
	return sums;
}

const nearCells = ([caches, within, all, ...near]) => [
	`${within} of ${caches}`,
	near.map((n) => `${Math.floor((n * 100) / all)} %`).join(", "),
];

/** The lines of the table about the start. */
export async function startTable(folder) {
	const rows = await Promise.all(
		RUNS.map(async ([name, run, machine]) => [
			name,
			await nearness(folder, run, machine, ["--cold"]),
			await nearness(folder, run, machine, []),
		]),
	);
	const sum = (at) => rows.map((of) => of[at]).reduce((a, b) => a.map((n, i) => n + b[i]));
	const all = [...rows, ["all five", sum(1), sum(2)]];
	return [
		...START_HEAD,
		...all.map(([name, ...of]) => `| ${[name, ...of.flatMap(nearCells)].join(" | ")} |`),
	];
}

if (argv[1] === fileURLToPath(import.meta.url))
	for (const table of [startTable, realityTable])
		console.log(`${(await table(argv[2] ?? ".")).join("\n")}\n`);
