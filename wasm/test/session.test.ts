// session.test.ts - a session as a person uses it: import, build, step, look, change the machine, and what happens when
// something is wrong.

import { beforeAll, describe, expect, it } from "vitest";
import {
	Cell,
	FaultKind,
	Granularity,
	LEVEL_NAMES,
	Metric,
	OP_KIND_NAMES,
	OpKind,
	PLACE_KIND_NAMES,
	PlaceKind,
	STEP_KINDS,
	Status,
} from "../src/abi.ts";
import type { KmemError } from "../src/core.ts";
import {
	ALL,
	frameBuffers,
	framePlaces,
	frameSlabs,
	heldObjects,
	KmemSession,
	stepArguments,
	stepCounter,
	stepKind,
} from "../src/index.ts";
import { loadModule } from "../src/node.ts";

/** Two CPUs share a cache of 1 KiB objects: two slabs are filled, and CPU 1 frees what CPU 0 allocated. */
const TRACE = `slabtrace 1
machine cpus=2 page_size=4096
cache c size=1024 name=teaching
${Array.from({ length: 20 }, (_, i) => `a ${i} c cpu=0 t=${1000 * (i + 1)}`).join("\n")}
${Array.from({ length: 20 }, (_, i) => `f ${i} cpu=1 t=${1000 * (i + 21)}`).join("\n")}
shrink c
`;
const NR_OPS = 41;

let module: WebAssembly.Module;
beforeAll(async () => {
	module = await loadModule();
});

async function open(text: string | Uint8Array, chunkBytes = 1 << 16): Promise<KmemSession> {
	const session = await KmemSession.open(module);
	const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
	session.importBegin();
	for (let from = 0; from < bytes.length; from += chunkBytes) {
		session.importChunk(bytes.subarray(from, from + chunkBytes));
	}
	session.importEnd();
	return session;
}

async function openBuilt(): Promise<KmemSession> {
	const session = await open(TRACE);
	session.build();
	return session;
}

function errorOf(work: () => unknown): KmemError {
	try {
		work();
	} catch (error) {
		return error as KmemError;
	}
	throw new Error("it should have failed");
}

describe("import", () => {
	it("reports what it saw", async () => {
		const report = (await open(TRACE)).report();
		expect(report).toMatchObject({
			format: "slabtrace",
			allocs: 20,
			frees: 20,
			ops: NR_OPS,
			cpus: 2,
		});
		expect(report.caches).toMatchObject([{ name: "teaching", allocs: 20, frees: 20 }]);
		expect(report.problems).toEqual([]);
	});

	it("doesn't depend on where chunks end", async () => {
		const whole = await open(TRACE);
		whole.build();
		for (const chunkBytes of [1, 7, 100]) {
			const cut = await open(TRACE, chunkBytes);
			cut.build();
			expect(cut.hash()).toBe(whole.hash());
		}
	});

	it("names the line, column, reason and text of what it can't use, and continues", async () => {
		const report = (await open(`${TRACE}f 1 gpu=1\n`)).report();
		expect(report.skippedLines).toBe(1);
		expect(report.problems).toMatchObject([{ line: 45, text: "f 1 gpu=1" }]);
		expect(report.problems[0]?.reason).toMatch(/key=value/);
	});

	it("refuses a file that is not a trace with a sentence, and stays usable", async () => {
		const session = await KmemSession.open(module);
		session.importBegin();
		const error = errorOf(() => {
			session.importChunk(Uint8Array.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", (c) => c.charCodeAt(0)));
			session.importEnd();
		});
		expect(error.code).toBe(Status.KMEM_EINPUT);
		expect(error.message).toMatch(/PNG/);
		session.importBegin();
		session.importChunk(new TextEncoder().encode(TRACE));
		expect(session.importEnd().ops).toBe(NR_OPS);
	});
});

describe("time", () => {
	it("goes both ways: seek leaves the same state as a straight run", async () => {
		const session = await openBuilt();
		expect(session.nrOps).toBe(NR_OPS);
		expect(session.position).toBe(NR_OPS);
		const hashes = Array.from({ length: NR_OPS + 1 }, (_, n) => {
			session.seek(n);
			session.checkLaws();
			return session.hash();
		});
		for (let n = NR_OPS; n >= 0; n--) {
			session.seek(n);
			expect(session.position).toBe(n);
			expect(session.hash()).toBe(hashes[n]);
		}
		session.run(NR_OPS, true);
		expect(session.hash()).toBe(hashes[NR_OPS]);
	});

	it("reports what is left after each slice", async () => {
		const session = await open(TRACE);
		const left = [...session.buildSlices(0, 10)];
		expect(left).toEqual([31, 21, 11, 1]);
		expect(session.position).toBe(NR_OPS);
	});

	it("finds the next and the previous slow path", async () => {
		const session = await openBuilt();
		session.seek(1);
		const next = session.next(Granularity.GO_SLOW_PATH);
		expect(next).toBeGreaterThan(1);
		session.seek(next);
		expect(session.steps(next - 1).rows.map((step) => stepKind(step).name)).toContain(
			"ALLOC_SLOWPATH",
		);
		expect(session.previous(Granularity.GO_SLOW_PATH)).toBe(1);
	});

	it("explains in a sentence that a position is past the end", async () => {
		const session = await openBuilt();
		const error = errorOf(() => session.seek(NR_OPS + 1));
		expect(error.code).toBe(Status.KMEM_ESTATE);
		expect(error.message).not.toBe("");
		expect(session.position).toBe(NR_OPS);
	});
});

describe("steps", () => {
	it("say why the first allocation made a slab", async () => {
		const session = await openBuilt();
		const { total, rows } = session.steps(0);
		expect(rows).toHaveLength(total);
		const kinds = rows.map((step) => stepKind(step).name);
		expect(kinds).toContain("ALLOC_SLOWPATH");
		expect(kinds).toContain("ALLOC_SLAB");
		const slow = rows.find((step) => stepKind(step).name === "ALLOC_SLOWPATH");
		expect(slow && stepArguments(slow)[0]).toEqual({
			name: "reason",
			value: 0,
			words: "it has no cpu slab",
		});
		expect(slow?.sentence).toMatch(/CPU 0 left the fast path: it has no cpu slab/);
		expect(slow && stepCounter(slow)).toBe(1);
		expect(session.steps(0, 1, 2).rows).toEqual(rows.slice(1, 3));
	});

	it("never leave a blank in a sentence", async () => {
		const session = await openBuilt();
		for (let op = 0; op < NR_OPS; op++) {
			for (const step of session.steps(op).rows) {
				expect(step.sentence).not.toMatch(/[{}]|undefined/);
				expect(STEP_KINDS[step.kind]).toBeDefined();
			}
		}
	});

	it("events say what they are", async () => {
		const session = await openBuilt();
		session.steps(20);
		const op = session.op(20);
		expect(OP_KIND_NAMES[op.kind]).toBe("OP_FREE");
		expect(op).toMatchObject({ op: 20, cpu: 1, time: 21_000, slab: 0, bytes: 1024 });
		expect(op.sentence).toMatch(/CPU 1/);
	});

	it("count a bulk request and its objects, served as one since 7.0", async () => {
		const cache = "cache c size=1024 name=mine";
		const lines = ["a 1,2,3 c cpu=0", "f 1,3 cpu=1", "r 2 cpu=1", "grace", "dead cpu=1"];
		for (const preset of ["linux-6.1", "linux-7.2"]) {
			const machine = `machine cpus=2 preset=${preset}`;
			const session = await open(`slabtrace 1\n${machine}\n${cache}\n${lines.join("\n")}\n`);
			session.build();
			const served = preset === "linux-7.2";
			expect(session.hasRequest(OpKind.OP_BULK_ALLOC)).toBe(served);
			expect(session.hasRequest(OpKind.OP_GRACE)).toBe(served);
			const said = Array.from({ length: session.nrOps }, (_, op) => {
				session.steps(op);
				return session.op(op).sentence;
			});
			expect(said).toEqual([
				"CPU 0 asks for 3 objects of mine at once (kmem_cache_alloc_bulk)",
				...Array(3).fill("CPU 0 asks for an object of mine, 1,024 bytes, from its bulk request"),
				...Array(2).fill("CPU 1 frees an object of mine, in a bulk free"),
				"CPU 1 frees 2 objects of mine at once (kmem_cache_free_bulk)",
				"CPU 1 frees an object of mine after a grace period (kfree_rcu)",
				"CPU 0: an RCU grace period ends",
				"CPU 0 flushes CPU 1, which goes offline",
			]);
			expect(session.steps(0).rows.some((step) => stepKind(step).name === "BULK_FROM_SLABS")).toBe(
				served,
			);
		}
	});
});

describe("frames", () => {
	it("show every object in its place", async () => {
		const session = await openBuilt();
		session.seek(20);
		const frame = session.view();
		const places = framePlaces(frame);
		const slabs = frameSlabs(frame);
		expect(frame.op).toBe(20);
		expect(slabs.map((slab) => slab.serial).sort((a, b) => a - b)).toEqual(
			[...slabs.keys()].sort((a, b) => a - b),
		);
		expect(frame.cells.filter((cell) => cell === Cell.CELL_ALLOCATED)).toHaveLength(20);
		for (const slab of slabs) {
			const place = places[slab.place];
			expect(PLACE_KIND_NAMES[place?.kind ?? -1]).toBeDefined();
			expect(slab.position).toBeLessThan(place?.nrSlabs ?? 0);
		}
	});

	it("are copies, which stay as they are and can be transferred", async () => {
		const session = await openBuilt();
		session.seek(20);
		const frame = session.view();
		const before = frame.cells.slice();
		session.seek(NR_OPS);
		session.view();
		expect(frame.cells).toEqual(before);
		const moved = structuredClone(frame, { transfer: frameBuffers(frame) });
		expect(moved.cells).toEqual(before);
		expect(frame.cells.byteLength).toBe(0);
	});

	it("peek after the last step equals the view after the event", async () => {
		const session = await openBuilt();
		for (let op = 0; op < NR_OPS; op++) {
			const { total } = session.steps(op);
			if (total > 0) {
				const peeked = session.peek(op, total - 1);
				session.seek(op + 1);
				expect(peeked.cells).toEqual(session.view().cells);
			}
		}
	});

	it("of one cache leave out the others", async () => {
		const session = await open(`${TRACE}k x 100 cpu=0\n`);
		session.build();
		const caches = session.caches();
		expect(caches.map(({ name }) => name)).toEqual(["teaching", "kmalloc-128"]);
		expect(frameSlabs(session.view(1)).every((slab) => slab.cache === 1)).toBe(true);
		expect(frameSlabs(session.view(ALL)).map((slab) => slab.cache)).toContain(1);
	});
});

describe("tables", () => {
	it("agree with each other", async () => {
		const session = await openBuilt();
		session.seek(20);
		const totals = session.totals();
		const [cache] = session.caches();
		expect(totals).toMatchObject({ ops: 20, liveObjects: 20, slabs: cache?.slabs });
		expect(totals.counters).toEqual(cache?.counters);
		expect(totals.requestedBytes).toBe(20 * 1024);
		const used = session.zones().reduce((sum, zone) => sum + zone.used, 0);
		expect(used).toBe(totals.pagesInUse);
	});

	it("series cover the whole trace", async () => {
		const session = await openBuilt();
		const { opsPerBucket, min, max } = session.series(Metric.METRIC_LIVE_OBJECTS);
		expect(min).toHaveLength(Math.ceil(NR_OPS / opsPerBucket));
		expect(Math.max(...max)).toBe(20);
		expect(max.at(-1)).toBe(0);
	});
});

describe("parameters", () => {
	it("take effect at the next build and change the machine", async () => {
		const session = await open(TRACE);
		session.set("cpus", "8");
		session.set("nodes", "2");
		session.build();
		const machine = session.machine();
		expect(machine).toMatchObject({ cpus: 8, nodes: 2, nodeOfCpu: [0, 0, 0, 0, 1, 1, 1, 1] });
		expect(machine.text).toMatch(/cpus=8 nodes=2/);
		session.set("cpus", "");
		session.set("nodes", "");
		session.build();
		expect(session.machine()).toMatchObject({ cpus: 2, nodes: 1 });
	});

	it("of a proposal change what happens", async () => {
		const session = await open(TRACE);
		session.set("min_partial_rule", "rfc-2008");
		session.build();
		const seed = session.caches()[0]?.minPartial;
		session.set("min_partial_rule", "mainline");
		session.build();
		expect([session.caches()[0]?.minPartial, seed]).toEqual([5, 10]);
		expect(session.param("min_partial_rule")).toBe("mainline");
	});

	it("describe themselves", async () => {
		const session = await open(TRACE);
		session.preset("linux-4.19");
		const json: unknown = JSON.parse(session.paramsJson());
		expect(JSON.stringify(json)).toContain("min_partial_rule");
		expect(session.param("cpu_partial_unit")).toBe("objects");
	});

	it("with an unknown value are refused, naming the valid ones", async () => {
		const session = await open(TRACE);
		const error = errorOf(() => session.set("min_partial_rule", "seed-1999"));
		expect(error.code).toBe(Status.KMEM_EPARAM);
		expect(error.message).toMatch(/mainline.*rfc-2008.*static/);
	});

	it("name the one at fault separately from the sentence", async () => {
		const session = await open(TRACE);
		const set = errorOf(() => session.set("min_partial_rule", "seed-1999"));
		expect(set.fault).toEqual({
			kind: FaultKind.FAULT_VALUE,
			key: "min_partial_rule",
			other: "",
		});
		expect(errorOf(() => session.preset("linux-0.1")).fault).toMatchObject({
			kind: FaultKind.FAULT_PRESET,
			key: "linux-0.1",
		});
		session.set("min_order", "3");
		session.set("max_order", "2");
		expect(errorOf(() => session.build()).fault).toEqual({
			kind: FaultKind.FAULT_CONFLICT,
			key: "min_order",
			other: "max_order",
		});
		expect(errorOf(() => session.seek(1 << 30)).fault.kind).toBe(FaultKind.FAULT_NONE);
	});
});

describe("order", () => {
	it("lists the orders it tried", async () => {
		const session = await KmemSession.open(module);
		const order = session.order(1024);
		expect(order).toMatchObject({ size: 1024, objects: (4096 << order.order) / 1024 });
		expect(order.tries.at(-1)).toMatchObject({ order: order.order, accepted: 1 });
	});
});

describe("export", () => {
	it("writes a trace that replays to the same end", async () => {
		const session = await openBuilt();
		const text = Buffer.concat([...session.export("slabtrace")]);
		const again = await open(text);
		again.build();
		expect(again.hash()).toBe(session.hash());
		expect(Buffer.concat([...again.export("slabtrace")]).toString()).toBe(text.toString());
	});

	it("names the objects of an array cache, the next one first", async () => {
		const session = await open(TRACE);
		session.set("allocator", "slab");
		session.build();
		session.seek(5);
		const frame = session.view(0);
		const array = framePlaces(frame).find(
			({ kind, nrEntries }) => kind === PlaceKind.PLACE_CPU_ARRAY && nrEntries > 1,
		);
		const held = array ? heldObjects(frame, array) : [];
		const [next] = session.nextObjects(0, array?.cpu);
		expect(held).toHaveLength(array?.nrEntries ?? -1);
		expect(held[0]).toMatchObject({ slab: next?.slab, index: next?.index });
	});

	it("gives the levels of a cache and says where the next object lands", async () => {
		const session = await openBuilt();
		for (const _ of session.indexSlices()) {
			// To the end.
		}
		const names = session.levels(0).map(({ level }) => LEVEL_NAMES[level]);
		expect(names).toEqual([
			"LEVEL_CPU_FREELIST",
			"LEVEL_CPU_PARTIAL",
			"LEVEL_OWN_NODE",
			"LEVEL_OTHER_NODES",
			"LEVEL_FULL_SLABS",
			"LEVEL_PAGES",
		]);
		expect(session.levels(0).map(({ row }) => row)).toEqual([0, 1, 2, 2, 3, 4]);
		expect(session.levels(0).map(({ allocs }) => allocs)).toEqual([18, 0, 0, 0, 0, 2]);
		const { steps, levels, cyclesOf, cycles, end } = session.path(0);
		expect(cyclesOf.reduce((sum, n) => sum + n, 0)).toBe(cycles);
		expect([levels.at(-1), end]).toEqual([0, 5]);
		const made = steps.find(({ slab }) => slab === 0);
		expect(made).toMatchObject({ fromKind: 0xffff, toKind: PlaceKind.PLACE_CPU_SLAB, toCpu: 0 });
		expect(session.caption(1).caption).toMatch(
			/^CPU \d+ takes the next object from its cpu freelist$/,
		);
		session.seek(5);
		const [next] = session.nextObjects(0, 0);
		expect(next).toMatchObject({ cpu: 0, slab: 0, index: 5, cycles: 9, isEvent: 1 });
		const why = session.why(PlaceKind.PLACE_CPU_SLAB, { cpu: 0 });
		expect(why).toMatchObject({ name: "teaching", slabs: 1, takenOp: 4 });
		expect(why.facts[0]).toBe("1 slab was put here by CPU 0 in event 1.");
		expect(session.move({ cache: 0, slab: 0 }, 0)).toBe("made → CPU 0's cpu slab");
		// In order of time: the first object needs a new slab.
		const [slow, fast] = session.chapters();
		expect([slow?.op, fast?.op]).toEqual([0, 1]);
		expect(fast).toMatchObject({ name: session.caches()[0]?.name });
		expect(fast?.title).toMatch(/^CPU 0 allocates \d+ objects of /);
		expect(session.chapters().map(({ op }) => op)).toContain(0);
		const { depths, nrLanes, nrBuckets } = session.lanes();
		expect(depths).toHaveLength(nrLanes * nrBuckets);
		expect([depths[0], depths[1]]).toEqual([255, 1]);
	});
});
