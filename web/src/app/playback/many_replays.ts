/** Replays a trace on many machines for its numbers. A few helper workers share the machines, so the page stays free. */
import { proxy } from "comlink";
import { createStore } from "zustand/vanilla";
import type { From } from "#abi";
import type { Measured } from "#wasm";
import type { Built, Machine } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { type Hand, hire, mostHands } from "../platform/helper_workers.ts";
import { busy, facts } from "../state/store.ts";
import { inFull } from "./opened.ts";
import { sentenceOf } from "./player.ts";

/** One replay: a trace that shares its text with the one on the stage, and a machine. */
export interface Replay {
	readonly trace: string;
	readonly machine: Machine;
}

export interface Replayed {
	/** Undefined while it is unknown, or if the machine is invalid. */
	readonly rows: readonly Measured[] | undefined;
	/** Why the machine is invalid, "" otherwise. */
	readonly why: string;
}

export const NOT_REPLAYED: Replayed = { rows: undefined, why: "" };

export interface Replays {
	/** Settles when all replays are done, or when they were stopped. */
	readonly done: Promise<void>;
	/** Results so far stay valid; no more come. */
	stop(): void;
}

const quiet = proxy(() => {});

export function measuredIn({ rows }: Replayed, key: string): Measured | undefined {
	return rows?.find((row) => row.key === key);
}

/** Where the memory figures of a replay come from, but for those that the trace measures. */
export function markOf(replayed: Replayed): From | undefined {
	return measuredIn(replayed, "slab_bytes")?.from;
}

/** `trace` is the one on the stage. `report` gets each result as soon as it is known, in any order. */
export function replayAll(
	trace: string,
	replays: readonly Replay[],
	workers: number,
	report: (nr: number, replayed: Replayed) => void,
): Replays {
	let hands: Hand[] = [];
	let isStopped = false;
	let settle = () => {};
	const stopped = new Promise<void>((resolve) => {
		settle = resolve;
	});
	const stop = () => {
		isStopped = true;
		for (const hand of hands) hand.release();
		hands = [];
		settle();
	};
	const workOn = async () => {
		const stage = await engine().stageCopy(trace);
		let next = 0;
		const work = async (): Promise<void> => {
			const hand = await hire();
			if (isStopped) {
				hand.release();
				return;
			}
			hands.push(hand);
			for (let nr = next++; nr < replays.length && !isStopped; nr = next++) {
				const replay = replays[nr];
				if (!replay) return;
				const machine = inFull(trace, replay.machine);
				const replayed = await hand.helper
					.measure({ name: replay.trace, stage }, machine, quiet)
					.then(
						(rows): Replayed => ({ rows, why: "" }),
						(error): Replayed => ({ rows: undefined, why: sentenceOf(error) }),
					);
				if (!isStopped) report(nr, replayed);
			}
		};
		await Promise.all(Array.from({ length: Math.min(workers, replays.length) }, work));
	};
	return { done: busy(() => Promise.race([workOn(), stopped])).finally(stop), stop };
}

/** Replays of the trace on the stage: in progress, stopped or done. */
export interface Measuring {
	/** The trace and machine that they belong to; null before the first. */
	readonly built: Built | null;
	/** In the order in which they were asked for. */
	readonly replays: readonly Replayed[];
	readonly isRunning: boolean;
	/** Why there are no results, "" otherwise. */
	readonly sentence: string;
}

export const isKnown = ({ rows, why }: Replayed) => rows !== undefined || why !== "";

/** More events than this take seconds to replay, so they wait for the visitor. */
const AT_ONCE_EVENTS = 2_500_000;

/** Whether so many replays of the trace on the stage are quick enough to start unasked. */
export function isQuick(nrReplays: number): boolean {
	const { built } = facts();
	return built !== null && nrReplays * built.nrOps <= AT_ONCE_EVENTS;
}

/** One processor stays free for the page. */
export const usualHands = () => Math.max(1, mostHands() - 1);

/** A store of replays; results stay while the page lives. */
export function createMeasuring() {
	const nothing: Measuring = { built: null, replays: [], isRunning: false, sentence: "" };
	const store = createStore<Measuring>(() => nothing);
	let running: Replays | undefined;
	/** Results so far stay. */
	const stop = () => {
		running?.stop();
		running = undefined;
		if (store.getState().isRunning) store.setState({ isRunning: false });
	};
	/** Takes the place of earlier replays. Settles when all are done or stopped. */
	const start = async (all: readonly Replay[], workers = usualHands()) => {
		stop();
		const { built, trace } = facts();
		store.setState({ built, replays: all.map(() => NOT_REPLAYED), isRunning: true, sentence: "" });
		const mine = replayAll(trace, all, workers, (nr, replayed) => {
			store.setState({ replays: store.getState().replays.with(nr, replayed) });
		});
		running = mine;
		try {
			await mine.done;
		} catch (error) {
			if (mine === running) store.setState({ sentence: sentenceOf(error) });
		}
		if (mine === running) stop();
	};
	return { store, start, stop };
}
