// docs.test.ts - the documents: every link, file and npm script that they name exists, and generated parts are fresh. Their
// shell lines run in core/test/documents/docs.test.mjs.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const TOP = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const ROOMS = [
	"docs",
	"docs/command",
	"traces",
	"web",
	"core",
	"wasm",
	"web/src/views/lessons/text",
];
const DOCUMENTS = [".", ...ROOMS]
	.flatMap((room) => readdirSync(join(TOP, room)).map((name) => join(room, name)))
	.filter((path) => path.endsWith(".md"));

const read = (path: string) => readFileSync(join(TOP, path), "utf8");

/** As GitHub makes the name of a heading. */
function anchor(heading: string): string {
	const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "");
	return words.trim().replaceAll(" ", "-");
}

const anchorsOf = (path: string) =>
	[...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchor(heading));

/** Where a link of a document leads, from the top of the repository; what leads out of it, or into the page, is left out. */
function linksOf(path: string): string[] {
	const text = read(path).replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, "");
	return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
		.map(([, to = ""]) => to)
		.filter((to) => !/^(https?:|mailto:|\?)/.test(to));
}

/** What is wrong with it, or nothing. */
function faultOf(from: string, to: string): string {
	const [file = "", name] = to.split("#");
	const path = file === "" ? from : join(dirname(from), file);
	if (!existsSync(join(TOP, path))) return `${from}: ${to} does not exist`;
	if (name !== undefined && !anchorsOf(path).includes(name)) return `${from}: ${to} has no heading`;
	return "";
}

describe("links of the documents", () => {
	it("are found, and a wrong one is noticed", () => {
		expect(DOCUMENTS).toContain("README.md");
		expect(DOCUMENTS).toContain("docs/fidelity.md");
		expect(linksOf("README.md")).toContain("docs/fidelity.md");
		expect(faultOf("README.md", "docs/nothing.md")).toMatch(/does not exist/);
		expect(faultOf("README.md", "docs/fidelity.md#nothing")).toMatch(/no heading/);
	});

	it.each(DOCUMENTS)("%s leads to what exists", (path) => {
		const faults = linksOf(path).map((to) => faultOf(path, to));
		expect(faults.filter((fault) => fault !== "")).toEqual([]);
	});
});

/** Paths from the top that a document names in code, without those that stand for many or for what a build makes. */
function pathsOf(path: string): string[] {
	const code = [...read(path).matchAll(/`([^`\n]+)`/g)].map(([, words = ""]) => words);
	return code
		.filter((words) => /^(core|wasm|web|traces|docs)\/[\w./-]+$/.test(words))
		.filter((words) => !/\/(build|dist|dist-zip)\b|[A-Z]{4}/.test(words));
}

describe("what documents name", () => {
	const scripts: Readonly<Record<string, string>> = JSON.parse(read("package.json")).scripts;

	it("exists, and a wrong name is noticed", () => {
		expect(pathsOf("docs/architecture.md")).toContain("core/kmem.h");
		expect(existsSync(join(TOP, "core/nothing.h"))).toBe(false);
	});

	it.each(DOCUMENTS)("%s names files and npm scripts that exist", (path) => {
		expect(pathsOf(path).filter((name) => !existsSync(join(TOP, name)))).toEqual([]);
		const named = [...read(path).matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = ""]) => name);
		expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
	});
});

const pictureOf = (name: string) => readFileSync(join(TOP, "docs", name));

describe("README.md", () => {
	it("is read in a minute: at most 110 lines", () => {
		expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(110);
	});

	it("leads to every document, directly or through the index", () => {
		expect(linksOf("README.md")).toContain("docs/README.md");
		const index = linksOf("docs/README.md").map((to) => join("docs", to.split("#")[0] ?? ""));
		const commands = linksOf("docs/command.md").map((to) => join("docs", to));
		const reached = [...linksOf("README.md"), ...index, ...commands, "docs/README.md"];
		const documents = DOCUMENTS.filter((path) => path.startsWith("docs/"));
		expect(documents.filter((path) => !reached.includes(path))).toEqual([]);
	});

	it("shows the whole page in a picture that loads quickly", () => {
		expect(pictureOf("page.png").length).toBeLessThan(300_000);
		expect(read("README.md")).toContain("](docs/page.png)");
	});
});

describe("docs/tutorial.md", () => {
	const pictures = [...read("docs/tutorial.md").matchAll(/\]\(([\w-]+\.png)\)/g)].map(
		([, name = ""]) => name,
	);

	it("has pictures, and no other document's are left over", () => {
		expect(pictures.length).toBeGreaterThan(2);
		const files = readdirSync(join(TOP, "docs")).filter((name) => name.endsWith(".png"));
		expect(files.sort()).toEqual(["page.png", ...pictures].sort());
	});

	it("has a picture that moves and loads quickly", () => {
		const picture = pictureOf("slabscope.png");
		expect(picture.length).toBeLessThan(1_500_000);
		expect(pictures).toContain("slabscope.png");
		// The chunk acTL of an animated PNG comes before the first frame, and starts with the number of frames.
		const at = picture.indexOf("acTL");
		expect(at).toBeGreaterThan(0);
		expect(at).toBeLessThan(picture.indexOf("IDAT"));
		expect(picture.readUInt32BE(at + 4)).toBeGreaterThan(20);
	});
});

describe("addresses of the page and of its releases", () => {
	const { homepage, repository } = JSON.parse(read("package.json"));
	const addressesOf = (text: string) =>
		[...text.matchAll(/https:\/\/[^\s)>\]"'`]+/g)].map(([all]) => all);
	const isPage = (address: string) => /^https:\/\/[^/]*\.github\.io\b/.test(address);
	const isRelease = (address: string) => /\/releases(\/|$)/.test(address);

	const faultsOf = (text: string) =>
		addressesOf(text).filter(
			(address) =>
				(isPage(address) && !address.startsWith(homepage)) ||
				(isRelease(address) && !address.startsWith(`${repository}/releases`)),
		);

	it("are found, and a wrong one is noticed", () => {
		const wrong = "https://other.github.io/slabscope/";
		expect(faultsOf(`[page](${wrong}), [page](${homepage}?event=3)`)).toEqual([wrong]);
		expect(faultsOf("https://github.com/other/slabscope/releases/latest")).toHaveLength(1);
		expect(addressesOf(read("README.md"))).toContain(homepage);
		expect(addressesOf(read("README.md"))).toContain(`${repository}/releases/latest`);
	});

	it.each(DOCUMENTS)("in %s match package.json", (path) => {
		expect(faultsOf(read(path))).toEqual([]);
	});
});

describe("CHANGELOG.md", () => {
	const releases = read("CHANGELOG.md").split(/^## /m).slice(1);

	it("starts with the version of package.json", () => {
		const { version } = JSON.parse(read("package.json"));
		expect(releases[0]?.split("\n")[0]).toBe(version);
	});

	it.each(releases.map((text) => [text.split("\n")[0], text]))(
		"%s is told in at most 20 lines",
		(_, release = "") => {
			const [, ...lines] = release.split("\n").filter((line) => line !== "");
			expect(lines.length).toBeLessThanOrEqual(20);
		},
	);
});

interface Term {
	readonly is: string;
	/** The words under which it is found in a text; the term itself if there are none. */
	readonly forms?: readonly string[];
}

describe("docs/glossary.md", () => {
	it("matches the page's table", () => {
		const check = join(TOP, "web", "glossary.mjs");
		const { status, stderr } = spawnSync(process.execPath, [check, "--check"], {
			encoding: "utf8",
		});
		expect(stderr).toBe("");
		expect(status).toBe(0);
	});

	it("defines each term once, in short sentences, with words that only it claims", () => {
		const text = read("web/src/ui/glossary.json");
		const glossary = Object.entries<Term>(JSON.parse(text));
		const names = glossary.map(([term]) => term.toLowerCase());
		// JSON would keep the last of two definitions.
		expect(text.match(/^\t"/gm)).toHaveLength(names.length);
		expect(new Set(names).size).toBe(names.length);
		expect(names.length).toBeGreaterThan(40);
		const forms = glossary.flatMap(([term, { forms }]) => forms ?? [term]);
		expect(new Set(forms.map((form) => form.toLowerCase())).size).toBe(forms.length);
		for (const [term, { is }] of glossary)
			for (const sentence of is.split(/(?<=[.:]) /))
				expect(sentence.split(" ").length, `${term}: ${sentence}`).toBeLessThanOrEqual(25);
	});
});

describe("docs/fidelity.md", () => {
	const text = read("docs/fidelity.md");

	it("has no link that the page could not follow", () => {
		expect(linksOf("docs/fidelity.md").filter((to) => !to.startsWith("#"))).toEqual([]);
	});

	it("says for each thing that is left out what it means, and whether it was measured", () => {
		const parts = text.split(/^### /m).slice(1);
		expect(parts.length).toBeGreaterThan(15);
		for (const part of parts) {
			const [name] = part.split("\n");
			expect(part.split("**For you:**").length, name).toBe(2);
			expect(part.split("**Measured:**").length, name).toBe(2);
		}
	});
});
