// docs.test.ts - the documents: every link leads to something that exists, and the page's own copy holds all of it.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const TOP = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const ROOMS = ["docs", "traces", "web", "core", "wasm", "web/src/views/lessons"];
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
