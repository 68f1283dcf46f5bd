// architecture.test.ts - which folder may use which: one table, checked for every #include and every import.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const TOP = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const NOT_OURS = /(^|\/)(node_modules|build|dist|dist-zip|output)(\/|$)/;

/** Paths below a folder, from the top of the repository. */
function files(folder: string, ending: RegExp): string[] {
	return readdirSync(join(TOP, folder), { recursive: true })
		.map((name) => `${folder}/${String(name)}`)
		.filter((path) => ending.test(path) && !NOT_OURS.test(path))
		.filter((path) => statSync(join(TOP, path)).isFile());
}

/** What a file names, by the first group that matched. */
function targets(path: string, pattern: RegExp): string[] {
	return [...readFileSync(join(TOP, path), "utf8").matchAll(pattern)].map(
		(match) => match.slice(1).find((group) => group !== undefined) ?? "",
	);
}

/** Folders of core, each of which may include those in front of it. */
const CORE = `
	tables tables/abi tables/steps tables/proposals
	util codec sim alloc alloc/slub/tables alloc/slub alloc/slub/sheaves alloc/slab alloc/slob alloc/unified
	params trace machine_state import import/formats
	workload replay session query/index query/sites query query/lookup query/memory query/check studies
`
	.trim()
	.split(/\s+/);
/** These are clients: they see the public header, and what else is named here. */
const CLIENTS: Readonly<Record<string, readonly string[]>> = {
	gen: ["tables"],
	example: [],
	preload: ["tables"],
	"preload/run": ["tables", "preload", "util"],
	"preload/record": ["tables", "preload"],
	doc: ["tables"],
	cli: ["tables", "doc"],
	"cli/commands": ["tables", "doc", "cli"],
	"cli/programs": ["tables", "preload", "doc", "cli"],
	bench: ["tables", "preload", "doc", "cli"],
};
/** The public headers, and what all of the core sees: everybody may include them. */
const PUBLIC = ["kmem.h", "kmem_doctor.h", "kmem_own.h", "kmem_abi.h", "kmem_types.h"];
const FREESTANDING = /^<(stdarg|stddef|stdint|string)\.h>$/;
const ALLOCATORS = ["alloc/slub", "alloc/slab", "alloc/slob", "alloc/unified"];

const folderOf = (path: string) => (path.includes("/") ? dirname(path) : "");
const isBelow = (folder: string, top: string) => folder === top || folder.startsWith(`${top}/`);

/** Whether a file of core may include another, both from core/, or a system header in <>. */
function mayInclude(from: string, to: string): boolean {
	const folder = folderOf(from);
	// Tests and benchmarks of their own programs look inside.
	if (isBelow(folder, "test") || /^bench\/\w+_bench\.c$/.test(from)) return true;
	const client = CLIENTS[folder];
	if (to.startsWith("<")) return client !== undefined || FREESTANDING.test(to);
	if (PUBLIC.includes(to) || folderOf(to) === folder) return true;
	if (client) return client.some((allowed) => isBelow(folderOf(to), allowed));
	if (folder === "") return isBelow(folderOf(to), "tables");
	// The rows of the table of allocators, and what their files are made of.
	if (from === "tables/allocators.def") return /^alloc\/.*(\.def|_fast\.h)$/.test(to);
	if (ALLOCATORS.includes(folder) && ALLOCATORS.includes(folderOf(to))) return false;
	const [at, other] = [CORE.indexOf(folder), CORE.indexOf(folderOf(to))];
	return at >= 0 && other >= 0 && other < at;
}

describe("core", () => {
	const sources = files("core", /\.(c|h|def)$/).map((path) => path.slice("core/".length));
	const includes = sources.flatMap((from) =>
		targets(`core/${from}`, /^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|(<[^>]+>))/gm).map((to) => ({
			from,
			to,
		})),
	);

	it("is found", () => {
		expect(sources.length).toBeGreaterThan(200);
		expect(includes.length).toBeGreaterThan(500);
	});

	it("names every file by its path from core/", () => {
		const own = includes.filter(({ to }) => !to.startsWith("<"));
		expect(own.filter(({ to }) => !sources.includes(to))).toEqual([]);
	});

	it("includes downwards only", () => {
		expect(mayInclude("session/session.c", "query/index/query.h")).toBe(false);
		expect(mayInclude("cli/commands/cmd_find.c", "query/index/query.h")).toBe(false);
		expect(mayInclude("alloc/slub/slub.c", "alloc/slab/slab.h")).toBe(false);
		expect(includes.filter(({ from, to }) => !mayInclude(from, to))).toEqual([]);
	});

	it("has no folder that is missing from the table", () => {
		const known = ["", ...CORE, ...Object.keys(CLIENTS)];
		const folders = new Set(sources.map(folderOf).filter((folder) => !isBelow(folder, "test")));
		expect([...folders].filter((folder) => !known.includes(folder))).toEqual([]);
	});

	it("has no two files with the same name", () => {
		const names = sources.map((path) => basename(path));
		expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
	});
});

/** Folders of web/src, each of which may import from those in front of it. */
const WEB = `
	base engine engine/recent engine/import engine/query engine/quiz engine/worker
	scene scene/histogram scene/layout scene/layout/test
	app/state app/platform app/link app/playback app/trace app/sandbox app/navigation app/commands
	ui stage/draw stage/why stage
	views/explore/code views/explore views/compare views/compare/traces views/order_lab views/experiments
	views/filter views/slabinfo views/answers/memory views/answers/sites views/answers/doctor views/answers/lookup views/lessons/text views/lessons/model views/lessons/figure
	views/lessons views/lessons/test views/labs views
	shell/dialogs shell/sheets export shell boot
`
	.trim()
	.split(/\s+/);
/** Folders that know nothing of React. */
const WITHOUT_REACT = /^(base|engine|scene|app)(\/|$)/;
/** Style sheets that all components share. */
const SHARED_STYLE = /^style\/\w+\.css$/;
/** What is not code: recordings, documents and the module, by the one folder that imports it. */
const DATA: Readonly<Record<string, RegExp>> = {
	"app/platform": /^wasm\/dist\/[\w-]+\.wasm$/,
	export: /^package\.json$/,
	boot: /^traces\/index\.json$/,
	"shell/dialogs": /^docs\/[\w-]+\.md$/,
};
/** Tests may also use fixtures and the module as node loads it. */
const FOR_TESTS = /^(web\/test\/fixtures\/\w+\.ts|wasm\/src\/\w+\.ts)$/;
const isTest = (path: string) => /\.test\.tsx?$|\/test\//.test(path);

/** Whether a file of web/src, named from there, may import another, named from the top, or a package. */
function mayImport(from: string, to: string): boolean {
	const folder = folderOf(from);
	const own = to.startsWith("web/src/") ? to.slice("web/src/".length) : undefined;
	if (own !== undefined) {
		const [at, other] = [WEB.indexOf(folder), WEB.indexOf(folderOf(own))];
		return SHARED_STYLE.test(own) || (at >= 0 && other >= 0 && other <= at);
	}
	if (isTest(from)) return FOR_TESTS.test(to) || !to.includes("/src/");
	if (to.startsWith("#")) return to === "#wasm" || to === "#abi";
	if (/^(web|wasm|traces|docs|core)\//.test(to)) return DATA[folder]?.test(to) ?? false;
	return !to.startsWith("node:") && !(WITHOUT_REACT.test(folder) && /^react/.test(to));
}

/** Every static and dynamic import of TypeScript below some folders; paths from the top, without ?url and the like. */
function importsOf(paths: readonly string[]): { from: string; to: string }[] {
	const pattern =
		/^(?:import|export)\b[^;]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;
	return paths.flatMap((from) =>
		targets(from, pattern).map((target) => {
			const [path = ""] = target.split("?");
			return { from, to: path.startsWith(".") ? normalize(join(dirname(from), path)) : path };
		}),
	);
}

describe("web/src", () => {
	const sources = files("web/src", /\.(tsx?|css|mdx)$/).map((path) =>
		path.slice("web/src/".length),
	);
	const imports = importsOf(files("web/src", /\.(tsx?|mdx)$/)).map(({ from, to }) => ({
		from: from.slice("web/src/".length),
		to,
	}));

	it("is found", () => {
		expect(sources.length).toBeGreaterThan(250);
		expect(imports.length).toBeGreaterThan(800);
	});

	it("imports downwards only", () => {
		expect(mayImport("scene/tween.ts", "web/src/app/state/store.ts")).toBe(false);
		expect(mayImport("views/compare/compare.tsx", "web/src/shell/transport.tsx")).toBe(false);
		expect(mayImport("app/state/store.ts", "react")).toBe(false);
		expect(mayImport("ui/icons.tsx", "web/test/fixtures/frame_text.ts")).toBe(false);
		expect(imports.filter(({ from, to }) => !mayImport(from, to))).toEqual([]);
	});

	it("has no folder that is missing from the table", () => {
		const known = ["", "style", ...WEB];
		expect([...new Set(sources.map(folderOf))].filter((folder) => !known.includes(folder))).toEqual(
			[],
		);
	});
});

describe("allocators", () => {
	const OWN = /^core\/(alloc\/(slub|slab|slob|unified)|test|tables\/proposals|studies)\//;
	const ROWS = ["core/tables/allocators.def", "core/tables/presets.def"];
	const NAMES = /slub|slob|unified|slab_ops|ALLOCATOR_SLAB/i;
	/** What the kernel itself calls so: an event of recordings, an option, a message. And examples in the command's help. */
	const KERNELS =
		/slub_(stats?|op)\b|since SLUB metadata|"\s*(slabscope \w+ .*--with|--y allocator=)[^"]*"/gi;

	/** Identifiers and literals, without comments. */
	const code = (path: string) =>
		readFileSync(join(TOP, path), "utf8")
			.replace(/"(?:\\.|[^"\\\n])*"|\/\*[\s\S]*?\*\/|\/\/.*/g, (part) =>
				part.startsWith('"') ? part : " ",
			)
			.replace(KERNELS, "");

	it("are named in their folders and in one table only", () => {
		const sources = [...files("core", /\.(c|h|def)$/), ...files("wasm/src", /\.ts$/)].filter(
			(path) => !OWN.test(path) && !ROWS.includes(path) && path !== "wasm/src/abi.ts",
		);
		expect(sources.length).toBeGreaterThan(150);
		expect(NAMES.test(code("core/alloc/slub/slub.c"))).toBe(true);
		const naming = sources.flatMap((path) =>
			code(path)
				.split("\n")
				.filter((line) => NAMES.test(line) || NAMES.test(basename(path)))
				.map((line) => `${path}: ${line.trim()}`),
		);
		expect(naming).toEqual([]);
	});
});

/** What a file of wasm, or of the page's build and tests, may import: a path from the top, or the name of a package. */
interface Rule {
	readonly from: RegExp;
	readonly may: RegExp;
}

const RULES: readonly Rule[] = [
	{ from: /^wasm\/src\/node\.ts$/, may: /^(wasm\/src\/|node:)/ },
	{ from: /^wasm\/src\//, may: /^wasm\/src\// },
	{ from: /^wasm\/test\//, may: /^(wasm\/(src|test)\/|node:|vitest$|vite$)/ },
	{ from: /^web\//, may: /^(web\/|wasm\/src\/node\.ts$|#wasm$|#abi$|node:|[@a-z])/ },
];

describe("wasm, and the page's build and tests", () => {
	it("import nothing but what the table allows", () => {
		const ours = files("web", /\.tsx?$/).filter((path) => !path.startsWith("web/src/"));
		const all = importsOf([...files("wasm", /\.ts$/), ...ours]);
		expect(all.length).toBeGreaterThan(200);
		const isBroken = ({ from, to }: { from: string; to: string }) =>
			!RULES.find((rule) => rule.from.test(from))?.may.test(to);
		expect(all.filter(isBroken)).toEqual([]);
	});
});
