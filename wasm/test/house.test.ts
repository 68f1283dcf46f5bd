// house.test.ts - the plan of the house as a test: which room may look into which, and what no file may hold.
//
// core ← wasm ← web; inside core, base ← alloc ← play. Arrows point left only.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const TOP = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
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

interface Arrow {
	readonly from: string;
	readonly to: string;
}

function arrows(path: string, pattern: RegExp): Arrow[] {
	return [...read(path).matchAll(pattern)].map((match) => {
		const target = match[1] ?? match[2] ?? "";
		const isPath = target.startsWith(".") || path.startsWith("core/");
		const to = isPath && !target.startsWith("<") ? normalize(join(dirname(path), target)) : target;
		return { from: path, to };
	});
}

/** What the files of a room may name; a path from the top, or the name of a package or a system header. */
interface Rule {
	readonly room: RegExp;
	readonly may: RegExp;
}

const FREESTANDING = "<(stddef|stdint|string)\\.h>";
const C_RULES: readonly Rule[] = [
	{ room: /^core\/kmem\.h$/, may: /^core\/(base\/types\.h|\w+\.def)$/ },
	{
		room: /^core\/base\//,
		may: new RegExp(`^(core/(base/\\w+\\.h|kmem\\.h|\\w+\\.def)|${FREESTANDING})$`),
	},
	{ room: /^core\/alloc\//, may: /^core\/(base\/\w+\.h|alloc\/\w+\.h)$/ },
	{
		room: /^core\/play\//,
		may: /^core\/(base\/\w+\.h|alloc\/(ops|slub_fast)\.h|play\/\w+\.h|kmem\.h|\w+\.def)$/,
	},
	{ room: /^core\/gen\//, may: /^(core\/(kmem\.h|\w+\.def)|<\w+\.h>)$/ },
	{
		room: /^core\/cli\//,
		may: /^(core\/(cli\/\w+\.h|kmem\.h|base\/types\.h|\w+\.def)|<[\w/]+\.h>)$/,
	},
	{ room: /^core\/(bench|test)\//, may: /./ },
];

const TS_RULES: readonly Rule[] = [
	{ room: /^wasm\/src\/node\.ts$/, may: /^(wasm\/src\/|node:)/ },
	{ room: /^wasm\/src\//, may: /^wasm\/src\// },
	{ room: /^wasm\/test\//, may: /^(wasm\/src\/|node:|vitest$)/ },
	{
		room: /^web\/src\/(scene|player)\//,
		may: /^(web\/src\/(scene|player|engine)\/|#wasm$|#abi$|(?!react)[@a-z])/,
	},
	{ room: /^web\/src\//, may: /^(web\/src\/|#wasm$|#abi$|[@a-z])/ },
	{ room: /^web\//, may: /^(web\/|wasm\/src\/node\.ts$|#wasm$|#abi$|node:|[@a-z])/ },
];

function broken(arrow: Arrow, rules: readonly Rule[]): boolean {
	const rule = rules.find(({ room }) => room.test(arrow.from));
	return rule === undefined || !rule.may.test(arrow.to);
}

function show({ from, to }: Arrow): string {
	return `${from} -> ${to}`;
}

describe("arrows", () => {
	it("point from play over alloc to base, and outside to kmem.h only", () => {
		const all = files("core", /\.[ch]$/).flatMap((path) =>
			arrows(path, /^#\s*include\s+"?([^"\s]+)"?/gm),
		);
		expect(all.length).toBeGreaterThan(50);
		expect(all.filter((arrow) => broken(arrow, C_RULES)).map(show)).toEqual([]);
	});

	it("lead from an allocator to no other", () => {
		const family = (path: string) => path.replace(/^core\/alloc\//, "").replace(/[_.].*/, "");
		const foreign = files("core/alloc", /\.[ch]$/)
			.filter((path) => !/\/ops\.[ch]$/.test(path))
			.flatMap((path) => arrows(path, /^#\s*include\s+"([^"]+)"/gm))
			.filter(({ to }) => to.startsWith("core/alloc/") && to !== "core/alloc/ops.h")
			.filter(({ from, to }) => family(from) !== family(to));
		expect(foreign.map(show)).toEqual([]);
	});

	it("point from web over wasm to nothing else", () => {
		const imports = /^(?:import|export)\b[^;]*?\bfrom "([^"]+)"|^import "([^"]+)"/gm;
		const all = [...files("wasm", /\.ts$/), ...files("web", /\.tsx?$/)].flatMap((path) =>
			arrows(path, imports),
		);
		expect(all.filter((arrow) => broken(arrow, TS_RULES)).map(show)).toEqual([]);
	});
});

describe("every file", () => {
	const SOURCES = /\.(c|h|def|ts|tsx|mjs|css|html)$/;
	const all = ["core", "wasm", "web"].flatMap((room) => files(room, SOURCES));

	it("has at most 600 lines, unless a program wrote it", () => {
		const long = all
			.filter((path) => path !== "wasm/src/abi.ts")
			.map((path) => ({ path, lines: read(path).split("\n").length - 1 }))
			.filter(({ lines }) => lines > 600);
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

describe("the core", () => {
	const CORE = ["base", "alloc", "play"].flatMap((room) => files(`core/${room}`, /\.[ch]$/));

	it("has no floats: the same numbers everywhere", () => {
		const code = (path: string) => read(path).replaceAll(/\/\*[\s\S]*?\*\/|"(\\.|[^"\\])*"/g, "");
		expect(CORE.filter((path) => /\b(float|double)\b/.test(code(path)))).toEqual([]);
	});

	it("compiles conditionally in types.h and poison.h only", () => {
		const guard = /^#\s*(if|ifdef|elif)\b/m;
		const may = ["core/base/types.h", "core/base/poison.h"];
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

	it("run no command where a token may publish", () => {
		const mayPublish = jobs.filter(({ text }) => /: write$/m.test(text));
		expect(mayPublish.length).toBe(1);
		expect(mayPublish.filter(({ text }) => /\brun:/.test(text))).toEqual([]);
	});
});
