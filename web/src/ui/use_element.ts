/** An element on the page: its size, and whether it has come into view. */
import { type RefObject, useEffect, useRef, useState } from "react";
import { awaitChange } from "../base/frame_clock.ts";

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
