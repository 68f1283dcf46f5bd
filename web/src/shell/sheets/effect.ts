/** The effect of another value of a parameter on this trace: a helper worker replays the trace with it, and without. */
import { create } from "zustand";
import type { Measured } from "#wasm";
import { replayAll } from "../../app/playback/many_replays.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { facts } from "../../app/state/store.ts";
import type { Built, CostParam, Param } from "../../engine/types.ts";
import { inEffect, valuesToTry } from "./values_to_try.ts";

/** The replay with one value; `why` if the core refuses it. */
export interface Effect {
	readonly value: string;
	readonly rows: readonly Measured[];
	readonly why: string;
}

export interface Effects {
	/** The replay of the machine on the stage. */
	readonly base: readonly Measured[];
	/** The number in effect there; undefined if it is not one, or not reported. */
	readonly now: number | undefined;
	readonly others: readonly Effect[];
	readonly isRunning: boolean;
	/** Why nothing could be measured, "" otherwise. */
	readonly sentence: string;
}

interface All {
	/** The trace and the machine that they belong to. */
	readonly built: Built | null;
	readonly of: Readonly<Record<string, Effects>>;
}

export const useEffects = create<All>(() => ({ built: null, of: {} }));

/** The numbers that are compared, by their names for `slabscope sweep --metric`. */
export const METRICS = ["slabs_peak", "slab_bytes_peak", "slow_paths", "cycles"] as const;

/** The values to measure now, with the value in effect. */
export function othersOf(param: Param | CostParam): { now: number | undefined; others: string[] } {
	const { built, moment, cache } = facts();
	const row = (moment?.caches ?? built?.caches)?.find((c) => c.name === cache);
	const now = inEffect(param, built, row);
	return { now, others: valuesToTry(param, now) };
}

function put(built: Built, key: string, some: Partial<Effects>): void {
	const now = useEffects.getState();
	const of = now.built === built ? now.of : {};
	const before = of[key] ?? {
		base: [],
		now: undefined,
		others: [],
		isRunning: false,
		sentence: "",
	};
	useEffects.setState({ built, of: { ...of, [key]: { ...before, ...some } } });
}

/** Measures the values one after another; each is shown as soon as it is known. */
export async function measureEffects(param: Param | CostParam): Promise<void> {
	const { built, trace, machine } = facts();
	if (!built) return;
	const { now, others } = othersOf(param);
	put(built, param.key, { base: [], now, others: [], isRunning: true, sentence: "" });
	const values = others.map((value) => ({ ...machine.values, [param.key]: value }));
	const machines = [machine, ...values.map((those) => ({ ...machine, values: those }))];
	const all = machines.map((one) => ({ trace, machine: one }));
	const replays = replayAll(trace, all, 1, (nr, { rows = [], why }) => {
		// Another trace or machine: nobody reads these any more.
		if (facts().built !== built) return replays.stop();
		const value = others[nr - 1];
		const known = useEffects.getState().of[param.key]?.others ?? [];
		if (value !== undefined) put(built, param.key, { others: [...known, { value, rows, why }] });
		else if (why === "") put(built, param.key, { base: rows });
		else {
			put(built, param.key, { sentence: why });
			replays.stop();
		}
	});
	try {
		await replays.done;
	} catch (error) {
		put(built, param.key, { sentence: sentenceOf(error) });
	}
	if (facts().built === built) put(built, param.key, { isRunning: false });
}
