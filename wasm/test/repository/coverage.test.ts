// coverage.test.ts - what is added to a table is documented and tested: formats and parameters. That each format has a file
// in the fuzzer's corpus, core/test/files/formats.test.mjs tests, since it takes the command.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const TOP = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const NOT_OURS = /(^|\/)(node_modules|build|dist|output)(\/|$)/;
const read = (path: string) => readFileSync(join(TOP, path), "utf8");

function files(room: string, ending: RegExp): string[] {
	return readdirSync(join(TOP, room), { recursive: true })
		.map((name) => `${room}/${String(name)}`)
		.filter((path) => ending.test(path) && !NOT_OURS.test(path));
}

/** The first group of each match in some files. */
function rows(paths: readonly string[], pattern: RegExp): string[] {
	return paths.flatMap((path) => [...read(path).matchAll(pattern)].map(([, name = ""]) => name));
}

describe("a format", () => {
	const formats = rows(
		files("core/import", /\.c$/),
		/^const struct trace_format \w+ = \{\s*\.name = "([^"]+)"/gm,
	);

	it("is found in the table", () => {
		const declared =
			/extern const struct trace_format([^;]*);\nextern const struct trace_format([^;]*);/;
		const [, first = "", others = ""] = declared.exec(read("core/import/import.h")) ?? [];
		expect(formats.length).toBe(`${first} ${others}`.match(/\bformat_\w+/g)?.length);
	});

	it("has its name in docs/formats.md", () => {
		const [table = ""] = read("docs/formats.md").split(/^## /m);
		const missing = (text: string) =>
			formats.filter((name) => !text.toLowerCase().includes(name.toLowerCase()));
		expect(missing(table)).toEqual([]);
		expect(missing(table.replaceAll("mtrace", ""))).toEqual(["mtrace"]);
	});
});

describe("a parameter", () => {
	const keys = rows(
		files("core/tables", /\.def$/).concat(files("core/alloc", /\.def$/)),
		/^PARAM\(\w+, "([^"]+)"/gm,
	);
	/** Tests, and the traces whose replays have golden hashes; not this file. */
	const tests = [
		...files("core/test", /\.(c|h|mjs)$/),
		...files("core/test/golden", /\.slabtrace$/),
		...files("wasm/test", /(?<!coverage)\.test\.ts$/),
		...files("web", /\.(test\.tsx?|e2e\.ts)$/),
	];
	const words = new Set(tests.flatMap((path) => read(path).match(/[\w.]+/g) ?? []));

	it("is named by some test", () => {
		expect(keys.length).toBeGreaterThan(50);
		expect(keys.filter((key) => !words.has(key))).toEqual([]);
	});
});
