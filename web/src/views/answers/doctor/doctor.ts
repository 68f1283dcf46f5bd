/** Replays of single changes of a parameter: measured by helper workers, ranked by the core. They stay while the page lives. */
import { create } from "zustand";
import type { ParamChange, Savings } from "#wasm";
import { engine } from "../../../app/platform/engine_link.ts";
import { createMeasuring, isKnown, isQuick } from "../../../app/playback/many_replays.ts";
import { sentenceOf } from "../../../app/playback/player.ts";
import { facts } from "../../../app/state/store.ts";
import type { Built, Machine } from "../../../engine/types.ts";

/** The ranking so far is asked for after this many more replays. */
const RANK_EVERY = 12;

/** The first replay is that of the machine without a change. */
const { store, start, stop } = createMeasuring();

export { store as doctorReplays };

export interface Doctor {
	/** The trace and machine that the results belong to; null before the first. */
	readonly built: Built | null;
	readonly trace: string;
	readonly changes: readonly ParamChange[];
	readonly isRunning: boolean;
	readonly savings: Savings | undefined;
	/** Why nothing could be measured, "" otherwise. */
	readonly sentence: string;
}

const NOTHING: Doctor = {
	built: null,
	trace: "",
	changes: [],
	isRunning: false,
	savings: undefined,
	sentence: "",
};

export const useDoctor = create<Doctor>(() => NOTHING);
const set = (some: Partial<Doctor>) => useDoctor.setState(some);

function machineWith(base: Machine, { key, value }: ParamChange): Machine {
	return { ...base, values: { ...base.values, [key]: value } };
}

/** Measures every change on the trace and machine of the stage; a long measurement only if the visitor asks for it. */
export async function startDoctor(isUnasked = false): Promise<void> {
	stopDoctor();
	const { trace, machine, built } = facts();
	set({ ...NOTHING, built, trace, isRunning: true });
	const isCurrent = () => useDoctor.getState().built === built;
	try {
		const changes = await engine().changesToTry();
		if (!isCurrent()) return;
		if (isUnasked && !isQuick(changes.length + 1)) {
			set(NOTHING);
			return;
		}
		set({ changes });
		const machines = [machine, ...changes.map((one) => machineWith(machine, one))];
		await start(machines.map((one) => ({ trace, machine: one })));
		const { sentence, replays } = store.getState();
		set({ sentence: sentence || (replays[0]?.why ?? "") });
		await rank();
	} catch (error) {
		if (isCurrent()) set({ sentence: sentenceOf(error) });
	}
	if (isCurrent()) set({ isRunning: false });
}

async function rank(): Promise<void> {
	const { built } = useDoctor.getState();
	const { replays } = store.getState();
	const [base, ...others] = replays.map(({ rows }) => rows?.map(({ value }) => value ?? 0));
	if (!base) return;
	const savings = await engine().savings(base, others);
	if (useDoctor.getState().built === built) set({ savings });
}

store.subscribe(({ replays, isRunning }) => {
	const done = replays.filter(isKnown).length;
	// A list that changes several times a second cannot be read.
	if (isRunning && done > 0 && done % RANK_EVERY === 0 && !isQuick(replays.length)) void rank();
});

/** Stops; results so far stay. */
export function stopDoctor(): void {
	stop();
	if (useDoctor.getState().isRunning) set({ isRunning: false });
}
