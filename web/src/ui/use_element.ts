/** Large elements: their size, whether they have come into view, and long tables in slices. */
import { type RefObject, useEffect, useRef, useState } from "react";
import { awaitChange, onFrame } from "../base/frame_clock.ts";

export interface Size {
	readonly width: number;
	readonly height: number;
}

/** In CSS pixels, followed as it changes. The page is not idle until the caller has it. */
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

/** The size of the letters of the page's smallest text on a usual screen. */
const LETTERS_PX = 12;

/** How much larger the letters of an element are: far screens have larger ones. */
export function letterScale({ current }: RefObject<HTMLElement | null>): number {
	return current ? Number.parseFloat(getComputedStyle(current).fontSize) / LETTERS_PX : 1;
}

/** Elements far down compute nothing before somebody reads them. */
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

/** Thousands of cells in one task would stall the page. These are about a thousand, which the browser lays out and draws in less than half of a long task. */
const ROWS_A_FRAME = 40;

/** The rows to render now, up to `most` of them in the end. Other rows, by identity, start again. The page is not idle meanwhile. */
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
