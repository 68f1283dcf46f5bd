// build.mjs - builds wasm/dist/kmem.wasm and kmem-first.wasm from the C core, and wasm/src/abi.ts from the .def
// files.
//
//   node wasm/build.mjs               builds what is older than its sources
//   node wasm/build.mjs --check-abi   only says whether the committed abi.ts is what the .def files give
//
// The module has no Emscripten JavaScript and must import nothing, so that any host can run it: a build that
// would import something fails here.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { importedFunctions, withOneSegment } from "./binary.mjs";
import { FIRST_VIEW_EXPORTS, FIRST_VIEW_FILES } from "./first_view.mjs";
import { toolPath } from "./setup.mjs";

const WASM = dirname(fileURLToPath(import.meta.url));
const CORE = join(WASM, "..", "core");
/** The headers whose functions the module exports. */
const HEADERS = ["kmem.h", "kmem_doctor.h", "kmem_own.h"];
const MODULE = join(WASM, "dist", "kmem.wasm");
const FIRST_MODULE = join(WASM, "dist", "kmem-first.wasm");
const STAMP = join(WASM, "dist", "kmem.stamp");
const ABI = join(WASM, "src", "abi.ts");

/** The folders of the core that go into the module. */
const FOLDERS =
	"util codec sim alloc params trace machine_state import workload replay session query studies".split(
		" ",
	);

/**
 * Files that run for every event are built for speed, all others for size, since each visitor downloads the module.
 * Loops over many bytes or events get a middle way: -Os inlines what -Oz wouldn't.
 */
const HOT =
	/^(slub|slub_partial|slub_slab|keyframe|usual_line|import|op_details|first_events|replay|lines|step)\.c$/;
const MODERATE = new Set(["util", "codec", "sim", "alloc", "replay"]);
/** Files of these folders that run only once per cache, build or question. */
const ONCE =
	/^((slab|slob|unified)_walk|.*_(sysfs|attributes|placements|size|adopt|tune|check|invariants|memory|reap|expire)|machine|ops|placements|start|replay_other|text)\.c$/;
/** The module doesn't allocate memory; only native code does. */
const NATIVE_ONLY = /^attached\.c$/;

const C_FLAGS = [
	"-std=c11",
	`-I${CORE}`,
	"-Wall",
	"-Wextra",
	"-fvisibility=hidden",
	// The linker keeps what nothing calls: the host will.
	'-DKMEM_API=__attribute__((visibility("default"),used))',
	"-mbulk-memory",
	"-msign-ext",
];

/** The stack lies below the data: overflowing it traps instead of damaging a session. */
const LINK_FLAGS = [
	"--no-entry",
	"-sSTANDALONE_WASM",
	"-sALLOW_MEMORY_GROWTH",
	"-sMAXIMUM_MEMORY=4GB",
	"-sINITIAL_MEMORY=1MB",
	"-sTOTAL_STACK=256KB",
	"-Wl,--stack-first",
	"-Wl,--export=__heap_base",
];

class BuildError extends Error {}

function filesIn(folder, ending) {
	return readdirSync(join(CORE, folder), { recursive: true })
		.filter((name) => ending.test(name))
		.sort()
		.map((name) => join(CORE, folder, name));
}

function run(command, args, cwd, isQuiet = false) {
	return new Promise((resolve, reject) => {
		execFile(command, args, { cwd, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
			if (error?.code === "ENOENT") {
				reject(new BuildError(`${command} is missing; run: node wasm/setup.mjs`));
			} else if (error) {
				reject(new BuildError(`${command} failed:\n${stderr}${stdout}`));
			} else {
				if (!isQuiet) process.stderr.write(stderr);
				resolve(stdout);
			}
		});
	});
}

/** Calls `work` with a folder, and removes the folder afterwards. */
async function inScratch(work) {
	const folder = mkdtempSync(join(tmpdir(), "slabscope-"));
	try {
		return await work(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Functions of kmem.h as TypeScript declares them: 64 bits are a bigint, everything else is a number. */
function functionsOf(header) {
	const type = (c) => (/64_t/.test(c) && !c.includes("*") ? "bigint" : "number");
	const camel = (name) => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
	const functions = header.matchAll(/^KMEM_API ([^(;]*?)(kmem_\w+)\(([^)]*)\);/gm);
	const lines = Array.from(functions, ([, result, name, parameters]) => {
		const named = parameters.split(",").filter((one) => one.trim() !== "void");
		const typed = named.map((one) => `${camel(/\w+$/.exec(one)[0])}: ${type(one)}`);
		const returned = result.trim() === "void" ? "void" : type(result);
		return `\t${name}(${typed.join(", ")}): ${returned};\n`;
	});
	return `
/** The functions of kmem.h, and of kmem_own.h. Pointers and u32 arrive as signed numbers: \`>>> 0\` before use. */
export interface KmemFunctions {
${lines.join("")}}
`;
}

/** The contents of abi.ts, with the C compiler's own offsets. */
function printAbi() {
	return inScratch(async (folder) => {
		const program = join(folder, "abi");
		const sources = [join(CORE, "gen", "abi.c"), join(CORE, "session", "abi_hash.c")];
		await run("cc", ["-std=c11", "-I", CORE, "-O2", ...sources, "-o", program]);
		const header = HEADERS.map((name) => readFileSync(join(CORE, name), "utf8")).join("");
		return (await run(program, [])) + functionsOf(header);
	});
}

async function buildAbi() {
	const text = await printAbi();
	if (!existsSync(ABI) || readFileSync(ABI, "utf8") !== text) {
		writeFileSync(ABI, text);
		console.log("wasm/src/abi.ts written");
	}
}

/** A fingerprint of everything that the build reads, and of its own code: content, not file times. */
function fingerprint() {
	const hash = createHash("sha256").update(process.env.EMCC ?? "");
	const headers = [...HEADERS, "kmem_abi.h", "kmem_types.h"].map((name) => join(CORE, name));
	const sources = ["tables", ...FOLDERS, "gen"].flatMap((folder) =>
		filesIn(folder, /\.(c|h|def)$/),
	);
	const build = ["binary.mjs", "build.mjs", "first_view.mjs"].map((name) => join(WASM, name));
	for (const file of [...headers, ...sources, ...build]) {
		hash.update(relative(CORE, file)).update(readFileSync(file));
	}
	// Generated files may have been changed by hand, or by git.
	if (existsSync(ABI)) hash.update(readFileSync(ABI));
	return hash.digest("hex");
}

/** Compiles each file with its `optimization` and links; `link` receives the objects' names and their folder. */
async function compiled(files, optimization, flags, link) {
	const emcc = toolPath("emcc") ?? "emcc";
	const levels = [...new Set(files.map(optimization))];
	return inScratch(async (folder) => {
		const compile = (level) =>
			run(
				emcc,
				[...C_FLAGS, ...flags, level, "-c", ...files.filter((f) => optimization(f) === level)],
				folder,
			);
		await Promise.all(levels.map(compile));
		mkdirSync(dirname(MODULE), { recursive: true });
		return link(
			files.map((file) => `${basename(file, ".c")}.o`),
			(args, isQuiet) => run(emcc, [...args, ...LINK_FLAGS], folder, isQuiet),
			folder,
		);
	});
}

function importsOf(file) {
	return WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(file)));
}

function sources() {
	return FOLDERS.flatMap((folder) => filesIn(folder, /\.c$/)).filter(
		(file) => !NATIVE_ONLY.test(basename(file)),
	);
}

/** The compiler's optimization for a file of the whole module. */
function levelOf(file) {
	if (HOT.test(basename(file))) return "-O3";
	const isModerate = MODERATE.has(relative(CORE, file).split(sep)[0]) && !ONCE.test(basename(file));
	return isModerate ? "-Os" : "-Oz";
}

/** The last step of each module. */
function finish(file) {
	const bytes = withOneSegment(readFileSync(file));
	writeFileSync(file, bytes);
	console.log(`wasm/dist/${basename(file)} written, ${bytes.length} bytes`);
}

async function buildModule() {
	await compiled(sources(), levelOf, [], (objects, link) =>
		// The linked module is made smaller until that gains nothing more, but not by -Oz, with which a replay takes a twentieth longer.
		link(["-O3", "-sBINARYEN_EXTRA_PASSES=-Os,--converge", ...objects, "-o", MODULE]),
	);
	const imports = importsOf(MODULE);
	if (imports.length > 0) {
		const names = imports.map((i) => `${i.module}.${i.name}`).join(", ");
		rmSync(MODULE);
		throw new BuildError(
			`the module must import nothing, but imports ${names}: find who calls it in core/`,
		);
	}
	finish(MODULE);
}

/** This lets the host tell a call of a function that was left out from a fault. */
const LACKS = `static volatile int lacks;
__attribute__((export_name("kmem_lacks_function"))) int kmem_lacks_function(void);
int kmem_lacks_function(void) { return lacks; }
static _Noreturn __attribute__((noinline)) void lack(void) { lacks = 1; __builtin_trap(); }
`;

/** Has the types that its callers expect, or the linker would drop it. */
function trapInC({ name, params, result }) {
	const head = `${result} ${name}(${params.map((type, i) => `${type} a${i}`).join(", ") || "void"})`;
	return `${head};\n${head} { lack(); }\n`;
}

/**
 * Links twice: the imports of the first link are the functions of the files that were left out, and the second link
 * gets a trapping function for each.
 */
async function buildFirstModule() {
	const files = sources().filter((file) => FIRST_VIEW_FILES.includes(basename(file, ".c")));
	const wanted = FIRST_VIEW_EXPORTS.map((name) => `-Wl,--export=kmem_${name}`);
	await compiled(
		files,
		() => "-Oz",
		["-DKMEM_FIRST_VIEW", "-UKMEM_API", "-DKMEM_API="],
		async (objects, link, folder) => {
			const draft = join(folder, "draft.wasm");
			await link(
				["-O1", ...objects, ...wanted, "-sERROR_ON_UNDEFINED_SYMBOLS=0", "-o", draft],
				true,
			);
			const traps = importedFunctions(readFileSync(draft)).map(trapInC);
			writeFileSync(join(folder, "traps.c"), LACKS + traps.join(""));
			await link(["-Oz", ...objects, ...wanted, "traps.c", "-o", FIRST_MODULE], true);
		},
	);
	finish(FIRST_MODULE);
}

async function main() {
	if (process.argv.includes("--check-abi")) {
		if (readFileSync(ABI, "utf8") !== (await printAbi())) {
			throw new BuildError(
				"wasm/src/abi.ts is older than the .def files; run: node wasm/build.mjs",
			);
		}
		return;
	}
	const isBuilt = [MODULE, FIRST_MODULE, STAMP].every((file) => existsSync(file));
	if (isBuilt && readFileSync(STAMP, "utf8") === fingerprint()) {
		return;
	}
	await buildAbi();
	await buildModule();
	await buildFirstModule();
	writeFileSync(STAMP, fingerprint());
}

try {
	await main();
} catch (error) {
	if (!(error instanceof BuildError)) {
		throw error;
	}
	process.stderr.write(`build: ${error.message}\n`);
	process.exitCode = 1;
}
