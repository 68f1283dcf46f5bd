/** The work of the latest events, way by way: for a section that moves too fast to read any single path. */
import { OpKind, Verb } from "#abi";
import type { KmemSession } from "#wasm";
import { NO_SLAB, PAGES } from "../frame.ts";
import { ALL_CACHES } from "../types.ts";
import { levelsOf } from "./levels.ts";

/** A place by its kind, enum kmem_place_kind; PAGES: the page allocator; CALLER: whoever asks for or frees an object. */
export interface WayEnd {
	readonly kind: number;
	readonly node: number;
	readonly cpu: number;
}
export const CALLER = -1;

/** Objects that were allocated or freed, or slabs that moved from place to place. */
export interface Way {
	readonly what: "alloc" | "free" | "slab";
	readonly from: WayEnd;
	readonly to: WayEnd;
	readonly count: number;
}

export interface Traffic {
	/** Events, from 0, and how many of the cache are among them. */
	readonly from: number;
	readonly to: number;
	readonly events: number;
	readonly allocs: number;
	readonly frees: number;
	readonly cycles: number;
	/** One row for each of them. */
	readonly costs: readonly {
		readonly op: number;
		readonly cycles: number;
		readonly isFree: boolean;
	}[];
	/** The costliest of them, with their captions. */
	readonly costliest: readonly {
		readonly op: number;
		readonly cycles: number;
		readonly caption: string;
	}[];
	readonly ways: readonly Way[];
}

/** If there are more events than this, only the latest ones count. */
const EVENTS_MOST = 64;
const COSTLIEST = 3;
const NO_LEVEL = 0xffff;

/** Reads the events from `first` to `last`, of one cache or of all. Moves past the last one. */
export function trafficOf(
	session: KmemSession,
	cache: number,
	first: number,
	last: number,
): Traffic {
	const from = Math.max(0, first, last - EVENTS_MOST + 1);
	const ways = new Map<string, Way>();
	const kinds = new Map<number, number[]>();
	const costs: { op: number; cycles: number; isFree: boolean }[] = [];
	let [events, allocs, frees, cycles] = [0, 0, 0, 0];
	const count = (what: Way["what"], a: WayEnd, b: WayEnd) => {
		const key = `${what} ${a.kind}/${a.node}/${a.cpu} ${b.kind}/${b.node}/${b.cpu}`;
		const known = ways.get(key);
		ways.set(key, { what, from: a, to: b, count: (known?.count ?? 0) + 1 });
	};
	for (let at = from; at <= last; at++) {
		const path = session.path(at);
		if (cache !== ALL_CACHES && path.cache !== cache) continue;
		const op = session.op(at);
		const isFree = op.kind === OpKind.OP_FREE;
		if (!isFree && op.kind !== OpKind.OP_ALLOC && op.kind !== OpKind.OP_KMALLOC) continue;
		if (!kinds.has(path.cache))
			kinds.set(
				path.cache,
				levelsOf(session, path.cache).map((level) => level.kinds[0] ?? PAGES),
			);
		const kindsOf = kinds.get(path.cache) ?? [];
		const caller = { kind: CALLER, node: 0, cpu: op.cpu };
		const verb = isFree ? Verb.VERB_RETURNS : Verb.VERB_GIVES;
		const asked = path.steps.filter((step) => step.verb === verb && step.level !== NO_LEVEL);
		// What an allocation gets in the end has come from the deepest place.
		const end = isFree
			? asked[0]
			: asked.reduce((a, b) => (b.level > (a?.level ?? -1) ? b : a), asked[0]);
		if (end) {
			const place = { kind: kindsOf[end.level] ?? PAGES, node: end.node, cpu: end.cpu };
			if (isFree) count("free", caller, place);
			else count("alloc", place, caller);
		}
		for (const step of path.steps)
			if (step.slab !== NO_SLAB)
				count(
					"slab",
					{ kind: step.fromKind, node: step.fromNode, cpu: step.fromCpu },
					{ kind: step.toKind, node: step.toNode, cpu: step.toCpu },
				);
		events++;
		if (isFree) frees++;
		else allocs++;
		cycles += path.cycles;
		costs.push({ op: at, cycles: path.cycles, isFree });
	}
	const costliest = costs
		.toSorted((a, b) => b.cycles - a.cycles)
		.slice(0, COSTLIEST)
		.map(({ op, cycles }) => ({ op, cycles, caption: session.caption(op).caption }));
	return {
		from,
		to: last,
		events,
		allocs,
		frees,
		cycles,
		costs,
		costliest,
		ways: [...ways.values()],
	};
}
