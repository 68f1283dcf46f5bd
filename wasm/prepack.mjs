// prepack.mjs - fills dist/ for `npm pack`: the module, JavaScript and types of src/, and the project's licence.

import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const WASM = dirname(fileURLToPath(import.meta.url));
const TOP = dirname(WASM);
const DIST = join(WASM, "dist");

execFileSync(process.execPath, [join(WASM, "build.mjs")], { stdio: "inherit" });
// A source file that is gone must not leave its JavaScript in the package.
for (const name of readdirSync(DIST)) if (/\.(js|d\.ts)$/.test(name)) rmSync(join(DIST, name));
execFileSync(join(TOP, "node_modules", ".bin", "tsc"), ["-p", WASM], { stdio: "inherit" });
copyFileSync(join(TOP, "LICENSE"), join(WASM, "LICENSE"));
