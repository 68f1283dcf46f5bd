// columns.test.mjs - adds a column to the answer about call sites by the recipe of CONTRIBUTING.md: one line of one file. The
// command then has it in text, JSON, CSV and Markdown, and what the page is built of has it too.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const CORE = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const SAMPLE = join(CORE, "..", "traces", "two-nodes.slabtrace");
const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-column-"));
const RECIPE = readFileSync(join(CORE, "..", "CONTRIBUTING.md"), "utf8");
/** The line of the recipe. */
const [LINE] = /^SITE_COLUMN\(.*\)$/m.exec(RECIPE);
const [, KEY, HEAD] = /"([a-z_]+)", \w+, "([a-z ]+)"/.exec(LINE);

/** What the command is linked of, by its Makefile, without the answer about call sites. */
function objects() {
	const asking = "include Makefile\nobjects:\n\t@echo $(CLI_O)\n";
	const options = { cwd: CORE, encoding: "utf8", input: asking };
	const all = execFileSync("make", ["-s", "-f", "-", "objects"], options).trim().split(" ");
	return all.filter((path) => !path.endsWith("/cmd_sites.o")).map((path) => join(CORE, path));
}

const built = (program, sources) => {
	const own = ["-std=c11", "-I", SCRATCH, "-I", CORE, "-o", join(SCRATCH, program)];
	execFileSync("cc", [...own, ...sources, "-pthread"], { stdio: "pipe" });
};
const run = (program, ...args) =>
	execFileSync(join(SCRATCH, program), args, { encoding: "utf8", maxBuffer: 1 << 26 });

describe("a new column takes one line in one file and", () => {
	before(() => {
		const table = readFileSync(join(CORE, "tables", "sites.def"), "utf8");
		mkdirSync(join(SCRATCH, "tables"));
		writeFileSync(
			join(SCRATCH, "tables", "sites.def"),
			table.replace("#undef SITE_COLUMN", `${LINE}\n#undef SITE_COLUMN`),
		);
		const library = join(CORE, "build", "release", "libkmem.a");
		built("slabscope", [join(CORE, "cli", "commands", "cmd_sites.c"), ...objects(), library]);
		built("abi", [join(CORE, "gen", "abi.c"), library]);
	});
	after(() => rmSync(SCRATCH, { recursive: true }));

	it("appears in text, JSON, CSV and Markdown", () => {
		const sites = (...form) => run("slabscope", "sites", SAMPLE, ...form);
		assert.ok(sites().split("\n")[0].includes(`  ${HEAD}`));
		assert.ok(JSON.parse(sites("--json")).sites.every((row) => typeof row[KEY] === "number"));
		assert.ok(sites("--csv").split("\n")[0].split(",").includes(KEY));
		assert.ok(sites("--markdown").split("\n")[0].includes(`| ${KEY} |`));
	});

	it("appears in the page's table", () => {
		const columns = run("abi").split("export const SITE_COLUMNS")[1];
		assert.ok(columns.includes(`key: "${KEY}"`) && columns.includes(`name: "${HEAD}"`));
	});
});
