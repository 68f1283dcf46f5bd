/** Answers that take a while, as components read them: the newest one counts, whatever comes late is dropped. */
import { type DependencyList, useEffect, useState } from "react";
import { sentenceOf } from "../app/playback/player.ts";

export interface Answer<T> {
	/** The last answer there was; undefined before the first one. An answer of null or undefined leaves it as it was. */
	readonly value: NonNullable<T> | undefined;
	/** Whether `value` answers what is asked now; an older one may be shown meanwhile. */
	readonly isCurrent: boolean;
	/** Why the last question has no answer, as one sentence; "" where it has one. */
	readonly sentence: string;
}

interface Answered<T> {
	readonly asked: DependencyList | undefined;
	readonly value: NonNullable<T> | undefined;
	readonly sentence: string;
}

/** Runs `work` whenever something of `asked` changes; without work nothing is asked. */
export function useAsync<T>(
	work: (() => Promise<T>) | undefined,
	asked: DependencyList,
): Answer<T> {
	const [answered, setAnswered] = useState<Answered<T>>({
		asked: undefined,
		value: undefined,
		sentence: "",
	});
	useEffect(() => {
		if (!work) return;
		let isWanted = true;
		const answer = (value: T | undefined, sentence: string) => {
			if (isWanted) setAnswered((last) => ({ asked, value: value ?? last.value, sentence }));
		};
		work().then(
			(value) => answer(value, ""),
			(error: unknown) => answer(undefined, sentenceOf(error)),
		);
		return () => {
			isWanted = false;
		};
	}, asked);
	return {
		value: answered.value,
		isCurrent: answered.asked?.every((one, i) => Object.is(one, asked[i])) ?? false,
		sentence: answered.sentence,
	};
}
