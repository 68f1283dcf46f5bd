/** The sentences about kernel versions have the numbers of the rows, and say nothing that they do not show. */
import { describe, expect, it } from "vitest";
import { KmemSession } from "#wasm";
import { loadModule } from "../../../../../wasm/src/node.ts";
import { changesOf, findingsOf, type KernelRow, shareOf } from "./finding.ts";

const row = (version: string, numbers: Partial<KernelRow>): KernelRow => ({
	version,
	slowPaths: 10,
	slabBytes: 4096,
	slabBytesPeak: 8192,
	from: undefined,
	pageCalls: 2,
	cycles: 1000,
	...numbers,
});

describe("the finding", () => {
	it("says how each number changed, with its share", () => {
		const [first] = findingsOf([row("6.1", {}), row("7.2", { slowPaths: 4, cycles: 1250 })]);
		expect(first).toBe(
			"From Linux 6.1 to 7.2, events that left the fast path fell from 10 to 4 (−60\u00a0%); memory in slabs at the end stayed at 4.0 KiB; model cycles rose from 1,000 to 1,250 (+25\u00a0%).",
		);
	});

	it("takes the peak where nothing is left at the end", () => {
		const emptied = { slabBytes: 0 };
		const [first] = findingsOf([
			row("6.1", emptied),
			row("7.2", { ...emptied, slabBytesPeak: 16384 }),
		]);
		expect(first).toContain("memory in slabs at the peak rose from 8.0 to 16.0 KiB (+100\u00a0%)");
	});

	it("names the version with the largest change, and those without any", () => {
		const rows = [
			row("6.1", {}),
			row("6.7", {}),
			row("6.18", { slowPaths: 8 }),
			row("7.0", { slowPaths: 1 }),
			row("7.2", { slowPaths: 1 }),
		];
		expect(findingsOf(rows).slice(1)).toEqual([
			"The largest change of slow paths came with 7.0: 8 before, 1 with it.",
			"6.7 and 7.2 changed none of these numbers.",
		]);
	});

	it("has a change as a share of another kernel's number, none of nothing", () => {
		const [slow, memory] = changesOf([row("6.1", {}), row("7.2", {})]);
		expect(memory?.key).toBe("slabBytes");
		const share = (from: number, to: number) =>
			slow && shareOf(slow, row("6.1", { slowPaths: from }), row("7.2", { slowPaths: to }));
		expect(share(10, 4)).toBeCloseTo(-0.6);
		expect(share(0, 0)).toBe(0);
		expect(share(0, 4)).toBeUndefined();
		const emptied = ["6.1", "7.2"].map((version) => row(version, { slabBytes: 0 }));
		expect(changesOf(emptied)[1]?.key).toBe("slabBytesPeak");
	});

	it("needs two kernels, and says nothing of changes that there are not", () => {
		expect(findingsOf([row("6.1", {})])).toEqual([]);
		expect(findingsOf([row("6.1", {}), row("7.2", { pageCalls: 3 })])).toHaveLength(1);
	});
});

it("has page allocator calls from the core, and none for an allocator that does not count slabs", async () => {
	const session = await KmemSession.open(await loadModule());
	const trace = "slabtrace 1\nmachine cpus=1\nk 1 100000 cpu=0\nf 1 cpu=0\n";
	session.importBegin();
	session.importChunk(new TextEncoder().encode(trace));
	session.importEnd();
	const calls = () => {
		for (const _ of session.measures.slices());
		return session.measures.rows().find(({ key }) => key === "page_calls")?.value;
	};
	expect(calls()).toBe(2);
	session.set("allocator", "slob");
	expect(calls()).toBeUndefined();
});
