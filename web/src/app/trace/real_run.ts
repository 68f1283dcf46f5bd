/**
 * The states of the real kernel that recorded the trace on the stage. The stage's replay starts from the earlier one,
 * and a helper worker checks the model against the run.
 */
import { proxy } from "comlink";
import type { Edge } from "#wasm";
import { engine, onProgress } from "../platform/engine_link.ts";
import { type Job, job } from "../playback/many_replays.ts";
import { showError } from "../playback/player.ts";
import { change, facts, store } from "../state/store.ts";
import { beginCold, beginOtherwise } from "./actions.ts";

const run = {
	/** The trace that the states belong to. */
	trace: "",
	start: undefined as File | undefined,
	stop: undefined as File | undefined,
	/** The check in progress. */
	check: undefined as Job<unknown> | undefined,
};

/**
 * A state of another trace does not belong to this one. If there is a start state, the stage's replay starts from it
 * before the check runs, because the check replays the machine on the stage.
 */
export async function addState(edge: Edge, file: File): Promise<void> {
	const { trace } = facts();
	if (run.trace !== trace) Object.assign(run, { trace, start: undefined, stop: undefined });
	if (edge === "start") {
		run.start = undefined;
		if (facts().startState?.used) await beginCold(facts().cold);
		if (facts().trace !== trace) return;
		change({ startState: { name: file.name, used: false, canBegin: true } });
		await begin(file);
	}
	if (facts().trace !== trace) return;
	run[edge] = file;
	await check();
}

/** Starts the stage's replay from the start state, at the same event; does nothing without one. */
export async function beginWithState(): Promise<void> {
	const { startState, trace } = facts();
	if (run.start && trace === run.trace && startState?.canBegin && !startState.used)
		await begin(run.start);
}

async function begin(file: File): Promise<void> {
	const { machineState, built: before } = facts();
	let canBegin = true;
	const replay = async () => {
		const { built, ...answer } = await engine().beginWithState(file, onProgress);
		canBegin = answer.canBegin;
		// The check has its own start, so its result stays valid.
		const { agreement } = facts();
		if (agreement?.built === before) change({ agreement: agreement && { ...agreement, built } });
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

/** Another machine is checked too; another trace has no states. */
store.subscribe(({ built, agreement }, before) => {
	if (built !== before.built && agreement?.built !== built) void check();
});

async function check(): Promise<void> {
	run.check?.stop();
	const { built, trace } = facts();
	const { start, stop } = run;
	if (!built || !start || trace !== run.trace) return;
	const quiet = proxy(() => {});
	const checking = job(async (helper) =>
		helper.checkRun(await engine().stageCopy(trace), { start, stop }, quiet),
	);
	run.check = checking;
	try {
		const checked = await checking.done;
		if (checked && run.check === checking) change({ agreement: { built, checked } });
	} catch (error) {
		if (run.check === checking) showError(error);
	}
}
