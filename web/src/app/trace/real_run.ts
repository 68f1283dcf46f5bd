/**
 * Compare, Reality: the states of a real kernel that belong to the trace on the stage, and what a helper worker found when it
 * checked the model against that run. The helper stays as long as its result, for further divergences.
 */
import { proxy } from "comlink";
import { createStore } from "zustand/vanilla";
import type { Checked, Divergence, Edge } from "#wasm";
import type { Built, Progress } from "../../engine/types.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { type Hand, hire } from "../platform/helper_workers.ts";
import { sentenceOf } from "../playback/player.ts";
import { busy, change, facts, partOf, store } from "../state/store.ts";
import { beginCold, beginOtherwise } from "./actions.ts";

export interface RealRun {
	/** The trace that the states belong to. */
	readonly trace: string;
	readonly start: File | undefined;
	readonly stop: File | undefined;
	/** Whether a check lets events move within their own intervals. */
	readonly infersOrder: boolean;
	/** The build that was checked, or is; null if none was. */
	readonly built: Built | null;
	readonly checked: Checked | null;
	readonly divergence: Divergence | null;
	readonly isRunning: boolean;
	/** Thousandths of the check that are done. */
	readonly done: number;
	/** Why the check failed, "" otherwise. */
	readonly sentence: string;
}

const NOTHING: RealRun = {
	trace: "",
	start: undefined,
	stop: undefined,
	infersOrder: false,
	built: null,
	checked: null,
	divergence: null,
	isRunning: false,
	done: 0,
	sentence: "",
};

export const realRun = createStore<RealRun>(() => NOTHING);

const set = (some: Partial<RealRun>) => realRun.setState(some);

/** Ends the worker and the work in progress. */
let release = () => {};
let hand: Hand | undefined;

/**
 * A state of another trace does not belong to this one. With a start state the stage's replay begins with it, before the check
 * does: that replays the machine on the stage.
 */
export async function addState(edge: Edge, file: File): Promise<void> {
	const { trace } = facts();
	const known = realRun.getState().trace === trace ? realRun.getState() : NOTHING;
	const { start, stop, infersOrder } = known;
	const states = { ...NOTHING, trace, start, stop, infersOrder, [edge]: file };
	release();
	if (edge === "start") {
		set({ ...states, start: undefined });
		await leaveState();
		if (facts().trace !== trace) return;
		change({ startState: { name: file.name, used: false, canBegin: true } });
		await begin(file);
	}
	if (facts().trace !== trace) return;
	set(states);
	change(partOf("compare", "reality"));
}

/** The stage's replay begins with the start state, at the same event; does nothing without one. */
export async function beginWithState(): Promise<void> {
	const { start, trace } = realRun.getState();
	const { startState } = facts();
	if (start && trace === facts().trace && startState?.canBegin && !startState.used)
		await begin(start);
}

async function begin(file: File): Promise<void> {
	const { machineState, built: before } = facts();
	let canBegin = true;
	const replay = async () => {
		const { built, ...answer } = await engine().beginWithState(file, onProgress);
		canBegin = answer.canBegin;
		// The check has a start of its own: its result stays.
		if (realRun.getState().built === before) set({ built });
		return built;
	};
	await beginOtherwise(replay, () => ({
		startState: { name: file.name, used: canBegin, canBegin },
		...(canBegin && {
			cold: false,
			machineState: machineState && { ...machineState, warm: false },
		}),
	}));
}

/** The replay begins as it did without the start state. */
async function leaveState(): Promise<void> {
	const { startState, cold } = facts();
	if (startState?.used) await beginCold(cold);
}

export async function removeStates(): Promise<void> {
	release();
	set(NOTHING);
	await leaveState();
	change({ startState: null });
}

/** Checks the run again, with or without the search for the order of events. */
export function inferOrder(infersOrder: boolean): void {
	set({ infersOrder });
	void checkRun();
}

/** Stops the check; the states stay. */
export function stopCheck(): void {
	release();
	set({ isRunning: false });
}

/** Another machine or trace makes the result one of the past. */
store.subscribe(({ built }) => {
	if (hand && built !== realRun.getState().built) release();
});

export async function checkRun(): Promise<void> {
	const { built } = facts();
	const { start, stop, infersOrder } = realRun.getState();
	if (!built || !start) return;
	release();
	set({ built, checked: null, divergence: null, isRunning: true, done: 0, sentence: "" });
	let isOver = false;
	const stopped = new Promise<void>((resolve) => {
		release = () => {
			isOver = true;
			hand?.release();
			hand = undefined;
			resolve();
		};
	});
	const work = async () => {
		const stage = await engine().stageCopy(facts().trace);
		const mine = await hire();
		if (isOver) return mine.release();
		hand = mine;
		const onDone = proxy(({ done }: Progress) => {
			if (!isOver) set({ done });
		});
		const checked = await mine.helper.checkRun(stage, { start, stop, infersOrder }, onDone);
		const divergence = await mine.helper.divergence(0);
		if (!isOver) set({ checked, divergence, isRunning: false });
	};
	try {
		await busy(() => Promise.race([work(), stopped]));
	} catch (error) {
		if (isOver) return;
		release();
		set({ sentence: sentenceOf(error), isRunning: false });
	}
}

/** Shows the first divergence at or behind an event, which counts from 0; without one the last stays. */
export async function showDivergence(from: number): Promise<void> {
	const mine = hand;
	if (!mine) return checkRun();
	const divergence = await busy(() => mine.helper.divergence(from));
	if (divergence && hand === mine) set({ divergence });
}
