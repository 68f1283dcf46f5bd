/** A helper measures an experiment to its end and reports how far it is. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Workbench } from "./workbench.ts";

const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));

it("measures an experiment and reports its progress", async () => {
	const helper = new Workbench();
	await helper.assist(new Blob([wasm]));
	const done: number[] = [];
	const study = await helper.reproduce("003", (progress) => done.push(progress.done));
	expect(study.runsDone).toBe(study.runs);
	expect(study.figures.some((f) => f.ours && f.agrees)).toBe(true);
	expect(done).toEqual(done.toSorted((a, b) => a - b));
	expect(done.at(-1)).toBeGreaterThan(500);
});
