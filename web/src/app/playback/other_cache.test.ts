/** Tests that a step names its cache only if that's not the one on the stage. */
import { describe, expect, it } from "vitest";
import { KmemSession, stepKind } from "#wasm";
import { loadModule } from "../../../../wasm/src/node.ts";
import { stepOf } from "../../engine/rows.ts";
import { ALL_CACHES, type CacheRow } from "../../engine/types.ts";
import { cachesToName, otherCache } from "./event_path.ts";

type Now = Parameters<typeof otherCache>[0];

async function replayed(text: string): Promise<KmemSession> {
	const session = await KmemSession.open(await loadModule());
	session.importBegin();
	session.importChunk(new TextEncoder().encode(text));
	session.importEnd();
	session.build();
	return session;
}

function at(session: KmemSession, op: number, step: number): Now {
	const row = session.op(op);
	return {
		op: row,
		steps: session.steps(op).rows.map(stepOf),
		firstStep: 0,
		position: { op, step },
		caches: session.caches(),
	};
}

const TWO = `slabtrace 1
machine cpus=2 allocator=slab
cache c0 size=64 name=one
cache c1 size=4000 name=two
a 1 c0 cpu=0
a 2 c1 cpu=0
f 1 cpu=0
f 2 cpu=0
reap cpu=0
reap cpu=0
`;

describe("the cache of a step", () => {
	it("is named when it is not the one on the stage", async () => {
		const session = await replayed(TWO);
		const [one = 0, two = 0] = ["one", "two"].map(
			(name) => session.caches().find((c) => c.name === name)?.cache,
		);
		expect(otherCache(at(session, 0, 0), one)).toBeUndefined();
		expect(otherCache(at(session, 0, 0), two)).toBe("one");
		expect(otherCache(at(session, 1, 0), one)).toBe("two");
	});

	it("is the step's own when an event touches several caches, as the reaper does", async () => {
		const session = await replayed(TWO);
		const shown = session.caches().find((c) => c.name === "one")?.cache ?? -1;
		let named = 0;
		for (let op = 4; op < session.nrOps; op++) {
			const { total, rows } = session.steps(op);
			for (let step = 0; step < total; step++) {
				const row = rows[step];
				const name = session.caches().find((c) => c.cache === row?.cache)?.name;
				const other = otherCache(at(session, op, step), shown);
				if (row && row.cache !== ALL_CACHES)
					expect(other, stepKind(row).name).toBe(row.cache === shown ? undefined : name);
				if (other === "two") named++;
			}
			const names = cachesToName(at(session, op, 0), shown);
			expect(names.filter(Boolean).length).toBeLessThanOrEqual(total);
		}
		expect(named).toBeGreaterThan(0);
	});

	it("is named in a list of steps wherever it changes", () => {
		const caches = [
			{ cache: 0, name: "one" },
			{ cache: 1, name: "two" },
		] as CacheRow[];
		const steps = [0, 1, 1, ALL_CACHES, 0].map((cache) => ({ cache }));
		const now = { op: { cache: 0 }, steps, firstStep: 0, position: { op: 0, step: 0 }, caches };
		expect(cachesToName(now as unknown as Now, 0)).toEqual([
			undefined,
			"two",
			undefined,
			"one",
			undefined,
		]);
		expect(cachesToName(now as unknown as Now, 1)[0]).toBe("one");
	});
});
