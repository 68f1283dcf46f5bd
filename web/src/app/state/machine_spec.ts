/**
 * A compared machine as text, `slab,limit=8,trace=two-nodes.slabtrace`, as the command's --with has it: an allocator, settings,
 * and the trace that it replays.
 */

import type { Machine } from "../../engine/types.ts";
import type { Future } from "./store.ts";

/** A trace that the browser keeps, as a machine's own trace. */
export function recentTrace(key: string): string {
	return `recent:${key}`;
}

/** Prefix for a future of a forked trace, as a machine's own trace. */
const FUTURE = "future:";
export const futureTrace = (future: Future) => `${FUTURE}${future}`;
const FUTURE_WORDS: Readonly<Record<string, string>> = {
	[futureTrace("recorded")]: "the recorded future",
	[futureTrace("yours")]: "your future",
};

/** Returns the name of a machine's own trace as people read it. */
export function traceWords(trace: string): string {
	return FUTURE_WORDS[trace] ?? trace;
}

/** The key of a machine's own trace among its settings. */
const TRACE = "trace";

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
		if (key === TRACE) continue;
		if (key === "preset") preset = value;
		else values[key] = value;
	}
	return { preset, values };
}

export function allocatorIn(spec: string): string {
	return spec.split(",")[0] ?? "";
}

/** Returns the settings as the visitor writes them; the trace is chosen separately. */
export function settingsIn(spec: string): string {
	return partsOf(spec)
		.filter((part) => !part.startsWith(`${TRACE}=`))
		.join(",");
}

/** Returns the trace that the machine replays; "" for the trace on the stage. */
export function traceIn(spec: string): string {
	const part = partsOf(spec).find((one) => one.startsWith(`${TRACE}=`));
	return part?.slice(TRACE.length + 1) ?? "";
}

function partsOf(spec: string): string[] {
	return spec.split(/,(?=[^,]*=)/).slice(1);
}

export function specOf(allocator: string, settings: string, trace = ""): string {
	const parts = [allocator, settings.trim().replace(/\s+/g, ","), trace && `${TRACE}=${trace}`];
	return parts.filter((part) => part !== "").join();
}

/** Returns the future that a trace names; undefined for any other trace. */
export function futureIn(trace: string): string | undefined {
	return trace.startsWith(FUTURE) ? trace.slice(FUTURE.length) : undefined;
}

/* Machines of a comparison are called A to D. */

/** A is the machine on the stage. */
export const LETTERS = ["A", "B", "C", "D"] as const;

export function letterOf(nr: number): string {
	return LETTERS[nr] ?? "";
}
