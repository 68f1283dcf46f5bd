// setup.test.ts - set-up announces what it installs, and stops where the locked packages cannot be had.

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

/** Runs set-up in a checkout of its own, with nothing on PATH but the stubs. */
function setUp(...args: string[]) {
	const script = join(folder, "wasm", "setup.mjs");
	const env = { PATH: bin };
	const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
		env,
		encoding: "utf8",
	});
	return { status, stdout, stderr };
}

const calls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n");

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "slabscope-setup-"));
	bin = join(folder, "bin");
	mkdirSync(join(folder, "wasm"));
	mkdirSync(bin);
	copyFileSync(join(TOP, "wasm/setup.mjs"), join(folder, "wasm/setup.mjs"));
	copyFileSync(join(TOP, "package-lock.json"), join(folder, "package-lock.json"));
	const shell = execFileSync("sh", ["-c", "command -v sh"], { encoding: "utf8" }).trim();
	writeFileSync(join(bin, "sh"), `#!${shell}\nexec ${shell} "$@"\n`);
	for (const tool of ["cc", "make", "emcc"]) stub(tool, 0);
});

afterEach(() => rmSync(folder, { recursive: true }));

it("says what it installs and how to do it by hand before it begins", () => {
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
