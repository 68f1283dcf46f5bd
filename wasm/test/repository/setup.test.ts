// setup.test.ts - set-up announces what it installs, and stops where the locked packages cannot be had; the lock file
// proves every one of them.

import { execFileSync, spawnSync } from "node:child_process";
import {
	chmodSync,
	copyFileSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const TOP = fileURLToPath(new URL("../../..", import.meta.url));
let folder: string;
let bin: string;

/** A command that notes how it was called and ends with this status. */
function stub(name: string, status: number): void {
	const path = join(bin, name);
	writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> "${folder}/calls"\nexit ${status}\n`);
	chmodSync(path, 0o755);
}

const setupScript = () => join(folder, "wasm", "setup.mjs");

/** Runs set-up in a checkout of its own, with nothing on PATH but the stubs. */
function setUp(args: string[] = [], variables: NodeJS.ProcessEnv = {}) {
	const env = { PATH: bin, ...variables };
	const { status, stdout, stderr } = spawnSync(process.execPath, [setupScript(), ...args], {
		env,
		encoding: "utf8",
	});
	return { status, stdout, stderr };
}

/** The same in a terminal, where somebody answers. */
function setUpInTerminal(answer: string) {
	const call = `PATH=${bin} ${process.execPath} ${setupScript()}`;
	return spawnSync("script", ["-qec", call, "/dev/null"], {
		env: { PATH: process.env.PATH },
		input: `${answer}\n`,
		encoding: "utf8",
	});
}

const pathOf = (command: string) =>
	execFileSync("sh", ["-c", `command -v ${command}`], { encoding: "utf8" }).trim();

/** A machine without emcc, whose apt-get has it; sudo takes no password. */
function lackEmcc(): void {
	stub("npm", 0);
	rmSync(join(bin, "emcc"));
	const path = join(bin, "apt-get");
	const made = `${pathOf("cp")} "${bin}/cc" "${bin}/emcc"`;
	writeFileSync(path, `#!/bin/sh\necho "apt-get $*" >> "${folder}/calls"\n${made}\n`);
	chmodSync(path, 0o755);
	const asRoot = '[ "$1" != -n ] || shift\nexec "$@"';
	writeFileSync(join(bin, "sudo"), `#!/bin/sh\necho "sudo $*" >> "${folder}/calls"\n${asRoot}\n`);
	chmodSync(join(bin, "sudo"), 0o755);
}

const calls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
/** How often the package manager was called. */
const installs = () => calls().filter((call) => call.startsWith("apt-get")).length;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "slabscope-setup-"));
	bin = join(folder, "bin");
	mkdirSync(join(folder, "wasm"));
	mkdirSync(bin);
	copyFileSync(join(TOP, "wasm/setup.mjs"), join(folder, "wasm/setup.mjs"));
	copyFileSync(join(TOP, "package-lock.json"), join(folder, "package-lock.json"));
	const shell = pathOf("sh");
	writeFileSync(join(bin, "sh"), `#!${shell}\nexec ${shell} "$@"\n`);
	for (const tool of ["cc", "make", "emcc"]) stub(tool, 0);
});

afterEach(() => rmSync(folder, { recursive: true }));

it("says what it installs and how to do it by hand before it starts", () => {
	stub("npm", 0);
	const { status, stdout } = setUp();
	expect(status).toBe(0);
	expect(stdout).toContain("By hand: npm ci");
	expect(calls()).toEqual(["npm ci --no-audit --no-fund"]);
});

it("stops where npm ci fails, and installs nothing unlocked", () => {
	stub("npm", 1);
	const { status, stderr } = setUp();
	expect(status).toBe(1);
	expect(stderr).toContain("npm ci failed");
	expect(calls()).toEqual(["npm ci --no-audit --no-fund"]);
});

it("names the command to type where no package manager can be used", () => {
	stub("npm", 0);
	rmSync(join(bin, "emcc"));
	const { status, stdout, stderr } = setUp();
	expect(status).toBe(1);
	expect(stdout).toContain("this machine lacks emcc");
	expect(stderr).toMatch(/emsdk install latest/);
});

it("installs nothing into the system unasked, and says how it would", () => {
	lackEmcc();
	const { status, stdout, stderr } = setUp();
	expect(status).toBe(1);
	expect(stdout).toMatch(/apt-get install -y emscripten$/m);
	expect(stderr).toContain("node wasm/setup.mjs --yes");
	expect(calls()).toEqual(["npm ci --no-audit --no-fund"]);
	expect(setUp([], { CI: "false" }).status).toBe(1);
	expect(calls().filter((call) => /apt|sudo/.test(call))).toEqual([]);
});

it.each([
	{ said: "--yes", args: ["--yes"], variables: {} },
	{ said: "npm start --yes", args: [], variables: { npm_config_yes: "true" } },
	{ said: "CI=true", args: [], variables: { CI: "true" } },
])("installs without a question with $said", ({ args, variables }) => {
	lackEmcc();
	const { status, stderr } = setUp(args, variables);
	expect(stderr).toBe("");
	expect(status).toBe(0);
	expect(installs()).toBeGreaterThan(0);
});

it.runIf(process.platform === "linux")("asks in a terminal, and does what is answered", () => {
	lackEmcc();
	const refused = setUpInTerminal("n");
	expect(refused.status).toBe(1);
	expect(refused.stdout).toContain("install them now with apt-get? [y/N]");
	expect(installs()).toBe(0);
	expect(setUpInTerminal("y").status).toBe(0);
	expect(installs()).toBeGreaterThan(0);
});

it("locks every package to its contents, also those of other platforms", () => {
	const lock = JSON.parse(readFileSync(join(TOP, "package-lock.json"), "utf8"));
	const packages = Object.entries<{ version?: string; integrity?: string }>(lock.packages);
	const locked = packages.filter(([path, { version }]) => path !== "" && version !== undefined);
	expect(locked.length).toBeGreaterThan(0);
	for (const [path, { integrity }] of locked) expect(integrity, path).toMatch(/^sha512-/);
});
