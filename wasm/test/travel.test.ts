// travel.test.ts - histories and searches through the typed session, on a teaching trace whose story is known.

import { beforeAll, describe, expect, it } from "vitest";
import { STEP_KINDS, Status, When } from "../src/abi.ts";
import { conditionsOf, type KmemError, KmemSession } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

/** A slab holds 16 objects, so twenty need two slabs; CPU 1 frees all of them. */
const TRACE = `slabtrace 1
machine cpus=2 page_size=4096
cache c size=1024 name=teaching
cache d size=64 name=other
${Array.from({ length: 20 }, (_, i) => `a ${i} c cpu=0`).join("\n")}
a x d cpu=0
${Array.from({ length: 20 }, (_, i) => `f ${i} cpu=1`).join("\n")}
a y c cpu=1
f x cpu=0
shrink c
`;
const NONE = 0xffffffff;

let module: WebAssembly.Module;
beforeAll(async () => {
	module = await loadModule();
});

async function openBuilt(text = TRACE): Promise<KmemSession> {
	const session = await KmemSession.open(module);
	session.importBegin();
	session.importChunk(new TextEncoder().encode(text));
	session.importEnd();
	session.build();
	return session;
}

async function openIndexed(): Promise<KmemSession> {
	const session = await openBuilt();
	for (const left of session.indexSlices(0, 7)) {
		expect(left).toBeGreaterThan(0);
	}
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

describe("lives", () => {
	it("need an index, which says how much memory it takes", async () => {
		const session = await openBuilt();
		expect(session.indexBytes).toBe(0);
		expect(errorOf(() => session.life({ cache: 0 })).message).toMatch(/index is not built/);
		expect(errorOf(() => [...session.indexSlices(1 << 16)])).toMatchObject({
			code: Status.KMEM_ENOMEM,
		});
		for (const _ of session.indexSlices()) {
			// Each slice is the work itself.
		}
		expect(session.indexBytes).toBeGreaterThan(0);
		session.set("cpus", "4");
		session.build();
		expect(session.indexBytes).toBe(0);
	});

	it("follow a slab: made, filled, emptied, discarded", async () => {
		const session = await openIndexed();
		const life = session.life({ cache: 0, slab: 0 });
		expect(life).toMatchObject({ bornOp: 0, firstOp: 0, frees: 16, objectsPeak: 16 });
		const rows = session.lifeRows({ cache: 0, slab: 0 });
		expect(rows).toHaveLength(life.nrOps);
		expect(conditionsOf(rows[0]?.what ?? 0)).toContain(When.WHEN_NEW_SLAB);
		expect(rows.filter((row) => conditionsOf(row.what).includes(When.WHEN_ALLOC))).toHaveLength(
			life.allocs,
		);
	});

	it("can be read in pages, forwards and backwards", async () => {
		const session = await openIndexed();
		const all = session.lifeRows({ cache: 0 });
		expect(all.length).toBe(session.life({ cache: 0 }).nrOps);
		const page = session.lifeRows({ cache: 0 }, { from: 5, max: 4 });
		expect(page).toEqual(all.filter((row) => row.op >= 5).slice(0, 4));
		const before = session.lifeRows({ cache: 0 }, { from: 5, max: 4, back: true });
		expect(before).toEqual(all.filter((row) => row.op < 5).slice(-4));
		expect(session.lifeRows({ cache: 0 }, { back: true, max: 3 })).toEqual(all.slice(-3));
	});

	it("follow an object: allocated, freed, and what came after it", async () => {
		const session = await openIndexed();
		const first = session.lifetime(0);
		expect(first).toMatchObject({ allocOp: 0, freeOp: 21, number: 0, cache: 0, slab: 0 });
		expect(first.earlierOp).toBe(NONE);
		expect(session.lifetime(21)).toEqual(first);
		expect(session.op(21)).toMatchObject({ slab: first.slab, index: first.index });
		expect(session.allocAt(0, first.slab, first.index, 30)).toBe(0);
		const rows = session.lifeRows({ cache: 0, slab: first.slab, index: first.index });
		expect(rows.slice(0, 2).map((row) => row.op)).toEqual([0, 21]);
		expect(errorOf(() => session.lifetime(43)).message).toMatch(/no object/);
	});
});

describe("searches", () => {
	for (const indexed of [false, true]) {
		it(`go back and forth ${indexed ? "with" : "without"} an index`, async () => {
			const session = await (indexed ? openIndexed() : openBuilt());
			const made = [{ when: When.WHEN_NEW_SLAB, cache: 0 }];
			const found = [];
			for (let from = { op: 0, step: 0 }; ; ) {
				const hit = session.find(made, from);
				if (hit === undefined) {
					break;
				}
				found.push(hit);
				from = { op: hit.op, step: hit.step + 1 };
			}
			expect(found.map((hit) => hit.op)).toEqual([0, 16]);
			expect(session.find(made, { op: 16, step: 0 }, true)).toMatchObject({ op: 0 });
			expect(session.find(made, { op: 0, step: 0 }, true)).toBeUndefined();
			const [first] = found;
			const step = session.steps(0).rows[first?.step ?? -1];
			expect(STEP_KINDS[step?.kind ?? -1]?.name).toBe("ALLOC_SLAB");
		});
	}

	it("find decisions by name, slabs and objects, and several conditions at once", async () => {
		const session = await openIndexed();
		const shrink = { when: When.WHEN_STEP, step: "SHRINK_DISCARD" } as const;
		const other = { when: When.WHEN_ALLOC, cache: 1 };
		const end = { op: session.nrOps, step: 0 };
		expect(session.find([shrink, other], { op: 0, step: 0 })).toMatchObject({
			op: 20,
			condition: 1,
		});
		expect(session.find([{ when: When.WHEN_FREE, cache: 1 }], end, true)).toMatchObject({ op: 42 });
		const object = { when: When.WHEN_TOUCHED, cache: 0, slab: 0, index: 0 };
		expect(session.find([object], { op: 1, step: 0 })?.op).toBeGreaterThanOrEqual(21);
	});

	it("can be abandoned, and a new one ends the old one", async () => {
		const session = await openBuilt();
		const never = [{ when: When.WHEN_ORDER_FALLBACK }];
		const slices = session.findSlices(never, { op: 0, step: 0 }, false, 5);
		expect(slices.next().done).toBe(false);
		expect(session.find([{ when: When.WHEN_FREE }], { op: 0, step: 0 })).toMatchObject({ op: 21 });
		expect(slices.next()).toEqual({ done: true, value: undefined });
	});

	it("refuse an invalid condition", async () => {
		const session = await openBuilt();
		const start = { op: 0, step: 0 };
		expect(errorOf(() => session.find([], start)).code).toBe(Status.KMEM_EPARAM);
		expect(
			errorOf(() => session.find([{ when: When.WHEN_TOUCHED, slab: 3 }], start)).message,
		).toMatch(/^expected the cache of a slab/);
	});
});
