/** Grids of replays, computed by a few helper workers; results stay while the page lives. */

import { create } from "zustand";
import { ALLOCATORS, WORKLOADS } from "#abi";
import { MEASURES, type Measured } from "#wasm";
import { viewOf } from "../../app/link/url.ts";
import { restore } from "../../app/navigation/sync.ts";
import {
	createMeasuring,
	isQuick,
	measuredIn,
	type Replayed,
	usualHands,
} from "../../app/playback/many_replays.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { change, facts, type Grid, type StillFacts } from "../../app/state/store.ts";
import type { Machine, Param } from "../../engine/types.ts";
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

/** Replays the grid on the trace and machine of the stage; a large grid only if the visitor asks for it. */
export async function startSweep(isUnasked = false): Promise<void> {
	try {
		const question = questionNow();
		if (isUnasked && !isQuick(cellsOf(question))) return;
		stop();
		const all = Array.from({ length: cellsOf(question) }, (_, cell) => runOf(question, cell));
		useSweep.setState({ question, refused: "" });
		await start(all, useSweep.getState().workers);
	} catch (error) {
		useSweep.setState({ refused: sentenceOf(error) });
	}
}

/** Whether the cells belong to another trace than the one on the stage, or to another machine beside the varied parameters. */
export function isOld({ question }: Sweep, { trace, machine }: StillFacts): boolean {
	if (!question) return false;
	const varied = [question.x.key, question.y?.key];
	const rest = ({ preset, values }: Machine) =>
		JSON.stringify([
			varied.includes("preset") ? "" : preset,
			Object.entries(values)
				.filter(([key]) => !varied.includes(key))
				.sort(),
		]);
	return question.trace !== trace || rest(question.base) !== rest(machine);
}

interface Ready extends Grid {
	readonly name: string;
}

/** Questions that are asked with one press. */
const READY: readonly Ready[] = [
	{
		name: "Memory by slab order and CPUs",
		x: "max_order=0..5",
		y: "cpus=1,2,4,8,16",
		metric: "slab_bytes_peak",
	},
	{
		name: "Slow paths by min_partial and per-CPU partial lists",
		x: "min_partial=0,2,5,10,20",
		y: "cpu_partial=0,6,30,120",
		metric: "slow_paths",
	},
	{
		name: "Model cycles by allocator and CPUs",
		x: `allocator=${Object.keys(ALLOCATORS).join(",")}`,
		y: "cpus=1,2,4,8",
		metric: "cycles",
	},
];

/** Those whose parameters the machine on the stage has. */
export function readyFor(params: readonly Param[]): Ready[] {
	const has = (axis: string) => params.some(({ key }) => axis.startsWith(`${key}=`));
	return READY.filter(({ x, y }) => has(x) && has(y));
}

export function askReady({ x, y, metric }: Ready): void {
	change({ grid: { x, y, metric } });
	void startSweep();
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
