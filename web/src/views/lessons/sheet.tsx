/** A lesson's questions on paper: variants by a random seed, and the answers on a page of their own. */

import {
	createContext,
	use,
	useCallback,
	useContext,
	useEffect,
	useMemo,
	useRef,
	useState,
} from "react";
import { change } from "../../app/state/store.ts";
import type { Question } from "../../engine/answers.ts";
import { Button } from "../../ui/controls.tsx";
import lessonsCss from "./lessons.module.css";
import { type Around, AroundContext, useAround, within } from "./model/context.ts";
import { type LessonCard, textOf } from "./model/library.ts";
import { OnMachine, type PredictProps, useQuestion } from "./predict.tsx";
import css from "./sheet.module.css";
import type { StopProps } from "./widgets.tsx";

/** A question, and where it stands on the sheet. */
interface Answered {
	readonly question: Question;
	readonly at: HTMLElement;
}

interface Asking {
	readonly seed: number;
	/** Adds an answer to the key. Returns a function that removes it. */
	readonly answered: (answer: Answered) => () => void;
}

const AskingContext = createContext<Asking>({ seed: 0, answered: () => () => {} });

const nothing = () => null;
/** The sheet has only the questions of a lesson's text. */
const ON_PAPER = {
	...Object.fromEntries(
		["h1", "h2", "h3", "p", "ul", "ol", "table", "blockquote", "hr", "pre"].map((e) => [
			e,
			nothing,
		]),
	),
	Stop: PaperStop,
	Predict: PaperQuestion,
	...Object.fromEntries(
		["Go", "Player", "Switch", "ProposalTable", "Num", "Aside", "Limits", "Figure", "Beside"].map(
			(w) => [w, nothing],
		),
	),
};

export function Sheet({ card, seed }: { card: LessonCard; seed: number }) {
	const Text = use(textOf(card.name));
	const [answers, setAnswers] = useState<readonly Answered[]>([]);
	const answered = useCallback((answer: Answered) => {
		setAnswers((all) => [...all, answer].toSorted(inOrder));
		return () => setAnswers((all) => all.filter((a) => a !== answer));
	}, []);
	const asking = useMemo(() => ({ seed, answered }), [seed, answered]);
	const around = useMemo<Around>(
		() => ({
			lesson: card.name,
			place: { trace: card.trace, machine: card.machine ?? "" },
			register: () => () => {},
			settle: () => {},
		}),
		[card],
	);
	const [isKeyShown, setKeyShown] = useState(false);
	const open = (sheet: number) => change({ lesson: { name: card.name, stop: "", sheet } });
	return (
		<article
			className={`${lessonsCss.printed} ${css.sheet}`}
			data-printed
			data-transport="none"
			aria-label={`Questions: ${card.title}`}
		>
			<div className={`${lessonsCss.bar} ${css.bar}`}>
				<Button onClick={() => open(-1)}>Back to the lesson</Button>
				<span className={css.spacer} />
				<label className="check">
					<span>Variant</span>
					<input
						type="number"
						min={0}
						max={999999}
						value={seed}
						onChange={(e) => open(Math.min(999999, Math.max(0, Number(e.currentTarget.value))))}
					/>
				</label>
				<Button aria-expanded={isKeyShown} onClick={() => setKeyShown(!isKeyShown)}>
					{isKeyShown ? "Hide the answers" : "Show the answers"}
				</Button>
				<Button onClick={() => window.print()}>Print</Button>
			</div>
			<h2>{card.title}</h2>
			<p className={css.name}>Name</p>
			<ol className={css.questions} data-questions>
				<AskingContext value={asking}>
					<AroundContext value={around}>
						<Text components={ON_PAPER} />
					</AroundContext>
				</AskingContext>
			</ol>
			<AnswerKey card={card} seed={seed} answers={answers} isShown={isKeyShown} />
		</article>
	);
}

function inOrder(a: Answered, b: Answered): number {
	return a.at.compareDocumentPosition(b.at) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

function PaperStop({ children, id: _id, ...own }: StopProps) {
	const around = useAround();
	const inside = { ...around, place: within(around.place, own) };
	return <AroundContext value={inside}>{children}</AroundContext>;
}

function PaperQuestion(props: PredictProps) {
	const { children, kind: _kind, size: _size, ...own } = props;
	const { seed, answered } = useContext(AskingContext);
	const place = within(useAround().place, own);
	const { question, sentence } = useQuestion(props, place, seed);
	const item = useRef<HTMLLIElement>(null);
	useEffect(
		() => (question && item.current ? answered({ question, at: item.current }) : undefined),
		[question, answered],
	);
	return (
		<li className={css.question} ref={item}>
			<p className="strong">{(seed === 0 && children) || question?.title || sentence}</p>
			<OnMachine machine={place.machine} />
			{question?.given.map((line) => (
				<p key={line}>{line}</p>
			))}
			<ul>
				{question?.choices.map((choice) => (
					<li key={choice}>☐ {choice}</li>
				))}
			</ul>
		</li>
	);
}

interface KeyProps {
	readonly card: LessonCard;
	readonly seed: number;
	readonly answers: readonly Answered[];
	/** On screen only. On paper the answers are always printed, on separate pages. */
	readonly isShown: boolean;
}

function AnswerKey({ card, seed, answers, isShown }: KeyProps) {
	return (
		<section
			className={isShown ? css.key : `${css.key} ${css.onlyPaper}`}
			data-key
			aria-label="Answers"
		>
			<h2>
				Answers: {card.title}, variant {seed}
			</h2>
			<ol>
				{answers.map(({ question }) => (
					<li key={JSON.stringify([question.kind, question.after, question.given])}>
						<p className="strong">{question.choices[question.answer]}</p>
						<p>{[question.plain, ...question.why].join(" ")}</p>
					</li>
				))}
			</ol>
		</section>
	);
}
