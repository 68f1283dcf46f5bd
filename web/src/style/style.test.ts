/**
 * Tests style sheets and the components that use them: every class has a rule, every rule an element, and every
 * module is beside its component. Class names are read from the code as Vite parses it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, preprocessCSS, resolveConfig } from "vite";
import { describe, expect, it } from "vitest";

const SRC = join(dirname(fileURLToPath(import.meta.url)), "..");
const MODULE = /\.module\.css$/;
/** Style sheets for the page as a whole. */
const SHARED = ["style/base.css", "style/tokens.css", "style/words.css"];
const FIRST_VIEW = "boot/boot.ts";

const paths = readdirSync(SRC, { recursive: true }).map((path) =>
	String(path).replaceAll("\\", "/"),
);
const read = (path: string) => readFileSync(join(SRC, path), "utf8");
const sheets = paths.filter((path) => path.endsWith(".css"));
const modules = sheets.filter((path) => MODULE.test(path));

interface Node {
	readonly type: string;
	readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
	typeof value === "object" && value !== null && typeof (value as Node).type === "string";
const childrenOf = (node: Node) => Object.values(node).flat().filter(isNode);
const text = (value: unknown) => (typeof value === "string" ? value : "");
const rawOf = (quasi: Node) => text((quasi.value as { cooked?: string }).cooked);

/** What a source file says about classes. */
interface Source {
	readonly path: string;
	/** Paths of the sheets that it imports, by the names it gives them; "" for a sheet without a name. */
	readonly imports: readonly { readonly name: string; readonly sheet: string }[];
	/** Sources that it imports statically. */
	readonly sources: readonly string[];
	/** "NAME.CLASS" for each class that it takes from a module. */
	readonly members: ReadonlySet<string>;
	/** Names of modules from which it takes a computed class. */
	readonly computed: ReadonlySet<string>;
	/** Words in strings within className. */
	readonly tokens: ReadonlySet<string>;
	/** All strings, and the parts of templates. */
	readonly strings: readonly string[];
}

function sourceOf(path: string): Source {
	const found = {
		path,
		imports: [] as { name: string; sheet: string }[],
		sources: [] as string[],
		members: new Set<string>(),
		computed: new Set<string>(),
		tokens: new Set<string>(),
		strings: [] as string[],
	};
	const addImport = (node: Node) => {
		// Types do not exist in the built page.
		if (node.importKind === "type") return;
		const from = text((node.source as Node).value);
		if (!from.startsWith(".")) return;
		const target = normalize(join(dirname(path), from));
		const [first] = node.specifiers as Node[];
		if (target.endsWith(".css"))
			found.imports.push({ name: first ? text((first.local as Node).name) : "", sheet: target });
		else found.sources.push(target);
	};
	const addMember = ({ object, property, computed }: Node) => {
		const name = text((object as Node).name);
		if (!found.imports.some((one) => one.name !== "" && one.name === name)) return;
		if (computed) found.computed.add(name);
		else found.members.add(`${name}.${text((property as Node).name)}`);
	};
	const walk = (node: Node, isClass: boolean) => {
		if (node.type === "ImportDeclaration") return addImport(node);
		if (node.type === "MemberExpression") addMember(node);
		const string =
			node.type === "Literal"
				? text(node.value)
				: node.type === "TemplateElement"
					? rawOf(node)
					: "";
		if (string !== "") found.strings.push(string);
		if (isClass) for (const word of string.split(/\s+/)) if (word !== "") found.tokens.add(word);
		const isAttribute =
			node.type === "JSXAttribute" && text((node.name as Node).name) === "className";
		// Whatever is in an index or a comparison is not a class.
		const isOther = node.type === "MemberExpression" || node.type === "BinaryExpression";
		for (const child of childrenOf(node)) walk(child, (isClass || isAttribute) && !isOther);
	};
	walk(parseSync(path, read(path)).program as unknown as Node, false);
	return found;
}

const sources = paths
	.filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\/test\//.test(path))
	.map(sourceOf);

/** Returns the sheet's own classes, and the classes of base.css that it names. */
async function classesOf(path: string): Promise<{ own: string[]; shared: string[] }> {
	const config = await resolveConfig({ configFile: false, logLevel: "error" }, "build");
	const css = read(path).replaceAll(/\/\*[\s\S]*?\*\//g, "");
	const shared = [...css.matchAll(/:global\(\.([\w-]+)\)/g)].map(([, name = ""]) => name);
	if (!MODULE.test(path)) {
		const selectors = css.replaceAll(/\{[^{}]*\}/g, "{}");
		return {
			own: [...new Set([...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, c = ""]) => c))],
			shared,
		};
	}
	const { modules: names = {} } = await preprocessCSS(css, join(SRC, path), config);
	return { own: Object.keys(names), shared };
}

const classes = new Map(
	await Promise.all(sheets.map(async (path) => [path, await classesOf(path)] as const)),
);
const ownOf = (sheet: string) => classes.get(sheet)?.own ?? [];
const shared = new Set(SHARED.flatMap(ownOf));

describe("style sheets", () => {
	it("are found", () => {
		expect(modules.length).toBeGreaterThan(30);
		expect(sources.length).toBeGreaterThan(200);
		expect(shared.size).toBeGreaterThan(15);
	});

	it("are modules, except those for the page as a whole", () => {
		expect(sheets.filter((path) => !MODULE.test(path)).toSorted()).toEqual(SHARED);
	});

	it("are next to the component that uses them", () => {
		const users = (sheet: string) =>
			sources.filter(({ imports }) =>
				imports.some((one) => one.sheet === sheet && one.name !== ""),
			);
		const astray = modules.filter((sheet) => {
			const folders = new Set(
				users(sheet)
					.map(({ path }) => dirname(path))
					.filter((folder) => folder !== "boot"),
			);
			return folders.size !== 1 || !folders.has(dirname(sheet));
		});
		expect(astray).toEqual([]);
	});

	// generateScopedName of the build names a class after both.
	it("have unique names", () => {
		const names = modules.map((path) => basename(path));
		expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
	});

	it("do not name classes of another module", () => {
		const unknown = modules.flatMap((sheet) =>
			(classes.get(sheet)?.shared ?? [])
				.filter((name) => !shared.has(name))
				.map((name) => `${sheet}: ${name}`),
		);
		expect(unknown).toEqual([]);
	});
});

describe("the classes of a module", () => {
	it("exist where a source uses them", () => {
		const missing = sources.flatMap(({ path, imports, members }) =>
			[...members]
				.filter((member) => {
					const [name, wanted = ""] = member.split(".");
					const sheet = imports.find((one) => one.name === name)?.sheet ?? "";
					return !ownOf(sheet).includes(wanted);
				})
				.map((member) => `${path}: ${member}`),
		);
		expect(missing).toEqual([]);
	});

	it("are used by a file that imports it", () => {
		// A computed class is a word in the code, or starts with one: run0, run1.
		const isWord = (wanted: string) =>
			sources.some(({ strings }) =>
				strings.some((words) => words === wanted || words === wanted.replace(/\d$/, "")),
			);
		const isUsed = (sheet: string, wanted: string) =>
			sources.some(({ imports, members, computed }) =>
				imports.some(
					({ name, sheet: own }) =>
						own === sheet &&
						(members.has(`${name}.${wanted}`) || (computed.has(name) && isWord(wanted))),
				),
			);
		const unused = modules.flatMap((sheet) =>
			ownOf(sheet)
				.filter((wanted) => !isUsed(sheet, wanted))
				.map((wanted) => `${sheet}: ${wanted}`),
		);
		expect(unused).toEqual([]);
	});
});

describe("shared classes", () => {
	it("have a rule wherever a source names one", () => {
		const unknown = sources.flatMap(({ path, tokens }) =>
			[...tokens].filter((word) => !shared.has(word)).map((word) => `${path}: ${word}`),
		);
		expect(unknown).toEqual([]);
	});

	it("are used in several folders, or by a shared control in ui", () => {
		const folders = (name: string) =>
			new Set(
				sources
					.filter(({ strings }) => strings.some((words) => words.split(/\s+/).includes(name)))
					.map(({ path }) => dirname(path)),
			);
		const isShared = (found: ReadonlySet<string>) => found.size > 1 || found.has("ui");
		expect([...shared].filter((name) => !isShared(folders(name)))).toEqual([]);
	});
});

/** Returns a source together with the sources that it needs before it runs. */
function reachedFrom(path: string, seen = new Set<string>()): Set<string> {
	if (seen.has(path)) return seen;
	seen.add(path);
	for (const next of sources.find((one) => one.path === path)?.sources ?? [])
		reachedFrom(next, seen);
	return seen;
}

it("styles what the first page shows before React arrives", () => {
	const importsOf = (path: string) =>
		(sources.find((one) => one.path === path)?.imports ?? []).map(({ sheet }) => sheet);
	const needed = new Set([...reachedFrom("shell/app.tsx")].flatMap(importsOf));
	expect(importsOf(FIRST_VIEW).toSorted()).toEqual([...SHARED, ...needed].toSorted());
});
