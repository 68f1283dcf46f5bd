/** Answers a question about slabs by a click on one of them, on the stage. */
import { useEffect, useRef, useState } from "react";
import { facts, store } from "../../app/state/store.ts";
import type { Question } from "../../engine/answers.ts";
import type { Place } from "./model/places.ts";

interface Asked {
	readonly stop: string;
	readonly place: Place;
	/** The question waits for its answer. */
	readonly isOpen: boolean;
}

/** Whether the stage shows the position and the cache that the question is about. */
function isOnStage({ before, cache }: Question, { stop, place }: Asked): boolean {
	const f = facts();
	return (
		f.lesson.stop === stop &&
		f.trace === place.trace &&
		f.cache === cache &&
		f.moment?.position.op === before?.op
	);
}

/** Calls `choose` with the choice that was clicked. Returns why the last click does not answer, "" if it does. */
export function useSlabAnswer(
	question: Question | null,
	asked: Asked,
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
