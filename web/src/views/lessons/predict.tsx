/** Predict, then look: asks what the allocator does next. The core answers, and says why. */

import {
	createContext,
	type ReactNode,
	use,
	useCallback,
	useContext,
	useEffect,
	useId,
	useMemo,
	useRef,
	useState,
} from "react";
import { addressTo } from "../../app/link/address.ts";
import { copyText } from "../../app/platform/copy_table.ts";
import { change, facts, store } from "../../app/state/store.ts";
import type { Question, QuestionKind } from "../../engine/answers.ts";
import { Button, LinkButton } from "../../ui/controls.tsx";
import { useAsync } from "../../ui/hooks.ts";
import { useAsking } from "./lesson.tsx";
import css from "./lessons.module.css";
import {
	type Around,
	AroundContext,
	answerFirst,
	type LessonCard,
	textOf,
	useAround,
	within,
} from "./model/context.ts";
import { askAt, goTo, type Place } from "./model/places.ts";
import type { StopProps } from "./widgets.tsx";

interface PredictProps extends Place {
	readonly kind: QuestionKind;
	/** A size in bytes, for a question about an order. */
	readonly size?: number;
	/** The question in the lesson's words, instead of the generated ones. */
	readonly children?: ReactNode;
}

interface Asked {
	readonly question: Question | null;
	readonly sentence: string;
}

function useQuestion(props: PredictProps, place: Place, seed: number): Asked {
	const { kind, size } = props;
	const { trace, machine, cache, op } = place;
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
	const { place: around, lesson, stop = "", isYours } = useAround();
	const place = isYours ? around : within(around, own);
	const [seed, setSeed] = useState(0);
	const [tried, setTried] = useState(UNTRIED);
	const { question, sentence } = useQuestion(props, place, seed);
	const id = useId();
	const { nr, open } = useAsking();
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
		<fieldset
			className={`narrows framed round ground ${css.task} ${css.predictQuestion}`}
			data-question={nr}
			aria-labelledby={id}
		>
			<p className={`small accent ${css.mark}`}>Predict</p>
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
					<div className="row">
						{!over && <Button onClick={giveUp}>Show the answer</Button>}
						{over && <Button onClick={another}>Ask another like it</Button>}
						<CopyQuestion stop={stop} nr={nr} lesson={lesson} />
					</div>
				</>
			)}
		</fieldset>
	);
}

interface CopyProps {
	readonly lesson: string;
	readonly stop: string;
	readonly nr: number;
}

/** An address that leads to this question. */
function CopyQuestion({ lesson, stop, nr }: CopyProps) {
	const [said, setSaid] = useState("");
	const query = new URLSearchParams({ tab: "learn", lesson, stop, q: String(nr) });
	const address = new URL(addressTo(String(query), location), location.href).href;
	return (
		<LinkButton onClick={() => void copyText(address, "the link").then(setSaid)}>
			{said === "" ? "Copy a link to this question" : said}
		</LinkButton>
	);
}

/** Shown if the rules differ from the surrounding text's. */
function OnMachine({ machine = "" }: { machine?: string | undefined }) {
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
		<ol className={`grid ${css.choices}`}>
			{question.choices.map((choice, i) => {
				const gone = over || look(i) !== "";
				return (
					<li key={choice}>
						<button
							type="button"
							className={`grid baseline wide paper ${css.choice}`}
							data-choice={look(i)}
							aria-disabled={gone}
							onClick={() => !gone && choose(i)}
						>
							<span className={`quiet ${css.choiceMark}`} aria-hidden="true">
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

/* A lesson's questions on paper: variants by a random seed, and the answers on a page of their own. */

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
/** The sheet only has the questions in a lesson's text. */
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
		[
			"Go",
			"Player",
			"Switch",
			"Slider",
			"Toy",
			"Report",
			"ProposalTable",
			"Num",
			"Aside",
			"Limits",
			"Part",
			"Term",
			"Figure",
			"Beside",
			"Sample",
			"Yours",
		].map((w) => [w, nothing]),
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
			className={`${css.printed} relative tall scrolls paper ${css.sheet}`}
			data-printed
			data-transport="none"
			aria-label={`Questions: ${card.title}`}
		>
			<div className={`flex middle gap-1 line-below one-line ${css.bar} ${css.sheetBar}`}>
				<Button onClick={() => open(-1)}>Back to the lesson</Button>
				<span className="grows" />
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
			<p className={`quiet ${css.name}`}>Name</p>
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

/* Answers a question about slabs by a click on one of them, on the stage. */

interface UseSlabAnswerAsked {
	readonly stop: string;
	readonly place: Place;
	/** Whether the question is waiting for its answer. */
	readonly isOpen: boolean;
}

/** Whether the stage shows the position and the cache that the question is about. */
function isOnStage({ before, cache }: Question, { stop, place }: UseSlabAnswerAsked): boolean {
	const f = facts();
	return (
		f.lesson.stop === stop &&
		f.trace === place.trace &&
		f.cache === cache &&
		f.moment?.position.op === before?.op
	);
}

/** Calls `choose` with the choice that was clicked. Returns why the last click does not answer, "" if it does. */
function useSlabAnswer(
	question: Question | null,
	asked: UseSlabAnswerAsked,
	choose: (choice: number) => void,
): string {
	const [sentence, setSentence] = useState("");
	const latest = useRef({ asked, choose });
	latest.current = { asked, choose };
	// A stop that selects a slab itself would answer its own question.
	const isWanted = asked.isOpen && asked.place.select === undefined;
	useEffect(() => {
		if (!question?.slabs || !isWanted) return;
		const slabs = question.slabs;
		return store.subscribe(({ selected }, before) => {
			if (!selected || selected === before.selected) return;
			if (!isOnStage(question, latest.current.asked)) return;
			const choice = slabs.indexOf(selected.serial);
			setSentence(choice < 0 ? `Slab ${selected.serial} is not one of the choices.` : "");
			if (choice >= 0) latest.current.choose(choice);
		});
	}, [question, isWanted]);
	return sentence;
}
