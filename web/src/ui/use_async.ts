/** Asynchronous answers, as components read them: the newest one counts, late ones are dropped. */
import { type DependencyList, useEffect, useState } from "react";
import { sentenceOf } from "../app/playback/player.ts";

export interface Answer<T> {
	/** The last answer; undefined before the first one. An answer of null or undefined does not change it. */
	readonly value: NonNullable<T> | undefined;
	/** Whether `value` answers the current question; an older answer may be shown meanwhile. */
	readonly isCurrent: boolean;
	/** Why the last question has no answer, as one sentence; "" if it has one. */
	readonly sentence: string;
}

interface Answered<T> {
	readonly asked: DependencyList | undefined;
	readonly value: NonNullable<T> | undefined;
	readonly sentence: string;
}

/** Runs `work` whenever `asked` changes; does nothing without `work`. */
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
