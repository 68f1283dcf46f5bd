/** Grids of replays, computed by a few helper workers; results stay while the page lives. */

import { create } from "zustand";
import { WORKLOADS } from "#abi";
import { MEASURES, type Measured } from "#wasm";
import { viewOf } from "../../app/link/url.ts";
import { restore } from "../../app/navigation/sync.ts";
import { mostHands } from "../../app/platform/helper_workers.ts";
import {
	measuredIn,
	NOT_REPLAYED,
	type Replayed,
	type Replays,
	replayAll,
} from "../../app/playback/many_replays.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { facts } from "../../app/state/store.ts";
import { axisOf, cellsOf, type Question, runOf } from "./grid.ts";

export interface Sweep {
	readonly question: Question | null;
	readonly cells: readonly Replayed[];
	readonly running: boolean;
	/** Why the sweep did not start, "" otherwise. */
	readonly sentence: string;
	readonly workers: number;
}

export const useSweep = create<Sweep>(() => ({
	question: null,
	cells: [],
	running: false,
	sentence: "",
	workers: Math.max(1, mostHands() - 1),
}));

const set = (some: Partial<Sweep>) => useSweep.setState(some);

let replays: Replays | undefined;

function questionNow(): Question {
	const { trace, machine, grid, built } = facts();
	const keys: readonly string[] = WORKLOADS.flatMap((w) => w.keys);
	const axis = (text: string) => axisOf(text, trace, built?.params ?? [], keys);
	return {
		trace,
		base: machine,
		x: axis(grid.x),
		y: grid.y === "" ? undefined : axis(grid.y),
	};
}

export async function startSweep(): Promise<void> {
	endSweep();
	let question: Question;
	try {
		question = questionNow();
	} catch (error) {
		set({ sentence: sentenceOf(error) });
		return;
	}
	const all = Array.from({ length: cellsOf(question) }, (_, cell) => runOf(question, cell));
	set({ question, cells: all.map(() => NOT_REPLAYED), running: true, sentence: "" });
	const mine = replayAll(question.trace, all, useSweep.getState().workers, (nr, replayed) => {
		set({ cells: useSweep.getState().cells.with(nr, replayed) });
	});
	replays = mine;
	try {
		await mine.done;
	} catch (error) {
		if (mine === replays) set({ sentence: sentenceOf(error) });
	}
	if (mine === replays) endSweep();
}

/** Stops; results so far stay. */
export function endSweep(): void {
	replays?.stop();
	replays = undefined;
	if (useSweep.getState().running) set({ running: false });
}

export function measuredAt(cell: Replayed | undefined, metric: string): Measured | undefined {
	return cell && measuredIn(cell, metric);
}

/** Opens the replay of a cell on the stage, at the event where its number was highest. */
export async function openCell(nr: number, metric: string): Promise<void> {
	const { question, cells } = useSweep.getState();
	const found = measuredAt(cells[nr], metric);
	if (!question || !found) return;
	const { trace, machine } = runOf(question, nr);
	await restore({
		...viewOf(facts()),
		trace,
		machine,
		tab: "explore",
		op: Math.max(0, found.op - 1),
		step: -1,
	});
}

export const METRICS = MEASURES;
