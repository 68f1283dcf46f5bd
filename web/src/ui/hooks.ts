/**
 * Hooks that several parts use: the size of an element, whether it has come into view, long tables in slices, a
 * position that has settled.
 */

import {
	type DependencyList,
	type RefObject,
	useEffect,
	useLayoutEffect,
	useRef,
	useState,
} from "react";
import { sentenceOf } from "../app/playback/player.ts";
import { facts, store } from "../app/state/store.ts";
import { awaitChange, onFrame } from "../base/frame_clock.ts";
import type { Moment } from "../engine/types.ts";

export interface Size {
	readonly width: number;
	readonly height: number;
}

/** Measures in CSS pixels and stays up to date. The page is not idle until the caller has it. */
export function useSize(ref: RefObject<HTMLElement | null>): Size {
	const [size, setSize] = useState<Size>({ width: 0, height: 0 });
	const arrived = useRef(() => {});
	useEffect(() => {
		const element = ref.current;
		if (!element) return;
		const observer = new ResizeObserver(([entry]) => {
			if (!entry) return;
			const { width, height } = entry.contentRect;
			arrived.current();
			arrived.current = awaitChange();
			setSize({ width: Math.round(width), height: Math.round(height) });
		});
		observer.observe(element);
		return () => {
			observer.disconnect();
			arrived.current();
		};
	}, [ref]);
	useEffect(() => arrived.current(), [size]);
	return size;
}

/** The letter size of the page's smallest text on a usual screen. */
const LETTERS_PX = 12;

/** Says how much larger an element's letters are: screens seen from afar have larger ones. */
export function letterScale({ current }: RefObject<HTMLElement | null>): number {
	return current ? Number.parseFloat(getComputedStyle(current).fontSize) / LETTERS_PX : 1;
}

/** Elements far down compute nothing until somebody reads them. */
export function useSeen(of: RefObject<HTMLElement | null>): boolean {
	const [seen, setSeen] = useState(false);
	useEffect(() => {
		if (!of.current || seen) return;
		const observer = new IntersectionObserver(
			(entries) => entries.some((e) => e.isIntersecting) && setSeen(true),
			{ rootMargin: "200px" },
		);
		observer.observe(of.current);
		return () => observer.disconnect();
	}, [of, seen]);
	return seen;
}

/**
 * Thousands of cells in one task would stall the page. This is about a thousand, which the browser lays out and draws
 * in less than half the time of a long task.
 */
const ROWS_A_FRAME = 40;

/**
 * Returns the rows to render now, up to `most` of them in the end. It starts over for other rows, by identity. Meanwhile the
 * page is not idle.
 */
export function useRows<T>(rows: readonly T[], most = rows.length): readonly T[] {
	const [shown, setShown] = useState({ rows, nr: ROWS_A_FRAME });
	const nr = shown.rows === rows ? shown.nr : ROWS_A_FRAME;
	const end = Math.min(most, rows.length);
	const isCut = nr < end;
	useEffect(() => {
		if (!isCut) return;
		const stop = onFrame(() => {
			setShown((s) => ({ rows, nr: (s.rows === rows ? s.nr : ROWS_A_FRAME) + ROWS_A_FRAME }));
			return true;
		});
		return () => {
			stop();
		};
	}, [rows, isCut]);
	return rows.slice(0, Math.min(nr, end));
}

/* For panels that open beside others or over them: they take the focus, give it back, and close at a click elsewhere. */

/** The panel itself takes the focus, so the page's keys still work; Tab leads to its first control. */
export function useVisit(panel: RefObject<HTMLElement | null>): void {
	useLayoutEffect(() => {
		const here = panel.current;
		const from = document.activeElement;
		here?.focus();
		return () => {
			if (here?.contains(document.activeElement) && from instanceof HTMLElement) from.focus();
		};
	}, [panel]);
}

/**
 * Keeps the focus in the panel while it is open. `giveBack` runs when it closes with the focus still in it, or with the
 * focus nowhere: somebody who has moved on to another control stays there.
 */
export function useFocusWithin(panel: RefObject<HTMLElement | null>, giveBack: () => void): void {
	useLayoutEffect(() => {
		const here = panel.current;
		here?.focus({ preventScroll: true });
		return () => {
			const { activeElement } = document;
			if (activeElement === document.body || here?.contains(activeElement)) giveBack();
		};
	}, [panel]);
}

/** Closes the panel on a click outside, unless it's on a control that `isOwn`. */
export function useClickOutside(
	panel: RefObject<HTMLElement | null>,
	isOwn: (target: Element) => boolean,
	close: () => void,
): void {
	useEffect(() => {
		const click = ({ target }: MouseEvent) => {
			// Whatever the click has replaced was inside the panel.
			if (!(target instanceof Element) || !target.isConnected) return;
			if (!panel.current?.contains(target) && !isOwn(target)) close();
		};
		window.addEventListener("click", click);
		return () => window.removeEventListener("click", click);
	}, [panel, isOwn, close]);
}

/* Asynchronous answers, as components read them: the newest one counts, late ones are dropped. */

interface Answer<T> {
	/** The last answer; undefined before the first one. An answer of null or undefined does not change it. */
	readonly value: NonNullable<T> | undefined;
	/** Whether `value` answers the current question; an older answer may be shown meanwhile. */
	readonly isCurrent: boolean;
	/** Why the last question has no answer, in one sentence; "" if it has one. */
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

/**
 * Returns the position once it has been on screen for a while; until then, the previous one. Does not change while the trace
 * plays.
 */
export function useRestedMoment(restMs: number): Moment | null {
	const [rested, setRested] = useState<Moment | null>(null);
	useEffect(() => {
		let changedMs = performance.now();
		// One timer at a time, however many positions come.
		const rest = () => {
			const leftMs = changedMs + restMs - performance.now();
			timer = leftMs > 0 ? window.setTimeout(rest, leftMs) : 0;
			if (timer === 0) setRested(facts().moment);
		};
		let timer = window.setTimeout(rest, restMs);
		const stop = store.subscribe((now, before) => {
			if (now.moment === before.moment) return;
			changedMs = performance.now();
			if (timer === 0) timer = window.setTimeout(rest, restMs);
		});
		return () => {
			stop();
			window.clearTimeout(timer);
		};
	}, [restMs]);
	return rested;
}
