/** Compares machines: their text form, the calls to the worker, and the numbers in lockstep. */
import { COUNTER_NAMES, Measure, type Totals } from "#abi";
import { engine, onProgress } from "../../app/platform/engine_link.ts";
import { inFull } from "../../app/playback/opened.ts";
import { busy, facts, lookUp } from "../../app/state/store.ts";
import { isCancelled } from "../../base/errors.ts";
import type { Comparison, Run } from "../../engine/answers.ts";
import type { Built, Machine } from "../../engine/types.ts";

/**
 * ALLOCATOR[,KEY=VALUE...], as on the command line: a value may contain commas. The settings are added to those of
 * the machine on the stage.
 */
export function machineOf(spec: string, base: Machine): Machine {
	const values: Record<string, string> = { ...base.values };
	let preset = base.preset;
	for (const [i, part] of spec.split(/,(?=[^,]*=)/).entries()) {
		const equals = part.indexOf("=");
		const [key, value] =
			equals < 0 ? ["allocator", part] : [part.slice(0, equals), part.slice(equals + 1)];
		if (equals < 0 && i > 0) continue;
		if (key === "preset") preset = value;
		else values[key] = value;
	}
	return { preset, values };
}

export function allocatorIn(spec: string): string {
	return spec.split(",")[0] ?? "";
}

export function settingsIn(spec: string): string {
	return spec.split(",").slice(1).join(",");
}

export function specOf(allocator: string, settings: string): string {
	const text = settings.trim().replace(/\s+/g, ",");
	return text === "" ? allocator : `${allocator},${text}`;
}

/** The comparison that the worker holds, and its inputs. */
let made:
	| { built: Built | null; specs: readonly string[]; answer: Promise<Comparison | null> }
	| undefined;

/**
 * Null if it was cancelled; rejects with a sentence for an invalid machine. The same question gives the same object.
 */
export function compareWith(specs: readonly string[]): Promise<Comparison | null> {
	const { built } = facts();
	if (made?.built === built && made.specs === specs) return made.answer;
	const answer = compared(specs);
	made = { built, specs, answer };
	const forget = () => {
		if (made?.answer === answer) made = undefined;
	};
	answer.then((comparison) => comparison ?? forget(), forget);
	return answer;
}

async function compared(specs: readonly string[]): Promise<Comparison | null> {
	const { trace, machine } = facts();
	const base = inFull(trace, machine);
	const machines = specs.map((spec) => machineOf(spec, base));
	try {
		return await lookUp(() => engine().compare(machines, onProgress));
	} catch (error) {
		if (isCancelled(error)) return null;
		throw error;
	}
}

export function totalsAt(op: number): Promise<readonly Totals[]> {
	return busy(() => engine().compareAt(op));
}

export interface Metric {
	readonly name: string;
	readonly title: string;
	readonly of: (t: Totals) => number;
	readonly bytes?: boolean;
	/** The core's measure, if not every allocator has it. */
	readonly measure?: Measure;
	/** Whether the machine of that number has it; if absent, all have. */
	readonly isOn?: (nr: number) => boolean;
}

const METRICS: readonly Metric[] = [
	{ name: "slabs", title: "Slabs of all caches", of: (t) => t.slabs },
	{ name: "bytes in slabs", title: "Memory in slabs", of: (t) => t.slabBytes, bytes: true },
	{
		name: "internal fragmentation",
		title: "Bytes wasted in the slots of live objects: slot minus request",
		of: (t) => t.wasteRounding,
		bytes: true,
	},
	{
		name: "tail waste",
		title: "Bytes at the ends of slabs, too few for an object",
		of: (t) => t.wasteTail,
		bytes: true,
	},
	{
		name: "free objects",
		title: "Bytes of free objects in slabs",
		of: (t) => t.wasteFree,
		bytes: true,
	},
	{
		name: "partial slabs",
		title: "Slabs on node partial lists",
		measure: Measure.NUM_PARTIAL,
		of: (t) => t.partial,
	},
	{ name: "pages in use", title: "Page frames in use", of: (t) => t.pagesInUse },
	{ name: "pages, peak", title: "Most page frames in use so far", of: (t) => t.pagesPeak },
	{
		name: "model cycles",
		title: "Sum over all CPUs, to compare machines, not to predict times",
		of: (t) => t.cycles,
	},
	{
		name: "waiting for locks",
		title: "Model cycles spent waiting for locks",
		of: (t) => t.lockWaitCycles,
	},
	{
		name: "any-node searches",
		title: "2018 proposal: get_partial_count",
		measure: Measure.NUM_GET_ANY_PARTIAL_ENTERED,
		of: (t) => t.anyNodeEntered,
	},
	{
		name: "zones checked",
		title: "2018 proposal: get_partial_try_count",
		measure: Measure.NUM_ZONES_VISITED,
		of: (t) => t.anyNodeZones,
	},
	{
		name: "pages visited",
		title: "SLOB: pages that searches looked at",
		measure: Measure.NUM_PAGES_VISITED,
		of: (t) => t.pagesVisited,
	},
	{
		name: "blocks visited",
		title: "SLOB: free blocks that searches looked at",
		measure: Measure.NUM_BLOCKS_VISITED,
		of: (t) => t.blocksVisited,
	},
];

/** The metrics that are above 0 on any machine; counters by their kernel names, for allocators that have them. */
export function metricsOf(totals: readonly Totals[], runs: readonly Run[] = []): Metric[] {
	const counters = COUNTER_NAMES.map((name, i) => ({
		name: name.toLowerCase(),
		title: "A kernel counter",
		of: (t: Totals) => t.counters[i] ?? 0,
		isOn: (nr: number) => runs[nr]?.counters.includes(i) ?? true,
	}));
	const measures = METRICS.map((m) => {
		const { measure } = m;
		if (measure === undefined) return m;
		return { ...m, isOn: (nr: number) => runs[nr]?.measures.includes(measure) ?? true };
	});
	return [...measures, ...counters].filter((m) => totals.some((t) => m.of(t) > 0));
}

/**
 * The metrics that differ between machines that have them, measures that only some have, and the number of counters
 * that only one machine has.
 */
export function differing(metrics: readonly Metric[], totals: readonly Totals[]) {
	const on = (m: Metric) => totals.filter((_, nr) => m.isOn?.(nr) ?? true);
	const isPart = (m: Metric) =>
		m.measure !== undefined && on(m).length > 0 && on(m).length < totals.length;
	return {
		differ: metrics.filter((m) => isPart(m) || new Set(on(m).map(m.of)).size > 1),
		alone: metrics.filter((m) => m.measure === undefined && on(m).length === 1).length,
	};
}
