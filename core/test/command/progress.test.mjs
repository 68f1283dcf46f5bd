// progress.test.mjs - long work on a terminal: it draws how far it is, in one process too.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { COMMAND } from "./command.mjs";

const folder = mkdtempSync(join(tmpdir(), "slabscope-progress-"));
after(() => rmSync(folder, { recursive: true }));

/** 300,000 events: 40 replays take longer than the time after which progress is drawn. */
const TRACE = join(folder, "long.slabtrace");
const lines = ["slabtrace 1", "machine cpus=64 nodes=8", "cache c0 size=64 name=c"];
for (let i = 0; i < 150_000; i++) {
	lines.push(`a o${i} c0 cpu=${i % 64}`, "expire");
}
writeFileSync(TRACE, `${lines.join("\n")}\n`);

const linux = { skip: process.platform !== "linux" };

// Progress is drawn after 0.3 s. 240 replays take seconds on any machine.
describe("long work", () => {
	test("in one process draws its progress on a terminal", linux, () => {
		const call = `${COMMAND} sweep ${TRACE} --x min_partial=0..239 --jobs 1`;
		const done = spawnSync("script", ["-qec", call, "/dev/null"], { encoding: "utf8" });
		assert.equal(done.status, 0, done.stdout);
		assert.match(done.stdout.replaceAll("\u001b[K", "<clear>"), /\r<clear>\D+ \d+ %/);
	});
});
