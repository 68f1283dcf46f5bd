// command.mjs - how tests call the native command and read what it prints.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const CORE = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const COMMAND = process.env.SLABSCOPE ?? join(CORE, "build", "slabscope");
export const SHARED = process.env.SLABSCOPE_SHARED ?? join(CORE, "..", "..", "shared");

export function run(args, input) {
	const done = spawnSync(COMMAND, args, { encoding: "utf8", input, maxBuffer: 1 << 28 });
	return { status: done.status, out: done.stdout, err: done.stderr };
}

export function succeeds(args, input) {
	const done = run(args, input);
	assert.equal(done.status, 0, `${args.join(" ")}: ${done.err}`);
	return done.out;
}

/** Checks that the command fails with that status and one sentence. */
export function refuses(args, status, sentence, input) {
	const done = run(args, input);
	assert.equal(done.status, status, `${args.join(" ")}: ${done.err}`);
	assert.match(done.err, sentence);
	assert.equal(done.err.trim().split("\n").length, 1, done.err);
}

export function json(args, input) {
	return JSON.parse(succeeds([...args, "--json"], input));
}

export function rowsOf(csv) {
	const lines = csv.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
	const keys = lines[0].split(",");
	return lines.slice(1).map((line) => {
		const cells = line.split(",");
		return Object.fromEntries(keys.map((key, i) => [key, cells[i]]));
	});
}
