/** Work in slices: a helper measures an experiment, and call sites are counted. */
import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { KmemError, KmemSession, Status } from "../../../../wasm/src/index.ts";
import { loadModule } from "../../../../wasm/src/node.ts";
import { NO_PACE } from "../pace.ts";
import { sitesOf } from "../query/sites.ts";
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

it("counts call sites, again if other work took their memory", async () => {
	const session = await KmemSession.open(await loadModule());
	session.workloads.make("netio", { scale: 0.02, cpus: 4, nodes: 2 });
	session.build();
	const whole = await sitesOf(session, { by: 3 }, NO_PACE);
	const sum = (of: "allocations" | "frees" | "liveObjects") =>
		whole.rows.reduce((n, row) => n + row[of], 0);
	expect(sum("frees")).toBeGreaterThan(500);
	expect(sum("allocations")).toBe(sum("frees") + sum("liveObjects"));
	expect(sum("liveObjects")).toBe(session.report().liveAtEnd);
	const slices = vi.spyOn(session.sites, "slices").mockImplementationOnce(function* () {
		yield 1;
		throw new KmemError(Status.KMEM_ESTATE, "another query took their memory");
	});
	expect(await sitesOf(session, { by: 3 }, NO_PACE)).toEqual(whole);
	expect(slices).toHaveBeenCalledTimes(2);
	await expect(sitesOf(session, { by: 0 }, NO_PACE)).rejects.toThrow("expected one or more of");
	expect(slices).toHaveBeenCalledTimes(3);
});
