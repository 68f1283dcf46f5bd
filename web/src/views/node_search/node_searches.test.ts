/** The walk of a search, read off the steps of the core: what was asked, in order, and what was asked in vain twice. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { momentOf } from "../../engine/moment.ts";
import { zoneName } from "../../engine/place_kinds.ts";
import { ALL_CACHES, type Moment } from "../../engine/types.ts";
import { SessionEngine } from "../../engine/worker/session_engine.ts";
import { walkOf } from "./node_searches.ts";

const wasm = readFileSync(new URL("../../../../wasm/dist/kmem.wasm", import.meta.url));
const engine = new SessionEngine();
const quiet = () => {};

/** An empty cache on node 1 of two, whose zones are DMA and DMA32, DMA32 and Normal. */
const TEXT = `slabtrace 1
machine cpus=2 nodes=2 cpu_node=0,1
cache c size=64
a 1 c cpu=1
`;

async function lastMoment(node_search: string): Promise<Moment> {
	await engine.load(new Blob([TEXT]), { preset: "", values: { node_search } }, quiet);
	return momentOf(await engine.go({ kind: "at", op: 0, step: "last" }, ALL_CACHES));
}

const probes = (moment: Moment) =>
	walkOf(moment, moment.zones, zoneName)?.probes.map(
		(p) =>
			`${p.zone}:${p.node}${p.zoneName && ` ${p.zoneName}`} ${p.answer}${p.again ? " again" : ""}`,
	);

beforeAll(async () => {
	await engine.open(`data:application/wasm;base64,${wasm.toString("base64")}`);
});

describe("the walk along the zonelist", () => {
	it("asks every zone of every node, the own node's too", async () => {
		const moment = await lastMoment("all");
		expect(probes(moment)).toEqual([
			"-1:1 nothing",
			"0:1 Normal nothing again",
			"1:1 DMA32 nothing again",
			"2:0 DMA32 nothing",
			"3:0 DMA nothing again",
		]);
		expect(moment.searches).toEqual({ entered: 1, zones: 4 });
	});

	it("skips the node that has just failed, if so set", async () => {
		const moment = await lastMoment("skip-checked");
		expect(probes(moment)).toEqual([
			"-1:1 nothing",
			"0:1 Normal skipped",
			"1:1 DMA32 skipped",
			"2:0 DMA32 nothing",
			"3:0 DMA skipped",
		]);
		expect(moment.searches).toEqual({ entered: 1, zones: 1 });
	});

	it("is none where the CPU had what was needed", async () => {
		const moment = await lastMoment("all");
		expect(walkOf({ ...moment, steps: moment.steps.slice(0, 1) }, moment.zones, zoneName)).toBe(
			null,
		);
	});

	it("is counted on another machine without touching this one", async () => {
		await lastMoment("all");
		const values = { node_search: "skip-checked" };
		expect(await engine.searches({ preset: "", values }, quiet)).toEqual({ entered: 1, zones: 1 });
		const moment = await engine.go({ kind: "at", op: 0, step: "last" }, ALL_CACHES);
		expect(moment.searches).toEqual({ entered: 1, zones: 4 });
	});
});
