/** A lesson beside the stage: its text, the places of its stops, and the moves from one stop to the next. */

import {
	Children,
	createContext,
	isValidElement,
	type ReactElement,
	type ReactNode,
	use,
	useCallback,
	useContext,
	useEffect,
	useMemo,
	useRef,
	useState,
} from "react";
import { create } from "zustand";
import { addCommands } from "../../app/commands/commands.ts";
import { LOCAL } from "../../app/link/fields.ts";
import { change, facts, stopKey, store } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count, quantity } from "../../base/format.ts";
import { recall, remember } from "../../base/kept.ts";
import type { Shot } from "../../engine/answers.ts";
import { Stage } from "../../stage/stage.tsx";
import { Button, classes, IconButton, LinkButton } from "../../ui/controls.tsx";
import { Part } from "../../ui/lazy_part.tsx";
import { Beside, Figure } from "./figure/figure.tsx";
import { StageCard } from "./figure/small_stage.tsx";
import css from "./lessons.module.css";
import {
	type Around,
	AroundContext,
	LESSONS,
	type LessonCard,
	type Plays,
	textOf,
	useScore,
} from "./model/context.ts";
import { goTo, type Place, stopPassage } from "./model/places.ts";
import { Predict, Sheet } from "./predict.tsx";
import { Problem } from "./problem.tsx";
import { Slider } from "./slider.tsx";
import { Toy } from "./toy.tsx";
import {
	Aside,
	Go,
	Limits,
	Link,
	Num,
	Paragraph,
	PartWords,
	Player,
	ProposalTable,
	Report,
	Sample,
	Stop,
	Switch,
	TermWords,
	Yours,
} from "./widgets.tsx";

const WIDGETS = {
	Stop,
	Go,
	Player,
	Predict,
	Switch,
	ProposalTable,
	Num,
	Figure,
	Beside,
	Aside,
	Limits,
	Slider,
	Report,
	Toy,
	Part: PartWords,
	Term: TermWords,
	Sample,
	Yours,
	a: Link,
	p: Paragraph,
};

/** Events that mean the visitor is scrolling. Any other scrolling says nothing about what is being read. */
const HANDS = ["wheel", "touchmove", "pointerdown", "keydown"] as const;
/** The reader's eyes are about here: so far down the visible text. */
const READING_AT = 0.35;
const PROSE = `${css.printed} relative scrolls ${css.prose}`;
const LARGE = "slabscope-large-type";

export function Lesson({ card }: { card: LessonCard }) {
	const Text = use(textOf(card.name));
	const article = useRef<HTMLElement>(null);
	const { around, turn, stops } = useStops(card, article);
	const [large, setLarge] = useState(() => recall(LARGE) === 1);
	useEffect(
		() =>
			addCommands(
				{
					id: "next-stop",
					name: "Go to the lesson's next stop",
					group: "Views",
					keys: "PageDown",
					run: () => turn(1),
				},
				{
					id: "previous-stop",
					name: "Go to the lesson's previous stop",
					group: "Views",
					keys: "PageUp",
					run: () => turn(-1),
				},
			),
		[turn],
	);
	const enlarge = () => {
		remember(LARGE, large ? 0 : 1);
		setLarge(!large);
	};
	return (
		<div
			className={classes(css.printed, "grid tall shrinks", css.lesson, large && css.large)}
			data-printed
		>
			<div className={`${css.printed} grid shrinks paper ${css.text}`}>
				<LessonBar card={card} stops={stops} turn={turn} large={large} enlarge={enlarge} />
				{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
				<article className={PROSE} ref={article} tabIndex={0} aria-label={card.title}>
					<AroundContext value={around}>
						{around.isYours && <YourFile trace={around.place.trace ?? ""} sample={card.trace} />}
						<Text components={WIDGETS} />
						<Problem card={card} />
					</AroundContext>
					<Onwards card={card} />
				</article>
			</div>
			<div className={`narrows shrinks ${css.stage}`} data-within="lesson">
				<Part name="The stage">
					<Stage dock />
				</Part>
			</div>
		</div>
	);
}

interface YourFileProps {
	readonly trace: string;
	readonly sample: string | undefined;
}

/** Says which file the lesson is about, and leads back to the sample. */
function YourFile({ trace, sample = "" }: YourFileProps) {
	return (
		<p className="quiet" data-yours>
			This lesson is about your file, {trace.slice(LOCAL.length)}.{" "}
			<LinkButton onClick={() => void goTo({ trace: sample, machine: "" })}>
				Read it with the sample instead
			</LinkButton>
		</p>
	);
}

function elementsOf(article: HTMLElement | null): HTMLElement[] {
	return [...(article?.querySelectorAll<HTMLElement>("[data-stop]") ?? [])];
}

/** The stop being read, and the moves to another one. */
function useStops(
	{ name, trace, machine = "", yours = false }: LessonCard,
	article: React.RefObject<HTMLElement | null>,
) {
	const places = useRef(new Map<string, Place>());
	const [stops, setStops] = useState<readonly string[]>([]);
	/**
	 * The stop of the last move, until the visitor scrolls: it keeps its place while text above it is still loading.
	 */
	const held = useRef("");
	const register = useCallback((stop: string, place: Place) => {
		places.current.set(stop, place);
		return () => {
			places.current.delete(stop);
		};
	}, []);
	const read = useCallback(
		(stop: string) => {
			const lesson = { name, stop, sheet: -1 };
			const place = places.current.get(stop);
			const f = facts();
			const there = f.lessonShown === stopKey(lesson) && f.trace === place?.trace;
			stopPassage();
			const question = f.lesson.stop === stop ? f.question : 0;
			change({ lesson, question, lessonShown: stopKey(lesson) });
			// The reader chooses the position in a file of their own.
			const moves = place?.trace !== undefined && !place.trace.startsWith(LOCAL);
			if (!there && moves) void goTo(place);
		},
		[name],
	);
	const scrollTo = useCallback(
		(stop: string) => {
			held.current = stop;
			const element = elementsOf(article.current).find((e) => e.dataset.stop === stop);
			const { lesson, question } = facts();
			const asked = lesson.stop === stop && element?.querySelector(`[data-question="${question}"]`);
			(asked || element)?.scrollIntoView({ block: "start" });
		},
		[article],
	);
	const turn = useCallback(
		(by: 1 | -1) => {
			const all = elementsOf(article.current).map((e) => e.dataset.stop ?? "");
			const at = all.indexOf(facts().lesson.stop);
			const to = all[Math.min(all.length - 1, Math.max(0, at + by))];
			if (to === undefined) return;
			scrollTo(to);
			read(to);
		},
		[article, read, scrollTo],
	);
	useEffect(() => {
		const all = elementsOf(article.current).map((e) => e.dataset.stop ?? "");
		setStops(all);
		return arrive(all, read, scrollTo);
	}, [article, read, scrollTo]);
	const settle = useCallback(() => {
		if (held.current !== "") return;
		const stop = stopRead(article.current);
		if (stop !== undefined && stop !== facts().lesson.stop) read(stop);
	}, [article, read]);
	useEffect(() => {
		document.addEventListener("scroll", settle, { capture: true, passive: true });
		return () => document.removeEventListener("scroll", settle, { capture: true });
	}, [settle]);
	const own = useFacts((f) => (yours && f.trace.startsWith(LOCAL) ? f.trace : ""));
	const around = useMemo<Around>(
		() => ({
			lesson: name,
			place: own === "" ? { trace, machine } : { trace: own },
			register,
			settle,
			isYours: own !== "",
		}),
		[name, trace, machine, own, register, settle],
	);
	useHold(article, held, scrollTo);
	return { around, turn, stops };
}

/** Text that grows above this stop pushes it away, so it is scrolled back. Scrolling by the visitor ends this. */
function useHold(
	article: React.RefObject<HTMLElement | null>,
	held: React.RefObject<string>,
	scrollTo: (stop: string) => void,
): void {
	useEffect(() => {
		const release = () => {
			held.current = "";
		};
		for (const hand of HANDS)
			window.addEventListener(hand, release, { capture: true, passive: true });
		const grown = new ResizeObserver(() => {
			if (held.current !== "") scrollTo(held.current);
		});
		for (const element of elementsOf(article.current)) grown.observe(element);
		return () => {
			for (const hand of HANDS) window.removeEventListener(hand, release, { capture: true });
			grown.disconnect();
		};
	}, [article, held, scrollTo]);
}

/** A link to a stop starts there. The page's first trace opens first. */
function arrive(
	all: readonly string[],
	read: (stop: string) => void,
	scrollTo: (stop: string) => void,
): () => void {
	const { stop } = facts().lesson;
	const asked = all.includes(stop) ? stop : (all[0] ?? "");
	if (asked === stop && (stop !== all[0] || facts().question > 0)) scrollTo(asked);
	const begin = () => {
		if (!facts().built || facts().progress) return;
		unsubscribe();
		read(asked);
	};
	const unsubscribe = store.subscribe(begin);
	begin();
	return unsubscribe;
}

/** Finds the last stop that starts above the reading line; if there is none, the first stop. */
function stopRead(article: HTMLElement | null): string | undefined {
	if (!article) return undefined;
	const box = article.getBoundingClientRect();
	const top = Math.max(0, box.top, stageBottom(article));
	const bottom = Math.min(window.innerHeight, box.bottom);
	const line = top + (bottom - top) * READING_AT;
	const all = elementsOf(article);
	const above = all.filter((e) => e.getBoundingClientRect().top <= line);
	return (above.at(-1) ?? all[0])?.dataset.stop;
}

/** On a narrow page the stage sticks to the top, over the text; on a phone on its side, it's beside the text. */
function stageBottom(article: HTMLElement): number {
	const stage = article.closest("[role=tabpanel]")?.querySelector('[data-within="lesson"]');
	if (!stage || getComputedStyle(stage).position !== "sticky") return 0;
	const { left, bottom } = stage.getBoundingClientRect();
	return left < article.getBoundingClientRect().right ? bottom : 0;
}

interface BarProps {
	readonly card: LessonCard;
	readonly stops: readonly string[];
	readonly turn: (by: 1 | -1) => void;
	readonly large: boolean;
	readonly enlarge: () => void;
}

function LessonBar({ card, stops, turn, large, enlarge }: BarProps) {
	const stop = useFacts((f) => f.lesson.stop);
	const focused = useFacts((f) => f.focused);
	const at = Math.max(0, stops.indexOf(stop));
	return (
		<div className={`flex middle gap-1 line-below one-line ${css.bar}`}>
			<Button onClick={() => change({ lesson: { name: "", stop: "", sheet: -1 } })}>
				All lessons
			</Button>
			<span className="grows" />
			<IconButton
				name="Previous stop"
				title="Previous stop (PageUp)"
				disabled={at === 0}
				onClick={() => turn(-1)}
			>
				‹
			</IconButton>
			<span className="number quiet">
				{at + 1} of {stops.length}
			</span>
			<IconButton
				name="Next stop"
				title="Next stop (PageDown)"
				disabled={at >= stops.length - 1}
				onClick={() => turn(1)}
			>
				›
			</IconButton>
			<Button
				className={css.projector}
				aria-pressed={focused}
				title="For a projector: only the lesson, the stage and the buttons (P; Escape leaves)"
				onClick={() => change({ focused: !focused })}
			>
				Projector
			</Button>
			<IconButton name="Large type" aria-pressed={large} title="Large type" onClick={enlarge}>
				A+
			</IconButton>
			<Button
				title="Print its questions, with the answers on a separate page"
				onClick={() => change({ lesson: { name: card.name, stop: "", sheet: 0 } })}
			>
				Sheet
			</Button>
		</div>
	);
}

function Onwards({ card }: { card: LessonCard }) {
	const next = LESSONS[LESSONS.indexOf(card) + 1];
	const { answered, right } = useScore(card.name);
	return (
		<>
			{answered > 0 && (
				<p className={`line-above strong ${css.score}`} data-score role="status">
					{quantity(answered, "question")} answered, {count(right)} right at the first try.
				</p>
			)}
			{next && (
				<nav className={css.onwards} aria-label="Next lesson">
					<Button onClick={() => change({ lesson: { name: next.name, stop: "", sheet: -1 } })}>
						Next lesson: {next.title}
					</Button>
				</nav>
			)}
		</>
	);
}

/*
 * Hides the text below a question until the reader has answered it or asked for the answer: somebody who reads the
 * reason first has nothing left to predict. Once open, it stays open, also when the reader returns to the lesson.
 */

interface Asking {
	/** The number of the question in its stop, from 1. */
	readonly nr: number;
	/** Opens the text below it. */
	readonly open: () => void;
}

const AskingContext = createContext<Asking>({ nr: 0, open: () => {} });

export function useAsking(): Asking {
	return useContext(AskingContext);
}

/** Lesson, stop and number of each question whose text below is open. */
const useOpened = create<Readonly<Record<string, true>>>(() => ({}));

function open(question: string): void {
	if (!useOpened.getState()[question]) useOpened.setState({ [question]: true });
}

interface Piece {
	/** The text up to the question. */
	readonly text: readonly ReactNode[];
	/** Unset after the last text. */
	readonly question: ReactElement | null;
}

/** Splits the children of a stop below each question. */
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
	// A link to a question opens what is above it.
	const linked = useFacts(({ lesson, question }) =>
		`${lesson.name} ${lesson.stop}` === name ? question - 1 : 0,
	);
	const pieces = useMemo(() => cutAtQuestions(children, isQuestion), [children, isQuestion]);
	const closed = pieces.findIndex(
		({ question }, i) => question && i >= linked && !opened[`${name} ${i}`],
	);
	const shown = closed < 0 ? pieces : pieces.slice(0, closed + 1);
	return (
		<>
			{shown.map(({ text, question }, i) => (
				<AskingContext key={`${name} ${i}`} value={{ nr: i + 1, open: () => open(`${name} ${i}`) }}>
					{text}
					{question}
				</AskingContext>
			))}
			{shown.length < pieces.length && (
				<p className="quiet" data-gate>
					The rest of this section follows your answer: give one, or show it.
				</p>
			)}
		</>
	);
}

/* The Lessons view: the list of lessons, one of them beside the stage, or its questions on a sheet. */

export function Lessons() {
	const { name, sheet } = useFacts((f) => f.lesson);
	const card = LESSONS.find((l) => l.name === name);
	if (!card) return <LessonIndex unknown={name} />;
	return (
		<Part key={`${name} ${sheet}`} name="This lesson">
			{sheet >= 0 ? <Sheet card={card} seed={sheet} /> : <Lesson card={card} />}
		</Part>
	);
}

/* The index of the lessons: a card each, with a small live stage and the reader's progress. */

const SHOTS_MOST = 20;

function LessonIndex({ unknown }: { unknown: string }) {
	return (
		<section className={`tall scrolls ${css.index}`} data-transport="none" aria-label="Lessons">
			<h2>Lessons</h2>
			{unknown !== "" && (
				<p className="danger">Slabscope has no lesson {unknown}: choose one of these.</p>
			)}
			<p className="quiet">
				The stage plays along, and the allocator itself answers the questions. Each lesson ends with
				a problem.
			</p>
			<ol>
				{LESSONS.map((card, i) => (
					<li key={card.name}>
						<Card card={card} nr={i + 1} />
					</li>
				))}
			</ol>
		</section>
	);
}

function Card({ card, nr }: { card: LessonCard; nr: number }) {
	const { name, title, teaches, minutes, trace, machine, plays } = card;
	const shots = useMemo(() => shotsOf(plays), [plays]);
	const place = { trace, machine: plays.machine ?? machine ?? "", cache: plays.cache };
	return (
		<StageCard
			place={place}
			shots={shots}
			onOpen={() => change({ lesson: { name, stop: "", sheet: -1 } })}
		>
			<span className={`large ${css.title}`}>
				<span className={`accent ${css.nr} number`}>{nr}</span> {title}
			</span>
			<span className="quiet">{teaches}</span>
			<Progress card={card} minutes={minutes} />
		</StageCard>
	);
}

/** Spreads them evenly through the passage. */
function shotsOf({ from, to }: Plays): Shot[] {
	const nr = Math.min(SHOTS_MOST, to - from + 1);
	return Array.from({ length: nr }, (_, i) => ({
		op: from + Math.round((i * (to - from)) / Math.max(1, nr - 1)),
	}));
}

function Progress({ card, minutes }: { card: LessonCard; minutes: number }) {
	const { answered, solved } = useScore(card.name);
	const done = Math.min(answered, card.questions) + (solved ? 1 : 0);
	const all = card.questions + 1;
	return (
		<span className={`grid gap-1 small ${css.progress}`} data-progress={`${done}/${all}`}>
			<span className={`flex ${css.lessonIndexBar}`} aria-hidden="true">
				{Array.from({ length: all }, (_, i) => (
					<span key={`part ${i + 1}`} className={i < done ? css.done : undefined} />
				))}
			</span>
			<span className="quiet number">
				{minutes} minutes · {answered} of {quantity(card.questions, "question")} ·{" "}
				{solved ? "problem solved ✓" : "1 problem"}
			</span>
		</span>
	);
}
