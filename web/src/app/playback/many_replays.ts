/**
 * Long work in helper workers, so that the page stays free: a single job in one worker, or replays of a trace on many
 * machines, shared among a few workers.
 */
import { proxy } from "comlink";
import { createStore } from "zustand/vanilla";
import type { From } from "#abi";
import type { Measured } from "#wasm";
import { type Alike, alike, type ReplayStart } from "../../engine/alike.ts";
import type { Built, Machine } from "../../engine/types.ts";
import type { Source } from "../../engine/worker/workbench.ts";
import { engine } from "../platform/engine_link.ts";
import { type Hand, hire, mostHands } from "../platform/helper_workers.ts";
import { busy, facts } from "../state/store.ts";
import { inFull } from "./opened.ts";
import { sentenceOf } from "./player.ts";

export interface Job<T> {
	/** Resolves to the result, or to undefined if the work was stopped. */
	readonly done: Promise<T | undefined>;
	stop(): void;
}

/** Runs work in its own worker, which ends with it. */
export function job<T>(work: (helper: Hand["helper"]) => Promise<T>): Job<T> {
	const hired = hire();
	let stop = () => {};
	const stopped = new Promise<undefined>((resolve) => {
		stop = () => resolve(undefined);
	});
	const result = hired.then(({ helper }) => work(helper));
	const done = busy(() => Promise.race([result, stopped])).finally(() => {
		void hired.then(
			({ release }) => release(),
			() => {},
		);
	});
	return { done, stop: () => stop() };
}

/** One replay: a trace that shares its text with the one on the stage, and a machine. */
interface Replay {
	readonly trace: string;
	readonly machine: Machine;
}

export interface Replayed {
	/** Undefined while unknown, or if the machine is invalid. */
	readonly rows: readonly Measured[] | undefined;
	/** Why the machine is invalid, "" otherwise. */
	readonly why: string;
}

const NOT_REPLAYED: Replayed = { rows: undefined, why: "" };

const quiet = proxy(() => {});
/** The replay itself will give the reason. */
const invalid = () => undefined;

export function measuredIn({ rows }: Replayed, key: string): Measured | undefined {
	return rows?.find((row) => row.key === key);
}

/** Where the memory figures of a replay come from, except those that the trace measures. */
export function markOf(replayed: Replayed): From | undefined {
	return measuredIn(replayed, "slab_bytes")?.from;
}

/** Replays of the trace on the stage: in progress, stopped or done. */
export interface Measuring<Question> {
	/** The trace and machine that they belong to; null before the first. */
	readonly built: Built | null;
	readonly trace: string;
	/** The question that they answer. */
	readonly question: Question | undefined;
	/** Listed in the order in which they were requested. */
	readonly replays: readonly Replayed[];
	/** What limits their start, if one of them cannot start from everything that the others can. */
	readonly alike: Alike | undefined;
	readonly isRunning: boolean;
	/** Why there are no results; "" if there are. */
	readonly sentence: string;
}

const NOTHING: Measuring<never> = {
	...{ built: null, trace: "", question: undefined, replays: [] },
	...{ alike: undefined, isRunning: false, sentence: "" },
};

export const isKnown = ({ rows, why }: Replayed) => rows !== undefined || why !== "";

/** More events than this take seconds to replay, so they wait until the visitor asks. */
const AT_ONCE_EVENTS = 2_500_000;

/** Whether this many replays of the trace on the stage are quick enough to start without being asked. */
export function isQuick(nrReplays: number): boolean {
	const { built } = facts();
	return built !== null && nrReplays * built.nrOps <= AT_ONCE_EVENTS;
}

/** One processor stays free for the page. */
export const usualHands = () => Math.max(1, mostHands() - 1);

type Task = (helper: Hand["helper"], source: Source, machine: Machine, nr: number) => Promise<void>;

/** Makes a store of replays; results stay as long as the page is open. */
export function createMeasuring<Question>() {
	const store = createStore<Measuring<Question>>(() => NOTHING);
	let release = () => {};
	/** Keeps the results so far; no more will come. */
	const stop = () => {
		release();
		if (store.getState().isRunning) store.setState({ isRunning: false });
	};
	/** Replaces earlier replays. Settles when all are done or stopped. */
	const start = async (question: Question, all: readonly Replay[], workers = usualHands()) => {
		stop();
		const { built, trace } = facts();
		const replays = all.map(() => NOT_REPLAYED);
		store.setState({ ...NOTHING, built, trace, question, replays, isRunning: true });
		const hands: Hand[] = [];
		let isStopped = false;
		const stopped = new Promise<void>((settle) => {
			release = () => {
				isStopped = true;
				for (const hand of hands.splice(0)) hand.release();
				settle();
			};
		});
		const end = release;
		const tell = (some: Partial<Measuring<Question>>) => {
			if (!isStopped) store.setState(some);
		};
		/** Workers that arrive after a stop are dismissed at once. */
		const hireOne = async () => {
			const hand = await hire();
			if (isStopped) hand.release();
			else hands.push(hand);
		};
		const work = async () => {
			const stage = await engine().stageCopy(trace);
			await Promise.all(Array.from({ length: Math.min(workers, all.length) }, hireOne));
			/** Shares the replays among the workers. */
			const each = async (task: Task) => {
				let next = 0;
				const share = async ({ helper }: Hand) => {
					for (let nr = next++; nr < all.length && !isStopped; nr = next++) {
						const replay = all[nr];
						if (!replay) return;
						await task(helper, { name: replay.trace, stage }, inFull(trace, replay.machine), nr);
					}
				};
				await Promise.all([...hands].map(share));
			};
			// Workloads with other settings start empty anyway, and would have to be generated once more.
			const isOne = all.length > 1 && all.every((one) => one.trace === trace);
			const how = isOne
				? await alike(async (limit) => {
						const starts: (ReplayStart | undefined)[] = all.map(() => undefined);
						await each(async (helper, source, machine, nr) => {
							starts[nr] = await helper.startOf(source, machine, limit).catch(invalid);
						});
						return starts;
					})
				: undefined;
			tell({ alike: how });
			await each(async (helper, source, machine, nr) => {
				const replayed = await helper.measure(source, machine, quiet, how?.limit).then(
					(rows): Replayed => ({ rows, why: "" }),
					(error): Replayed => ({ rows: undefined, why: sentenceOf(error) }),
				);
				tell({ replays: store.getState().replays.with(nr, replayed) });
			});
		};
		try {
			await busy(() => Promise.race([work(), stopped]));
		} catch (error) {
			tell({ sentence: sentenceOf(error) });
		}
		tell({ isRunning: false });
		end();
	};
	return { store, start, stop };
}
