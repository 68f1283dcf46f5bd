// native.test.ts - native = wasm: the command and the module, built from one source by two compilers, reach the same
// state by the same decisions, with the same sentences.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { ParamKey } from "../src/abi.ts";
import { Cell, COUNTER_NAMES, Metric } from "../src/abi.ts";
import { KmemSession, stepKind } from "../src/index.ts";
import { importFile, loadModule } from "../src/node.ts";

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));

interface Sample {
	readonly file: string;
}

interface NativeReplay {
	readonly state_hash: string;
	readonly ops: number;
	readonly cycles: number;
	readonly totals: Readonly<Record<string, number>>;
	readonly caches: readonly { readonly name: string; readonly slabs_peak: number }[];
}

interface NativeStep {
	readonly op: number;
	readonly kind: string;
	readonly sentence: string;
}

const samples = JSON.parse(readFileSync(path("traces/index.json"), "utf8")) as Sample[];

/** All traces that have golden texts. */
const ALLOCATORS = readdirSync(path("core/test/golden/samples"));

/** Machines that take different paths through the allocator, and one for each allocator. */
const MACHINES: readonly Readonly<Partial<Record<ParamKey, string>>>[] = [
	{},
	{
		cpus: "8",
		nodes: "4",
		node_search: "skip-checked",
		order_rule: "rfc-2023",
		page_size: "65536",
	},
	{ min_partial_rule: "rfc-2008", cpu_partial_lists: "off", freelist_random: "on" },
	...ALLOCATORS.map((allocator) => ({ allocator, cpus: "8", nodes: "4" })),
];
const STEPS_OF_OPS = 3000;

function slabscope<Result>(args: readonly string[]): Result {
	const output = execFileSync(path("core/build/slabscope"), [...args, "--json"], {
		encoding: "utf8",
		maxBuffer: 1 << 28,
		stdio: ["ignore", "pipe", "inherit"],
	});
	return JSON.parse(output) as Result;
}

let module: WebAssembly.Module;
beforeAll(async () => {
	module = await loadModule();
});

async function replay(file: string, machine: (typeof MACHINES)[number]): Promise<KmemSession> {
	const session = await KmemSession.open(module);
	await importFile(session, file);
	for (const [key, value] of Object.entries(machine)) {
		session.set(key as ParamKey, value);
	}
	session.inferStart(true);
	session.build();
	return session;
}

function lowerCaseCounters(session: KmemSession): Record<string, number> {
	const { counters } = session.totals();
	return Object.fromEntries(
		session.counters().map((i) => [COUNTER_NAMES[i]?.toLowerCase() ?? i, counters[i] ?? 0]),
	);
}

describe.each(samples)("$file", ({ file }) => {
	const trace = path(`traces/${file}`);

	it.each(MACHINES)("reaches the same state on %j", async (machine) => {
		const settings = Object.entries(machine).flatMap(([key, value]) => [
			"--set",
			`${key}=${value}`,
		]);
		const native = slabscope<NativeReplay>(["replay", trace, ...settings]);
		const session = await replay(trace, machine);
		expect(session.hash()).toBe(native.state_hash);
		expect(session.nrOps).toBe(native.ops);
		expect(session.totals().cycles).toBe(native.cycles);
		expect(lowerCaseCounters(session)).toEqual(native.totals);
		expect(
			session.caches().map(({ name, slabsPeak }) => ({ name, slabs_peak: slabsPeak })),
		).toEqual(native.caches.map(({ name, slabs_peak }) => ({ name, slabs_peak })));
	});

	it("shows the same steps", async () => {
		const native = slabscope<NativeStep[]>([
			"steps",
			trace,
			"--op",
			"0",
			"--count",
			`${STEPS_OF_OPS}`,
		]);
		const session = await replay(trace, {});
		const ours = Array.from({ length: Math.min(STEPS_OF_OPS, session.nrOps) }, (_, op) =>
			session.steps(op).rows.map((step) => ({
				op,
				kind: stepKind(step).name,
				sentence: step.sentence,
			})),
		).flat();
		expect(ours).toEqual(native.map(({ op, kind, sentence }) => ({ op, kind, sentence })));
	});
});

interface NativeState {
	readonly places: readonly { readonly kind: string; readonly nr_slabs: number }[];
	readonly slabs: readonly unknown[];
	readonly cell_kinds: readonly string[];
	readonly cells: readonly number[];
}

/** With so few events, each has its own bucket. */
it("draws one cache's curves through the command's numbers at each event", async () => {
	const trace = path("traces/two-nodes.slabtrace");
	const session = await replay(trace, {});
	for (const left of session.cacheSeriesSlices(0, 9)) session.seek(left);
	const live = session.cacheSeries(Metric.METRIC_LIVE_OBJECTS);
	const slabs = session.cacheSeries(Metric.METRIC_SLABS);
	const partial = session.cacheSeries(Metric.METRIC_PARTIAL_SLABS);
	expect(live.opsPerBucket).toBe(1);
	for (let op = 4; op < session.nrOps; op += 7) {
		const native = slabscope<NativeState>(["state", trace, "--at", `${op + 1}`, "-q"]);
		const allocated = native.cell_kinds.indexOf("allocated");
		const lists = native.places.filter(({ kind }) => kind === "node_partial");
		expect({ live: live.max[op], slabs: slabs.max[op], partial: partial.max[op] }).toEqual({
			live: native.cells.filter((cell) => cell === allocated).length,
			slabs: native.slabs.length,
			partial: lists.reduce((sum, { nr_slabs }) => sum + nr_slabs, 0),
		});
	}
});

/** A dump of the state of a machine with one node. */
const STATE = `slabinfo - version: 2.1
# name <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>
vm_area_struct 300 352 256 16 1 : tunables 0 0 0 : slabdata 22 22 0
dentry 200 252 192 21 1 : tunables 0 0 0 : slabdata 12 12 0
kmalloc-64 500 576 64 64 1 : tunables 0 0 0 : slabdata 9 9 0
`;

describe("a warm start", () => {
	it("reaches the same state natively and in the module, with inferred objects as cells", async () => {
		const folder = mkdtempSync(join(tmpdir(), "slabscope-"));
		const trace = path("traces/linux-6.18-fork-and-tcp.ftrace.txt.gz");
		const file = join(folder, "slabinfo");
		try {
			writeFileSync(file, STATE);
			const session = await KmemSession.open(module);
			await importFile(session, trace);
			session.readMachineState([new TextEncoder().encode(STATE)]);
			session.build();
			const cold = session.hash();
			// As --warm does.
			session.applyMachineState(true);
			session.beginWarm(true);
			session.build();
			const inferred = () =>
				session.view().cells.filter((cell) => cell === Cell.CELL_INFERRED).length;
			session.seek(0);
			const objects = inferred();
			expect(objects).toBe(1000);
			session.seek(session.nrOps);
			expect(inferred()).toBe(objects);
			// Without the slabs that pointers show, which the session was not asked for.
			const native = slabscope<NativeReplay>(["replay", trace, "--cold", "--warm", file]);
			expect(session.hash()).toBe(native.state_hash);
			expect(session.hash()).not.toBe(cold);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
