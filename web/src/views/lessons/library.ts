/** The list of lessons: lessons.json describes each, its text is loaded when it is opened. */
import type { ComponentType } from "react";
import { loadCode } from "../../base/load_code.ts";
import { onTryAgain } from "../../ui/lazy_part.tsx";
import list from "./text/lessons.json";

export interface LessonCard {
	/** Name of the file without .mdx; in the address as lesson=NAME. */
	readonly name: string;
	readonly title: string;
	readonly teaches: string;
	readonly minutes: number;
	/** Trace and machine of the whole lesson, unless a stop has its own. */
	readonly trace?: string;
	readonly machine?: string;
}

export type LessonText = ComponentType<{
	readonly components: Readonly<Record<string, unknown>>;
}>;

const TEXTS = import.meta.glob<{ readonly default: LessonText }>("./text/*.mdx");

export const LESSONS: readonly LessonCard[] = list;

const loaded = new Map<string, Promise<LessonText>>();

/** The same promise for the same lesson, as React's use() wants it. */
export function textOf(name: string): Promise<LessonText> {
	const known = loaded.get(name);
	if (known) return known;
	const load = TEXTS[`./text/${name}.mdx`];
	const text = load
		? loadCode(load).then((m) => m.default)
		: Promise.reject(new Error(`Slabscope has no lesson ${name}.`));
	text.catch(() => onTryAgain(() => loaded.delete(name)));
	loaded.set(name, text);
	return text;
}
