/** The Lessons view: the list of lessons, one of them beside the stage, or its questions on a sheet. */

import { useFacts } from "../../app/state/use_facts.ts";
import { Part } from "../../ui/lazy_part.tsx";
import { LessonIndex } from "./index/lesson_index.tsx";
import { Lesson } from "./lesson.tsx";
import { LESSONS } from "./model/library.ts";
import { Sheet } from "./sheet.tsx";

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
