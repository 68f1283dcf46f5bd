/** Grids of replays, computed by a few helper workers; results stay while the page lives. */

import { proxy } from "comlink";
import { create } from "zustand";
import { WORKLOADS } from "#abi";
import { MEASURES, type Measured } from "#wasm";
import { viewOf } from "../../app/link/url.ts";
import { restore } from "../../app/navigation/sync.ts";
import { engine } from "../../app/platform/engine_link.ts";
import { type Hand, hire, mostHands } from "../../app/platform/helper_workers.ts";
import { inFull } from "../../app/playback/opened.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { busy, facts } from "../../app/state/store.ts";
import { MADE } from "../../engine/generated_trace.ts";
import { axisOf, cellsOf, type Question, runOf } from "./grid.ts";

export interface Cell {
	/** Undefined while it is unknown, or if the cell is invalid. */
	readonly rows: readonly Measured[] | undefined;
	/** Why the cell is invalid, "" otherwise. */
	readonly why: string;
}

export interface Sweep {
	readonly question: Question | null;
	readonly cells: readonly Cell[];
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

/** The busy workers, and the number of their sweep. */
let hands: Hand[] = [];
let sweeps = 0;
let stop = () => {};

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
	const mine = ++sweeps;
	let question: Question;
	try {
		question = questionNow();
	} catch (error) {
		set({ sentence: sentenceOf(error) });
		return;
	}
	const blank: Cell = { rows: undefined, why: "" };
	const cells = Array.from({ length: cellsOf(question) }, () => blank);
	set({ question, cells, running: true, sentence: "" });
	const stopped = new Promise<void>((resolve) => {
		stop = resolve;
	});
	try {
		await busy(() => Promise.race([workOn(question, mine), stopped]));
	} catch (error) {
		if (mine === sweeps) set({ sentence: sentenceOf(error) });
	}
	if (mine === sweeps) endSweep();
}

/** Stops; results so far stay. */
export function endSweep(): void {
	sweeps++;
	for (const hand of hands) hand.release();
	hands = [];
	stop();
	if (useSweep.getState().running) set({ running: false });
}

async function workOn(question: Question, mine: number): Promise<void> {
	const { trace } = question;
	const text = trace.startsWith(MADE) ? undefined : await engine().text();
	const caches = await engine().cachesInUse();
	let next = 0;
	const work = async (): Promise<void> => {
		const hand = await hire();
		if (mine !== sweeps) {
			hand.release();
			return;
		}
		hands.push(hand);
		for (let cell = next++; cell < cellsOf(question) && mine === sweeps; cell = next++) {
			const run = runOf(question, cell);
			const machine = inFull(trace, run.machine);
			const found = await hand.helper
				.measure({ name: run.trace, text, caches }, machine, quiet)
				.then(
					(rows): Cell => ({ rows, why: "" }),
					(error): Cell => ({ rows: undefined, why: sentenceOf(error) }),
				);
			if (mine === sweeps) set({ cells: useSweep.getState().cells.with(cell, found) });
		}
	};
	const nr = Math.min(useSweep.getState().workers, cellsOf(question));
	await Promise.all(Array.from({ length: nr }, work));
}

const quiet = proxy(() => {});

export function measuredAt(cell: Cell | undefined, metric: string): Measured | undefined {
	return cell?.rows?.find(({ key }) => key === metric);
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
