// tracks.test.ts - counter tracks for Perfetto: the same bytes as the command's, however the work is cut.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { KmemSession } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

const TOP = fileURLToPath(new URL("../../", import.meta.url));
const COMMAND = `${TOP}core/build/slabscope`;
const TRACE = `${TOP}traces/two-nodes.slabtrace`;

describe.skipIf(!existsSync(COMMAND))("counter tracks", () => {
	it("are the same as the command's, byte for byte", async () => {
		const session = await KmemSession.open(await loadModule());
		session.importBegin();
		session.importChunk(readFileSync(TRACE));
		session.importEnd();
		session.build();
		const expected = execFileSync(COMMAND, ["tracks", TRACE, "-q", "-o", "-"]);
		for (const sliceOps of [1 << 14, 7]) {
			const parts = [...session.tracks.parts(8, sliceOps)];
			expect(parts.at(-1)?.left).toBe(0);
			expect(Buffer.concat(parts.map(({ bytes }) => bytes)).equals(expected)).toBe(true);
		}
		expect(() => [...session.tracks.parts(17)]).toThrow("at most 16 caches");
	});
});
