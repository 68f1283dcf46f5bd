/** Grids of replays, computed by a few helper workers; results stay while the page lives. */

import { create } from "zustand";
import { WORKLOADS } from "#abi";
import { MEASURES, type Measured } from "#wasm";
import { viewOf } from "../../app/link/url.ts";
import { restore } from "../../app/navigation/sync.ts";
import {
	createMeasuring,
	measuredIn,
	type Replayed,
	usualHands,
} from "../../app/playback/many_replays.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { facts } from "../../app/state/store.ts";
import { axisOf, cellsOf, type Question, runOf } from "./grid.ts";

const { store, start, stop } = createMeasuring();

export { stop as endSweep, store as sweepCells };

interface Sweep {
	/** The grid that the replays are the cells of. */
	readonly question: Question | null;
	/** Why the sweep did not start, "" otherwise. */
	readonly refused: string;
	readonly workers: number;
}

export const useSweep = create<Sweep>(() => ({
	question: null,
	refused: "",
	workers: usualHands(),
}));

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
	stop();
	try {
		const question = questionNow();
		const all = Array.from({ length: cellsOf(question) }, (_, cell) => runOf(question, cell));
		useSweep.setState({ question, refused: "" });
		await start(all, useSweep.getState().workers);
	} catch (error) {
		useSweep.setState({ refused: sentenceOf(error) });
	}
}

export function measuredAt(cell: Replayed | undefined, metric: string): Measured | undefined {
	return cell && measuredIn(cell, metric);
}

/** Opens the replay of a cell on the stage, at the event where its number was highest. */
export async function openCell(nr: number, metric: string): Promise<void> {
	const { question } = useSweep.getState();
	const found = measuredAt(store.getState().replays[nr], metric);
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
