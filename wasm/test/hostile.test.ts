// hostile.test.ts - the module gets the same files as the core's fuzzers, whole and damaged. Each gives a trace or a
// sentence, never a trap, and the session stays usable.

import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { KmemError, KmemSession } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

const CORPUS = new URL("../../core/test/corpus/trace/", import.meta.url);
const DAMAGES = 60;

let module: WebAssembly.Module;
beforeAll(async () => {
	module = await loadModule();
});

/** The number of events read, or the sentence. Anything but a KmemError is rethrown. */
function outcome(session: KmemSession, bytes: Uint8Array, chunkBytes: number): number | string {
	try {
		session.importBegin();
		for (let from = 0; from < bytes.length; from += chunkBytes) {
			session.importChunk(bytes.subarray(from, from + chunkBytes));
		}
		session.importEnd();
		session.build();
		return session.nrOps;
	} catch (error) {
		if (error instanceof KmemError) {
			return error.message;
		}
		throw error;
	}
}

/** Numbers 0..below-1, the same in every run. */
function seeded(seed: number) {
	let state = seed;
	return (below: number) => {
		state = (Math.imul(state, 1103515245) + 12345) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

function damaged(bytes: Uint8Array, random: (below: number) => number): Uint8Array {
	if (random(3) === 0) {
		return bytes.slice(0, random(bytes.length));
	}
	const copy = bytes.slice();
	for (let i = random(4); i >= 0; i--) {
		copy[random(copy.length)] = random(256);
	}
	return copy;
}

describe("hostile bytes in the module", () => {
	it.each(readdirSync(CORPUS))("%s", async (file) => {
		const bytes = new Uint8Array(readFileSync(new URL(file, CORPUS)));
		const session = await KmemSession.open(module);
		const whole = outcome(session, bytes, bytes.length);
		const random = seeded(bytes.length);

		expect(outcome(session, bytes, 7)).toBe(whole);
		for (let i = 0; i < DAMAGES; i++) {
			const said = outcome(session, damaged(bytes, random), 1 + random(9000));
			expect(typeof said === "number" || said.length > 20, String(said)).toBe(true);
		}
		expect(outcome(session, bytes, 4096)).toBe(whole);
	});
});
