// package.test.ts - the npm package: packed, installed without a network in an empty folder, and run as its README says.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTrace } from "../src/node.ts";

const WASM = dirname(dirname(fileURLToPath(import.meta.url)));
const TOP = dirname(WASM);
const TRACE = join(TOP, "traces", "two-nodes.slabtrace");
const README = readFileSync(join(WASM, "README.md"), "utf8");

const scratch = mkdtempSync(join(tmpdir(), "slabscope-"));
const empty = join(scratch, "empty");
const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** Runs npm with its own cache, and without the settings that `npm test` passes on. */
function npm(folder: string, args: readonly string[]): string {
	const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
	return execFileSync("npm", [...args, "--cache", join(scratch, "cache")], {
		cwd: folder,
		encoding: "utf8",
		env: Object.fromEntries(own),
		stdio: ["ignore", "pipe", "pipe"],
	});
}

function node(name: string, text: string, args: readonly string[] = []): string {
	writeFileSync(join(empty, name), text);
	return execFileSync(process.execPath, [name, ...args], { cwd: empty, encoding: "utf8" });
}

beforeAll(() => {
	mkdirSync(empty);
	npm(scratch, ["pack", WASM, "--pack-destination", scratch, "--silent"]);
	const [tarball = ""] = readdirSync(scratch).filter((name) => name.endsWith(".tgz"));
	writeFileSync(join(empty, "package.json"), "{}");
	npm(empty, [
		...["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"],
		join("..", tarball),
	]);
});
afterAll(() => rmSync(scratch, { recursive: true }));

describe("the npm package", () => {
	it("replays a trace in the ten lines of its README", async () => {
		const [lines = ""] = [...README.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
		expect(lines.trim().split("\n").filter(Boolean).length).toBeLessThanOrEqual(10);
		const session = await openTrace(TRACE);
		session.set("allocator", "slab");
		session.build();
		const half = Math.floor(session.nrOps / 2);
		session.seek(half);
		const expected = [
			...session.caches().map((c) => `${c.name}: ${c.slabs} slabs, ${c.liveObjects} objects`),
			...session.steps(half).rows.map(({ sentence }) => sentence),
		];
		expect(expected.length).toBeGreaterThan(1);
		expect(node("ten.mjs", lines, [TRACE]).trim().split("\n")).toEqual(expected);
	});

	it("has an entry point for browsers, which loads its module from a URL", () => {
		const text = `
			import { readFileSync } from "node:fs";
			const entry = new URL("node_modules/slabscope-wasm/dist/browser.js", import.meta.url);
			globalThis.fetch = async (url) => new Response(readFileSync(new URL(url)));
			const { openSession } = await import(entry);
			const session = await openSession();
			session.importBegin();
			session.importChunk(readFileSync(process.argv[2]));
			console.log(session.importEnd().ops);
		`;
		expect(Number(node("browser.mjs", text, [TRACE]))).toBeGreaterThan(100);
	});

	it.each([
		["nodenext", "nodenext", 'openTrace("x")'],
		["esnext", "bundler", "openSession()"],
	])("has types that a strict program compiles with: %s", (module, resolution, opened) => {
		const name = `${resolution}.mts`;
		writeFileSync(
			join(empty, name),
			`import { ALL, type Frame, KmemSession, ${opened.replace(/\(.*/, "")} } from "slabscope-wasm";
			import { Granularity } from "slabscope-wasm/abi";
			const session: KmemSession = await ${opened};
			const frame: Frame = session.view(ALL);
			const at: number = session.next(Granularity.GO_SLAB);
			// @ts-expect-error: a number of events
			const wrong: string = session.nrOps;
			console.log(frame, at, wrong);`,
		);
		const tsc = join(TOP, "node_modules", ".bin", "tsc");
		const how = ["--target", "es2023", "--module", module, "--moduleResolution", resolution];
		execFileSync(tsc, ["--noEmit", "--strict", "--types", "", ...how, name], { cwd: empty });
	});

	it("contains its licence and has the project's version", () => {
		const installed = join(empty, "node_modules", "slabscope-wasm");
		const about = json(join(installed, "package.json"));
		expect(about.version).toBe(json(join(TOP, "package.json")).version);
		expect(about.dependencies).toBeUndefined();
		for (const name of ["LICENSE", "README.md"])
			expect(readFileSync(join(installed, name), "utf8").length).toBeGreaterThan(500);
	});

	it("names only existing functions in its README", async () => {
		const table = README.slice(README.indexOf("## Functions by topic"));
		const names = [...table.matchAll(/`(?:\w+\.)?(\w+)(?:\([^`]*\))?`/g)].map(([, name]) => name);
		const session = await openTrace(TRACE);
		const { measures, studies, workloads } = session;
		const library = await import("../src/node.ts");
		const places = [session, measures, studies, workloads, library, library.KmemSession];
		expect(names.length).toBeGreaterThan(50);
		expect(names.filter((name = "") => !places.some((place) => name in place))).toEqual([]);
	});
});
