/** The context of a lesson's widgets: the place that the surrounding text is about. */

import { type ComponentType, createContext, useContext } from "react";
import { create } from "zustand";
import { recall, remember } from "../../../base/kept.ts";
import { loadCode } from "../../../base/load_code.ts";
import type { Target } from "../../../engine/quiz/judge.ts";
import { onTryAgain } from "../../../ui/lazy_part.tsx";
import list from "../text/lessons.json";
import type { Place } from "./places.ts";

export interface Around {
	readonly lesson: string;
	readonly place: Place;
	/** The stop around it; undefined outside of stops. */
	readonly stop?: string;
	/** Registers the place of a stop. Returns a function that removes it. */
	readonly register: (stop: string, place: Place) => () => void;
	/** Makes the stop being read the current one, as the next scroll event would. */
	readonly settle: () => void;
	/** Whether the lesson is read with the reader's own file: the places in its text are then in a different trace. */
	readonly isYours?: boolean;
}

export const AroundContext = createContext<Around>({
	lesson: "",
	place: {},
	register: () => () => {},
	settle: () => {},
});

export function useAround(): Around {
	return useContext(AroundContext);
}

/** Makes a place inside another one. If its trace or machine is different, it inherits no event. */
export function within(outer: Place, inner: Place): Place {
	const other = inner.trace !== undefined && inner.trace !== outer.trace;
	const base: Place = other
		? {}
		: { trace: outer.trace, machine: outer.machine, cache: outer.cache };
	const said = Object.fromEntries(Object.entries(inner).filter(([, v]) => v !== undefined));
	return { ...base, ...(other ? { machine: "" } : {}), ...said };
}

/* The list of lessons: lessons.json describes each, its text is loaded when it is opened. */

export interface LessonCard {
	/** Name of the file without .mdx; in the address as lesson=NAME. */
	readonly name: string;
	readonly title: string;
	readonly teaches: string;
	readonly minutes: number;
	/** Trace and machine of the whole lesson, unless a stop has its own. */
	readonly trace?: string;
	readonly machine?: string;
	/** Whether the reader's own file, if one is open, replaces that trace. */
	readonly yours?: boolean;
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

/** The task at the end of a lesson: find a machine on which a trace reaches its goals. */
export interface Problem {
	readonly title: string;
	readonly says: string;
	/** The trace and machine, where they differ from the lesson's. */
	readonly trace?: string;
	readonly machine?: string;
	/** The parameters that the reader may set, with their values, separated by blanks. */
	readonly controls: Readonly<Record<string, string>>;
	readonly targets: readonly Target[];
}

type LessonText = ComponentType<{
	readonly components: Readonly<Record<string, unknown>>;
}>;

const TEXTS = import.meta.glob<{ readonly default: LessonText }>("../text/*.mdx");

export const LESSONS = list as unknown as readonly LessonCard[];

const loaded = new Map<string, Promise<LessonText>>();

/** Returns the same promise for the same lesson, as React's use() requires. */
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

/*
 * First answers to the questions of lessons, and solved problems. The browser keeps them between visits. A second try
 * knows more than a first.
 */

const KEPT = "slabscope-lessons";
/** Stands for the problem at a lesson's end, in place of a question. */
const PROBLEM = "problem";

/** Maps lesson and question to whether the first answer was right. */
type Firsts = Readonly<Record<string, boolean>>;

/** A different version of the page may have written this. */
function firstsIn(kept: unknown): Firsts {
	if (typeof kept !== "object" || kept === null) return {};
	return Object.fromEntries(
		Object.entries(kept).filter((one): one is [string, boolean] => typeof one[1] === "boolean"),
	);
}

const useFirsts = create<Firsts>(() => firstsIn(recall(KEPT)));

function note(key: string, right: boolean): void {
	if (useFirsts.getState()[key] !== undefined) return;
	useFirsts.setState({ [key]: right });
	remember(KEPT, useFirsts.getState());
}

/** Only the first answer counts. */
export function answerFirst(lesson: string, question: string, right: boolean): void {
	note(`${lesson} ${question}`, right);
}

export function solve(lesson: string): void {
	note(`${lesson} ${PROBLEM}`, true);
}

interface Score {
	readonly answered: number;
	readonly right: number;
	/** The problem at the lesson's end. */
	readonly solved: boolean;
}

export function useScore(lesson: string): Score {
	const firsts = useFirsts();
	const problem = `${lesson} ${PROBLEM}`;
	const mine = Object.entries(firsts).filter(
		([key]) => key.startsWith(`${lesson} `) && key !== problem,
	);
	return {
		answered: mine.length,
		right: mine.filter(([, right]) => right).length,
		solved: firsts[problem] === true,
	};
}

/* Machines of lessons as words: "preset=linux-4.19 min_partial=9". */

/** The machine with the parameter set. */
export function withValue(machine: string, param: string, value: string): string {
	const others = machine
		.split(/\s+/)
		.filter((word) => word !== "" && !word.startsWith(`${param}=`));
	return [...others, `${param}=${value}`].join(" ");
}
