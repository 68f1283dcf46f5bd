/**
 * Compare, Reality: the states of a real kernel that belong to the trace on the stage, and what a helper worker found when it
 * checked the model against that run. The helper stays as long as its result, for further divergences.
 */
import { createStore } from "zustand/vanilla";
import type { Checked, Divergence, Edge } from "#wasm";
import type { Built } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { type Hand, hire } from "../platform/helper_workers.ts";
import { sentenceOf } from "../playback/player.ts";
import { busy, change, facts, partOf, store } from "../state/store.ts";

export interface RealRun {
	/** The trace that the states belong to. */
	readonly trace: string;
	readonly start: File | undefined;
	readonly stop: File | undefined;
	/** The build that was checked, or is; null if none was. */
	readonly built: Built | null;
	readonly checked: Checked | null;
	readonly divergence: Divergence | null;
	readonly isRunning: boolean;
	/** Why the check failed, "" otherwise. */
	readonly sentence: string;
}

const NOTHING: RealRun = {
	trace: "",
	start: undefined,
	stop: undefined,
	built: null,
	checked: null,
	divergence: null,
	isRunning: false,
	sentence: "",
};

export const realRun = createStore<RealRun>(() => NOTHING);

const set = (some: Partial<RealRun>) => realRun.setState(some);

/** Ends the worker and the work in progress. */
let release = () => {};
let hand: Hand | undefined;

/** A state of another trace does not belong to this one. */
export function addState(edge: Edge, file: File): void {
	const { trace } = facts();
	const states = realRun.getState().trace === trace ? realRun.getState() : NOTHING;
	release();
	set({ ...NOTHING, trace, start: states.start, stop: states.stop, [edge]: file });
	change(partOf("compare", "reality"));
}

export function removeStates(): void {
	release();
	set(NOTHING);
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
	const { start, stop } = realRun.getState();
	if (!built || !start) return;
	release();
	set({ built, checked: null, divergence: null, isRunning: true, sentence: "" });
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
		const checked = await mine.helper.checkRun(stage, { start, stop });
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
