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

/** Questions that reject without a trace. */
export const OF_TRACE = {
	/** The trace in use as a slabtrace. */
	text: (session) => new Blob([...session.export("slabtrace")]),

	/** The kernel counters of each cache; none if the trace has none. */
	kernelCounters: (session): CountersCompared => {
		const counters = session.measures.kernelCounters();
		if (counters.length > 0) session.seek(session.nrOps);
		return { counters, why: session.measures.kernelCountersWhy() };
	},

	forkObjects,

	/** The names of parameters, and every cost with the value in use. */
	paramNames: (session) => JSON.parse(session.paramNamesJson()) as ParamNames,

	/** The last event that had started by a time on the trace's clock. */
	opAtTime,

	/**
	 * The object at an address after an event; index -1: the address is in the slab but in no object; undefined: it is
	 * in no slab.
	 */
	objectAt,

	/** The call sites of the trace, in the order of first use. */
	callSites: (session) => session.workloads.callSites(),

	/** The next event after event `op` that was called from this call site; -1: none. */
	nextCall: (session, callSite: string, op: number) =>
		session.workloads.nextCall(callSite, op) ?? -1,

	/** Finds the objects that a pointer or a report of dmesg is about. */
	lookUp: (session, text: string) => session.lookup.find(text),

	/** The event and the object that a recorded pointer, "0x…", means after an event. */
	eventOfPointer,

	/** The change of the machine's caches over the trace, beside the model's. */
	growth: (session) => session.realMachine.growth(),

	/** Memory that the recorded pointers and tasks of the events take. */
	keptOfEvents: (session) => session.lookup.kept(),

	/** Where memory goes after this many events. */
	memoryAfter,

	/** The chosen objects of a cache that are live after this many events. */
	chosenObjects,

	/** Memory over time, as a Perfetto trace: one more replay, in slices. */
	perfettoTracks: async (session) => {
		const total = session.nrOps;
		const parts: Uint8Array<ArrayBuffer>[] = [];
		for (const { bytes, left } of session.tracks.parts(TOP)) {
			parts.push(bytes);
			await NO_PACE.breathe({ phase: "measuring", done: total - left, total, events: total });
		}
		return new Blob(parts, { type: "application/octet-stream" });
	},

	/** The changes of one parameter that are worth a replay. */
	changesToTry: (session) => session.doctor.changes(),

	/** The best of the replays of these changes. */
	savings: savingsOf,
} satisfies Record<string, OfSession>;

/** Questions about what is on screen: undefined without a trace. */
export const IF_TRACE = {
	/** A cache other than the one on the stage at a position: all its slabs and lists. */
	cacheFrame: (session, at: Position, cache: number) => {
		const frame = cacheFrame(session, at, cache);
		return transfer(frame, [frame.bytes]);
	},

	/** Objects as they are in memory at a position; within an event, without the parts that the event is changing. */
	objects: closeUps,

	/** The level and the model cycles of each step of an event. */
	eventPath: pathOf,

	/** The levels of a cache's places after an event, from fast to slow. */
	levels: levelsOf,

	/** An event, or the one near it, and a cache right after that. */
	glance,

	/** The work of a cache's events, way by way. */
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
