/**
 * The Why card: what a list, a CPU, a node or the page allocator has, who put it there, and what changes that. It is
 * docked beside the stage (stage/dock.tsx), with a line to its subject there. All facts come from the core.
 */

import { useEffect, useId, useRef, useState } from "react";
import { LEVEL_WORDS } from "#abi";
import { sentenceOf } from "../app/playback/player.ts";
import { answerWhy, closeWhy, goToEvent, nextHere, takeAsked } from "../app/playback/why.ts";
import { facts } from "../app/state/store.ts";
import { useEachPosition, useFacts } from "../app/state/use_facts.ts";
import { setMachine, setParam } from "../app/trace/actions.ts";
import { isCancelled } from "../base/errors.ts";
import { count, eventWords, numberOf, quantity, stopped } from "../base/format.ts";
import type { WhyAnswer } from "../engine/query/why.ts";
import type { Machine, Moment, NextObject } from "../engine/types.ts";
import { LinkButton } from "../ui/controls.tsx";
import { useAsync, useRestedMoment } from "../ui/hooks.ts";
import { stage } from "./shown.ts";
import css from "./why_card.module.css";

/** The answer takes longer than the stage's table. */
const REST_MS = 150;

/** Nothing is shown until the answer arrives. */
export function WhyCard() {
	const why = useFacts((f) => f.why);
	const { answer, sentence } = useAnswer(why, useRestedMoment(REST_MS));
	return answer || sentence !== "" ? (
		<Card key={why} why={why} answer={answer} sentence={sentence} />
	) : null;
}

interface CardProps {
	readonly why: string;
	readonly answer: WhyAnswer | undefined;
	/** Why there is no answer; "" if there is one. */
	readonly sentence: string;
}

function Card({ why, answer, sentence }: CardProps) {
	const card = useRef<HTMLElement>(null);
	const id = useId();
	useFocus(card);
	return (
		<aside
			ref={card}
			className={css.card}
			aria-labelledby={id}
			data-part="why"
			tabIndex={-1}
			onKeyDown={(e) => {
				if (e.key !== "Escape") return;
				e.stopPropagation();
				closeWhy();
			}}
		>
			<Line card={card} />
			<div className={css.head}>
				<h2 id={id}>{answer?.title ?? "No answer"}</h2>
				<button
					type="button"
					className="link"
					aria-label="Close why"
					title="Close (Esc)"
					onClick={closeWhy}
				>
					Close
				</button>
			</div>
			{answer ? (
				<Answer answer={answer} />
			) : (
				<p>{`There is nothing to explain at ${why}: ${stopped(sentence)}`}</p>
			)}
		</aside>
	);
}

/** Draws a line from the card's left edge to its subject on the stage, if the subject is to the left of it. */
function Line({ card }: { readonly card: React.RefObject<HTMLElement | null> }) {
	const [to, setTo] = useState<{ readonly d: string; readonly x: number; readonly y: number }>();
	useEffect(() => {
		const follow = () => {
			const own = card.current?.getBoundingClientRect();
			const box = document.querySelector('[data-part="why-subject"]')?.getBoundingClientRect();
			if (!own || !box || box.right > own.left) return setTo(undefined);
			const from = Math.min(own.bottom - 12, Math.max(own.top + 18, box.top + box.height / 2));
			const y = Math.min(box.bottom - 4, Math.max(box.top + 4, from));
			setTo({ d: `M${own.left} ${from}H${own.left - 9}V${y}H${box.right}`, x: box.right, y });
		};
		// Runs after React has placed the ring around the subject.
		const later = () => requestAnimationFrame(follow);
		stage.drawn.add(later);
		later();
		const watch = new ResizeObserver(later);
		for (const part of [card.current, card.current?.parentElement?.parentElement])
			if (part) watch.observe(part);
		return () => {
			stage.drawn.delete(later);
			watch.disconnect();
		};
	}, [card]);
	if (!to) return null;
	return (
		<svg className={css.line} data-part="why-line" aria-hidden="true">
			<path d={to.d} />
			<circle cx={to.x} cy={to.y} r="3.5" />
		</svg>
	);
}

/** Asks at the position once it settles; the previous answer stays until the next one arrives. */
function useAnswer(why: string, rested: Moment | null) {
	const built = useFacts((f) => f.built);
	const cache = useFacts((f) => f.cache);
	const playing = useFacts((f) => f.playing);
	const moment = rested ?? facts().moment;
	const isReady = moment !== null && built !== null && !playing;
	const { value, sentence } = useAsync(isReady ? () => answerWhy(why, moment) : undefined, [
		why,
		moment,
		built,
		cache,
		playing,
	]);
	return sentence === "" ? { answer: value, sentence } : { answer: undefined, sentence };
}

/** Moves the focus in if somebody asked, and gives it back when the card closes. */
function useFocus(card: React.RefObject<HTMLElement | null>): void {
	useEffect(() => {
		const before = document.activeElement;
		if (takeAsked()) card.current?.focus({ preventScroll: true });
		const own = card.current;
		return () => {
			if (!own?.contains(document.activeElement) && document.activeElement !== document.body)
				return;
			// A click on the canvas, which has no focus, must not show a keyboard focus box.
			if (before === document.body) return;
			const isThere = before instanceof HTMLElement && before.isConnected;
			const back = isThere ? before : document.querySelector<HTMLElement>('[data-part="walk"]');
			back?.focus({ preventScroll: true });
		};
	}, [card]);
}

function Answer({ answer }: { readonly answer: WhyAnswer }) {
	return (
		<>
			<div className={css.where}>
				<p>
					{answer.cache === "" ? "All caches" : answer.cache}, after{" "}
					{answer.ops === 0 ? "no event" : eventWords(answer.ops - 1)}
				</p>
				<Sparkline lengths={answer.lengths} ops={answer.ops} />
			</div>
			<ul className={css.facts}>
				{answer.facts.map((fact) => (
					<li key={fact}>{fact}</li>
				))}
			</ul>
			<Links answer={answer} />
		</>
	);
}

function Links({ answer }: { readonly answer: WhyAnswer }) {
	const [events, setEvents] = useState<WhyAnswer>();
	const [next, setNext] = useState<{
		of: WhyAnswer;
		rows: readonly NextObject[];
		fault?: string;
	}>();
	const findNext = () =>
		nextHere(answer).then(
			(rows) => setNext({ of: answer, rows }),
			(error: unknown) => {
				if (!isCancelled(error)) setNext({ of: answer, rows: [], fault: sentenceOf(error) });
			},
		);
	return (
		<>
			<div className={css.links}>
				{answer.events.length > 0 && (
					<LinkButton
						aria-expanded={events !== undefined}
						onClick={() => setEvents(events ? undefined : answer)}
					>
						{events ? "Hide the events" : eventsWords(answer)}
					</LinkButton>
				)}
				{answer.nextOf && answer.cache !== "" && (
					<LinkButton
						onClick={() => void findNext()}
					>{`Next object of ${ownerWords(answer)} →`}</LinkButton>
				)}
				<WhatIf answer={answer} />
			</div>
			{events && <Events answer={events} />}
			{next?.of === answer && !next.fault && <Next rows={next.rows} />}
			{next?.of === answer && next.fault && (
				<p role="alert">{`The next object was not found: ${stopped(next.fault)}`}</p>
			)}
		</>
	);
}

function ownerWords({ nextOf }: WhyAnswer): string {
	if (!nextOf) return "";
	return "cpu" in nextOf ? `CPU ${nextOf.cpu}` : `node ${nextOf.node}`;
}

function eventsWords({ events, source }: WhyAnswer): string {
	const noun = source?.isDrain ? "drain" : "event";
	return events.length === 1 ? `Show the ${noun}` : `Show the ${quantity(events.length, noun)}`;
}

/** The events stay listed while the visitor goes from one to the next. */
function Events({ answer: { events, source } }: { readonly answer: WhyAnswer }) {
	const now = useEachPosition((f) => f.moment?.position.op);
	return (
		<ol className={css.events} aria-label={source?.isDrain ? "Drains" : "Events"}>
			{events.map((op) => (
				<li key={op}>
					<LinkButton
						aria-label={`Go to ${eventWords(op)}`}
						aria-current={op === now ? "step" : undefined}
						onClick={() => goToEvent(op)}
					>
						{count(numberOf(op))}
					</LinkButton>
				</li>
			))}
		</ol>
	);
}

function Next({ rows }: { readonly rows: readonly NextObject[] }) {
	if (rows.length === 0) return <p>No CPU of this node allocates.</p>;
	return (
		<ul className={css.facts} aria-label="Next objects">
			{rows.map(({ cpu, slab, index, cycles, level }) => (
				<li key={cpu}>
					{`CPU ${cpu} → `}
					{slab < 0 ? "no memory" : `slab ${slab}, object ${index}`}
					{` · ${quantity(cycles, "cycle")} · ${LEVEL_WORDS[level] ?? ""}`}
				</li>
			))}
		</ul>
	);
}

/** The setting that the visitor has tried, and the way back from it. */
let tried: { readonly machine: Machine; readonly key: string; readonly before: string } | undefined;

function WhatIf({ answer: { whatIf, things } }: { readonly answer: WhyAnswer }) {
	const built = useFacts((f) => f.built);
	const machine = useFacts((f) => f.machine);
	if (!built) return null;
	const valueNow = (key: string) => built.params.find((p) => p.key === key)?.value ?? "";
	if (tried && tried.machine !== machine && valueNow(tried.key) !== tried.before) {
		const { machine: before, key, before: value } = tried;
		return (
			<LinkButton
				onClick={() => {
					tried = undefined;
					void setMachine(before);
				}}
			>
				{`Back to ${key} = ${value}`}
			</LinkButton>
		);
	}
	if (!whatIf || valueNow(whatIf.key) === whatIf.value) return null;
	const { key, value } = whatIf;
	return (
		<LinkButton
			title={`Replay the trace with ${key} = ${value}; ${count(things)} are here now`}
			onClick={() => {
				tried = { machine: facts().machine, key, before: valueNow(key) };
				void setParam(key, value);
			}}
		>
			{`What if ${key} = ${value}?`}
		</LinkButton>
	);
}

const WIDTH = 112;
const HEIGHT = 24;

interface Props {
	readonly lengths: readonly number[];
	readonly ops: number;
}

export function Sparkline({ lengths, ops }: Props) {
	const most = Math.max(...lengths, 1);
	if (lengths.length < 2) return null;
	const x = (i: number) => (i / (lengths.length - 1)) * (WIDTH - 4) + 2;
	const y = (length: number) => HEIGHT - 2 - (length / most) * (HEIGHT - 4);
	const points = lengths.map((length, i) => `${x(i).toFixed(1)},${y(length).toFixed(1)}`).join(" ");
	const words = `Length over ${quantity(ops, "event")}: now ${count(lengths.at(-1) ?? 0)}, at most ${count(most)}`;
	return (
		<svg
			className={css.spark}
			width={WIDTH}
			height={HEIGHT}
			viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
			role="img"
			aria-label={words}
		>
			<title>{words}</title>
			<polyline points={points} />
		</svg>
	);
}
