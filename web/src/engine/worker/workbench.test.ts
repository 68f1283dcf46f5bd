/** Work in slices: a helper measures an experiment, and call sites are counted. */
import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { KmemError, KmemSession, Status } from "../../../../wasm/src/index.ts";
import { loadModule } from "../../../../wasm/src/node.ts";
import { NO_PACE } from "../pace.ts";
import { sitesOf } from "../query/sites.ts";
import type { Machine } from "../types.ts";
import { Workbench } from "./workbench.ts";

const quiet = () => {};
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

/** What slabinfo says about caches of the trace: twenty slabs, none of them free. */
const STATE =
	"slabinfo - version: 2.1\nfilp 300 320 256 16 1 : tunables 0 0 0 : slabdata 20 20 0\n";

it("replays elsewhere as the stage does: from the same start, on other machines", async () => {
	const stage = new Workbench();
	await stage.open(new Blob([wasm]));
	const machine = { preset: "", values: { cpus: "4" } };
	const trace = "slabtrace 1\ncache f size=256 name=filp\na 1 f cpu=0\na 2 f cpu=1\nf 1 cpu=2\n";
	await stage.load(new Blob([trace]), machine, quiet);
	await stage.load(new Blob([STATE]), machine, quiet);
	const { built } = await stage.beginWarm(true, quiet);
	expect(built.warmSlabs).toBe(20);
	const helper = new Workbench();
	await helper.assist(new Blob([wasm]));
	const source = { name: "t", stage: await stage.stageCopy("t") };
	const slabsOn = async (of: Machine) =>
		(await helper.measure(source, of, quiet)).find(({ key }) => key === "slabs")?.value;
	const { runs } = await stage.compare([machine], quiet);
	expect(runs).toHaveLength(2);
	const [mine, twin] = await stage.compareAt(2);
	expect(twin).toEqual(mine);
	expect(await slabsOn(machine)).toBe(mine?.slabs);
	// A machine that differs is measured with the same start.
	expect(await slabsOn({ preset: "", values: { cpus: "2", min_partial: "0" } })).toBeGreaterThan(
		15,
	);
	await stage.beginWarm(false, quiet);
	await stage.compare([machine], quiet);
	expect((await stage.compareAt(2))[1]?.slabs).toBeLessThan(5);
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
