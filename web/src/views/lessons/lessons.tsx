/** The Lessons view: the list of lessons, one of them beside the stage, or its questions on a sheet. */

import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { Part } from "../../ui/lazy_part.tsx";
import { Lesson } from "./lesson.tsx";
import css from "./lessons.module.css";
import { LESSONS } from "./library.ts";
import { Sheet } from "./sheet.tsx";

export function Lessons() {
	const { name, sheet } = useFacts((f) => f.lesson);
	const card = LESSONS.find((l) => l.name === name);
	if (!card) return <LessonList unknown={name} />;
	return (
		<Part key={`${name} ${sheet}`} name="This lesson">
			{sheet >= 0 ? <Sheet card={card} seed={sheet} /> : <Lesson card={card} />}
		</Part>
	);
}

function LessonList({ unknown }: { unknown: string }) {
	return (
		<section className={css.list} data-transport="none" aria-label="Lessons">
			<h2>Lessons</h2>
			{unknown !== "" && (
				<p className="danger">Slabscope has no lesson {unknown}: choose one of these.</p>
			)}
			<p className="quiet">
				Each takes about ten minutes. The stage plays along, and the allocator itself answers the
				questions.
			</p>
			<ol>
				{LESSONS.map(({ name, title, teaches, minutes }, i) => (
					<li key={name}>
						<button
							type="button"
							className={css.card}
							onClick={() => change({ lesson: { name, stop: "", sheet: -1 } })}
						>
							<span className={`${css.number} number`}>{i + 1}</span>
							<span className={css.title}>{title}</span>
							<span className="quiet">{teaches}</span>
							<span className="quiet number">{minutes} minutes</span>
						</button>
					</li>
				))}
			</ol>
		</section>
	);
}
