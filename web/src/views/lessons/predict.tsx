/** Predict, then look: a question about what the allocator does next. The core answers it, and says why. */

import { type ReactNode, useEffect, useId, useState } from "react";
import type { Question, QuestionKind } from "../../engine/answers.ts";
import { Button, LinkButton } from "../../ui/controls.tsx";
import { useAsync } from "../../ui/use_async.ts";
import { useOpen } from "./gate.tsx";
import lessonsCss from "./lessons.module.css";
import { useAround, within } from "./model/context.ts";
import { askAt, goTo, type Place } from "./model/places.ts";
import { answerFirst } from "./model/score.ts";
import css from "./predict.module.css";
import { useSlabAnswer } from "./use_slab_answer.ts";

export interface PredictProps extends Place {
	readonly kind: QuestionKind;
	/** In bytes, for a question about an order. */
	readonly size?: number;
	/** The question in the lesson's words, instead of the generated ones. */
	readonly children?: ReactNode;
}

interface Asked {
	readonly question: Question | null;
	readonly sentence: string;
}

export function useQuestion(props: PredictProps, place: Place, seed: number): Asked {
	const { kind, size, op } = props;
	const { trace, machine, cache } = place;
	const { value, isCurrent, sentence } = useAsync(
		() => askAt({ trace, machine }, { kind, seed, op, size, cache }),
		[trace, machine, cache, kind, size, op, seed],
	);
	return isCurrent && sentence === "" && value
		? { question: value, sentence: "" }
		: { question: null, sentence: isCurrent ? sentence : "" };
}

/** Answers so far, in order; the last is the right one, or the request to see it. */
interface Tried {
	readonly answers: readonly number[];
	readonly shown: boolean;
}

const UNTRIED: Tried = { answers: [], shown: false };

export function Predict(props: PredictProps) {
	const { children, kind: _kind, size: _size, ...own } = props;
	const { place: around, lesson, stop = "" } = useAround();
	const place = within(around, own);
	const [seed, setSeed] = useState(0);
	const [tried, setTried] = useState(UNTRIED);
	const { question, sentence } = useQuestion(props, place, seed);
	const id = useId();
	const open = useOpen();
	const over = tried.shown || (question !== null && tried.answers.includes(question.answer));
	const show = (at: Question["before"]) => {
		if (!at) return;
		const step = at.step < 0 ? undefined : at.step;
		void goTo({ ...place, cache: question?.cache, op: at.op, step });
	};
	const choose = (i: number) => {
		const right = i === question?.answer;
		// Another question like it is practice.
		if (seed === 0) answerFirst(lesson, JSON.stringify([place, props.kind, props.size]), right);
		setTried({ ...tried, answers: [...tried.answers, i] });
		if (!right) return;
		show(question.after);
		open();
	};
	const pointed = useSlabAnswer(question, { stop, place, isOpen: !over }, (i) => {
		if (!tried.answers.includes(i)) choose(i);
	});
	const giveUp = () => {
		if (seed === 0) answerFirst(lesson, JSON.stringify([place, props.kind, props.size]), false);
		setTried({ ...tried, shown: true });
		open();
		show(question?.after);
	};
	const another = () => {
		setTried(UNTRIED);
		setSeed(seed + 1);
	};
	// A question that cannot be asked must not lock the text below it.
	const failed = sentence !== "";
	useEffect(() => {
		if (failed) open();
	}, [failed, open]);
	useEffect(() => {
		if (seed > 0 && question?.before) {
			const { op, step } = question.before;
			void goTo({
				trace: place.trace,
				machine: place.machine,
				cache: question.cache,
				op,
				step: step < 0 ? undefined : step,
			});
		}
	}, [seed, question, place.trace, place.machine]);
	return (
		<fieldset className={`${lessonsCss.task} ${css.question}`} data-question aria-labelledby={id}>
			<p className={lessonsCss.mark}>Predict</p>
			<h3 id={id}>{(seed === 0 && children) || question?.title || "…"}</h3>
			{sentence !== "" && <p className="danger">{sentence}</p>}
			{question && (
				<>
					{place.machine !== around.machine && <OnMachine machine={place.machine} />}
					{question.given.map((line) => (
						<p key={line} className="quiet">
							{line}
						</p>
					))}
					{question.slabs && !over && (
						<p className="quiet">Click the slab on the stage, or choose from the list.</p>
					)}
					<Choices question={question} tried={tried} over={over} choose={choose} />
					{question.before && !over && (
						<LinkButton onClick={() => show(question.before)}>
							Show the position before it
						</LinkButton>
					)}
					<div aria-live="polite">
						{(over || tried.answers.length > 0) && (
							<Verdict question={question} tried={tried} over={over} />
						)}
						{pointed !== "" && !over && <p className={css.verdict}>{pointed}</p>}
					</div>
					{!over && <Button onClick={giveUp}>Show the answer</Button>}
					{over && <Button onClick={another}>Ask another like it</Button>}
				</>
			)}
		</fieldset>
	);
}

/** Shown if the rules differ from those of the surrounding text. */
export function OnMachine({ machine = "" }: { machine?: string | undefined }) {
	if (machine === "") return null;
	return (
		<p className="quiet">
			On a machine with <code>{machine}</code>.
		</p>
	);
}

interface ChoicesProps {
	readonly question: Question;
	readonly tried: Tried;
	readonly over: boolean;
	readonly choose: (i: number) => void;
}

const MARKS: Readonly<Record<string, string>> = { right: "✓", wrong: "✗" };

function Choices({ question, tried, over, choose }: ChoicesProps) {
	const look = (i: number) =>
		over && i === question.answer ? "right" : tried.answers.includes(i) ? "wrong" : "";
	return (
		<ol className={css.choices}>
			{question.choices.map((choice, i) => {
				const gone = over || look(i) !== "";
				return (
					<li key={choice}>
						<button
							type="button"
							className={css.choice}
							data-choice={look(i)}
							aria-disabled={gone}
							onClick={() => !gone && choose(i)}
						>
							<span className={css.choiceMark} aria-hidden="true">
								{MARKS[look(i)] ?? String.fromCharCode(97 + i)}
							</span>
							{choice}
						</button>
					</li>
				);
			})}
		</ol>
	);
}

interface VerdictProps {
	readonly question: Question;
	readonly tried: Tried;
	readonly over: boolean;
}

function Verdict({ question, tried, over }: VerdictProps) {
	const tries = tried.answers.length;
	if (!over)
		return (
			<div className={css.verdict} data-verdict="wrong">
				<p className="strong">Not this one. Try again.</p>
				<p>{question.reasons[tried.answers.at(-1) ?? -1]}</p>
			</div>
		);
	const answer = question.choices[question.answer];
	return (
		<div className={css.verdict} data-verdict={tried.shown ? "wrong" : "right"}>
			<p className="strong">
				{tried.shown
					? `The answer is: ${answer}.`
					: tries === 1
						? "Right."
						: `Right, at try ${tries}.`}
			</p>
			<p>{question.plain}</p>
			<details>
				<summary>Why, step by step</summary>
				<ul>
					{question.why.map((line) => (
						<li key={line}>{line}</li>
					))}
				</ul>
			</details>
		</div>
	);
}
