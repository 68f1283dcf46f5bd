// build.mjs - the C core to wasm/dist/kmem.wasm, and the .def files to wasm/src/abi.ts.
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
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toolPath } from "./setup.mjs";

const WASM = dirname(fileURLToPath(import.meta.url));
const CORE = join(WASM, "..", "core");
const MODULE = join(WASM, "dist", "kmem.wasm");
const STAMP = join(WASM, "dist", "kmem.stamp");
const ABI = join(WASM, "src", "abi.ts");

/** The rooms of the core that go into the module. */
const ROOMS = ["base", "alloc", "play"];

/** Files on the way of every event; all others are built for size, since the module travels to each visitor. */
const HOT =
	/^(slub|slub_partial|slub_slab|keyframe|fast|import|intern|replay|trace|times|step)\.c$/;

const C_FLAGS = [
	"-std=c11",
	"-Wall",
	"-Wextra",
	"-fvisibility=hidden",
	"-mbulk-memory",
	"-msign-ext",
];

/** The stack lies below the data: running over its end traps instead of damaging a session. */
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
	return readdirSync(join(CORE, folder))
		.filter((name) => ending.test(name))
		.sort()
		.map((name) => join(CORE, folder, name));
}

function run(command, args, cwd) {
	return new Promise((resolve, reject) => {
		execFile(command, args, { cwd, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
			if (error?.code === "ENOENT") {
				reject(new BuildError(`${command} is missing; run: node wasm/setup.mjs`));
			} else if (error) {
				reject(new BuildError(`${command} failed:\n${stderr}${stdout}`));
			} else {
				process.stderr.write(stderr);
				resolve(stdout);
			}
		});
	});
}

/** Calls work with a folder that is gone afterwards. */
async function inScratch(work) {
	const folder = mkdtempSync(join(tmpdir(), "slabscope-"));
	try {
		return await work(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** What abi.ts has to say, by the C compiler's own offsets. */
function printAbi() {
	return inScratch(async (folder) => {
		const program = join(folder, "abi");
		const sources = [join(CORE, "gen", "abi.c"), join(CORE, "play", "abi_hash.c")];
		await run("cc", ["-std=c11", "-O1", ...sources, "-o", program]);
		return run(program, []);
	});
}

async function buildAbi() {
	const text = await printAbi();
	if (!existsSync(ABI) || readFileSync(ABI, "utf8") !== text) {
		writeFileSync(ABI, text);
		console.log("wasm/src/abi.ts written");
	}
}

/** Fingerprint of everything that the build reads, the command line included: content, not file times. */
function fingerprint() {
	const hash = createHash("sha256").update(
		JSON.stringify([String(HOT), C_FLAGS, LINK_FLAGS, process.env.EMCC ?? ""]),
	);
	const files = [...[".", ...ROOMS, "gen"].flatMap((room) => filesIn(room, /\.(c|h|def)$/))];
	for (const file of files) {
		hash.update(file.slice(CORE.length)).update(readFileSync(file));
	}
	return hash.digest("hex");
}

async function buildModule() {
	const emcc = toolPath("emcc") ?? "emcc";
	const sources = ROOMS.flatMap((room) => filesIn(room, /\.c$/));
	const isHot = (file) => HOT.test(basename(file));
	await inScratch(async (folder) => {
		const compile = (level, files) => run(emcc, [...C_FLAGS, level, "-c", ...files], folder);
		await Promise.all([
			compile("-O3", sources.filter(isHot)),
			compile(
				"-Os",
				sources.filter((file) => !isHot(file)),
			),
		]);
		const objects = sources.map((file) => `${basename(file, ".c")}.o`);
		mkdirSync(dirname(MODULE), { recursive: true });
		await run(emcc, ["-O3", ...objects, ...LINK_FLAGS, "-o", MODULE], folder);
	});
	const imports = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(MODULE)));
	if (imports.length > 0) {
		const names = imports.map((i) => `${i.module}.${i.name}`).join(", ");
		rmSync(MODULE);
		throw new BuildError(
			`the module must import nothing, but imports ${names}: find who calls it in core/`,
		);
	}
	console.log(`wasm/dist/kmem.wasm written, ${readFileSync(MODULE).length} bytes`);
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
	const now = fingerprint();
	if (existsSync(MODULE) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === now) {
		return;
	}
	await buildAbi();
	await buildModule();
	writeFileSync(STAMP, now);
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
