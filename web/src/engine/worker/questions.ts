/**
 * Questions that the session on the stage answers in one call. Workbench has a function with the same name for each.
 */
import { transfer } from "comlink";
import type { KmemSession } from "#wasm";
import type { CountersCompared } from "../answers.ts";
import { NO_PACE } from "../pace.ts";
import { glance } from "../query/cache_series.ts";
import { closeUps } from "../query/close_up.ts";
import { forkObjects } from "../query/fork.ts";
import { levelsOf, pathOf } from "../query/levels.ts";
import { objectAt, opAtTime } from "../query/locate.ts";
import { memoryAfter, savingsOf } from "../query/memory.ts";
import { eventOfPointer } from "../query/pointer.ts";
import { trafficOf } from "../query/traffic.ts";
import type { ParamNames, Position } from "../types.ts";
import { chosenObjects } from "./filtering.ts";
import { cacheFrame } from "./navigator.ts";

/** How many caches get their own tracks, as in the command. */
const TOP = 8;

export type OfSession = (session: KmemSession, ...args: never[]) => unknown;

/** Questions that are rejected without a trace. */
export const OF_TRACE = {
	/** Writes the trace in use as a slabtrace. */
	text: (session) => new Blob([...session.export("slabtrace")]),

	/** Returns the kernel counters of each cache; none if the trace has none. */
	kernelCounters: (session): CountersCompared => {
		const counters = session.measures.kernelCounters();
		if (counters.length > 0) session.seek(session.nrOps);
		return { counters, why: session.measures.kernelCountersWhy() };
	},

	forkObjects,

	/** Returns the names of parameters, and every cost with the value in use. */
	paramNames: (session) => JSON.parse(session.paramNamesJson()) as ParamNames,

	/** Finds the last event that had started by a time on the trace's clock. */
	opAtTime,

	/**
	 * Finds the object at an address after an event; index -1: the address is in the slab but in no object; undefined: it is
	 * in no slab.
	 */
	objectAt,

	/** Lists the call sites of the trace, in the order of first use. */
	callSites: (session) => session.workloads.callSites(),

	/** Finds the next event after event `op` that was called from this call site; -1 if there is none. */
	nextCall: (session, callSite: string, op: number) =>
		session.workloads.nextCall(callSite, op) ?? -1,

	/** Finds the objects that a pointer or a report of dmesg is about. */
	lookUp: (session, text: string) => session.lookup.find(text),

	/** Finds the event and the object that a recorded pointer, "0x…", means after an event. */
	eventOfPointer,

	/** Compares how the machine's caches changed over the trace with how the model's did. */
	growth: (session) => session.realMachine.growth(),

	/** Returns how much memory the recorded pointers and tasks of the events take. */
	keptOfEvents: (session) => session.lookup.kept(),

	/** Says where memory goes after this many events. */
	memoryAfter,

	/** Returns the chosen objects of a cache that are live after this many events. */
	chosenObjects,

	/** Writes memory over time as a Perfetto trace: one more replay, in slices. */
	perfettoTracks: async (session) => {
		const total = session.nrOps;
		const parts: Uint8Array<ArrayBuffer>[] = [];
		for (const { bytes, left } of session.tracks.parts(TOP)) {
			parts.push(bytes);
			await NO_PACE.breathe({ phase: "measuring", done: total - left, total, events: total });
		}
		return new Blob(parts, { type: "application/octet-stream" });
	},

	/** Lists the changes to one parameter that are worth a replay. */
	changesToTry: (session) => session.doctor.changes(),

	/** Returns the best of the replays of these changes. */
	savings: savingsOf,
} satisfies Record<string, OfSession>;

/** Questions about what is on screen: undefined without a trace. */
export const IF_TRACE = {
	/** Returns all slabs and lists of a cache at a position, which need not be the one on the stage. */
	cacheFrame: (session, at: Position, cache: number) => {
		const frame = cacheFrame(session, at, cache);
		return transfer(frame, [frame.bytes]);
	},

	/** Returns objects as they are in memory at a position; within an event, without the parts that the event is changing. */
	objects: closeUps,

	/** Returns the level and the model cycles of each step of an event. */
	eventPath: pathOf,

	/** Returns the levels of a cache's places after an event, from fast to slow. */
	levels: levelsOf,

	/** Returns an event, or the one near it, and a cache right after that. */
	glance,

	/** Sums up the work of a cache's events, route by route. */
	traffic: trafficOf,
} satisfies Record<string, OfSession>;

type Answers<Questions, Otherwise> = {
	readonly [Name in keyof Questions]: Questions[Name] extends (
		session: KmemSession,
		...args: infer Args
	) => infer Answer
		? (...args: Args) => Promise<Awaited<Answer> | Otherwise>
		: never;
};

export type Answered = Answers<typeof OF_TRACE, never> & Answers<typeof IF_TRACE, undefined>;
