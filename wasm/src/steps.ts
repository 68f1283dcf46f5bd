// steps.ts - names for a step's numbers: kinds, arguments by name, and the words of enum arguments.

import * as abi from "./abi.ts";

/** Arguments whose numbers stand for words. */
const ARGUMENT_WORDS: Readonly<Record<string, readonly string[]>> = {
	reason: abi.REASON_WORDS,
	outcome: abi.OUTCOME_WORDS,
	what: abi.WHAT_WORDS,
	owner: abi.OWNER_WORDS,
};

export interface StepArgument {
	readonly name: string;
	readonly value: number;
	/** The word that the number stands for, if it stands for one. */
	readonly words?: string | undefined;
}

export function stepKind(step: abi.Step): abi.StepKindInfo {
	const info = abi.STEP_KINDS[step.kind];
	if (info === undefined) {
		throw new RangeError(`Step kind ${step.kind} does not exist.`);
	}
	return info;
}

export function stepArguments(step: abi.Step): StepArgument[] {
	return stepKind(step).args.map((name, i) => {
		const value = step.args[i] ?? 0;
		return { name, value, words: ARGUMENT_WORDS[name]?.[value] };
	});
}

/** One argument by its name; undefined if steps of this kind do not have it. */
export function stepArgument(step: abi.Step, name: string): number | undefined {
	const i = stepKind(step).args.indexOf(name);
	return i < 0 ? undefined : step.args[i];
}

/** The kernel's counter that a step of this kind adds to; they share their names. */
export function stepCounter(step: abi.Step): abi.Counter | undefined {
	const counters: Readonly<Record<string, abi.Counter>> = abi.Counter;
	return counters[stepKind(step).name];
}
