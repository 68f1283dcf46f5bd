// memory.test.ts - the answers about memory come in slices, with other work on the session in between.

import { beforeAll, expect, it } from "vitest";
import { DoctorMeasure, MatrixBy, MemoryPart } from "../src/abi.ts";
import { KmemSession, MEASURES } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

let session: KmemSession;
beforeAll(async () => {
	session = await KmemSession.open(await loadModule());
	session.workloads.make("netio", { scale: 0.02, cpus: 4, nodes: 2 });
	session.build();
});

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

function matrix(sliceOps: number, between = () => {}) {
	for (const _ of session.doctor.matrixSlices(undefined, sliceOps)) between();
	const { cellsAt: _, ...rest } = session.doctor.matrix(MatrixBy.BY_CPU);
	return rest;
}

it("has parts that add up to the pages at any position", () => {
	for (const ops of [0, 500, session.nrOps]) {
		session.seek(ops);
		const rows = session.doctor.parts().filter((row) => row.cache === 0xffff);
		const pages = rows.pop();
		expect(pages?.part).toBe(MemoryPart.PART_PAGES);
		expect(sum(rows.map((row) => row.bytes))).toBe(pages?.bytes);
		expect(pages?.bytes).toBe(session.totals().pagesInUse * 4096);
	}
});

it("counts the same frees in slices, while the session moves and an index is started", () => {
	const whole = matrix(1 << 30);
	expect(whole.frees).toBeGreaterThan(500);
	let slices = 0;
	const sliced = matrix(100, () => {
		slices++;
		session.seek(slices * 7);
		// The index takes the memory of the matrix, which then begins again.
		if (slices === 3) [...session.indexSlices(0, 1 << 30)];
	});
	expect(slices).toBeGreaterThan(5);
	expect(sliced).toEqual(whole);
	const nodes = session.doctor.matrix(MatrixBy.BY_NODE);
	expect(sum(nodes.cells.map((cell) => cell.objects))).toBe(whole.frees);
	expect(sum(nodes.cells.map((c) => (c.from === c.to ? 0 : c.objects)))).toBe(whole.otherNode);
});

it("ranks the results it is given", () => {
	const changes = session.doctor.changes();
	expect(changes[0]?.group).toBe("proposals");
	expect(changes.every((one) => one.value !== one.now)).toBe(true);
	const numbers = (some: Record<string, number>) => MEASURES.map(({ key }) => some[key] ?? 0);
	session.doctor.result(undefined, numbers({ pages_peak: 1000, slow_paths: 1000 }));
	expect(session.doctor.savings(10).best).toEqual([]);
	const nr = (text: string) => changes.findIndex((one) => `${one.key}=${one.value}` === text);
	const give = (text: string, pages_peak: number, slow_paths: number) =>
		session.doctor.result(nr(text), numbers({ pages_peak, slow_paths }));
	give("min_partial=0", 900, 1100);
	give("min_partial=1", 950, 1100);
	give("max_order=0", 800, 1200);
	give("cpu_partial=64", 1100, 700);
	session.doctor.result(nr("min_order=1"), undefined);
	const { base, best } = session.doctor.savings(10);
	expect(base[DoctorMeasure.DOCTOR_PEAK_BYTES]).toBe(4096000);
	expect(best.map((one) => `${one.key}=${one.value}`)).toEqual([
		"cpu_partial=64",
		"max_order=0",
		"min_partial=0",
	]);
	expect(best[1]?.more[DoctorMeasure.DOCTOR_PEAK_BYTES]).toBe(-200 * 4096);
	expect(best[1]?.more[DoctorMeasure.DOCTOR_SLOW_PATHS]).toBe(200);
	expect(session.doctor.savings(1).best).toHaveLength(1);
});

it("groups many CPUs by node, and many nodes together", async () => {
	const machine = { scale: 0.02, cpus: 600, nodes: 200 };
	const large = await KmemSession.open(await loadModule());
	large.workloads.make("netio", machine);
	large.build();
	for (const _ of large.doctor.matrixSlices()) {
		// Each slice is the work itself.
	}
	const matrix = large.doctor.matrix(MatrixBy.BY_CPU);
	expect(matrix.by).toBe(MatrixBy.BY_NODE);
	expect([matrix.nrRows, matrix.perRow]).toEqual([100, 2]);
	expect(sum(matrix.cells.map((cell) => cell.objects))).toBe(matrix.frees);
	expect(matrix.cells.every(({ from, to }) => from % 2 === 0 && to % 2 === 0)).toBe(true);
	expect(matrix.otherCpu).toBeGreaterThanOrEqual(matrix.otherNode);
});
