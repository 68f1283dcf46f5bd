// workflows.test.ts - the GitHub workflows: actions are pinned by commit, rights are few, and what they run exists. They cannot
// run here; `actionlint` has checked their form.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const TOP = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const FOLDER = join(TOP, ".github", "workflows");
const NAMES = readdirSync(FOLDER);
const scripts: Readonly<Record<string, string>> = JSON.parse(
	readFileSync(join(TOP, "package.json"), "utf8"),
).scripts;

const PINNED = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

describe("workflows", () => {
	it("test, publish the page, and release", () => {
		expect(NAMES.toSorted()).toEqual(["pages.yml", "release.yml", "tests.yml"]);
		expect(PINNED.test("actions/checkout@v4")).toBe(false);
	});

	it.each(NAMES)("%s names each action by its commit, and its release beside it", (name) => {
		const uses = [...readFileSync(join(FOLDER, name), "utf8").matchAll(/uses: (.+)$/gm)];
		expect(uses.length).toBeGreaterThan(1);
		expect(uses.map(([, action = ""]) => action).filter((action) => !PINNED.test(action))).toEqual(
			[],
		);
	});

	it.each(NAMES)("%s may only read, except in a job that says more", (name) => {
		expect(readFileSync(join(FOLDER, name), "utf8")).toMatch(/^permissions:\n {2}contents: read$/m);
	});

	it.each(NAMES)("%s runs npm scripts that exist", (name) => {
		const text = readFileSync(join(FOLDER, name), "utf8");
		const run = [...text.matchAll(/- (?:if: .*\n +)?run: npm (?:run )?([\w:]+)/g)].map(
			([, script = ""]) => script,
		);
		expect(run.length).toBeGreaterThan(0);
		expect(run.filter((script) => script !== "ci" && scripts[script] === undefined)).toEqual([]);
	});
});
