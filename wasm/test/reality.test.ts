// reality.test.ts - the check against a real kernel's run, and a replay that begins with its state: the command and the module
// give the same figures, from text and from JSON.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Checked, KmemSession } from "../src/index.ts";
import { openSession } from "../src/node.ts";

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const file = (kind: string) => path(`core/test/reality/compile-8cpus.${kind}.gz`);
const KINDS = ["trace", "start.state", "stop.state"] as const;
const [TRACE, START, STOP] = KINDS.map(file);
const bytesOf = (name: string | undefined) => new Uint8Array(gunzipSync(readFileSync(name ?? "")));

function slabscope(...args: readonly (string | undefined)[]) {
	const words = args.map((word) => word ?? "");
	const output = execFileSync(path("core/build/slabscope"), [...words, "--json"], {
		encoding: "utf8",
		stdio: ["ignore", "pipe", "ignore"],
	});
	return JSON.parse(output);
}

async function sessionWithRun(): Promise<KmemSession> {
	const session = await openSession();
	const { reality } = session;
	for (const [edge, name] of [
		["start", START],
		["stop", STOP],
	] as const) {
		reality.stateBegin(edge);
		reality.stateChunk(bytesOf(name));
		reality.stateEnd();
	}
	session.importBegin();
	session.lookup.keep({ pointers: true, tasks: true });
	session.importChunk(bytesOf(TRACE));
	session.importEnd();
	return session;
}

/** What both print of a result. */
function shared({ by_cache: caches, ...rest }: Checked) {
	const { events, allocations, right, resynchronised, moves, counters, stop_lists: lists } = rest;
	const { controls, left_out: leftOut, caches: close } = rest;
	return {
		...{
			events,
			allocations,
			right,
			resynchronised,
			moves,
			counters,
			lists,
			controls,
			leftOut,
			close,
		},
		caches: caches.map(({ lists: _, lists_equal: __, counters: ___, ...cache }) => cache),
	};
}

describe("a real kernel's run", () => {
	it("is checked alike by the command and by the module", async () => {
		const { reality } = await sessionWithRun();
		const given = ["check", TRACE, "--start", START, "--stop", STOP];
		expect(shared(reality.check(10))).toEqual(shared(slabscope(...given)));
		expect(shared(reality.check(10, true))).toEqual(shared(slabscope(...given, "--infer-order")));
	});

	it("is where a replay begins, in the same states", async () => {
		const session = await sessionWithRun();
		session.reality.beginWithState(true);
		session.build();
		const native = slabscope("replay", TRACE, "--start", START);
		expect(session.hash()).toBe(native.state_hash);
		session.reality.beginWithState(false);
		session.build();
		const cold = slabscope("replay", TRACE, "--cold");
		expect(session.hash()).toBe(cold.state_hash);
	});
});
