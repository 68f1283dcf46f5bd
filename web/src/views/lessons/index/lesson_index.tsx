/** The index of the lessons: a card each, with a small live stage and the reader's progress. */

import { useMemo } from "react";
import { change } from "../../../app/state/store.ts";
import { quantity } from "../../../base/format.ts";
import type { Shot } from "../../../engine/answers.ts";
import { StageCard } from "../figure/small_stage.tsx";
import { LESSONS, type LessonCard, type Plays, useScore } from "../model/context.ts";
import css from "./lesson_index.module.css";

const SHOTS_MOST = 20;

export function LessonIndex({ unknown }: { unknown: string }) {
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
			<span className={css.title}>
				<span className={`${css.nr} number`}>{nr}</span> {title}
			</span>
			<span className="quiet">{teaches}</span>
			<Progress card={card} minutes={minutes} />
		</StageCard>
	);
}

/** Evenly through the passage. */
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
			<span className={css.bar} aria-hidden="true">
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
