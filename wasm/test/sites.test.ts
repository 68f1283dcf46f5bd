// sites.test.ts - call sites: each listed once, with its next and previous calls.

import { describe, expect, it } from "vitest";
import { KmemSession } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

const line = (i: number, site: string) =>
	`  sh-1 [000] ..... ${i + 1}.000000: kmalloc: call_site=${site} ptr=00000000${1000 + i} ` +
	"bytes_req=6 bytes_alloc=8 gfp_flags=GFP_KERNEL node=-1 accounted=false\n";

describe("call sites", () => {
	it("are listed once each, and lead to their next and previous calls", async () => {
		const session = await KmemSession.open(await loadModule());
		const text = ["one+0x1/0x9", "two+0x2/0x9", "one+0x1/0x9", "one+0x3/0x9"].map((s, i) =>
			line(i, s),
		);
		session.importBegin();
		session.importChunk(new TextEncoder().encode(text.join("")));
		session.importEnd();
		session.build();
		const { workloads } = session;
		expect(workloads.callSites()).toEqual(["one+0x1/0x9", "two+0x2/0x9", "one+0x3/0x9"]);
		expect(workloads.nextCall("one+0x1/0x9", 0)).toBe(2);
		expect(workloads.nextCall("one+0x1/0x9", 2)).toBeUndefined();
		expect(workloads.nextCall("one+0x1/0x9", 2, true)).toBe(0);
		expect(workloads.nextCall("one+0x1/0x9", 0, true)).toBeUndefined();
		expect(workloads.nextCall("one+0x1/0x9", 0xffffffff)).toBe(0);
		expect(workloads.nextCall("two+0x2/0x9", 99)).toBeUndefined();
		expect(workloads.nextCall("nobody", 0)).toBeUndefined();
		expect(workloads.nextCall("", 0)).toBeUndefined();
	});
});
