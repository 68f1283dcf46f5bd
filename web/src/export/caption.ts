/** The caption of an exported picture of the stage: the position, and the sentence of its step. */

import { allocatorOf, facts } from "../app/state/store.ts";
import { count } from "../base/format.ts";
import { eventWords, numberOf } from "../base/numbering.ts";
import type { Moment } from "../engine/types.ts";

export interface CaptionLines {
	readonly where: string;
	readonly sentence: string;
}

export function captionOf(moment: Moment): CaptionLines {
	const { trace, built, cache } = facts();
	const { position, nrSteps, steps, firstStep, op } = moment;
	const where = [
		trace.replace(/^local:/, ""),
		allocatorOf(built).toUpperCase(),
		cache,
		`${eventWords(position.op)} of ${count(built?.nrOps ?? 0)}`,
		`step ${count(numberOf(position.step))} of ${count(nrSteps)}`,
	];
	const sentence = steps[position.step - firstStep]?.sentence ?? op.sentence;
	return { where: where.filter(Boolean).join(" · "), sentence };
}
