/** Predict, then look: a question about what the allocator does next. The core answers it, and says why. */
import { type ReactNode, useEffect, useId, useState } from "react";
import type { Question, QuestionKind } from "../engine/questions.ts";
import { sentenceOf } from "../player/player.ts";
import { useAround, within } from "./context.ts";
import { askAt, goTo, type Place } from "./places.ts";

export interface PredictProps extends Place {
	readonly kind: QuestionKind;
	/** In bytes, where an order is asked for. */
	readonly size?: number;
	/** The question in the lesson's words, in place of the usual ones. */
	readonly children?: ReactNode;
}

interface Asked {
	readonly question: Question | null;
	readonly sentence: string;
}

export function useQuestion(props: PredictProps, place: Place, seed: number): Asked {
	const { kind, size, op } = props;
	const { trace, machine, cache } = place;
	const [asked, setAsked] = useState<Asked>({ question: null, sentence: "" });
	useEffect(() => {
		let gone = false;
		setAsked({ question: null, sentence: "" });
		askAt({ trace, machine }, { kind, seed, op, size, cache }).then(
			(question) => gone || setAsked({ question, sentence: "" }),
			(error) => gone || setAsked({ question: null, sentence: sentenceOf(error) }),
		);
		return () => {
			gone = true;
		};
	}, [trace, machine, cache, kind, size, op, seed]);
	return asked;
}

export function Predict(props: PredictProps) {
	const { children, kind: _kind, size: _size, ...own } = props;
	const around = useAround().place;
	const place = within(around, own);
	const [seed, setSeed] = useState(0);
	const [chosen, setChosen] = useState(-1);
	const { question, sentence } = useQuestion(props, place, seed);
	const id = useId();
	const show = (at: Question["before"]) => {
		if (!at) return;
		const step = at.step < 0 ? undefined : at.step;
		void goTo({ ...place, cache: question?.cache, op: at.op, step });
	};
	const choose = (i: number) => {
		setChosen(i);
		show(question?.after);
	};
	const another = () => {
		setChosen(-1);
		setSeed(seed + 1);
	};
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
		<fieldset className="predict" aria-labelledby={id}>
			<p className="predict-mark">Predict</p>
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
					<Choices question={question} chosen={chosen} choose={choose} />
					{question.before && chosen < 0 && (
						<button type="button" className="link" onClick={() => show(question.before)}>
							Show the moment before
						</button>
					)}
					<div aria-live="polite">
						{chosen >= 0 && <Verdict question={question} chosen={chosen} />}
					</div>
					{chosen >= 0 && (
						<button type="button" className="tool-text" onClick={another}>
							Another one like it
						</button>
					)}
				</>
			)}
		</fieldset>
	);
}

/** Where the rules are not those of the text around. */
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
	readonly chosen: number;
	readonly choose: (i: number) => void;
}

function Choices({ question, chosen, choose }: ChoicesProps) {
	const look = (i: number) =>
		chosen < 0 ? "" : i === question.answer ? "right" : i === chosen ? "wrong" : "";
	const marks: Readonly<Record<string, string>> = { right: "✓", wrong: "✗" };
	return (
		<ol className="choices">
			{question.choices.map((choice, i) => (
				<li key={choice}>
					<button
						type="button"
						className={`choice ${look(i)}`}
						aria-disabled={chosen >= 0}
						onClick={() => chosen < 0 && choose(i)}
					>
						<span className="choice-mark" aria-hidden="true">
							{marks[look(i)] ?? String.fromCharCode(97 + i)}
						</span>
						{choice}
					</button>
				</li>
			))}
		</ol>
	);
}

function Verdict({ question, chosen }: { question: Question; chosen: number }) {
	const right = chosen === question.answer;
	return (
		<div className={`verdict ${right ? "right" : "wrong"}`}>
			<p className="strong">
				{right ? "Right." : `Not this time. The answer is: ${question.choices[question.answer]}.`}
			</p>
			<ul>
				{question.why.map((line) => (
					<li key={line}>{line}</li>
				))}
			</ul>
		</div>
	);
}
