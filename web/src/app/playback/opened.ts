/**
 * Shows a trace that has been read: its facts, the cache with the most to see, the first position. A first view needs
 * no other file of this folder.
 */
import { Counter } from "#abi";
import type { Loaded } from "../../engine/answers.ts";
import type { Built, CacheRow, Machine } from "../../engine/types.ts";
import { stageKeys } from "../state/stage_keys.ts";
import {
	change,
	type Facts,
	facts,
	type Range,
	type Selection,
	type Zoom,
} from "../state/store.ts";
import { cacheNumber, go } from "./player.ts";

/** Counts the loads: a load that a later one has overtaken reports nothing. */
let loads = 0;

export function newLoad(): number {
	return ++loads;
}

export function latestLoad(): number {
	return loads;
}

/** Defaults for links that say nothing about the stage and the timeline. */
export const SOMEWHERE = {
	/** "" means the event's own cache or, without an event, the one with the most to see. */
	cache: "",
	/** -1 means wherever there is something to see. */
	op: -1,
	/** -1: the end of the event. */
	step: -1,
	selected: null as Selection | null,
	zoom: null as Zoom | null,
	/** "": no Why card. */
	why: "",
	range: null as Range | null,
};

type Spot = Readonly<typeof SOMEWHERE>;

/** `more`: facts that differ from those after other loads. */
export function showOpened(
	trace: string,
	machine: Machine,
	loaded: Loaded,
	spot: Spot,
	more: Partial<Facts>,
): void {
	const { report, built, note, key, readMs, replayMs } = loaded;
	const asked = known(built, spot.cache);
	const cache = asked ?? busiest(built.caches)?.name ?? "";
	change({
		trace,
		fileKey: key,
		report,
		built,
		machine,
		cache,
		wanted: cache,
		progress: null,
		moment: null,
		before: null,
		selected: spot.selected,
		why: spot.why,
		said: "",
		range: spot.range,
		machineState: null,
		stateBefore: "",
		took: { readMs, replayMs },
		keptNote: "",
		several: null,
		error: "",
		...more,
		...(note === "" ? {} : { error: note }),
	});
	stageKeys.look(spot.zoom);
	if (built.nrOps === 0)
		change({
			error: "This trace has no allocations or frees, so there is nothing to replay.",
		});
	else
		begin(built, spot, report.format === HAND_WRITTEN ? SHORT_OPS : FEW_OPS, asked === undefined);
}

/** The first view of a long trace starts well inside it, where lists are no longer empty. */
const START_AT = 0.84;
/**
 * A shorter trace starts at its first event: one that was recorded has little more to show, and one written
 * by hand is meant to be read from there.
 */
const FEW_OPS = 100;
const SHORT_OPS = 1000;
const HAND_WRITTEN = "slabtrace";

/** `own`: the event's own cache is on the stage. */
function begin({ nrOps }: Built, { op, step }: Spot, shortOps: number, own: boolean): void {
	if (op >= 0) go({ kind: "at", op, step: step >= 0 ? step : "last", own });
	else if (nrOps < shortOps) go({ kind: "at", op: 0, step: 0 });
	else {
		const from = { op: Math.floor(nrOps * START_AT), step: 0 };
		go({
			...{ kind: "move", from, unit: "slow", direction: 1, count: 1, scope: cacheNumber() },
			orNearest: true,
		});
	}
}

/** Returns the sample's own machine, which its trace does not contain: the preset of its kernel, and individual settings. */
export function ownMachine(trace: string): Machine {
	const sample = facts().samples.find((s) => s.file === trace);
	return { preset: sample?.preset ?? "", values: sample?.machine ?? {} };
}

/** Adds the visitor's settings to the sample's own machine, as the core expects them. */
export function inFull(trace: string, machine: Machine): Machine {
	const own = ownMachine(trace);
	return { preset: machine.preset || own.preset, values: { ...own.values, ...machine.values } };
}

/** Returns the settings that differ from the sample's own machine. */
export function differing(trace: string, machine: Machine): Machine {
	const own = ownMachine(trace);
	const values = Object.entries(machine.values).filter(([key, value]) => own.values[key] !== value);
	const preset = machine.preset === own.preset ? "" : machine.preset;
	return { preset, values: Object.fromEntries(values) };
}

/** Returns the name if the machine has a cache with that name. */
export function known(built: Built, name: string): string | undefined {
	return built.caches.find((c) => c.name === name)?.name;
}

const SLOW = ["ALLOC_SLOWPATH", "FREE_SLOWPATH", "ALLOCMISS", "FREEMISS"] as const;

const ALLOCS = ["ALLOC_FASTPATH", "ALLOC_SLOWPATH", "ALLOCHIT", "ALLOCMISS"] as const;

/**
 * The cache that left its fast path most often, where there is most to see. Without such counters, the largest one. A
 * cache that only takes back objects allocated before the trace comes last.
 */
export function busiest(caches: readonly CacheRow[]): CacheRow | undefined {
	const sum = (c: CacheRow, of: readonly (keyof typeof Counter)[]) =>
		of.reduce((all, k) => all + (c.counters[Counter[k]] ?? 0), 0);
	const allocates = (c: CacheRow) => Number(sum(c, ALLOCS) > 0);
	return caches.toSorted(
		(a, b) =>
			allocates(b) - allocates(a) || sum(b, SLOW) - sum(a, SLOW) || b.slabsPeak - a.slabsPeak,
	)[0];
}
