/** Replays of single changes of a parameter: measured by helper workers, ranked by the core. They stay while the page lives. */
import { create } from "zustand";
import type { ParamChange, Savings } from "#wasm";
import { engine } from "../../../app/platform/engine_link.ts";
import { mostHands } from "../../../app/platform/helper_workers.ts";
import { type Replays, replayAll } from "../../../app/playback/many_replays.ts";
import { sentenceOf } from "../../../app/playback/player.ts";
import { facts } from "../../../app/state/store.ts";
import type { Numbers } from "../../../engine/query/memory.ts";
import type { Built, Machine } from "../../../engine/types.ts";

/** The ranking so far is asked for after this many more replays. */
const RANK_EVERY = 12;

export interface Doctor {
	/** The trace and machine that the results belong to; null before the first. */
	readonly built: Built | null;
	readonly changes: readonly ParamChange[];
	readonly done: number;
	/** Settings without a valid machine. */
	readonly invalid: number;
	readonly isRunning: boolean;
	readonly savings: Savings | undefined;
	/** Why nothing could be measured, "" otherwise. */
	readonly sentence: string;
}

const NOTHING: Doctor = {
	built: null,
	changes: [],
	done: 0,
	invalid: 0,
	isRunning: false,
	savings: undefined,
	sentence: "",
};

export const useDoctor = create<Doctor>(() => NOTHING);
const set = (some: Partial<Doctor>) => useDoctor.setState(some);

let replays: Replays | undefined;

function machineWith(base: Machine, { key, value }: ParamChange): Machine {
	return { ...base, values: { ...base.values, [key]: value } };
}

/** Measures every change on the trace and machine of the stage. */
export async function startDoctor(): Promise<void> {
	stopDoctor();
	const { trace, machine, built } = facts();
	set({ ...NOTHING, built, isRunning: true });
	try {
		const changes = await engine().changesToTry();
		if (useDoctor.getState().built !== built) return;
		set({ changes });
		const machines = [machine, ...changes.map((one) => machineWith(machine, one))];
		await measure(trace, machines);
	} catch (error) {
		if (useDoctor.getState().built === built) set({ sentence: sentenceOf(error) });
	}
	if (useDoctor.getState().built === built) set({ isRunning: false });
}

async function measure(trace: string, machines: readonly Machine[]): Promise<void> {
	const results: Numbers[] = machines.map(() => undefined);
	const all = machines.map((machine) => ({ trace, machine }));
	const workers = Math.max(1, mostHands() - 1);
	const mine = replayAll(trace, all, workers, (nr, { rows, why }) => {
		results[nr] = rows?.map((row) => row.value ?? 0);
		const { done, invalid } = useDoctor.getState();
		set({ done: done + 1, invalid: invalid + (why === "" ? 0 : 1) });
		if (nr === 0 && why !== "") set({ sentence: why });
		if ((done + 1) % RANK_EVERY === 0) void rank(mine, results);
	});
	replays = mine;
	await mine.done;
	await rank(mine, results);
}

/** The first result is that of the machine without a change. */
async function rank(
	mine: Replays | undefined,
	[base, ...others]: readonly Numbers[],
): Promise<void> {
	if (!base) return;
	const savings = await engine().savings(base, others);
	if (mine === replays) set({ savings });
}

/** Stops; results so far stay. */
export function stopDoctor(): void {
	replays?.stop();
	replays = undefined;
	if (useDoctor.getState().isRunning) set({ isRunning: false });
}
