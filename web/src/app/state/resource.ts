/**
 * Questions to the engine whose answers the page keeps. The latest question counts: a late answer is dropped, and the page is not idle
 * before the latest one is there. An engine that fails reports that itself, so the last answer stays.
 */
import { awaitChange } from "../../base/frame_clock.ts";
import { type Facts, facts, store } from "./store.ts";
import { onWords } from "./throttle.ts";

interface Asking<Key, T> {
	readonly ask: (key: Key) => Promise<T>;
	readonly put: (answer: T, key: Key) => void;
	/** How long a question waits to see whether another one follows. */
	readonly restMs?: number;
	/** Returns an answer that is already known. */
	readonly known?: (key: Key) => T | undefined;
	/** While a call is open, the latest question waits, and every answer counts. */
	readonly oneAtATime?: true;
}

interface Resource<Key, T> extends Asking<Key, T> {
	/**
	 * The current question. A different value of any of its parts makes it a different question; undefined asks
	 * nothing.
	 */
	readonly key: (f: Facts) => Key | undefined;
	/** It asks only as often as text changes, which can't keep up with sixty positions a second. */
	readonly when?: "text";
}

function isSame<Key extends object>(a: Key | undefined, b: Key | undefined): boolean {
	if (!a || !b) return a === b;
	return (Object.keys(a) as (keyof Key)[]).every((part) => Object.is(a[part], b[part]));
}

/**
 * Returns a function that asks, which does nothing if the question is the same as before, and a function that
 * ends it.
 */
export function asker<Key extends object, T>(
	of: Asking<Key, T>,
): readonly [(key: Key | undefined) => void, () => void] {
	const { ask, put, restMs = 0, known, oneAtATime = false } = of;
	let asked: Key | undefined;
	let timer = 0;
	let isOpen = false;
	let settled = () => {};
	const call = async (key: Key, done: () => void): Promise<void> => {
		isOpen = true;
		try {
			const answer = await ask(key);
			if (oneAtATime || asked === key) put(answer, key);
		} catch {
			// The trace was replaced, or the simulator stopped, which is reported elsewhere.
		} finally {
			isOpen = false;
			if (oneAtATime && asked && asked !== key) void call(asked, done);
			else done();
		}
	};
	const end = store.subscribe((now, before) => {
		if (!now.crash || before.crash) return;
		// A simulator that has stopped never answers.
		[asked, isOpen] = [undefined, false];
		settled();
	});
	const follow = (key: Key | undefined) => {
		if (isSame(asked, key)) return;
		asked = key;
		if (oneAtATime && isOpen) return;
		window.clearTimeout(timer);
		settled();
		if (!key) return;
		const answer = known?.(key);
		if (answer !== undefined) return put(answer, key);
		const done = awaitChange();
		settled = done;
		if (restMs === 0) void call(key, done);
		else timer = window.setTimeout(() => void call(key, done), restMs);
	};
	return [follow, end];
}

/** Asks whenever the question changes with the facts; returns a function that ends this. */
export function resource<Key extends object, T>({
	key,
	when,
	...asking
}: Resource<Key, T>): () => void {
	const [ask, end] = asker(asking);
	const follow = () => ask(key(facts()));
	const stop = when === "text" ? onWords(follow) : store.subscribe(follow);
	follow();
	return () => {
		stop();
		ask(undefined);
		end();
	};
}
