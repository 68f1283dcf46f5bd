/** The Lessons view: the list of lessons, one of them beside the stage, or its questions on a sheet. */
import { Component, type ReactNode } from "react";
import { Arriving } from "../panels/arriving.tsx";
import { change } from "../player/store.ts";
import { useFacts } from "../player/use_facts.ts";
import { Lesson } from "./lesson.tsx";
import { LESSONS } from "./library.ts";
import { Sheet } from "./sheet.tsx";
import "../style/lesson_widgets.css";
import "../style/lessons.css";

export function Lessons() {
	const { name, sheet } = useFacts((f) => f.lesson);
	const card = LESSONS.find((l) => l.name === name);
	if (!card) return <LessonList unknown={name} />;
	return (
		<Trouble key={`${name} ${sheet}`}>
			<Arriving>
				{sheet >= 0 ? <Sheet card={card} seed={sheet} /> : <Lesson card={card} />}
			</Arriving>
		</Trouble>
	);
}

function LessonList({ unknown }: { unknown: string }) {
	return (
		<section className="lesson-list" aria-label="Lessons">
			<h2>Lessons</h2>
			{unknown !== "" && (
				<p className="danger">There is no lesson {unknown}: choose one of these.</p>
			)}
			<p className="quiet">
				About ten minutes each. The stage plays along; questions are answered by the allocator
				itself.
			</p>
			<ol>
				{LESSONS.map(({ name, title, teaches, minutes }, i) => (
					<li key={name}>
						<button
							type="button"
							className="lesson-card"
							onClick={() => change({ lesson: { name, stop: "", sheet: -1 } })}
						>
							<span className="lesson-number number">{i + 1}</span>
							<span className="lesson-title">{title}</span>
							<span className="quiet">{teaches}</span>
							<span className="quiet number">{minutes} minutes</span>
						</button>
					</li>
				))}
			</ol>
		</section>
	);
}

/** A lesson that fails says why, and the page goes on. */
class Trouble extends Component<{ readonly children: ReactNode }, { readonly sentence: string }> {
	override state = { sentence: "" };

	static getDerivedStateFromError(error: unknown): { readonly sentence: string } {
		return { sentence: error instanceof Error ? error.message : String(error) };
	}

	override render(): ReactNode {
		const { sentence } = this.state;
		return sentence === "" ? this.props.children : <p className="danger lesson-list">{sentence}</p>;
	}
}
