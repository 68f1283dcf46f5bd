/** One trace under SLUB of every preset: the replays in helper workers. Results stay while trace and machine do. */
import { create } from "zustand";
import { mostHands } from "../../../app/platform/helper_workers.ts";
import {
	measuredIn,
	NOT_REPLAYED,
	type Replayed,
	type Replays,
	replayAll,
} from "../../../app/playback/many_replays.ts";
import { sentenceOf } from "../../../app/playback/player.ts";
import { facts, USUAL_ALLOCATOR } from "../../../app/state/store.ts";
import type { Built } from "../../../engine/types.ts";
import type { KernelRow } from "./finding.ts";

export interface MeasuredKernels {
	/** The build that the results are of: a trace on a machine. */
	readonly built: Built | null;
	/** In the order of the presets. */
	readonly replays: readonly Replayed[];
	readonly isRunning: boolean;
	/** Why there are no results, "" otherwise. */
	readonly sentence: string;
}

export const useKernels = create<MeasuredKernels>(() => ({
	built: null,
	replays: [],
	isRunning: false,
	sentence: "",
}));

const set = (some: Partial<MeasuredKernels>) => useKernels.setState(some);

let running: Replays | undefined;

export function versionOf(preset: string): string {
	return preset.replace(/^linux-/, "");
}

/** Every replay has the machine on the stage; only the preset differs. */
export async function measureKernels(): Promise<void> {
	const { built, trace, machine } = facts();
	if (!built) return;
	stopKernels();
	const values = { ...machine.values, allocator: USUAL_ALLOCATOR };
	const all = built.presets.map(({ name }) => ({ trace, machine: { preset: name, values } }));
	set({ built, replays: all.map(() => NOT_REPLAYED), isRunning: true, sentence: "" });
	// One processor stays free for the page.
	const mine = replayAll(trace, all, Math.max(1, mostHands() - 1), (nr, replayed) => {
		set({ replays: useKernels.getState().replays.with(nr, replayed) });
	});
	running = mine;
	try {
		await mine.done;
	} catch (error) {
		if (mine === running) set({ sentence: sentenceOf(error) });
	}
	if (mine === running) stopKernels();
}

/** Results so far stay. */
export function stopKernels(): void {
	running?.stop();
	running = undefined;
	if (useKernels.getState().isRunning) set({ isRunning: false });
}

/** Kernels whose replay is done, oldest first. */
export function kernelRows({ built, replays }: MeasuredKernels): KernelRow[] {
	return (built?.presets ?? []).flatMap(({ name }, nr) => {
		const replay = replays[nr];
		if (!replay?.rows) return [];
		const number = (key: string) => measuredIn(replay, key)?.value ?? 0;
		return [
			{
				version: versionOf(name),
				slowPaths: number("slow_paths"),
				slabBytes: number("slab_bytes"),
				slabBytesPeak: number("slab_bytes_peak"),
				pageCalls: number("page_calls"),
				cycles: number("cycles"),
			},
		];
	});
}
