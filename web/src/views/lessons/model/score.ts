/**
 * First answers to the questions of lessons, and solved problems. The browser keeps them between visits. A second try
 * knows more than a first.
 */
import { create } from "zustand";
import { recall, remember } from "../../../base/kept.ts";

const KEPT = "slabscope-lessons";
/** Stands in the place of a question: the problem at a lesson's end. */
const PROBLEM = "problem";

/** Maps lesson and question to whether the first answer was right. */
type Firsts = Readonly<Record<string, boolean>>;

/** Another version of the page may have written this. */
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

/** The first answer stays the first. */
export function answerFirst(lesson: string, question: string, right: boolean): void {
	note(`${lesson} ${question}`, right);
}

export function solve(lesson: string): void {
	note(`${lesson} ${PROBLEM}`, true);
}

export interface Score {
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
