/**
 * The Why card: what a list, a CPU, a node or the page allocator has, who put it there, and what changes that. It
 * stands beside its place on the map; on a phone it is a sheet. All facts come from the core.
 */
import { useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { LEVEL_WORDS } from "#abi";
import { sentenceOf } from "../../app/playback/player.ts";
import { answerWhy, closeWhy, goToEvent, nextHere, takeAsked } from "../../app/playback/why.ts";
import { facts } from "../../app/state/store.ts";
import { useEachPosition, useFacts } from "../../app/state/use_facts.ts";
import { setMachine, setParam } from "../../app/trace/actions.ts";
import { isCancelled } from "../../base/errors.ts";
import { count, quantity, stopped } from "../../base/format.ts";
import { eventWords, numberOf } from "../../base/numbering.ts";
import type { WhyAnswer } from "../../engine/query/why.ts";
import type { Machine, Moment, NextObject } from "../../engine/types.ts";
import { LinkButton } from "../../ui/controls.tsx";
import { useAsync } from "../../ui/use_async.ts";
import css from "./card.module.css";
import { Sparkline } from "./sparkline.tsx";
import { type BoxOf, useAnchor } from "./use_anchor.ts";

export interface Props {
	/** The position that rests on screen. */
	readonly moment: Moment | null;
	/** The visible part of a subject on the stage. */
	readonly boxOf: BoxOf;
}

export function WhyCard(props: Props) {
	const why = useFacts((f) => f.why);
	return why === "" ? null : <Card key={why} why={why} {...props} />;
}

function Card({ why, moment, boxOf }: Props & { readonly why: string }) {
	const card = useRef<HTMLElement>(null);
	const id = useId();
	const { answer, sentence } = useAnswer(why, moment);
	const anchor = useAnchor(card, why, boxOf);
	const isSheet = useIsNarrow();
	useFocus(card);
	const aside = (
		<aside
			ref={card}
			className={css.card}
			aria-labelledby={id}
			data-part="why"
			data-side={anchor.side}
			style={anchor.style}
			tabIndex={-1}
			data-sheet={isSheet || undefined}
			onKeyDown={(e) => {
				if (e.key !== "Escape") return;
				e.stopPropagation();
				closeWhy();
			}}
		>
			<div className={css.body}>
				<div className={css.head}>
					<h2 id={id}>{answer?.title ?? (sentence === "" ? "Why?" : "No answer")}</h2>
					{answer && <Sparkline lengths={answer.lengths} ops={answer.ops} />}
					<button type="button" aria-label="Close why" title="Close (Esc)" onClick={closeWhy}>
						×
					</button>
				</div>
				{sentence !== "" && <p>{`There is nothing to explain at ${why}: ${stopped(sentence)}`}</p>}
				{!answer && sentence === "" && <p>Looking it up …</p>}
				{answer && <Answer answer={answer} />}
			</div>
		</aside>
	);
	// The stage cuts off what is larger than itself.
	return isSheet ? createPortal(aside, document.body) : aside;
}

/** The width from which card.module.css has it as a sheet. */
const NARROW = "(max-width: 759px)";

function useIsNarrow(): boolean {
	return useSyncExternalStore(
		(changed) => {
			const query = matchMedia(NARROW);
			query.addEventListener("change", changed);
			return () => query.removeEventListener("change", changed);
		},
		() => matchMedia(NARROW).matches,
	);
}

/** At the position that rests; until the next answer the previous one stays. */
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

/** The focus comes in when somebody asked, and goes back when the card closes. */
function useFocus(card: React.RefObject<HTMLElement | null>): void {
	useEffect(() => {
		const before = document.activeElement;
		if (takeAsked()) card.current?.focus({ preventScroll: true });
		const own = card.current;
		return () => {
			if (!own?.contains(document.activeElement) && document.activeElement !== document.body)
				return;
			// A mouse asked on the canvas, which has no focus: no box for the keyboard appears.
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
			<p className={css.where}>
				{answer.cache === "" ? "All caches" : answer.cache}, after{" "}
				{answer.ops === 0 ? "no event" : eventWords(answer.ops - 1)}
			</p>
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

/** They stay while one goes from one to the other. */
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

/** One setting to press, and the way back from it. */
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
			title={`Replays the trace with ${key} = ${value}; ${count(things)} are here now`}
			onClick={() => {
				tried = { machine: facts().machine, key, before: valueNow(key) };
				void setParam(key, value);
			}}
		>
			{`What if ${key} = ${value}?`}
		</LinkButton>
	);
}
