// install.test.mjs - `make install`: what a program needs that embeds the core, and a header that a stranger can include and
// read.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { CORE } from "../command/command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
const PREFIX = join(SCRATCH, "usr");
const INCLUDE = join(PREFIX, "include", "slabscope");
const TRACE = join(CORE, "test", "corpus", "trace", "two-nodes.slabtrace");
const EXAMPLE = readFileSync(join(CORE, "example", "replay_trace.c"), "utf8");
after(() => rmSync(SCRATCH, { recursive: true, force: true }));

function execute(command, args, { input, env } = {}) {
	const done = spawnSync(command, args, {
		encoding: "utf8",
		input,
		env: { ...process.env, ...env },
		maxBuffer: 1 << 26,
	});
	assert.equal(done.status, 0, `${command} ${args.join(" ")}: ${done.stderr}`);
	return done.stdout;
}

const isThere = (command) => spawnSync(command, ["--version"]).status === 0;
const installed = (name) => readFileSync(join(INCLUDE, name), "utf8");
const preprocessed = (folder, flags, text) =>
	execute("cc", ["-E", ...flags, "-x", "c", `-I${folder}`, "-"], { input: text });

before(() => execute("make", ["-s", "-C", CORE, "install", `PREFIX=${PREFIX}`]));

describe("make install", () => {
	test("installs the library, headers, pkg-config file and command", () => {
		for (const path of [
			"lib/libkmem.a",
			"include/slabscope/kmem.h",
			"include/slabscope/kmem_doctor.h",
			"include/slabscope/kmem_abi.h",
		])
			assert.ok(statSync(join(PREFIX, path)).size > 0, path);
		assert.match(execute(join(PREFIX, "bin", "slabscope"), ["--help"]), /slabscope/);
		const { version } = JSON.parse(readFileSync(join(CORE, "..", "package.json"), "utf8"));
		const pc = readFileSync(join(PREFIX, "lib", "pkgconfig", "slabscope.pc"), "utf8");
		assert.ok(pc.includes(`prefix=${PREFIX}\n`) && pc.includes(`Version: ${version}\n`), pc);
	});

	for (const cc of ["gcc", "clang"]) {
		const lacks = [cc, "pkg-config"].filter((tool) => !isThere(tool));
		test(`lets the example build with ${cc} and replay a trace`, {
			skip: lacks.length > 0 && `${lacks} missing`,
		}, () => {
			const env = { PKG_CONFIG_PATH: join(PREFIX, "lib", "pkgconfig") };
			const flags = execute("pkg-config", ["--cflags", "--libs", "slabscope"], { env }).split(
				/\s+/,
			);
			const program = join(SCRATCH, `replay-${cc}`);
			const source = join(CORE, "example", "replay_trace.c");
			const strict = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror"];
			execute(cc, [...strict, source, ...flags.filter((flag) => flag !== ""), "-o", program]);
			const lines = execute(program, [TRACE]).trim().split("\n");
			const command = (args) =>
				JSON.parse(execute(join(PREFIX, "bin", "slabscope"), [...args, "--json"]));
			const { ops } = command(["info", TRACE]);
			const steps = command([
				"steps",
				TRACE,
				"--event",
				`${Math.floor(ops / 2) + 1}`,
				"--set",
				"cpus=8",
			]);
			const sentences = steps.map(({ sentence }) => sentence);
			assert.match(lines[0], /^[1-9]\d* bytes in slabs$/);
			assert.deepEqual(lines.slice(1), sentences);
			assert.ok(sentences.length > 0);
		});
	}

	for (const [cc, name, standard] of [
		["cc", "own_memory.c", "c11"],
		["c++", "own_memory.cpp", "c++17"],
	])
		test(`lets the core serve ${name} as an allocator`, {
			skip: !isThere(cc) && `${cc} missing`,
		}, () => {
			const program = join(SCRATCH, `${name}.program`);
			const strict = [`-std=${standard}`, "-Wall", "-Wextra", "-pedantic", "-Werror"];
			const source = join(CORE, "example", name);
			const library = join(PREFIX, "lib", "libkmem.a");
			execute(cc, [...strict, `-I${INCLUDE}`, source, library, "-o", program]);
			const line = {
				"own_memory.c": "hello: object 27 of slab 1, 128 bytes",
				"own_memory.cpp": "998001 in 16 slabs",
			};
			assert.equal(execute(program, []), `${line[name]}\n`);
			const text = readFileSync(join(CORE, "..", "docs", "c-api.md"), "utf8");
			assert.ok(text.includes(readFileSync(source, "utf8")), `docs/c-api.md shows ${name}`);
		});

	test("installs the example that docs/c-api.md shows", () => {
		const text = readFileSync(join(CORE, "..", "docs", "c-api.md"), "utf8");
		assert.equal(text.match(/```c\n([\s\S]*?)```/)?.[1], EXAMPLE);
		assert.ok(EXAMPLE.trim().split("\n").length <= 30);
	});
});

describe("the installed header", () => {
	const compilers = [
		["gcc", "c", "c11"],
		["clang", "c", "c11"],
		["g++", "c++", "c++17"],
		["clang++", "c++", "c++17"],
	];
	for (const [compiler, language, standard] of compilers)
		test(`compiles alone with ${compiler} -std=${standard}`, { skip: !isThere(compiler) }, () => {
			for (const folder of [INCLUDE, CORE])
				execute(
					compiler,
					[
						...["-x", language, `-std=${standard}`, "-Wall", "-Wextra", "-pedantic", "-Werror"],
						...[`-I${folder}`, "-fsyntax-only", "-"],
					],
					{ input: "#include <kmem.h>\n#include <kmem.h>\n" },
				);
		});

	test("defines no macros except its own", () => {
		for (const folder of [INCLUDE, CORE]) {
			const macros = (text) =>
				preprocessed(folder, ["-dM"], text)
					.split("\n")
					.map((line) => line.match(/^#define (\w+)/)?.[1])
					.filter((name) => name !== undefined);
			const before = new Set(macros("#include <stdint.h>\n"));
			const own = macros("#include <kmem.h>\n").filter((name) => !before.has(name));
			assert.ok(own.includes("KMEM_NONE"));
			assert.deepEqual(
				own.filter((name) => !name.startsWith("KMEM_")),
				[],
			);
		}
	});

	test("names types and functions only kmem_…, and has no macro tables", () => {
		const text = preprocessed(INCLUDE, ["-P"], "#include <kmem.h>\n");
		const own = text.slice(text.indexOf("enum kmem_counter"));
		assert.doesNotMatch(own, /\b(typedef|[us](8|16|32|64))\b/);
		const tags = [...own.matchAll(/\b(?:struct|enum) (\w+)/g)].map((match) => match[1]);
		const functions = [...own.matchAll(/\b(\w+)\([^()]*\);/g)].map((match) => match[1]);
		assert.ok(tags.length > 100 && functions.length > 90);
		assert.deepEqual(
			[...tags, ...functions].filter((name) => !name.startsWith("kmem_")),
			[],
		);
		assert.doesNotMatch(installed("kmem_abi.h"), /#\s*include "|\b(FIELD|VALUE)\(/);
	});

	test("declares what the source tree's header declares", () => {
		const declarations = (folder) =>
			[
				...preprocessed(folder, ["-P"], "#include <kmem.h>\n")
					.replaceAll(/\s+/g, " ")
					.matchAll(/(?:enum|struct) kmem_\w+ \{[^}]*\};/g),
			]
				.map(([text]) => text.replaceAll(/[,\s]/g, ""))
				.filter((text) => !/^enumkmem_length/.test(text))
				.sort();
		const plain = (folder) =>
			declarations(folder).map((text) => text.replaceAll(/\bNR_[A-Z_]+(?=\])/g, "N"));
		assert.ok(plain(INCLUDE).length > 60);
		assert.deepEqual(plain(INCLUDE), plain(CORE));
	});

	test("says how each function fails, and whether the position moves", () => {
		const headers = installed("kmem.h") + installed("kmem_doctor.h");
		const sections = headers.split(/^\/\*\n \* (?=[A-Z]\w+[\n:])/m);
		const names = sections.map((section) => section.match(/^\w+/)?.[0]);
		for (const name of ["Session", "Import", "Machine", "Run", "Query", "Studies"])
			assert.ok(names.includes(name), name);
		let nr = 0;
		for (const section of sections) {
			const isMoving = /^(Machine|Run|Query|Studies)/.test(section);
			for (const [, comment, declarations] of section.matchAll(
				/(\/\*(?:(?!\*\/)[\s\S])*\*\/)\n((?:KMEM_API [^;]*;\n)+)/g,
			)) {
				const returns = !declarations.startsWith("KMEM_API void ");
				if (returns) assert.match(comment, /Errors: /, declarations);
				if (isMoving) assert.match(comment, /Position: /, declarations);
				nr += declarations.match(/^KMEM_API /gm).length;
			}
		}
		assert.equal(nr, headers.match(/^KMEM_API /gm).length);
	});
});
