/** First answers to a lesson's questions, while the page lives: a second try knows more than a first. */
import { create } from "zustand";

/** Maps lesson and question to whether the first answer was right. */
type Firsts = Readonly<Record<string, boolean>>;

const useFirsts = create<Firsts>(() => ({}));

/** The first answer stays the first. */
export function answerFirst(lesson: string, question: string, right: boolean): void {
	const key = `${lesson} ${question}`;
	if (useFirsts.getState()[key] === undefined) useFirsts.setState({ [key]: right });
}

export interface Score {
	readonly answered: number;
	readonly right: number;
}

export function useScore(lesson: string): Score {
	const firsts = useFirsts();
	const mine = Object.entries(firsts).filter(([key]) => key.startsWith(`${lesson} `));
	return { answered: mine.length, right: mine.filter(([, right]) => right).length };
}
