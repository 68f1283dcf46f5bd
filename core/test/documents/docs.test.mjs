// docs.test.mjs - runs the shell lines of the README and all documents, each document's in a folder of its own.
//
// A block fenced as ```sh runs with the built command on the PATH, in a folder with `traces/`, `core/`, a trace.txt and the
// caches of a machine. A block after `<!-- sh: not run, REASON -->` only has its syntax checked. Each line of a block after
// `<!-- printed -->` must be a line that the last block before it printed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	cpSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { COMMAND, CORE } from "../command/command.mjs";

const TOP = dirname(CORE);
const NOT_OURS = /(^|\/)(node_modules|build|dist|dist-zip|output)(\/|$)/;
const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-docs-"));
after(() => rmSync(SCRATCH, { recursive: true }));

const DOCUMENTS = [
	...readdirSync(TOP),
	...["docs", "traces", "core", "wasm", "web"].flatMap((folder) =>
		readdirSync(join(TOP, folder), { recursive: true }).map((name) => `${folder}/${name}`),
	),
].filter((path) => path.endsWith(".md") && !NOT_OURS.test(path));

/** The fenced blocks of a document: the line where each starts, its language, its text, and what the comment above says. */
function blocksOf(text) {
	const blocks = [];
	const fence =
		/^(?:<!-- (?:sh: not run, (.+?)|(printed)) -->\n)?[ \t]*```(.*)\n([\s\S]*?)^[ \t]*```[ \t]*$/gm;
	for (const [all, reason, printed, language, body] of text.matchAll(fence))
		blocks.push({ line: lineOf(text, text.indexOf(all)), language, body, reason, printed });
	return blocks;
}

/** The lines of a block that are no lines of what a command printed. */
function missingFrom(output, body) {
	const lines = output.split("\n");
	return body.split("\n").filter((line) => line !== "" && !lines.includes(line));
}

const lineOf = (text, at) => text.slice(0, at).split("\n").length;

const SLABINFO = `slabinfo - version: 2.1
# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>
filp                1000   1024    256   32    2 : tunables    0    0    0 : slabdata     32     32      0
maple_node           500    512    256   32    2 : tunables    0    0    0 : slabdata     16     16      0
`;

function folderFor(path) {
	const folder = join(SCRATCH, path.replaceAll(/\W/g, "-"));
	cpSync(join(TOP, "traces"), join(folder, "traces"), { recursive: true });
	symlinkSync(CORE, join(folder, "core"));
	const sample = join(TOP, "traces", "linux-6.18-fork-and-tcp.ftrace.txt.gz");
	writeFileSync(join(folder, "trace.txt"), gunzipSync(readFileSync(sample)));
	writeFileSync(join(folder, "slab.txt"), SLABINFO);
	return folder;
}

function bash(args, cwd) {
	const PATH = [dirname(COMMAND), process.env.PATH].join(delimiter);
	const env = { ...process.env, PATH, HOME: SCRATCH };
	return spawnSync("bash", args, { cwd, env, encoding: "utf8", maxBuffer: 1 << 28 });
}

test("docs/command.md and the pages of commands say what --help says", () => {
	const done = spawnSync(process.execPath, [join(CORE, "gen", "command_pages.mjs"), "--check"], {
		encoding: "utf8",
	});
	assert.equal(done.stderr, "");
	assert.equal(done.status, 0);
});

describe("shell lines", () => {
	test("are found with their marks, and a wrong one is noticed", () => {
		const text =
			"a\n\n```sh\nslabscope params\n```\n\n<!-- sh: not run, as it is -->\n```sh\nrm\n```\n" +
			"\n<!-- printed -->\n```text\na\n```\n";
		assert.deepEqual(
			blocksOf(text).map(({ line, language, reason, printed }) => [
				line,
				language,
				reason,
				printed,
			]),
			[
				[3, "sh", undefined, undefined],
				[7, "sh", "as it is", undefined],
				[12, "text", undefined, "printed"],
			],
		);
		assert.deepEqual(missingFrom("a\n b\n", "a\nb\n"), ["b"]);
		assert.notEqual(bash(["-euo", "pipefail", "-c", "slabscope nothing"], SCRATCH).status, 0);
		assert.notEqual(bash(["-n", "-c", "for x in"], SCRATCH).status, 0);
	});

	for (const path of DOCUMENTS) {
		const blocks = blocksOf(readFileSync(join(TOP, path), "utf8"));
		if (blocks.length === 0) continue;
		test(path, () => {
			for (const { line, language, body } of blocks) {
				assert.notEqual(language, "", `${path}:${line}: the block names no language`);
				const isShell = /^(sudo |\$ )?(slabscope|npm|npx|node|make|git) /m.test(body);
				assert.ok(!isShell || language === "sh", `${path}:${line}: shell lines are fenced as sh`);
			}
			const shell = blocks.filter(({ language }) => language === "sh");
			for (const { line, body } of shell) {
				const done = bash(["-n", "-c", body], SCRATCH);
				assert.equal(done.status, 0, `${path}:${line}: ${done.stderr}`);
			}
			const isRun = ({ language, reason }) => language === "sh" && reason === undefined;
			const folder = blocks.some(isRun) ? folderFor(path) : SCRATCH;
			let output = "";
			for (const block of blocks) {
				const { line, body, printed } = block;
				if (printed) assert.deepEqual(missingFrom(output, body), [], `${path}:${line}`);
				if (!isRun(block)) continue;
				const done = bash(["-euo", "pipefail", "-c", body], folder);
				assert.equal(done.status, 0, `${path}:${line}: ${body}\n${done.stderr}`);
				output = done.stdout;
			}
		});
	}
});
