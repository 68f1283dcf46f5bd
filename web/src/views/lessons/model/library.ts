/** The list of lessons: lessons.json describes each, its text is loaded when it is opened. */
import type { ComponentType } from "react";
import { loadCode } from "../../../base/load_code.ts";
import type { Target } from "../../../engine/quiz/judge.ts";
import { onTryAgain } from "../../../ui/lazy_part.tsx";
import list from "../text/lessons.json";

export interface LessonCard {
	/** Name of the file without .mdx; in the address as lesson=NAME. */
	readonly name: string;
	readonly title: string;
	readonly teaches: string;
	readonly minutes: number;
	/** Trace and machine of the whole lesson, unless a stop has its own. */
	readonly trace?: string;
	readonly machine?: string;
	/** How many questions its text asks. */
	readonly questions: number;
	readonly plays: Plays;
	readonly problem: Problem;
}

/** The passage that its small stage plays in the index, from a stop of the text on. */
export interface Plays {
	readonly machine?: string;
	readonly cache?: string;
	/** Events, counted from 0. */
	readonly from: number;
	readonly to: number;
}

/** The task at the end of a lesson: to find a machine on which a trace reaches goals. */
export interface Problem {
	readonly title: string;
	readonly says: string;
	/** Other ones than the lesson's. */
	readonly trace?: string;
	readonly machine?: string;
	/** The parameters that the reader may set, with their values, separated by blanks. */
	readonly controls: Readonly<Record<string, string>>;
	readonly targets: readonly Target[];
}

export type LessonText = ComponentType<{
	readonly components: Readonly<Record<string, unknown>>;
}>;

const TEXTS = import.meta.glob<{ readonly default: LessonText }>("../text/*.mdx");

export const LESSONS = list as unknown as readonly LessonCard[];

const loaded = new Map<string, Promise<LessonText>>();

/** The same promise for the same lesson, as React's use() wants it. */
export function textOf(name: string): Promise<LessonText> {
	const known = loaded.get(name);
	if (known) return known;
	const load = TEXTS[`../text/${name}.mdx`];
	const text = load
		? loadCode(load).then((m) => m.default)
		: Promise.reject(new Error(`Slabscope has no lesson ${name}.`));
	text.catch(() => onTryAgain(() => loaded.delete(name)));
	loaded.set(name, text);
	return text;
}
