// house.test.ts - what no file may hold. Which folder may use which is in architecture.test.ts.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const TOP = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const NOT_OURS = /(^|\/)(node_modules|build|dist|output)(\/|$)/;

/** Paths from the top of the repository. */
function files(room: string, ending: RegExp): string[] {
	return readdirSync(join(TOP, room), { recursive: true })
		.map((name) => `${room}/${String(name)}`)
		.filter((path) => ending.test(path) && !NOT_OURS.test(path))
		.filter((path) => statSync(join(TOP, path)).isFile());
}

function read(path: string): string {
	return readFileSync(join(TOP, path), "utf8");
}

describe("every file", () => {
	const SOURCES = /\.(c|h|def|ts|tsx|mjs|css|html)$/;
	const all = ["core", "wasm", "web"].flatMap((room) => files(room, SOURCES));

	it("has at most 600 lines, unless a program wrote it", () => {
		const long = all
			.filter((path) => path !== "wasm/src/abi.ts")
			.map((path) => ({ path, lines: read(path).split("\n").length - 1 }))
			// Who embeds the core includes one header, which explains every function.
			.filter(({ path, lines }) => lines > (path === "core/kmem.h" ? 750 : 600));
		expect(long).toEqual([]);
	});

	it("is finished: no mark of work left over", () => {
		const marks = new RegExp(
			`\\b(${["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"].join("|")})\\b`,
		);
		expect(all.filter((path) => marks.test(read(path)))).toEqual([]);
	});

	it("decides nothing by the words of an error", () => {
		const words =
			"(\\.message|String\\((e|error|reason)\\)|sentenceOf\\(\\w+\\)|\\bsentence|kmem_error\\([^)]*\\))";
		const asks =
			'\\s*([!=]==? (?!"")["\'`A-Z]|\\.(startsWith|endsWith|includes|match|search|indexOf)\\b)';
		const asking = new RegExp(
			`${words}${asks}|\\b(test|exec|strcmp|strstr|strncmp)\\([^()]*${words}`,
		);
		for (const example of [
			'if (error.message === "cancelled") return;',
			'if (String(error) !== "cancelled") throw error;',
			"if (sentence !== CANCELLED) throw error;",
			"if (/no such/.test(error.message)) return;",
			'if (strcmp(kmem_error(s), "x") == 0)',
		])
			expect(asking.test(example), example).toBe(true);
		const sources = all.filter((path) => !/\/tests?\/|\.test\.tsx?$|_test\.c$/.test(path));
		expect(sources.filter((path) => asking.test(read(path)))).toEqual([]);
	});

	it("opens with what it is", () => {
		const silent = all
			.filter((path) => /\.(c|h|def|mjs)$/.test(path) || /^(wasm|web)\/src\/.*\.tsx?$/.test(path))
			.filter((path) => !/^(#!.*\n)?(\/\*|\/\/)/.test(read(path)));
		expect(silent).toEqual([]);
	});
});

describe("browser tests", () => {
	it("wait until the page rests before they read its address or reload it", () => {
		const early = /\b(page|frame|other)\.(url|reload)\(\)/;
		expect(early.test("await page.reload();")).toBe(true);
		const specs = files("web/test", /\.e2e\.ts$/);
		expect(specs.length).toBeGreaterThan(30);
		expect(specs.filter((path) => early.test(read(path)))).toEqual([]);
	});
});

describe("the core", () => {
	const NOT_CORE = /^core\/(doc|cli|bench|gen|example|test)\//;
	const CORE = files("core", /\.[ch]$/).filter((path) => !NOT_CORE.test(path));

	it("has no floats: the same numbers everywhere", () => {
		const code = (path: string) => read(path).replaceAll(/\/\*[\s\S]*?\*\/|"(\\.|[^"\\])*"/g, "");
		expect(CORE.filter((path) => /\b(float|double)\b/.test(code(path)))).toEqual([]);
	});

	it("uses conditional compilation only in public headers and where builds or processors differ", () => {
		const guard = /^#\s*(if|ifdef|elif)\b/m;
		const may = [
			"core/kmem.h",
			"core/kmem_doctor.h",
			"core/kmem_types.h",
			"core/util/poison.h",
			"core/preload/elf_file.c",
			"core/preload/run/lock.c",
			"core/sim/step.h",
		];
		expect(CORE.filter((path) => !may.includes(path) && guard.test(read(path)))).toEqual([]);
	});

	it("keeps functions within 60 lines", () => {
		const heads = /^(?!struct|enum|union)\w[^\n;]*\([^;]*?\)\s*\n\{\n([\s\S]*?)^\}/gm;
		const functions = files("core", /\.[ch]$/).flatMap((path) =>
			[...read(path).matchAll(heads)].map((match) => ({
				where: `${path}: ${match[0].split("\n")[0]}`,
				lines: (match[1] ?? "").split("\n").length - 1,
			})),
		);
		expect(functions.length).toBeGreaterThan(100);
		expect(functions.filter(({ lines }) => lines > 60)).toEqual([]);
	});
});

describe("the command", () => {
	const sources = files("core", /^core\/(cli|bench)\/.*\.[ch]$/).map(read);
	const named = (pattern: RegExp) =>
		new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name)));

	it("asks only for options that a command has", () => {
		const has = named(/(?:OPTION\(|\{)[\s\\]*"([a-z-]+)",[\s\\]*(?:\.help|[A-Z]+,)/g);
		const asked = named(/\b(?:given|given_as|option_\w+)\([^,()]+,\s*"([a-z-]+)"/g);
		expect(has.size).toBeGreaterThan(60);
		expect(asked.size).toBeGreaterThan(60);
		expect([...asked].filter((name) => !has.has(name))).toEqual([]);
	});
});

describe("workflows", () => {
	const jobs = files(".github/workflows", /\.ya?ml$/).flatMap((path) =>
		read(path)
			.split(/^(?= {2}[\w-]+:$)/m)
			.map((text) => ({ path, text })),
	);

	it("pin every action by its commit", () => {
		const uses = jobs.flatMap(({ text }) => [...text.matchAll(/uses: *(\S+)/g)].map((m) => m[1]));
		expect(uses.length).toBeGreaterThan(2);
		expect(uses.filter((action) => !/@[0-9a-f]{40}$/.test(action ?? ""))).toEqual([]);
	});

	it("run nothing of the project where a token may publish", () => {
		const mayPublish = jobs.filter(({ text }) => /: write$/m.test(text));
		expect(mayPublish.length).toBe(2);
		const ours = /\b(npm|npx|node|make|bash)\b|actions\/checkout|\.\//;
		expect(ours.test("- run: npm ci")).toBe(true);
		expect(mayPublish.filter(({ text }) => ours.test(text))).toEqual([]);
	});
});
