/** The effect of another value of a parameter on this trace: a helper worker replays the trace with it, and without. */
import { proxy } from "comlink";
import { create } from "zustand";
import type { Measured } from "#wasm";
import { engine } from "../../app/platform/engine_link.ts";
import { type Hand, hire } from "../../app/platform/helper_workers.ts";
import { inFull } from "../../app/playback/opened.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { busy, facts } from "../../app/state/store.ts";
import type { Built, CostParam, Machine, Param } from "../../engine/types.ts";
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
	let hand: Hand | undefined;
	try {
		await busy(async () => {
			hand = await hire();
			const { helper } = hand;
			const stage = await engine().stageCopy(trace);
			const replay = (on: Machine) =>
				helper.measure(
					{ name: trace, stage },
					inFull(trace, on),
					proxy(() => {}),
				);
			const base = await replay(machine);
			put(built, param.key, { base });
			for (const value of others) {
				// Another trace or machine: nobody reads these any more.
				if (facts().built !== built) return;
				const values = { ...machine.values, [param.key]: value };
				const effect = await replay({ ...machine, values }).then(
					(rows): Effect => ({ value, rows, why: "" }),
					(error): Effect => ({ value, rows: [], why: sentenceOf(error) }),
				);
				const known = useEffects.getState().of[param.key]?.others ?? [];
				put(built, param.key, { others: [...known, effect] });
			}
		});
	} catch (error) {
		put(built, param.key, { sentence: sentenceOf(error) });
	} finally {
		hand?.release();
		if (facts().built === built) put(built, param.key, { isRunning: false });
	}
}
