// words.test.ts - every text that people read calls things by the glossary's names (words.list.json).

import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import list from "./words.list.json";
import {
	commentsOfC,
	commentsOfTs,
	proseOf,
	stringsOfC,
	stringsOfJson,
	stringsOfTs,
	type Text,
} from "./words_read.ts";

const TOP = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const NOT_OURS = /(^|\/)(node_modules|build|dist|dist-zip|output|test|tests)(\/|$)|\.test\.tsx?$/;

interface Area {
	readonly name: string;
	readonly folders: readonly string[];
	readonly files: RegExp;
	readonly read: (source: string, path: string) => Text[];
}

const AREAS: readonly Area[] = [
	{
		name: "tables",
		folders: ["core/tables", "core/alloc"],
		files: /\.def$/,
		read: stringsOfC,
	},
	{
		name: "core",
		folders: ["core"],
		files: /^core\/(?!gen\/).*\.[ch]$/,
		read: stringsOfC,
	},
	{
		name: "comments",
		folders: ["core"],
		files: /\.(c|h|def)$/,
		read: commentsOfC,
	},
	{
		name: "wasm",
		folders: ["wasm"],
		files: /^wasm\/(?!src\/abi\.ts).*\.(ts|mjs)$/,
		read: (source, path) => [...stringsOfTs(source, path), ...commentsOfTs(source, path)],
	},
	{ name: "web", folders: ["web/src"], files: /\.tsx?$/, read: stringsOfTs },
	{
		name: "web-comments",
		folders: ["web/src", "web/build"],
		files: /\.tsx?$/,
		read: commentsOfTs,
	},
	{ name: "lessons", folders: ["web/src"], files: /\.mdx$/, read: proseOf },
	{
		name: "titles",
		folders: ["web/src", "traces"],
		files: /(lessons|index)\.json$/,
		read: stringsOfJson,
	},
	{
		name: "docs",
		folders: [".", "docs", "docs/command", "traces", "web", "core", "wasm", ".github"],
		files: /\.md$/,
		read: proseOf,
	},
];

const filesOf = ({ folders, files }: Area) => [
	...new Set(
		folders
			.flatMap((folder) =>
				readdirSync(join(TOP, folder), { recursive: folder !== "." }).map((name) =>
					folder === "." ? String(name) : `${folder}/${String(name)}`,
				),
			)
			.filter((path) => files.test(path) && !NOT_OURS.test(path))
			.filter((path) => statSync(join(TOP, path)).isFile()),
	),
];

interface Rule {
	readonly pattern: RegExp;
	readonly except: RegExp | undefined;
	readonly say: string;
	readonly not: readonly string[];
	readonly example: string;
}

const RULES: readonly Rule[] = list.never.map((rule) => ({
	pattern: new RegExp(rule.pattern, "i"),
	except: rule.except === undefined ? undefined : new RegExp(rule.except, "gi"),
	say: rule.say,
	not: rule.not ?? [],
	example: rule.example,
}));

/** The rules that a text breaks, each with the words to use. */
const faultsOf = (text: string, area: string): string[] =>
	RULES.filter(({ not }) => !not.includes(area)).flatMap(({ pattern, except, say }) => {
		const found = pattern.exec(except ? text.replaceAll(except, "x") : text);
		return found ? [`not "${found[0]}" but "${say}"`] : [];
	});

function findingsOf(area: Area): string[] {
	return filesOf(area).flatMap((path) =>
		area
			.read(readFileSync(join(TOP, path), "utf8"), path)
			.flatMap(({ line, text }) =>
				faultsOf(text, area.name).map(
					(fault) => `${path}:${line}: ${fault}: ${text.replaceAll(/\s+/g, " ").slice(0, 160)}`,
				),
			),
	);
}

describe("the list", () => {
	it.each(RULES)("notices: $example", ({ example, say }) => {
		expect(faultsOf(example, "docs").some((fault) => fault.includes(say))).toBe(true);
	});

	it("bans no plain English", () => {
		const plain =
			"It told us what it had said a moment ago; of the two operations, one came to nothing.";
		expect(faultsOf(plain, "docs")).toEqual([]);
	});

	it("allows what the kernel or a file format names so", () => {
		expect(faultsOf("The key `op` counts from 0; random seed 7.", "docs")).toEqual([]);
	});
});

describe("texts", () => {
	it("are found where they are", () => {
		const c = 'f("one two" /* a b */\n  "x y"); g("a", "three\\n"\n"four five"); /* six seven */';
		expect(stringsOfC(c)).toEqual([
			{ line: 1, text: "one two" },
			{ line: 2, text: "x y" },
			{ line: 2, text: "three\nfour five" },
		]);
		expect(commentsOfC(c).map(({ text }) => text)).toEqual(["a b", "six seven"]);
		const tsx =
			"/** Doc words. */\nconst a = `one $" +
			'{b} two`; const e = <p title="in a title">Hello <b>bold {n}</b> text</p>;';
		expect(stringsOfTs(tsx, "a.tsx").map(({ text }) => text)).toEqual([
			"one 0 two",
			"Hello bold 0 text",
			"in a title",
		]);
		expect(commentsOfTs(tsx, "a.tsx").map(({ text }) => text)).toContain("Doc words.");
		const prose =
			"# A heading\n\nText that\ngoes on `code`.\n\n| one cell | other cell |\n<Go op={1}>look here</Go>";
		expect(proseOf(prose).map(({ line, text }) => `${line} ${text}`)).toEqual([
			"1 A heading",
			"3 Text that goes on `x`.",
			"6 one cell",
			"6 other cell",
			"7 0look here",
		]);
		expect(stringsOfJson('{"a":\n"one two"}')).toEqual([{ line: 1, text: "one two" }]);
	});
});

describe("every text that people read", () => {
	it.each(AREAS)("follows the list: $name", (area) => {
		expect(filesOf(area).length).toBeGreaterThan(0);
		expect(findingsOf(area)).toEqual([]);
	});
});
