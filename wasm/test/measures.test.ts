// measures.test.ts - a replay for its numbers gives the same totals as a build, and the events where they were highest.

import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { Counter, Metric } from "../src/abi.ts";
import { ALL, KmemError, KmemSession, MEASURES, type Measured } from "../src/index.ts";
import { importFile, loadModule } from "../src/node.ts";

const SAMPLE = "../../traces/linux-6.1-files-and-counters.ftrace.txt.gz";

let session: KmemSession;
beforeAll(async () => {
	session = await KmemSession.open(await loadModule());
	session.workloads.make("netio", { scale: 0.05 });
});

function measure(): (key: string) => Measured {
	for (const _ of session.measures.slices(1000)) {
		// Each slice is the work itself.
	}
	const rows = session.measures.rows();
	return (key) => rows.find((row) => row.key === key) ?? expect.fail(key);
}

it("gives every number its own name", () => {
	const keys = MEASURES.map(({ key }) => key);
	expect(new Set(keys).size).toBe(keys.length);
	expect(keys).toContain("slab_bytes_peak");
	expect(keys).toContain("alloc_fastpath");
	expect(MEASURES.every(({ words }) => words !== "")).toBe(true);
});

it("measures the same totals as a build", () => {
	const of = measure();
	const hash = session.hash();
	session.build();
	expect(session.hash()).toBe(hash);
	const totals = session.totals();
	expect(of("slab_bytes").value).toBe(totals.slabBytes);
	expect(of("cycles").value).toBe(totals.cycles);
	expect(of("slabs").value).toBe(totals.slabs);
	expect(of("alloc_slab").value).toBe(totals.counters[8]);
	expect(of("grown").value).toBeUndefined();
	expect(of("searches").value).toBeUndefined();
	const { max } = session.series(Metric.METRIC_SLAB_BYTES);
	expect(of("slab_bytes_peak").value).toBeGreaterThanOrEqual(Math.max(...max));
	const { op } = of("slab_bytes_peak");
	session.seek(op);
	expect(session.totals().slabBytes).toBe(of("slab_bytes_peak").value);
	session.seek(op - 1);
	expect(session.totals().slabBytes).toBeLessThan(of("slab_bytes_peak").value ?? 0);
});

it("reads the counters of the recorded kernel", async () => {
	const session = await KmemSession.open(await loadModule());
	expect(session.measures.kernelCounters()).toEqual([]);
	await importFile(session, fileURLToPath(new URL(SAMPLE, import.meta.url)));
	session.build();
	const caches = session.caches();
	const rows = session.measures.kernelCounters();
	expect(rows.length).toBe(6);
	for (const row of rows.filter(({ cache }) => cache !== ALL)) {
		expect(caches[row.cache]?.name).toBe(row.name);
	}
	const sum = (of: (row: (typeof rows)[number]) => readonly number[], counter: number) =>
		rows.reduce((all, row) => all + (of(row)[counter] ?? 0), 0);
	expect(sum((row) => row.all, Counter.ALLOC_SLOWPATH)).toBe(185);
	expect(sum((row) => row.before, Counter.FREE_SLOWPATH)).toBe(1124);
});

it("needs a valid machine", () => {
	session.set("min_order", "3");
	session.set("max_order", "1");
	expect(measure).toThrow(KmemError);
	session.set("min_order", "");
	session.set("max_order", "");
	expect(measure()("slabs").value).toBeGreaterThan(0);
});
