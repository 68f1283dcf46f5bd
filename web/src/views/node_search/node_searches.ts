/**
 * A search of all nodes as a walk: the steps of an event, zone by zone; and the totals of the whole trace with either
 * rule.
 */
import { Outcome, When } from "#abi";
import { engine, onProgress } from "../../app/platform/engine_link.ts";
import { firstStep } from "../../app/playback/breakpoints.ts";
import { inFull } from "../../app/playback/opened.ts";
import { go, pause, play, playNoFurtherThan, sentenceOf } from "../../app/playback/player.ts";
import { busy, change, facts, lookUp, store } from "../../app/state/store.ts";
import { isCancelled } from "../../base/errors.ts";
import {
	ALL_CACHES,
	type Built,
	type Moment,
	type Position,
	type Searches,
	type Step,
	type ZoneRow,
} from "../../engine/types.ts";

/** One list that was checked, or skipped. */
export interface Probe {
	/** Number of its step in the event. */
	readonly step: number;
	/** Index in the zonelist; -1 is the CPU's own node, checked before it. */
	readonly zone: number;
	readonly node: number;
	/** "Normal"; "" for the own node. */
	readonly zoneName: string;
	readonly nrPartial: number;
	/** min_partial: a zone's node must have more partial slabs than this. */
	readonly minPartial: number;
	readonly answer: "hit" | "too few" | "nothing" | "skipped";
	/** The node had been checked before in this search, in vain. */
	readonly again: boolean;
}

export interface Walk {
	readonly cpu: number;
	readonly probes: readonly Probe[];
	/** The sentence of the step after it, "" if it was the last. */
	readonly endStep: number;
	readonly end: string;
}

const ANSWERS: Readonly<Record<number, Probe["answer"]>> = {
	[Outcome.OUTCOME_HIT]: "hit",
	[Outcome.OUTCOME_TOO_FEW]: "too few",
	[Outcome.OUTCOME_NOTHING_THERE]: "nothing",
	[Outcome.OUTCOME_EXCLUDED]: "skipped",
};

/** Null if the event checked no other node. */
export function walkOf(
	{ steps, firstStep }: Pick<Moment, "steps" | "firstStep">,
	zones: readonly ZoneRow[],
	zoneWords: (kind: number) => string,
): Walk | null {
	const entered = steps.findIndex((s) => s.kind === "ANY_NODE_ENTER");
	const enter = steps[entered];
	if (!enter) return null;
	const own = steps.findLastIndex((s, i) => i < entered && s.kind === "PARTIAL_SEARCH");
	const asked = new Set<number>();
	const probes: Probe[] = [];
	const ownStep = steps[own];
	if (ownStep) {
		probes.push(ownProbe(ownStep, own + firstStep));
		asked.add(ownStep.node);
	}
	const visits = new Map<number, number>();
	for (const [i, step] of steps.entries()) {
		if (i < entered || step.kind !== "ANY_NODE_ZONE") continue;
		const visit = visits.get(step.node) ?? 0;
		visits.set(step.node, visit + 1);
		const zoneName = nameOf(zones, step.node, visit, zoneWords);
		const probe = zoneProbe(step, i + firstStep, zoneName, asked.has(step.node));
		probes.push(probe);
		if (probe.answer !== "skipped") asked.add(step.node);
	}
	const last = steps.findLastIndex((s) => /^ANY_NODE_/.test(s.kind));
	const after = steps.slice(last + 1).find((s) => s.kind !== "PARTIAL_SEARCH");
	return {
		cpu: enter.cpu,
		probes,
		endStep: after ? steps.indexOf(after) + firstStep : last + firstStep,
		end: after?.sentence ?? "",
	};
}

function ownProbe(step: Step, at: number): Probe {
	const nrPartial = step.args.nr_partial ?? 0;
	const answer = nrPartial > 0 ? "hit" : "nothing";
	const { node } = step;
	return { step: at, zone: -1, node, zoneName: "", nrPartial, minPartial: 0, answer, again: false };
}

function zoneProbe(step: Step, at: number, zoneName: string, again: boolean): Probe {
	const answer = ANSWERS[step.args.outcome ?? -1] ?? "nothing";
	return {
		step: at,
		zone: step.args.zone ?? 0,
		node: step.node,
		zoneName,
		nrPartial: step.args.nr_partial ?? 0,
		minPartial: step.args.min_partial ?? 0,
		answer,
		again: again && answer !== "skipped",
	};
}

/** Zonelists have a node's zones together, the highest first. */
function nameOf(
	zones: readonly ZoneRow[],
	node: number,
	visit: number,
	words: (kind: number) => string,
): string {
	const kinds = zones.filter((z) => z.node === node && z.pages > 0).map((z) => z.kind);
	const kind = kinds.toSorted((a, b) => b - a)[visit];
	return kind === undefined ? "" : words(kind);
}

/** The step that begins a search of all nodes. */
export const SEARCH = {
	when: When.WHEN_STEP,
	step: "ANY_NODE_ENTER",
	cache: ALL_CACHES,
} as const;

let first: { readonly built: Built; readonly answer: Promise<Position | null> } | undefined;

/**
 * The position of the trace's first search on the machine in use, null for none; looked up once, even if the lookup
 * is cancelled.
 */
export function firstSearch(built: Built): Promise<Position | null> {
	if (first?.built === built) return first.answer;
	const answer = firstStep(SEARCH);
	first = { built, answer };
	return answer;
}

let stopWatching = () => {};

/**
 * Plays a search step by step from its beginning and pauses at its last step. If the visitor pauses, moves or changes
 * the machine meanwhile, it ends.
 */
export function watchSearch(at: Position): void {
	stopWatching();
	pause();
	const { unit, built } = facts();
	let begun = false;
	const end = () => {
		unsubscribe();
		playNoFurtherThan(undefined);
		change({ unit });
		stopWatching = () => {};
	};
	const unsubscribe = store.subscribe((now, before) => {
		if (now.built !== built || (begun && !now.playing)) return end();
		if (now.moment === before.moment || !now.moment) return;
		const { op, step } = now.moment.position;
		if (op !== at.op) return begun ? end() : undefined;
		if (!begun) {
			begun = true;
			play();
			return;
		}
		const last = walkOf(now.moment, now.moment.zones, String)?.endStep ?? step;
		if (step < last) return;
		end();
		pause();
		if (step > last) go({ kind: "at", op, step: last });
	});
	stopWatching = end;
	playNoFurtherThan(() => at.op);
	change({ unit: "step" });
	go({ kind: "at", ...at });
}

/** Plays the first search of the trace, if there is one. */
export async function watchFirstSearch(): Promise<void> {
	const { built } = facts();
	const found = built && (await busy(() => firstSearch(built)));
	if (found && facts().built === built) watchSearch(found);
}

export interface BothWays {
	readonly all: Searches;
	readonly skipChecked: Searches;
}

/** Totals of the whole trace on the machine in use, with either rule; null if it was cancelled or failed. */
export async function countBothWays(): Promise<BothWays | null> {
	const { trace, machine } = facts();
	const whole = inFull(trace, machine);
	const on = (value: string) =>
		engine().searches({ ...whole, values: { ...whole.values, node_search: value } }, onProgress);
	try {
		return await lookUp(async () => ({
			all: await on("all"),
			skipChecked: await on("skip-checked"),
		}));
	} catch (error) {
		if (!isCancelled(error)) change({ error: sentenceOf(error) });
		return null;
	}
}
