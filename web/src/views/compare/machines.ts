/** Compares machines: their text form, and the calls to the worker. */
import type { Totals } from "#abi";
import { engine, onProgress } from "../../app/platform/engine_link.ts";
import { inFull } from "../../app/playback/opened.ts";
import { busy, facts, lookUp } from "../../app/state/store.ts";
import { isCancelled } from "../../base/errors.ts";
import type { Comparison, StageOf } from "../../engine/answers.ts";
import type { Built, Machine, Moment } from "../../engine/types.ts";

/**
 * ALLOCATOR[,KEY=VALUE...], as on the command line: a value may contain commas. The settings are added to those of
 * the machine on the stage.
 */
export function machineOf(spec: string, base: Machine): Machine {
	const values: Record<string, string> = { ...base.values };
	let preset = base.preset;
	for (const [i, part] of spec.split(/,(?=[^,]*=)/).entries()) {
		const equals = part.indexOf("=");
		const [key, value] =
			equals < 0 ? ["allocator", part] : [part.slice(0, equals), part.slice(equals + 1)];
		if (equals < 0 && i > 0) continue;
		if (key === "preset") preset = value;
		else values[key] = value;
	}
	return { preset, values };
}

export function allocatorIn(spec: string): string {
	return spec.split(",")[0] ?? "";
}

export function settingsIn(spec: string): string {
	return spec.split(",").slice(1).join(",");
}

export function specOf(allocator: string, settings: string): string {
	const text = settings.trim().replace(/\s+/g, ",");
	return text === "" ? allocator : `${allocator},${text}`;
}

/** The comparison that the worker holds, and its inputs. */
let made:
	| { built: Built | null; specs: readonly string[]; answer: Promise<Comparison | null> }
	| undefined;

/**
 * Null if it was cancelled; rejects with a sentence for an invalid machine. The same question gives the same object.
 */
export function compareWith(specs: readonly string[]): Promise<Comparison | null> {
	const { built } = facts();
	if (made?.built === built && made.specs === specs) return made.answer;
	const answer = compared(specs);
	made = { built, specs, answer };
	const forget = () => {
		if (made?.answer === answer) made = undefined;
	};
	answer.then((comparison) => comparison ?? forget(), forget);
	return answer;
}

async function compared(specs: readonly string[]): Promise<Comparison | null> {
	const { trace, machine } = facts();
	const base = inFull(trace, machine);
	const machines = specs.map((spec) => machineOf(spec, base));
	try {
		return await lookUp(() => engine().compare(machines, onProgress));
	} catch (error) {
		if (isCancelled(error)) return null;
		throw error;
	}
}

export function totalsAt(op: number): Promise<readonly Totals[]> {
	return busy(() => engine().compareAt(op));
}

/** In the middle of an event the other machine is shown as it was before it. */
export function stageOf(other: number, moment: Moment, cache: string): StageOf {
	const { op, step } = moment.position;
	return { other, op, isDone: step >= moment.nrSteps - 1, cache };
}
