/**
 * Hides the text below a question until the reader has answered it or asked for the answer: somebody who reads the
 * reason first has nothing left to predict. Once open, it stays open, also when the reader returns to the lesson.
 */
import {
	Children,
	createContext,
	isValidElement,
	type ReactElement,
	type ReactNode,
	useContext,
	useMemo,
} from "react";
import { create } from "zustand";

/** Opens the text below its question. */
const OpenContext = createContext<() => void>(() => {});

export function useOpen(): () => void {
	return useContext(OpenContext);
}

/** Lesson, stop and number of each question whose text below is open. */
const useOpened = create<Readonly<Record<string, true>>>(() => ({}));

function open(question: string): void {
	if (!useOpened.getState()[question]) useOpened.setState({ [question]: true });
}

interface Piece {
	/** Text up to the question. */
	readonly text: readonly ReactNode[];
	/** Nothing after the last text. */
	readonly question: ReactElement | null;
}

/** The children of a stop, split below each question. */
export function cutAtQuestions(
	children: ReactNode,
	isQuestion: (child: ReactElement) => boolean,
): Piece[] {
	const pieces: Piece[] = [];
	let text: ReactNode[] = [];
	for (const child of Children.toArray(children))
		if (isValidElement(child) && isQuestion(child)) {
			pieces.push({ text, question: child });
			text = [];
		} else text.push(child);
	return [...pieces, { text, question: null }];
}

interface Props {
	/** Names this stop among all stops of all lessons. */
	readonly name: string;
	readonly isQuestion: (child: ReactElement) => boolean;
	readonly children: ReactNode;
}

export function Gate({ name, isQuestion, children }: Props) {
	const opened = useOpened();
	const pieces = useMemo(() => cutAtQuestions(children, isQuestion), [children, isQuestion]);
	const closed = pieces.findIndex(({ question }, i) => question && !opened[`${name} ${i}`]);
	const shown = closed < 0 ? pieces : pieces.slice(0, closed + 1);
	return (
		<>
			{shown.map(({ text, question }, i) => (
				<OpenContext key={`${name} ${i}`} value={() => open(`${name} ${i}`)}>
					{text}
					{question}
				</OpenContext>
			))}
			{shown.length < pieces.length && (
				<p className="quiet" data-gate>
					The rest of this section follows your answer: give one, or show it.
				</p>
			)}
		</>
	);
}
