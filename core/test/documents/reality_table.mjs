// reality_table.mjs - prints the table of docs/fidelity.md about whole runs of real kernels: `node reality_table.mjs FOLDER`.
//
// FOLDER has RUN.trace.xz, RUN.start.state.xz and RUN.stop.state.xz of each run.

import { execFile } from "node:child_process";
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
	return [...HEAD, ...(await Promise.all(RUNS.map((run) => row(folder, run))))];
}

if (argv[1] === fileURLToPath(import.meta.url))
	console.log((await realityTable(argv[2] ?? ".")).join("\n"));
